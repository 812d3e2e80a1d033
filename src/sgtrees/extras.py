"""The command that installs what an optional part of the library needs.

It depends on how the library itself was installed. From a package index, ``sgtrees[plot]`` names an
extra. From a clone, a wheel or a URL the index need not know the library at all, so the command
names the packages of the extra instead.
"""

import re
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

_NAME = "sgtrees"
_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")
_OWN_EXTRAS = re.compile(rf"{_NAME}\[([^\]]+)\]")


def install_command(extra: str) -> str:
    """Return the command that installs the packages of an extra.

    Parameters
    ----------
    extra : str
        The extra's name, as in ``pyproject.toml``.

    Returns
    -------
    str
        What to type into a shell.

    Examples
    --------
    >>> "matplotlib" in install_command("plot") or "sgtrees[plot]" in install_command("plot")
    True
    """
    try:
        installed = distribution(_NAME)
    except PackageNotFoundError:
        # Sources that were never installed: there is only the name.
        return f"{_installer('')} '{_NAME}[{extra}]'"
    needed = [f"{_NAME}[{extra}]"]
    if installed.read_text("direct_url.json") is not None:
        needed = list(dict.fromkeys(_requirements(installed, extra))) or needed
    quoted = " ".join(f"'{requirement}'" for requirement in needed)
    return f"{_installer(installed.read_text('INSTALLER') or '')} {quoted}"


def _requirements(installed: Distribution, extra: str) -> Iterator[str]:
    """Yield the packages of an extra, and those of the library's other extras that it names."""
    for line in installed.requires or ():
        requirement, _, marker = (part.strip() for part in line.partition(";"))
        if extra not in _EXTRA.findall(marker):
            continue
        own = _OWN_EXTRAS.fullmatch(requirement)
        if own is None:
            yield requirement
        else:
            for other in own[1].split(","):
                yield from _requirements(installed, other.strip())


def _installer(recorded: str) -> str:
    """Return the installer of this environment, with its path if the shell would find another."""
    if recorded.strip() == "uv":
        return "uv pip install"
    found = shutil.which("pip")
    if found is not None and Path(found).parent == Path(sys.executable).parent:
        return "pip install"
    return f"{sys.executable} -m pip install"
