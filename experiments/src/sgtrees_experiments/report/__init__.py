"""The tables, figures and pages that come of the runs."""
