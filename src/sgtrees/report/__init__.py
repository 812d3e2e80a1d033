"""The report: one page of HTML, with all that it needs inside, that shows what a model learned."""

from sgtrees.report.observations import Observations
from sgtrees.report.page import Page, write_report

__all__ = ["Observations", "Page", "write_report"]
