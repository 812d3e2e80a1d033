"""The tables, figures and pages that are made from the runs."""
