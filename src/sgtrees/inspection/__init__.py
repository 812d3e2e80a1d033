"""Looking into a model: its trees as plain values, in words, in pictures, and what they rest on.

Everything reads an immutable view (`view_model`), which stays as it is while the model learns on.
"""

from sgtrees.inspection.changes import Change, ChangeKind, Changes, compare
from sgtrees.inspection.description import describe
from sgtrees.inspection.document import to_dict, to_json
from sgtrees.inspection.dot import to_dot
from sgtrees.inspection.importances import (
    Importances,
    gain_importances,
    permutation_importances,
)
from sgtrees.inspection.plot import plot_tree
from sgtrees.inspection.reading import view_model, view_trees
from sgtrees.inspection.shap import ShapValues, shap_values
from sgtrees.inspection.svg import to_svg
from sgtrees.inspection.text import RuleInWords, SplitInWords, rules, top_splits
from sgtrees.inspection.tree_text import to_text
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
from sgtrees.inspection.why import Way, Why, why
from sgtrees.inspection.words import EVERYTHING, value_in_words

__all__ = [
    "EVERYTHING",
    "Branch",
    "Change",
    "ChangeKind",
    "Changes",
    "FeatureView",
    "Importances",
    "ModelView",
    "Node",
    "Output",
    "RuleInWords",
    "ShapValues",
    "Split",
    "SplitInWords",
    "Task",
    "TreeView",
    "Way",
    "Why",
    "compare",
    "describe",
    "gain_importances",
    "permutation_importances",
    "plot_tree",
    "rules",
    "shap_values",
    "to_dict",
    "to_dot",
    "to_json",
    "to_svg",
    "to_text",
    "top_splits",
    "value_in_words",
    "view_model",
    "view_trees",
    "why",
]
