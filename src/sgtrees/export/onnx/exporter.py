"""Models as ONNX graphs (needs the extra ``onnx``)."""

from typing import TYPE_CHECKING

from sgtrees.export.view import exportable_view
from sgtrees.extras import install_command
from sgtrees.inspection import Estimator, ModelView

if TYPE_CHECKING:
    from onnx import ModelProto


def to_onnx(
    model: Estimator | ModelView,
    *,
    by_column: bool | None = None,
    float32: bool = False,
    missing_string: str = "",
) -> "ModelProto":
    """Export a model to ONNX: a `TreeEnsemble` of ai.onnx.ml 5 in double precision, and the link.

    Thresholds stay float64, so that every row ends in the leaf where the estimator sends it.

    **Inputs.** One tensor ``X`` of shape (n_rows, n_features), or one of shape (n_rows, 1) with the
    name of each feature; always the latter if there are strings. Numbers are given as they are,
    booleans as 0 and 1, missing values as NaN, strings as strings.

    **Outputs.** For classes ``label`` and ``probabilities`` (n_rows, n_classes), in the order of
    ``classes_``; for numbers ``prediction`` (n_rows,), or (n_rows, n_targets) if y has columns;
    for several labels at once ``labels`` and ``probabilities`` (n_rows, n_labels); for bags the
    ``probability`` (n_rows,) of a bag with each instance alone; and always ``raw``, before the
    link: the scores of all labels that have been seen, sorted, of all targets, or one score. If the
    link is a function of the user's own there is only ``raw``.

    Parameters
    ----------
    model : SGTClassifier, SGTRegressor, SGTMultiInstanceClassifier or ModelView
        The model.
    by_column : bool, optional
        Whether there is an input for each feature; by default if there are strings.
    float32 : bool, default=False
        Whether the inputs are float32. They are compared in float64 all the same.
    missing_string : str, default=""
        The string that means a missing value, as ONNX has none.

    Returns
    -------
    onnx.ModelProto
        The graph; ``onnx.save(graph, "model.onnx")`` writes it. onnxruntime 1.24.1 or later runs
        it.

    Raises
    ------
    ImportError
        If onnx is not installed.
    ValueError
        If the model has no tree yet, ``missing_string`` is a category, or ``by_column=False`` is
        given with strings.

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
        from sgtrees.export.onnx.inputs import Inputs  # noqa: PLC0415
        from sgtrees.export.onnx.model import make_model  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(f"to_onnx needs onnx: {install_command('onnx')}") from error
    return make_model(exportable_view(model), Inputs(by_column, float32, missing_string))
