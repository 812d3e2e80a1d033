"""One line at the end of a test run: what was skipped, and why."""

from collections import Counter

import pytest


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
