"""Models as Python source that needs nothing but Python."""

from collections.abc import Hashable, Sequence
from importlib.metadata import version
from pprint import pformat
from textwrap import dedent, indent

from sgtrees.data.columns import Kind
from sgtrees.export import python_parts as parts
from sgtrees.export.links import is_known, says_link
from sgtrees.export.ready import exportable
from sgtrees.inspection import FeatureView, ModelView, Node, Task, TreeView
from sgtrees.inspection.reading import Estimator
from sgtrees.losses.links import EXP, IDENTITY, TWICE_LOGISTIC


def to_python(estimator: Estimator) -> str:
    """Export a model as Python source that needs nothing but Python 3.8 or later.

    The module has ``predict(row)``, ``predict_proba(row)`` for classes, and ``raw(row)``; a row is
    a dictionary from feature names to values, or a sequence of them. Its predictions are those of
    the estimator. Values that the estimator would refuse are refused.

    Parameters
    ----------
    estimator : SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier
        The estimator.

    Returns
    -------
    str
        The source.

    Raises
    ------
    ValueError
        Where the model has no tree yet.
    TypeError
        Where a feature's name is something that cannot be written down: a tuple, say.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> X, y = [["red", 1.5], ["blue", 2.5]] * 200, [10.0, 20.0] * 200
    >>> module = {}
    >>> exec(to_python(SGTRegressor(warm_up=50, epochs=1).fit(X, y)), module)
    >>> module["predict"](["blue", 2.5]) > module["predict"]({0: "red"})
    True
    """
    view = exportable(estimator)
    pieces = [_introduction(view), _tables(view), parts.WALK, *_functions(view)]
    return "\n".join(piece.strip("\n") + "\n\n" for piece in pieces).rstrip() + "\n"


def _functions(view: ModelView) -> list[str]:
    if view.task is Task.BAGS:
        return [parts.LOGISTIC, parts.SCORE, parts.INSTANCE]
    if view.is_softmax:
        scores = parts.VECTOR if view.trees[0].names else parts.SCORES
        if view.n_scores == 2:
            return [parts.LOGISTIC, scores, parts.TWO_LABELS, parts.BEST_SCORE]
        return [scores, parts.MANY_LABELS, parts.BEST_SCORE]
    score = parts.SCORE if view.outputs is None else parts.COLUMNS
    if not is_known(view.link):
        return [score]
    link = _link(view)
    before = [parts.LOGISTIC] if "logistic" in link else []
    return [*before, score, _after(view).format(link=link)]


def _after(view: ModelView) -> str:
    if view.task is Task.LABELS:
        return parts.LINKED_LABELS_AT_ONCE
    if view.task is Task.CLASSES:
        return parts.LINKED_LABELS
    return parts.NUMBER if view.outputs is None else parts.LINKED_COLUMNS


def _introduction(view: ModelView) -> str:
    return dedent(
        f'''\
        """{view.estimator} of {view.n_leaves:,} leaves, after {view.n_rows:,} rows.

        Written by sgtrees {version("sgtrees")}; needs nothing but Python.

        A row is a dictionary from KEYS to values, or a sequence of values in that order. None, NaN
        and absent keys are missing values.
        {says_link(view)}
        """

        from math import exp, isinf
        '''
    )


def _link(view: ModelView) -> str:
    if view.link == IDENTITY:
        return "score"
    if view.link == EXP:
        return "exp(score)"
    return "_logistic(2.0 * score)" if view.link == TWICE_LOGISTIC else "_logistic(score)"


# ---- tables -------------------------------------------------------------------------------------


def _tables(view: ModelView) -> str:
    named = {
        "FEATURES": [feature.name for feature in view.features],
        "KEYS": [_name("feature", feature.key) for feature in view.features],
        "KINDS": [_kind(feature) for feature in view.features],
    }
    if view.outputs is not None:
        named["OUTPUTS"] = [_name("output", name) for name in view.outputs]
    elif view.labels:
        named |= {"LABELS": list(view.labels), "CLASSES": list(view.classes)}
    lines = [
        f"{name} = {pformat(values, width=100, compact=True)}" for name, values in named.items()
    ]
    lines += [
        "",
        "# A node is the value of a leaf, or a split, which leads to places in its tree:",
        "# (feature, threshold, missing leads to, at most leads to, above leads to), or",
        "# (feature, {category: what it leads to}, missing leads to, value of other categories).",
        "TREES = [",
        *(_tree(tree) for tree in view.trees),
        "]",
    ]
    return "\n".join(lines)


def _name(what: str, name: Hashable) -> object:
    if isinstance(name, str | int | float | bool):
        return name
    raise TypeError(
        f"{what} {name!r} is named by a {type(name).__name__}; Python source can be written where "
        "names are strings or numbers"
    )


def _kind(feature: FeatureView) -> str:
    if feature.categories == ():
        return "any"  # no row has had a value, so that none matters
    return "string" if feature.kind is Kind.STRING else "number"


def _tree(tree: TreeView) -> str:
    nodes = [f"{_node(tree, node)},  # {node.number}" for node in tree.nodes]
    return indent("\n".join(["[", *(f"    {node}" for node in nodes), "],"]), "    ")


def _node(tree: TreeView, node: Node) -> str:
    split = node.split
    if split is None:
        return _values(node)
    about = f"{split.feature.number}, "
    if split.threshold is not None:
        left, right = node.children
        return f"({about}{split.threshold!r}, {split.default_child}, {left}, {right})"
    branches = _branches(tree, node.children)
    return f"({about}{branches!r}, {split.default_child}, {_values(node)})"


def _values(node: Node) -> str:
    """Write a value, or a list of them where the tree has several outputs."""
    return repr(list(node.values)) if len(node.values) > 1 else repr(node.value)


def _branches(tree: TreeView, children: Sequence[int]) -> dict[str | float, int]:
    branches: dict[str | float, int] = {}
    for number in children:
        branch = tree.nodes[number].branch
        assert branch is not None
        category = branch.category
        if category is not None:
            branches[category if isinstance(category, str) else float(category)] = number
    return branches
