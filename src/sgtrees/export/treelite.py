"""Models for treelite (needs the extra ``treelite``)."""

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeAlias

from sgtrees.data.columns import Kind
from sgtrees.export.binary import binary_tree
from sgtrees.export.numbers import numbers_of
from sgtrees.export.view import exportable_view, prediction_sentence
from sgtrees.extras import install_command
from sgtrees.inspection import Estimator, ModelView, TargetType, TreeView
from sgtrees.losses.links import EXP, LOGISTIC, TWICE_LOGISTIC
from sgtrees.models.linear_leaves import refuse_linear_leaves

if TYPE_CHECKING:
    from treelite import Model
    from treelite.model_builder import ModelBuilder

# The outputs of the model that make a raw score of treelite's, each with its factor.
Column: TypeAlias = Mapping[int, float]

# The raw score of a label that was declared and has not been seen: its probability is 0.
_NEVER = -1e300


def to_treelite(model: Estimator | ModelView) -> "Model":
    """Export a model to treelite, which compiles, serves and serialises trees.

    Thresholds and values stay float64. The model takes the numbers that `as_numbers` makes of rows:
    numbers as they are, booleans as 0 and 1, strings as the places of their categories (which are
    in the model's attributes), NaN for missing values.

    ``treelite.gtil.predict`` returns the probability of ``classes_[1]`` for two classes, those of
    ``classes_`` for more, of each label if there are several at once, the predictions of a
    regressor, and the probability of a bag with each instance alone. If the link is a function of
    the user's own it returns raw scores. Raw scores (``pred_margin=True``) are float64; treelite
    computes the softmax of more than two classes in float32.

    Parameters
    ----------
    model : SGTClassifier, SGTRegressor, SGTMultiInstanceClassifier or ModelView
        The model to convert; with strings among its features, rows need `as_numbers` before they
        are predicted.

    Returns
    -------
    treelite.Model
        The model; ``model.serialize(path)`` writes it.

    Raises
    ------
    ImportError
        If treelite is not installed.
    ValueError
        If the model has no tree yet.

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
        raise ImportError(f"to_treelite needs treelite: {install_command('treelite')}") from error
    view = exportable_view(model)
    refuse_linear_leaves(view.is_linear, "to_treelite")
    columns = _columns(view)
    builder = ModelBuilder(
        threshold_type="float64", leaf_output_type="float64", **_description(view, columns)
    )
    for tree in view.trees:
        _add_tree(builder, tree, columns, is_vector=_is_vector(view, columns))
    return builder.commit()


# ---- columns ------------------------------------------------------------------------------------


def _columns(view: ModelView) -> list[Column]:
    """Return for each raw score of treelite's the factors of the model's outputs in it.

    treelite has one score for two classes, in favour of the greater label; for more classes one for
    each in ``classes_``; otherwise one for each target.
    """
    if view.is_softmax and len(view.classes) > 2:
        seen = {label: output for output, label in enumerate(view.labels)}
        return [{seen[label]: 1.0} if label in seen else {} for label in view.classes]
    is_reversed = view.target_type is TargetType.CLASSES and view.labels[1] != view.classes[1]
    sign = -1.0 if is_reversed else 1.0
    if view.is_softmax:
        return [{0: -sign, 1: sign}]
    return [{output: sign} for output in range(view.n_outputs)]


def _combined(column: Column, values: Iterable[tuple[int, float]]) -> float:
    """Return the value of a column from those of the model's outputs."""
    return sum((column[output] * value for output, value in values if output in column), 0.0)


def _columns_of(tree: TreeView, columns: Sequence[Column]) -> list[int]:
    """Return the columns to which a tree adds."""
    return [place for place, column in enumerate(columns) if column.keys() & set(tree.outputs)]


def _is_vector(view: ModelView, columns: Sequence[Column]) -> bool:
    """Return whether leaves hold vectors, which treelite requires of all trees or of none."""
    return any(len(_columns_of(tree, columns)) > 1 for tree in view.trees)


# ---- model --------------------------------------------------------------------------------------


def _description(view: ModelView, columns: Sequence[Column]) -> dict[str, Any]:
    from treelite.model_builder import (  # noqa: PLC0415
        Metadata,
        PostProcessorFunc,
        TreeAnnotation,
    )

    n_trees = len(view.trees)
    is_multi = view.is_softmax and len(columns) > 1
    is_vector = _is_vector(view, columns)
    n_targets, n_classes = (1, len(columns)) if is_multi else (len(columns), 1)
    # The columns are classes or targets. -1: all of them, as the leaves hold vectors.
    places = [-1 if is_vector else _columns_of(tree, columns)[0] for tree in view.trees]
    base_scores = [_combined(c, enumerate(view.start)) if c else _NEVER for c in columns]
    return {
        "metadata": Metadata(
            num_feature=len(view.features),
            task_type=_task_type(view, is_multi),
            average_tree_output=False,
            num_target=n_targets,
            num_class=[n_classes] * n_targets,
            leaf_vector_shape=(n_targets, n_classes) if is_vector else (1, 1),
        ),
        "tree_annotation": TreeAnnotation(
            num_tree=n_trees,
            target_id=[0] * n_trees if is_multi else places,
            class_id=places if is_multi else [0] * n_trees,
        ),
        "postprocessor": PostProcessorFunc(**_link(view, is_multi)),
        "base_scores": base_scores,
        "attributes": _attributes(view),
    }


def _task_type(view: ModelView, is_multi: bool) -> str:
    if is_multi:
        return "kMultiClf"
    # For treelite several labels at once are several targets.
    return "kRegressor" if view.target_type is TargetType.NUMBERS else "kBinaryClf"


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
        "targets": None if view.targets is None else list(map(str, view.targets)),
        "link": prediction_sentence(view),
    }


def _add_tree(
    builder: "ModelBuilder", tree: TreeView, columns: Sequence[Column], *, is_vector: bool
) -> None:
    of_tree = columns if is_vector else [columns[place] for place in _columns_of(tree, columns)]
    builder.start_tree()
    for place, node in enumerate(binary_tree(tree)):
        builder.start_node(place)
        if node.test is None:
            added = list(zip(tree.outputs, node.values, strict=True))
            values = [_combined(column, added) for column in of_tree]
            builder.leaf(values if is_vector else values[0])
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
