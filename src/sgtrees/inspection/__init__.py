"""Looking into a model: its trees as plain values, and those in words."""

from sgtrees.inspection.text import RuleInWords, SplitInWords, rules, top_splits
from sgtrees.inspection.view import Branch, FeatureView, Node, Output, Split, TreeView, view_trees

__all__ = [
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
    "view_trees",
]
