"""Who may do what: tokens for predicting, learning and administration."""

import hmac
import ipaddress
import tomllib
from collections.abc import Mapping
from enum import Enum
from pathlib import Path

from sgtrees.serve.errors import RequestError

_LEAST_LENGTH = 16
_LOOPBACK_NAMES = ("localhost",)


class Role(Enum):
    """What a token is for."""

    PREDICT = "predict"
    LEARN = "learn"
    ADMIN = "admin"


class Access:
    """The tokens of a server.

    Without any, requests are taken from this machine only, and only under its own name: a page in
    a browser here that calls the server by another name is refused.

    Parameters
    ----------
    tokens : mapping from Role to str
        The token of each role; a role without one is closed, if others have tokens.

    Raises
    ------
    ValueError
        If a token is short, or the token of two roles.

    Examples
    --------
    >>> access = Access({Role.PREDICT: "p" * 16, Role.LEARN: "l" * 16})
    >>> access.check(Role.PREDICT, "Bearer " + "p" * 16, "model.example")
    >>> access.check(Role.LEARN, "Bearer " + "p" * 16, "model.example")
    Traceback (most recent call last):
    sgtrees.serve.errors.RequestError: this token is for predict; this request needs the one for \
learn
    """

    def __init__(self, tokens: Mapping[Role, str] | None = None) -> None:
        self._tokens = {role: token.encode() for role, token in (tokens or {}).items()}
        for role, token in self._tokens.items():
            if len(token) < _LEAST_LENGTH:
                raise ValueError(
                    f"the token for {role.value} has fewer than {_LEAST_LENGTH} characters"
                )
        if len(set(self._tokens.values())) < len(self._tokens):
            raise ValueError("two roles have the same token")

    @property
    def has_tokens(self) -> bool:
        """Whether there are tokens."""
        return bool(self._tokens)

    def check(self, role: Role | None, authorization: str | None, host: str | None) -> None:
        """Refuse a request that may not do what it asks for.

        Parameters
        ----------
        role : Role or None
            The role that it needs; None for any.
        authorization, host : str or None
            The headers of these names.

        Raises
        ------
        RequestError
            If it is refused.
        """
        if not self._tokens:
            if not is_loopback(_name_of(host or "")):
                raise RequestError(
                    403, "bad_host", "without tokens the server answers to localhost only"
                )
            return
        scheme, _, given = (authorization or "").partition(" ")
        if scheme.lower() != "bearer" or not given:
            raise RequestError(
                401, "no_token", "send a token: the header 'Authorization: Bearer TOKEN'"
            )
        found = self._role_of(given.strip())
        if found is None:
            raise RequestError(401, "unknown_token", "this token is unknown")
        if role is not None and found is not role:
            raise RequestError(
                403,
                "wrong_token",
                f"this token is for {found.value}; this request needs the one for {role.value}",
            )

    def _role_of(self, given: str) -> Role | None:
        """Compare with every token, in a time that does not depend on how much of it is right."""
        found = None
        for role, token in self._tokens.items():
            if hmac.compare_digest(token, given.encode()):
                found = role
        return found


def is_loopback(host: str) -> bool:
    """Return whether a name or address is that of this machine alone.

    Examples
    --------
    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    if host in _LOOPBACK_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _name_of(host: str) -> str:
    """Return the name in a header ``Host``, without the port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def read_tokens(path: Path | None, environment: Mapping[str, str]) -> dict[Role, str]:
    """Read tokens: from a TOML file, or else from variables like ``SGTREES_LEARN_TOKEN``.

    Examples
    --------
    >>> read_tokens(None, {"SGTREES_LEARN_TOKEN": "secret"})
    {<Role.LEARN: 'learn'>: 'secret'}
    """
    if path is None:
        names = {role: f"SGTREES_{role.name}_TOKEN" for role in Role}
        return {role: environment[name] for role, name in names.items() if environment.get(name)}
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f'{path} has no lines like learn = "TOKEN": {error}') from error
    roles = {role.value: role for role in Role}
    for name, token in document.items():
        if name not in roles or not isinstance(token, str):
            raise ValueError(f"{path}: {name!r} is none of {', '.join(roles)} with a string")
    return {roles[name]: token for name, token in document.items()}
