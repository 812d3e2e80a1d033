"""Targets: class labels, indicators and numbers, one or several for each row."""
