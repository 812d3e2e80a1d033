"""What all tests share: Ctrl-C works, what is not collected, and what was skipped, and why."""

import signal
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

# Examples of a part whose extra is not installed cannot be imported.
if any(find_spec(name) is None for name in ("prometheus_client", "starlette", "uvicorn")):
    collect_ignore = ["src/sgtrees/client", "src/sgtrees/serve"]


def pytest_configure() -> None:
    """Let tests interrupt: processes that a shell starts in the background ignore Ctrl-C."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _served(request: pytest.FixtureRequest) -> None:
    """Give the examples of the client a server."""
    if isinstance(request.node, pytest.DoctestItem) and "client" in request.node.path.parts:
        names = request.getfixturevalue("doctest_namespace")
        names["url"] = request.getfixturevalue("served_url")


@pytest.fixture(scope="session")
def served_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server in this process, with a new classifier of ``kind``."""
    from tests.serving import serving  # noqa: PLC0415 - an extra

    with serving(tmp_path_factory.mktemp("served")) as url:
        yield url


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write the line."""
    reports = terminalreporter.stats.get("skipped", [])
    reasons = Counter(_reason(report) for report in reports)
    skipped = "; ".join(f"{count} x {reason}" for reason, count in reasons.most_common())
    terminalreporter.write_line(f"== skipped: {skipped or 'nothing'}")


def _reason(report: pytest.TestReport) -> str:
    # Where a test was skipped, and why.
    longrepr = report.longrepr
    text = longrepr[2] if isinstance(longrepr, tuple) else str(longrepr)
    return text.removeprefix("Skipped: ")
