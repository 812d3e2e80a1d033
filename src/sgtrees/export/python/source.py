"""Models as Python source that needs nothing but Python."""

from collections.abc import Hashable, Sequence
from importlib.metadata import version
from math import isfinite
from pprint import pformat
from textwrap import dedent, indent

from sgtrees.data.columns import Kind
from sgtrees.export.python import functions
from sgtrees.export.view import (
    PredictionForm,
    exportable_view,
    prediction_form,
    prediction_sentence,
)
from sgtrees.inspection import Estimator, FeatureView, ModelView, Node, TreeView
from sgtrees.inspection.node_view import MOST_DEVIATIONS
from sgtrees.losses.links import EXP, HIGHEST_LOG_MEAN, IDENTITY, LOGISTIC, TWICE_LOGISTIC

_LINKS = {
    IDENTITY: "score",
    EXP: f"exp(min(score, {HIGHEST_LOG_MEAN}))",
    LOGISTIC: "_logistic(score)",
    TWICE_LOGISTIC: "_logistic(2.0 * score)",
}
_PREDICTIONS = {
    PredictionForm.RAW: "",
    PredictionForm.NUMBER: functions.NUMBER,
    PredictionForm.NUMBERS: functions.LINKED_NUMBERS.replace("FUNCTION", "predict"),
    PredictionForm.INSTANCE: functions.INSTANCE,
    PredictionForm.INDICATORS: (
        functions.LINKED_NUMBERS.replace("FUNCTION", "predict_proba") + functions.INDICATORS
    ),
    PredictionForm.LINK_OF_TWO: functions.LINK_OF_TWO,
    PredictionForm.SOFTMAX_OF_TWO: functions.SOFTMAX_OF_TWO + functions.BEST_LABEL,
    PredictionForm.SOFTMAX: functions.SOFTMAX + functions.BEST_LABEL,
}


def to_python(model: Estimator | ModelView) -> str:
    """Export a model as Python source that needs nothing but Python 3.8 or later.

    The module has ``predict(row)``, ``predict_proba(row)`` for classes, and ``raw(row)``; a row is
    a dictionary from feature names to values, or a sequence of them. Its predictions are those of
    the estimator. It refuses the values that the estimator refuses.

    Parameters
    ----------
    model : SGTClassifier, SGTRegressor, SGTMultiInstanceClassifier or ModelView
        The model to write.

    Returns
    -------
    str
        The source of a module.

    Raises
    ------
    ValueError
        If the model has no tree yet.
    TypeError
        If a feature's name cannot be written as source: a tuple, for example.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> X, y = [["red", 1.5], ["blue", 2.5]] * 200, [10.0, 20.0] * 200
    >>> module = {}
    >>> exec(to_python(SGTRegressor(warm_up=50, epochs=1).fit(X, y)), module)
    >>> module["predict"](["blue", 2.5]) > module["predict"]({0: "red"})
    True
    """
    view = exportable_view(model)
    pieces = [_introduction(view), _tables(view), *_functions(view)]
    return "\n".join(piece.strip("\n") + "\n\n" for piece in pieces).rstrip() + "\n"


def _functions(view: ModelView) -> list[str]:
    raw = functions.RAW_SCORE
    if view.targets is not None:
        raw = functions.RAW_SCORES.replace("NAMES", "TARGETS")
    elif view.is_softmax:
        raw = functions.RAW_SCORES.replace("NAMES", "LABELS")
    predictions = _PREDICTIONS[prediction_form(view)].replace("LINK", _LINKS.get(view.link, ""))
    logistic = functions.LOGISTIC if "_logistic" in predictions else ""
    scores = functions.LINEAR_SUM if view.is_linear else functions.SUM
    parts = (functions.LEAF, scores, functions.VALUES, raw, logistic, predictions)
    return [part for part in parts if part]


def _introduction(view: ModelView) -> str:
    return dedent(
        f'''\
        """{view.estimator} of {view.n_leaves:,} leaves, after {view.n_rows:,} rows.

        Written by sgtrees {version("sgtrees")}; needs nothing but Python.

        A row is a dictionary from KEYS to values, or a sequence of values in that order. None, NaN
        and absent keys are missing values.
        {prediction_sentence(view, label="LABELS[1]")}
        """

        from math import exp, isinf
        '''
    )


