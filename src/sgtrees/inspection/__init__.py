"""Inspection of a model: its trees as values, text and pictures; importances and explanations.

Everything reads an immutable view (`view_model`), which does not change while the model learns on.
"""

from sgtrees.inspection.changes import Change, ChangeKind, Changes, compare
from sgtrees.inspection.conditions import ALWAYS
from sgtrees.inspection.decision_path import DecisionPath, Explanation, why
from sgtrees.inspection.description import describe
from sgtrees.inspection.document import to_dict, to_json
from sgtrees.inspection.dot import to_dot
from sgtrees.inspection.drawing import Drawing, draw
from sgtrees.inspection.extraction import Estimator, view_model, view_trees
from sgtrees.inspection.importance_plot import plot_importances
from sgtrees.inspection.importances import (
    Importances,
    gain_importances,
    permutation_importances,
)
from sgtrees.inspection.model_view import ModelView, TargetType
from sgtrees.inspection.node_view import Branch, FeatureView, Node, Split
from sgtrees.inspection.plot import plot_tree
from sgtrees.inspection.predictions import format_prediction
from sgtrees.inspection.rules import Rule, SplitSummary, rules, top_splits
from sgtrees.inspection.shap import ShapValues, shap_values
from sgtrees.inspection.svg import to_svg
from sgtrees.inspection.text import to_text
from sgtrees.inspection.tree_view import TreeView, ValueKind

__all__ = [
    "ALWAYS",
    "Branch",
    "Change",
    "ChangeKind",
    "Changes",
    "DecisionPath",
    "Drawing",
    "Estimator",
    "Explanation",
    "FeatureView",
    "Importances",
    "ModelView",
    "Node",
    "Rule",
    "ShapValues",
    "Split",
    "SplitSummary",
    "TargetType",
    "TreeView",
    "ValueKind",
    "compare",
    "describe",
    "draw",
    "format_prediction",
    "gain_importances",
    "permutation_importances",
    "plot_importances",
    "plot_tree",
    "rules",
    "shap_values",
    "to_dict",
    "to_dot",
    "to_json",
    "to_svg",
    "to_text",
    "top_splits",
    "view_model",
    "view_trees",
    "why",
]
