"""Views of estimators.

The only place that knows how the core numbers its trees, outputs and categories.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees import _core
from sgtrees.data.columns import Value
from sgtrees.data.schema import Feature, Schema
from sgtrees.estimators.base import StreamEstimator
from sgtrees.estimators.classifier import SGTClassifier
from sgtrees.estimators.multi_instance import SGTMultiInstanceClassifier
from sgtrees.estimators.regressor import SGTRegressor
from sgtrees.inspection.model_view import ModelView, TargetType
from sgtrees.inspection.node_view import Branch, FeatureView, LinearInput, Node, Split
from sgtrees.inspection.tree_view import TreeView, ValueKind
from sgtrees.models.drift_event import DriftEvent
from sgtrees.models.model import Model

Estimator = SGTClassifier | SGTRegressor | SGTMultiInstanceClassifier
TreeArrays = Mapping[str, NDArray[np.generic]]


def view_model(
    estimator: Estimator,
    *,
    feature_names: Sequence[str] | None = None,
    category_names: Mapping[str, Sequence[str]] | None = None,
) -> ModelView:
    """Take a view of a model; it does not change while the estimator learns on.

    Parameters
    ----------
    estimator : SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier
        The estimator, which has learned at least one row.
    feature_names : sequence of str, optional
        Names for all features, if the data had none or others are wanted.
    category_names : mapping from feature name to sequence of str, optional
        Names of the categories of nominal features whose values are the numbers 0, 1, 2, ...

    Returns
    -------
    ModelView
        The trees, and how their values become predictions.

    Raises
    ------
    ValueError
        If the number of names is not that of the features.

    Examples
    --------
    >>> X, y = [["red", 1.0], ["blue", 2.0]] * 200, ["stop", "go"] * 200
    >>> view = view_model(SGTClassifier(warm_up=50, epochs=1).fit(X, y))
    >>> view.n_leaves, view.labels, view.classes
    (2, ('stop', 'go'), ('go', 'stop'))
    """
    model = model_of(estimator)
    # Under the lock: the trees of one model belong together.
    with model.lock:
        learner, predicted = model.learner, model.predicted
        features = _features(model.schema, feature_names, category_names or {})
        trees = _trees_in_use(learner, features)
        n_trees = learner.n_trees
        start = tuple(learner.start().tolist())
        n_rows, is_warming_up = learner.n_rows, learner.warming_up
        drifts = tuple(DriftEvent.from_core(event) for event in learner.drifts)
    target_type = TargetType(model.kind)
    # With one class so far the trees hold nothing.
    if target_type is TargetType.CLASSES and len(predicted.labels) < 2:
        trees, n_trees = [], 0
    return ModelView(
        trees=(),
        features=features,
        target_type=target_type,
        is_softmax=predicted.is_softmax,
        link=model.link,
        labels=predicted.labels,
        classes=predicted.classes,
        targets=predicted.targets,
        start=start,
        n_rows=n_rows,
        is_warming_up=is_warming_up,
        estimator=type(estimator).__name__,
        drifts=drifts,
        n_unused=n_trees - len(trees),
    ).with_trees(trees)


def view_trees(
    estimator: Estimator,
    *,
    feature_names: Sequence[str] | None = None,
    category_names: Mapping[str, Sequence[str]] | None = None,
) -> tuple[TreeView, ...]:
    """Take a view of an estimator's trees, each with one value in a node.

    The parameters are those of `view_model`.

    Returns
    -------
    tuple of TreeView
        One for a regressor or two classes, one less than there are classes for more; none before
        the second class. A tree with vectors in its leaves is given once for each target, for each
        label, or for each class but the first.

    Examples
    --------
    >>> X, y = [["red", 1.0], ["blue", 2.0]] * 200, ["stop", "go"] * 200
    >>> model = SGTClassifier(warm_up=50, epochs=1).fit(X, y)
    >>> (tree,) = view_trees(model, feature_names=["colour", "size"])
    >>> tree.label, tree.root.split.feature.name
    ('go', 'colour')
    >>> [tree.nodes[child].branch.category for child in tree.root.children]
    ['red', 'blue']
    """
    view = view_model(estimator, feature_names=feature_names, category_names=category_names)
    return tuple(one for tree in view.trees for one in tree.by_output())


def as_view(model: Estimator | ModelView) -> ModelView:
    """Return a view as it is, and take one of an estimator."""
    return model if isinstance(model, ModelView) else view_model(model)


def as_trees(model: Estimator | ModelView | TreeView) -> tuple[TreeView, ...]:
    """Return the trees of a model, and a single tree as such."""
    return (model,) if isinstance(model, TreeView) else as_view(model).trees


def model_of(estimator: Any) -> Model[Any]:
    """Return an estimator's model; refuse other objects."""
    if not isinstance(estimator, StreamEstimator):
        raise TypeError(
            "expected an SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier, "
            f"got {type(estimator).__name__}"
        )
    model: Model[Any] = estimator.model_
    return model