# ---- tables -------------------------------------------------------------------------------------


def _tables(view: ModelView) -> str:
    named = {
        "FEATURES": [feature.name for feature in view.features],
        "KEYS": [_name("feature", feature.key) for feature in view.features],
        "KINDS": [_kind(feature) for feature in view.features],
    }
    if view.targets is not None:
        named["TARGETS"] = [_name("target", name) for name in view.targets]
    elif view.labels:
        named["LABELS"] = [_name("label", label) for label in view.labels]
        named["CLASSES"] = [_name("label", label) for label in view.classes]
    lines = [
        f"{name} = {pformat(values, width=100, compact=True)}" for name, values in named.items()
    ]
    lines += [
        "",
        "# The raw score of each output before any tree adds to it.",
        f"START = {list(view.start)!r}",
        "",
        *(_inputs(view) if view.is_linear else []),
        "# Each tree with the outputs that it adds to. A node is the list of values of a leaf, or",
        "# a split with the numbers of nodes of its tree:",
        "# (feature, threshold, if missing, if at most the threshold, if above), or",
        "# (feature, {category: node}, if missing, values of other categories).",
        "TREES = [",
        *(_tree(tree) for tree in view.trees),
        "]",
    ]
    return "\n".join(lines)


def _inputs(view: ModelView) -> list[str]:
    standards = [(used.feature.number, used.mean, used.deviation) for used in view.trees[0].inputs]
    return [
        "# What leaves are linear in: a feature, its mean and its standard deviation. Values count",
        "# as at most so many deviations from the mean, missing ones as the mean.",
        f"INPUTS = {pformat(standards, width=100, compact=True)}",
        f"MOST_DEVIATIONS = {MOST_DEVIATIONS!r}",
        "",
        "# The values of a leaf are lists here: the value at the means, a weight of each input.",
    ]


def _name(what: str, name: Hashable) -> object:
    # As plain values: what `repr` writes for those of other classes need not be a literal.
    if isinstance(name, bool):
        return name
    if isinstance(name, str):
        return str.__str__(name)
    if isinstance(name, int):
        return int(name)
    if isinstance(name, float) and isfinite(name):
        return float(name)
    raise TypeError(
        f"{what} {name!r} is named by a {type(name).__name__}; Python source needs names that are "
        "strings or finite numbers"
    )


def _kind(feature: FeatureView) -> str:
    if feature.categories == ():
        return "any"  # no row has had a value, so no value has an effect
    return "string" if feature.kind is Kind.STRING else "number"


def _tree(tree: TreeView) -> str:
    nodes = [f"{_node(tree, node)},  # {node.number}" for node in tree.nodes]
    lines = [f"({list(tree.outputs)!r}, [", *(f"    {node}" for node in nodes), "]),"]
    return indent("\n".join(lines), "    ")


def _node(tree: TreeView, node: Node) -> str:
    split = node.split
    if split is None:
        return _values(tree, node)
    about = f"{split.feature.number}, "
    if split.threshold is not None:
        left, right = node.children
        return f"({about}{split.threshold!r}, {split.default_child}, {left}, {right})"
    branches = _branches(tree, node.children)
    return f"({about}{branches!r}, {split.default_child}, {_values(tree, node)})"


def _values(tree: TreeView, node: Node) -> str:
    """Write what a node adds to the outputs of its tree."""
    contribution = tree.contribution(node)
    if not tree.inputs:
        return repr(list(contribution))
    weights = ([tree.shrinkage * weight for weight in of_output] for of_output in node.weights)
    return repr([[value, *row] for value, row in zip(contribution, weights, strict=True)])


def _branches(tree: TreeView, children: Sequence[int]) -> dict[str | float, int]:
    branches: dict[str | float, int] = {}
    for number in children:
        branch = tree.nodes[number].branch
        assert branch is not None
        category = branch.category
        if category is not None:
            branches[category if isinstance(category, str) else float(category)] = number
    return branches
