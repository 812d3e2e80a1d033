"""Looking into a model: its trees as plain values, and those in words."""

from sgtrees.inspection.document import to_dict, to_json
from sgtrees.inspection.reading import view_model, view_trees
from sgtrees.inspection.text import RuleInWords, SplitInWords, rules, top_splits
from sgtrees.inspection.view import (
    Branch,
    FeatureView,
    ModelView,
    Node,
    Output,
    Split,
    Task,
    TreeView,
)
from sgtrees.inspection.words import EVERYTHING, value_in_words

__all__ = [
    "EVERYTHING",
    "Branch",
    "FeatureView",
    "ModelView",
    "Node",
    "Output",
    "RuleInWords",
    "Split",
    "SplitInWords",
    "Task",
    "TreeView",
    "rules",
    "to_dict",
    "to_json",
    "top_splits",
    "value_in_words",
    "view_model",
    "view_trees",
]