# ---- trees ---------------------------------------------------------------------------------------


def _trees_in_use(learner: _core.Learner, features: tuple[FeatureView, ...]) -> list[TreeView]:
    """Return the trees that add to predictions; those of some members may not."""
    trees = []
    inputs = _inputs(learner, features)
    # A member has one tree for an output.
    n_members: Counter[int] = Counter()
    for number in range(learner.n_trees):
        outputs = tuple(learner.tree_outputs(number))
        member = n_members[outputs[0]]
        n_members[outputs[0]] += 1
        shrinkage = learner.tree_shrinkage(number)
        if shrinkage == 0.0:
            continue
        nodes = _nodes(learner.tree(number), features)
        trees.append(
            TreeView(
                nodes,
                features,
                ValueKind.CONTRIBUTION,
                outputs=outputs,
                shrinkage=shrinkage,
                inputs=inputs if nodes[0].weights else (),
                number=number,
                member=member,
            )
        )
    return trees


# ---- features and nodes -------------------------------------------------------------------------


def _inputs(learner: _core.Learner, features: tuple[FeatureView, ...]) -> tuple[LinearInput, ...]:
    """Return the inputs of linear leaves; none if all leaves are constant."""
    numbers, means, deviations = (array.tolist() for array in learner.standards())
    return tuple(
        LinearInput(features[number], mean, deviation)
        for number, mean, deviation in zip(numbers, means, deviations, strict=True)
    )


def _features(
    schema: Schema, names: Sequence[str] | None, category_names: Mapping[str, Sequence[str]]
) -> tuple[FeatureView, ...]:
    if names is None:
        names = [str(f.name) if schema.named else f"x{f.name}" for f in schema.features]
    if len(names) != len(schema):
        raise ValueError(f"there are {len(schema)} features, but {len(names)} names for them")
    return tuple(
        FeatureView(
            number,
            name,
            _categories(feature, category_names.get(name)),
            None if feature.categories is None else feature.categories.kind,
            feature.name,
            feature.categories is not None and feature.categories.is_closed,
        )
        for number, (feature, name) in enumerate(zip(schema.features, names, strict=True))
    )


def _categories(feature: Feature, names: Sequence[str] | None) -> tuple[Value, ...] | None:
    if feature.categories is None:
        return None
    values = tuple(feature.categories.numbers)
    return values if names is None else tuple(names[int(value)] for value in values)


def _as_tuple(value: float | list[float]) -> tuple[float, ...]:
    return tuple(value) if isinstance(value, list) else (value,)


def _nodes(tree: TreeArrays, features: tuple[FeatureView, ...]) -> tuple[Node, ...]:
    # Lists at once: access to single elements of an array is slow.
    a = {name: array.tolist() for name, array in tree.items()}
    n_nodes = len(a["parent"])
    weights = tree["weights"].reshape(n_nodes, len(_as_tuple(a["value"][0])), -1).tolist()
    children: list[list[int]] = [[] for _ in range(n_nodes)]
    for number in range(1, n_nodes):
        children[a["parent"][number]].append(number)
    for siblings in children:
        siblings.sort(key=lambda number: not a["is_left"][number])

    def split(number: int) -> Split | None:
        if a["feature"][number] < 0:
            return None
        threshold = None if a["is_nominal"][number] else a["threshold"][number]
        feature = features[a["feature"][number]]
        return Split(feature, threshold, a["default_child"][number], a["gain"][number])

    def branch(number: int) -> Branch | None:
        parent = a["parent"][number]
        if parent < 0:
            return None
        takes_missing = a["default_child"][parent] == number
        if not a["is_nominal"][parent]:
            return Branch(bool(a["is_left"][number]), None, takes_missing)
        categories = features[a["feature"][parent]].categories
        category = a["category"][number]
        assert categories is not None
        return Branch(None, categories[category] if category >= 0 else None, takes_missing)

    return tuple(
        Node(
            number=number,
            parent=a["parent"][number] if number else None,
            children=tuple(children[number]),
            depth=a["depth"][number],
            values=_as_tuple(a["value"][number]),
            cover=a["cover"][number],
            branch=branch(number),
            split=split(number),
            weights=tuple(map(tuple, weights[number])) if weights[number][0] else (),
        )
        for number in range(n_nodes)
    )
