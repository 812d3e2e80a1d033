"""Models as ONNX graphs (needs the extra ``onnx``)."""

from typing import TYPE_CHECKING

from sgtrees.export.ready import exportable
from sgtrees.inspection.reading import Estimator

if TYPE_CHECKING:
    from onnx import ModelProto


def to_onnx(
    estimator: Estimator,
    *,
    by_column: bool | None = None,
    float32: bool = False,
    missing_string: str = "",
) -> "ModelProto":
    """Export a model to ONNX: a `TreeEnsemble` of ai.onnx.ml 5 in double precision, and the link.

    Thresholds stay float64, so that every row ends in the leaf where the estimator sends it.

    **Inputs.** One tensor ``X`` of shape (n_rows, n_features), or one of shape (n_rows, 1) for each
    feature, by its name: always so where there are strings. Numbers and booleans are given as they
    are (booleans as 0 and 1), NaN stands for a missing one; strings as strings.

    **Outputs.** For classes ``label`` and ``probabilities`` (n_rows, n_classes), in the order of
    ``classes_``; for numbers ``prediction`` (n_rows,), or (n_rows, n_targets) where y has columns;
    for several labels at once ``labels`` and ``probabilities`` (n_rows, n_labels); for bags the
    ``probability`` (n_rows,) that each instance alone would give its bag; and always ``raw``,
    before the link: the scores of all labels that have been seen, sorted, of all targets, or one
    score. Where the link is a Python function of one's own there is only ``raw``.

    Parameters
    ----------
    estimator : SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier
        The estimator.
    by_column : bool, optional
        Whether there shall be an input for each feature. By default where there are strings.
    float32 : bool, default=False
        Whether numbers come in float32. They are compared in float64 all the same.
    missing_string : str, default=""
        The string that stands for a missing one, as ONNX knows none.

    Returns
    -------
    onnx.ModelProto
        The graph; ``onnx.save(graph, "model.onnx")`` writes it. onnxruntime 1.20 or later runs it.

    Raises
    ------
    ImportError
        Where onnx is not installed.
    ValueError
        Where the model has no tree yet, ``missing_string`` is a category, or ``by_column=False``
        is asked for with strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sgtrees import SGTClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> graph = to_onnx(SGTClassifier(random_state=0).fit(X, y)).graph
    >>> [tensor.name for tensor in graph.output]
    ['label', 'probabilities', 'raw']
    """
    try:
        # Of the extra `onnx`.
        from sgtrees.export.onnx_graph import Inputs, make_model  # noqa: PLC0415
    except ImportError as error:
        raise ImportError("to_onnx needs onnx: pip install 'sgtrees[onnx]'") from error
    return make_model(exportable(estimator), Inputs(by_column, float32, missing_string))
