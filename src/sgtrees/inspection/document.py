"""Models as JSON documents, with which any language can predict and draw.

`docs/trees-json.md` explains the format, `docs/trees.schema.json` is its JSON Schema.
"""

import json
from collections.abc import Hashable
from importlib.metadata import version
from typing import Any

from sgtrees.inspection.extraction import Estimator, as_view
from sgtrees.inspection.model_view import ModelView
from sgtrees.inspection.node_view import FeatureView, LinearInput, Node
from sgtrees.inspection.tree_view import TreeView
from sgtrees.losses.links import LINKS

FORMAT, FORMAT_VERSION = "sgtrees-trees", 1


def to_json(model: Estimator | ModelView, *, indent: int | None = None) -> str:
    """Write a model as a JSON document.

    Numbers are written so that reading them gives the same float64 again.

    Parameters
    ----------
    model : SGTClassifier, SGTRegressor, SGTMultiInstanceClassifier or ModelView
        The model.
    indent : int, optional
        Spaces by which each level is indented; all in one line by default.

    Returns
    -------
    str
        The document.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> X, y = [["red", 1.5], ["blue", 2.5]] * 200, [10.0, 20.0] * 200
    >>> document = json.loads(to_json(SGTRegressor(warm_up=50, epochs=1).fit(X, y)))
    >>> document["features"]
    [{'name': 'x0', 'kind': 'nominal', 'categories': ['red', 'blue']}, ...]
    >>> document["trees"][0]["nodes"][0]["split"]["branches"]
    [{'category': 'red', 'child': 1}, {'category': 'blue', 'child': 2}]
    """
    text = json.dumps(to_dict(model), indent=indent, allow_nan=False, ensure_ascii=False)
    # Halves of characters cannot be encoded; JSON has escapes for them.
    return text.encode(errors="backslashreplace").decode()


def to_dict(model: Estimator | ModelView) -> dict[str, Any]:
    """Return the document of `to_json` as dictionaries and lists.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> document = to_dict(SGTRegressor().fit([[1.0], [2.0]] * 200, [10.0, 20.0] * 200))
    >>> document["format"], document["version"], document["task"]
    ('sgtrees-trees', 1, 'numbers')
    """
    view = as_view(model)
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "sgtrees": version("sgtrees"),
        "estimator": view.estimator,
        "task": view.target_type.value,
        "rows": view.n_rows,
        "features": [_feature(feature) for feature in view.features],
        "labels": list(view.labels),
        "classes": list(view.classes),
        "targets": None if view.targets is None else list(map(_plain, view.targets)),
        "start": list(view.start),
        "link": _link(view),
        "trees": [_tree(tree) for tree in view.trees],
    } | ({"inputs": [_input(i) for i in view.trees[0].inputs]} if view.is_linear else {})


def _plain(name: Hashable) -> Hashable:
    """Return a name that JSON can write."""
    return name if name is None or isinstance(name, str | int | bool) else str(name)


def _feature(feature: FeatureView) -> dict[str, Any]:
    if feature.categories is None:
        return {"name": feature.name, "kind": "numeric"}
    return {"name": feature.name, "kind": "nominal", "categories": list(feature.categories)}


def _input(used: LinearInput) -> dict[str, Any]:
    return {"feature": used.feature.number, "mean": used.mean, "deviation": used.deviation}


def _link(view: ModelView) -> dict[str, Any]:
    if view.is_softmax:
        return {"name": "softmax", "is_own": False}
    return {"name": view.link.name, "is_own": view.link not in LINKS}


def _tree(tree: TreeView) -> dict[str, Any]:
    return {
        "outputs": list(tree.outputs),
        "shrinkage": tree.shrinkage,
        "label": _plain(tree.label),
        "reference": _plain(tree.reference),
        "nodes": [_node(tree, node) for node in tree.nodes],
    }


def _node(tree: TreeView, node: Node) -> dict[str, Any]:
    entry: dict[str, Any] = {"values": list(node.values), "cover": node.cover}
    if node.weights:
        entry["weights"] = [list(of_output) for of_output in node.weights]
    split = node.split
    if split is None:
        return entry
    test: dict[str, Any] = {
        "feature": split.feature.number,
        "gain": split.gain,
        "missing": split.default_child,
    }
    if split.threshold is None:
        children = (tree.nodes[child] for child in node.children)
        test["branches"] = [
            {"category": child.branch.category, "child": child.number}
            for child in children
            if child.branch is not None and child.branch.category is not None
        ]
    else:
        left, right = node.children
        test |= {"threshold": split.threshold, "left": left, "right": right}
    return entry | {"split": test}
