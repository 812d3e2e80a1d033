"""From models to their adapters."""

from collections.abc import Mapping, Sequence
from typing import Any

from sgtrees.evaluation.adapters.base import EvaluationContext, ModelAdapter
from sgtrees.evaluation.adapters.batches import BatchAdapter
from sgtrees.evaluation.adapters.delay import delayed
from sgtrees.evaluation.adapters.learn_predict import LearnPredictAdapter
from sgtrees.evaluation.adapters.row_by_row import RowAdapter
from sgtrees.evaluation.class_numbers import ClassNumbers
from sgtrees.evaluation.metrics import Metric, Task
from sgtrees.streams import Stream

Models = Any | Mapping[str, Any] | Sequence[Any]


def name_models(models: Models) -> dict[str, Any]:
    """Return models by the given names, or by those of their classes.

    Examples
    --------
    >>> list(name_models([1.5, 2, 3]))
    ['float', 'int 1', 'int 2']
    """
    if isinstance(models, Mapping):
        named = {str(name): model for name, model in models.items()}
    else:
        several = list(models) if isinstance(models, list | tuple) else [models]
        kinds = [type(model).__name__ for model in several]
        named = {
            kind if kinds.count(kind) == 1 else f"{kind} {kinds[:place].count(kind) + 1}": model
            for place, (kind, model) in enumerate(zip(kinds, several, strict=True))
        }
    if not named:
        raise ValueError("models is empty; give at least one")
    return named


def evaluation_context(
    stream: Stream, task: Task, metrics: Sequence[Metric], labels: Sequence[Any] | None
) -> EvaluationContext:
    """Return what all models share that are evaluated on a stream."""
    if labels is None and stream.target is not None:
        labels = stream.target.categories
    return EvaluationContext(
        ClassNumbers() if task is Task.CLASSIFICATION else None,
        stream.columns,
        any(metric.needs_probabilities for metric in metrics),
        labels,
    )


def adapt_model(model: Any, context: EvaluationContext, *, delay: int = 0) -> ModelAdapter:
    """Return the adapter of a model.

    Parameters
    ----------
    model : object
        One with `learn_predict`, or `learn_one` and `predict_one`, or `partial_fit` and `predict`.
    context : EvaluationContext
        What all models of the evaluation share.
    delay : int, default=0
        The number of further rows after which the model learns a row; row by row if it can. A
        model with a parameter ``label_delay`` that has learned nothing yet, and was not given one,
        gets it.
    """
    if delay > 0 and _expects_labels_at_once(model):
        model.set_params(label_delay=delay)
    learns_rows = hasattr(model, "learn_one") and hasattr(model, "predict_one")
    learns_blocks = hasattr(model, "learn_predict") or hasattr(model, "learn_predict_interval")
    adapter: ModelAdapter
    if learns_rows and (delay > 0 or not learns_blocks):
        adapter = RowAdapter(model, context)
    elif learns_blocks:
        adapter = LearnPredictAdapter(model, context)
    elif hasattr(model, "partial_fit") and hasattr(model, "predict"):
        if context.needs_probabilities and not hasattr(model, "predict_proba"):
            raise ValueError(
                f"{type(model).__name__} has no predict_proba, which log_loss and auc need; "
                "name other metrics"
            )
        adapter = BatchAdapter(model, context)
    else:
        raise TypeError(
            f"{type(model).__name__} cannot learn from a stream: it has neither partial_fit and "
            "predict, nor learn_one and predict_one"
        )
    return delayed(adapter, delay) if delay > 0 else adapter


def _expects_labels_at_once(model: Any) -> bool:
    """Whether a model would like to know that labels are late, and can still be told."""
    has_default = getattr(model, "label_delay", None) == 0 and hasattr(model, "set_params")
    return has_default and not model.__sklearn_is_fitted__()
