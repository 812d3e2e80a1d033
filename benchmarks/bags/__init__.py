"""Accuracy on bags: cross-validation on the paper's multi-instance sets."""
