"""The report: a self-contained HTML page about an evaluation and its model."""

from sgtrees.report.observations import Observations
from sgtrees.report.page import Page, write_report

__all__ = ["Observations", "Page", "write_report"]
