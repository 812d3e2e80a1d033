"""What all tests share: Ctrl-C works, what is not collected, and what was skipped, and why."""

import signal
from collections import Counter
from importlib.util import find_spec

import pytest

# Examples of a part whose extra is not installed cannot be imported.
if any(find_spec(name) is None for name in ("prometheus_client", "starlette", "uvicorn")):
    collect_ignore = ["src/sgtrees/serve"]


def pytest_configure() -> None:
    """Let tests interrupt: processes that a shell starts in the background ignore Ctrl-C."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


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
