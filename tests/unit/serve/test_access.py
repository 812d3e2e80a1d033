"""Tokens: each for its own, none for strangers."""

import pytest

from sgtrees.serve.access import Access, Role, read_tokens
from sgtrees.serve.errors import RequestError

TOKENS = {Role.PREDICT: "p" * 20, Role.LEARN: "l" * 20}


@pytest.mark.parametrize(
    ("role", "header", "status"),
    [
        (Role.LEARN, None, 401),
        (Role.LEARN, "Basic " + "l" * 20, 401),
        (Role.LEARN, "Bearer ", 401),
        (Role.LEARN, "Bearer " + "l" * 19, 401),
        (Role.LEARN, "Bearer \xe9" + "l" * 19, 401),
        (Role.LEARN, "Bearer " + "p" * 20, 403),
        (Role.ADMIN, "Bearer " + "l" * 20, 403),
        (Role.LEARN, "bearer " + "l" * 20, None),
        (None, "Bearer " + "p" * 20, None),
    ],
)
def test_a_request_needs_the_token_of_its_role(role, header, status):
    access = Access(TOKENS)
    if status is None:
        access.check(role, header, "anywhere")
        return
    with pytest.raises(RequestError) as refused:
        access.check(role, header, "localhost")
    assert refused.value.status == status


@pytest.mark.parametrize(
    ("host", "is_refused"),
    [
        ("localhost:8000", False),
        ("127.0.0.1", False),
        ("[::1]:8000", False),
        ("evil.example", True),
        ("localhost.evil.example", True),
        (None, True),
    ],
)
def test_without_tokens_only_the_names_of_this_machine_are_answered(host, is_refused):
    if is_refused:
        with pytest.raises(RequestError, match="localhost only"):
            Access().check(Role.LEARN, None, host)
    else:
        Access().check(Role.LEARN, None, host)


def test_tokens_come_from_a_file_or_the_environment(tmp_path):
    path = tmp_path / "tokens.toml"
    path.write_text(f'predict = "{"p" * 20}"\nlearn = "{"l" * 20}"\n')
    assert read_tokens(path, {}) == TOKENS
    assert read_tokens(None, {"SGTREES_ADMIN_TOKEN": "x"}) == {Role.ADMIN: "x"}
    path.write_text('teach = "x"\n')
    with pytest.raises(ValueError, match="'teach' is none of predict, learn, admin"):
        read_tokens(path, {})
    path.write_text("predict")
    with pytest.raises(ValueError, match="no lines like"):
        read_tokens(path, {})


@pytest.mark.parametrize(
    ("tokens", "message"),
    [({Role.LEARN: "short"}, "fewer than 16"), (dict.fromkeys(Role, "x" * 16), "the same token")],
)
def test_weak_tokens_are_refused(tokens, message):
    with pytest.raises(ValueError, match=message):
        Access(tokens)
