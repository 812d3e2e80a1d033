"""Models as treelite's (needs the extra ``treelite``)."""

from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from sgtrees.data.columns import Kind
from sgtrees.export.binary import BinaryNode, binary_tree
from sgtrees.export.links import says_link
from sgtrees.export.numbers import numbers_of
from sgtrees.export.ready import exportable
from sgtrees.inspection import ModelView, Task, TreeView
from sgtrees.inspection.reading import Estimator
from sgtrees.losses.links import EXP, LOGISTIC, TWICE_LOGISTIC

if TYPE_CHECKING:
    from treelite import Model
    from treelite.model_builder import ModelBuilder

# The raw score of a label that was declared and has not been seen: its probability is 0.
_NEVER = -1e300


def to_treelite(estimator: Estimator) -> "Model":
    """Export a model to treelite, which compiles, serves and serialises trees.

    Thresholds and values stay float64. The model takes the numbers that `as_numbers` makes of rows:
    numbers as they are, booleans as 0 and 1, strings as the places of their categories (which the
    model's attributes list), NaN for missing values.

    ``treelite.gtil.predict`` returns the probability of ``classes_[1]`` for two classes, those of
    ``classes_`` for more, of each label where there are several at once, the predictions of a
    regressor, and the probability that each instance alone would give its bag. Where the link is a
    Python function of one's own it returns raw scores. Raw scores (``pred_margin=True``) are exact;
    treelite computes the softmax of more than two classes in float32.

    Parameters
    ----------
    estimator : SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier
        The estimator.

    Returns
    -------
    treelite.Model
        The model; ``model.serialize(path)`` writes it.

    Raises
    ------
    ImportError
        Where treelite is not installed.
    ValueError
        Where the model has no tree yet.

    Examples
    --------
    >>> import numpy as np, treelite
    >>> from sgtrees import SGTRegressor
    >>> X = np.linspace(0, 1, 2000).reshape(-1, 1)
    >>> model = SGTRegressor(random_state=0).fit(X, 10.0 * (X[:, 0] > 0.5))
    >>> exported = to_treelite(model)
    >>> bool((treelite.gtil.predict(exported, X).ravel() == model.predict(X)).all())
    True
    """
    try:
        # Of the extra `treelite`.
        from treelite.model_builder import ModelBuilder  # noqa: PLC0415
    except ImportError as error:
        raise ImportError("to_treelite needs treelite: pip install 'sgtrees[treelite]'") from error
    view = exportable(estimator)
    builder = ModelBuilder(
        threshold_type="float64", leaf_output_type="float64", **_description(view)
    )
    for tree in view.trees:
        _add_tree(builder, binary_tree(tree), _leaf(view, tree))
    return builder.commit()


def _description(view: ModelView) -> dict[str, Any]:
    from treelite.model_builder import (  # noqa: PLC0415
        Metadata,
        PostProcessorFunc,
        TreeAnnotation,
    )

    n_trees, n_classes = len(view.trees), len(view.classes)
    is_multi = view.is_softmax and n_classes > 2
    n_targets = 1 if view.outputs is None else len(view.outputs)
    is_vector = is_multi and bool(view.trees[0].names)
    base_scores = [0.0] * n_targets
    if is_multi:
        base_scores = [0.0 if label in view.labels else _NEVER for label in view.classes]
    class_of_tree = [
        view.classes.index(view.labels[tree.targets[0]]) if is_multi else 0 for tree in view.trees
    ]
    return {
        "metadata": Metadata(
            num_feature=len(view.features),
            task_type=_task_type(view, is_multi),
            average_tree_output=False,
            num_target=n_targets,
            num_class=[n_classes] if is_multi else [1] * n_targets,
            leaf_vector_shape=(n_targets, n_classes if is_vector else 1),
        ),
        # -1: all of them, as the leaves hold vectors.
        "tree_annotation": TreeAnnotation(
            num_tree=n_trees,
            target_id=[0 if n_targets == 1 else -1] * n_trees,
            class_id=[-1] * n_trees if is_vector else class_of_tree,
        ),
        "postprocessor": PostProcessorFunc(**_link(view, is_multi)),
        "base_scores": base_scores,
        "attributes": _attributes(view),
    }


def _task_type(view: ModelView, is_multi: bool) -> str:
    if is_multi:
        return "kMultiClf"
    # treelite knows several labels at once as several targets.
    return "kBinaryClf" if view.task in (Task.CLASSES, Task.BAGS, Task.LABELS) else "kRegressor"


def _link(view: ModelView, is_multi: bool) -> dict[str, Any]:
    if is_multi:
        return {"name": "softmax"}
    if view.is_softmax or view.link == LOGISTIC:
        return {"name": "sigmoid", "sigmoid_alpha": 1.0}
    if view.link == TWICE_LOGISTIC:
        return {"name": "sigmoid", "sigmoid_alpha": 2.0}
    return {"name": "exponential" if view.link == EXP else "identity"}


def _attributes(view: ModelView) -> dict[str, Any]:
    return {
        "sgtrees": version("sgtrees"),
        "estimator": view.estimator,
        "features": [feature.name for feature in view.features],
        "categories": {
            feature.name: list(numbers_of(feature))
            for feature in view.features
            if feature.kind is Kind.STRING
        },
        "classes": list(view.classes),
        "outputs": None if view.outputs is None else list(map(str, view.outputs)),
        "link": says_link(view),
    }


def _leaf(view: ModelView, tree: TreeView) -> Callable[[BinaryNode], float | list[float]]:
    """Return what makes a leaf of a node: a number, or a vector."""
    if view.outputs is not None:
        return lambda node: list(node.values) if len(node.values) > 1 else node.values[0]
    if not view.is_softmax:
        sign = -1.0 if view.task is Task.CLASSES and view.labels[1] != view.classes[1] else 1.0
        return lambda node: sign * node.values[0]
    if len(view.classes) == 2:
        # Of two classes in favour of the greater; a tree speaks for the one that came second.
        sign = 1.0 if view.labels[1] == view.classes[1] else -1.0
        return lambda node: sign * (node.values[-1] - (node.values[0] if tree.names else 0.0))
    if not tree.names:
        return lambda node: node.values[0]
    places = [view.labels.index(label) if label in view.labels else -1 for label in view.classes]
    return lambda node: [node.values[place] if place >= 0 else 0.0 for place in places]


def _add_tree(
    builder: "ModelBuilder",
    nodes: Sequence[BinaryNode],
    leaf: Callable[[BinaryNode], float | list[float]],
) -> None:
    builder.start_tree()
    for place, node in enumerate(nodes):
        builder.start_node(place)
        if node.test is None:
            builder.leaf(leaf(node))
        else:
            builder.numerical_test(
                feature_id=node.feature,
                threshold=node.number,
                default_left=node.missing,
                opname=node.test.value,
                left_child_key=node.yes,
                right_child_key=node.no,
            )
            builder.gain(node.gain)
        builder.sum_hess(node.cover)
        builder.end_node()
    builder.end_tree()
