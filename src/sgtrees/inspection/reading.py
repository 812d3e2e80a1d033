"""Taking views of estimators."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.data.columns import Value
from sgtrees.data.schema import Feature, Schema
from sgtrees.estimators.base import StreamEstimator
from sgtrees.estimators.classifier import SGTClassifier
from sgtrees.estimators.multi_instance import SGTMultiInstanceClassifier
from sgtrees.estimators.regressor import SGTRegressor
from sgtrees.inspection.view import (
    Branch,
    FeatureView,
    LinearInput,
    ModelView,
    Node,
    Output,
    Split,
    Task,
    TreeView,
)
from sgtrees.losses.links import IDENTITY, LOGISTIC, Link
from sgtrees.models.bag_model import BagModel
from sgtrees.models.model import ClassifierModel, Model, RegressorModel
from sgtrees.models.multi_label import MultiLabelModel
from sgtrees.targets.labels import Label

Estimator = SGTClassifier | SGTRegressor | SGTMultiInstanceClassifier
TreeArrays = Mapping[str, NDArray[np.generic]]


def view_model(
    estimator: Estimator,
    *,
    feature_names: Sequence[str] | None = None,
    category_names: Mapping[str, Sequence[str]] | None = None,
) -> ModelView:
    """Take a view of a model; it stays as it is while the estimator learns on.

    Parameters
    ----------
    estimator : SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier
        The estimator, which has learned a row at least.
    feature_names : sequence of str, optional
        Names for all features, where the data had none or others are wanted.
    category_names : mapping from feature name to sequence of str, optional
        Names of the categories of nominal features whose values are the numbers 0, 1, 2, ...

    Returns
    -------
    ModelView
        The trees and what is made of their values.

    Raises
    ------
    ValueError
        Where there are not as many names as features.

    Examples
    --------
    >>> X, y = [["red", 1.0], ["blue", 2.0]] * 200, ["stop", "go"] * 200
    >>> view = view_model(SGTClassifier(warm_up=50, epochs=1).fit(X, y))
    >>> view.n_leaves, view.labels, view.classes
    (2, ('stop', 'go'), ('go', 'stop'))
    """
    model = model_of(estimator)
    # While nobody learns: the trees of one committee belong together.
    with model.lock:
        arrays = [model.core.tree(index) for index in range(model.core.n_trees)]
        features = _features(model.schema, feature_names, category_names or {})
        about = _about(model)
        inputs = _inputs(model, features)
        n_rows, is_warming_up = model.core.n_rows, model.core.warming_up
    # With one class so far there is nothing that trees could tell apart.
    if about.task is Task.CLASSES and len(about.labels) < 2:
        arrays = []
    return ModelView(
        trees=tuple(
            replace(_tree(_nodes(tree, features), features, about, number), inputs=inputs)
            for number, tree in enumerate(arrays)
        ),
        features=features,
        task=about.task,
        is_softmax=about.is_softmax,
        link=about.link,
        labels=about.labels,
        classes=about.classes,
        outputs=about.outputs,
        n_rows=n_rows,
        is_warming_up=is_warming_up,
        estimator=type(estimator).__name__,
    )


def view_trees(
    estimator: Estimator,
    *,
    feature_names: Sequence[str] | None = None,
    category_names: Mapping[str, Sequence[str]] | None = None,
) -> tuple[TreeView, ...]:
    """Take a view of an estimator's trees; they stay as they are while the estimator learns on.

    Parameters
    ----------
    estimator : SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier
        The estimator, which has learned a row at least.
    feature_names : sequence of str, optional
        Names for all features, where the data had none or others are wanted.
    category_names : mapping from feature name to sequence of str, optional
        Names of the categories of nominal features whose values are the numbers 0, 1, 2, ...

    Returns
    -------
    tuple of TreeView
        One for a regressor or two classes, one less than there are classes for more; none before
        a second class has come. A tree with vectors in its leaves is shown once for each target,
        for each label, or for each class but the first.

    Raises
    ------
    ValueError
        Where there are not as many names as features.

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
    return tuple(facet for tree in view.trees for facet in tree.facets())


def as_view(model: Estimator | ModelView) -> ModelView:
    """Return a view as it is, and take one of an estimator."""
    return model if isinstance(model, ModelView) else view_model(model)


def model_of(estimator: Any) -> Model[Any]:
    """Return an estimator's model; refuse what is no estimator of this library."""
    if not isinstance(estimator, StreamEstimator):
        raise TypeError(
            "expected an SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier, "
            f"got {type(estimator).__name__}"
        )
    model: Model[Any] = estimator._known("trees")
    return model


@dataclass(frozen=True)
class _About:
    """What a model predicts, and how it makes that of raw scores; see `ModelView`."""

    task: Task
    link: Link
    is_softmax: bool = False
    labels: tuple[Label, ...] = ()
    classes: tuple[Label, ...] = ()
    outputs: tuple[Hashable, ...] | None = None


def _about(model: Model[Any]) -> _About:
    if isinstance(model, BagModel):
        # The negative label first.
        labels = sorted(model.labels.declared, key=lambda label: label == model.positive)
        classes = model.labels.ordering.classes.tolist()
        return _About(Task.BAGS, LOGISTIC, labels=tuple(labels), classes=tuple(classes))
    if isinstance(model, ClassifierModel):
        seen, classes = tuple(model.labels.seen), tuple(model.classes.tolist())
        return _About(Task.CLASSES, model.link, model.takes_many_classes, seen, classes)
    if isinstance(model, MultiLabelModel):
        keys = tuple(model.classes.tolist())
        return _About(Task.LABELS, model.link, labels=keys, classes=keys, outputs=keys)
    outputs = model.outputs if isinstance(model, RegressorModel) else None
    columns = None if outputs is None else tuple(outputs.keys)
    return _About(Task.NUMBER, model.link, outputs=columns)


def _inputs(model: Model[Any], features: tuple[FeatureView, ...]) -> tuple[LinearInput, ...]:
    """What linear leaves see; nothing where leaves are constant."""
    numbers, means, deviations = (array.tolist() for array in model.core.standards())
    return tuple(
        LinearInput(features[number], mean, deviation)
        for number, mean, deviation in zip(numbers, means, deviations, strict=True)
    )


def _tree(
    nodes: tuple[Node, ...], features: tuple[FeatureView, ...], about: _About, number: int
) -> TreeView:
    labels = about.labels
    if about.outputs is not None:
        kind = Output.LABELS if about.task is Task.LABELS else Output.NUMBERS
        targets = tuple(range(len(about.outputs)))
        return TreeView(
            nodes, features, kind, link=about.link, targets=targets, names=about.outputs
        )
    if about.is_softmax and len(nodes[0].values) > 1:
        targets = tuple(range(len(labels)))
        return TreeView(nodes, features, Output.CLASSES, targets=targets, names=labels)
    if not labels:
        return TreeView(nodes, features, Output.NUMBER, link=about.link)
    target = number + 1 if about.is_softmax else 0
    if len(labels) == 2:
        link = about.link
        return TreeView(nodes, features, Output.PROBABILITY, labels[1], labels[0], link, (target,))
    label = labels[target]
    return TreeView(nodes, features, Output.SCORE, label, labels[0], IDENTITY, (target,))


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
    # Plain numbers at once: a look at a single element of an array is slow.
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
