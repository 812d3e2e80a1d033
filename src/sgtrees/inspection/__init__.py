"""Looking into a model: its trees as plain values, and those in words."""

from sgtrees.inspection.text import (
    EVERYTHING,
    RuleInWords,
    SplitInWords,
    rules,
    top_splits,
    value_in_words,
)
from sgtrees.inspection.view import Branch, FeatureView, Node, Output, Split, TreeView, view_trees

__all__ = [
    "EVERYTHING",
    "Branch",
    "FeatureView",
    "Node",
    "Output",
    "RuleInWords",
    "Split",
    "SplitInWords",
    "TreeView",
    "rules",
    "top_splits",
    "value_in_words",
    "view_trees",
]
