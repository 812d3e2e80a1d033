"""Estimators that can be saved."""

import threading
import warnings
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, TypeVar

from sklearn.base import BaseEstimator

from sgtrees.persistence import ModelFileError
from sgtrees.persistence.document import Document, Fields
from sgtrees.persistence.losses import has_known_link, name_of_own_loss
from sgtrees.persistence.model_file import Contents, PathLike, write_file
from sgtrees.persistence.parameters import parameters_from_document, parameters_to_document

AnySavable = TypeVar("AnySavable", bound="Savable")


class Savable(BaseEstimator):
    """An estimator as a file: its parameters, and the model it has learned, if any."""

    # The classes of its models, whose `saved` and `restored` do the work.
    _model_classes: ClassVar[tuple[Any, ...]]
    _model: Any

    @property
    def _lock(self) -> threading.RLock:
        """Held by whoever learns."""
        raise NotImplementedError

    def save(self, path: PathLike, *, inference_only: bool = False) -> None:
        """Save the estimator, with all that it has learned, to a file.

        `sgtrees.load` brings it back, in any process, and it goes on learning as if it had never
        stopped, to the last bit. The file holds no code and no pickle (``docs/model_format.md``).
        It is written whole or not at all: where that fails, a file that was there stays.

        Parameters
        ----------
        path : str or path-like
            The file; one that exists is replaced.
        inference_only : bool, default=False
            Save as much as predicting needs: a small file, whose model cannot learn on.

        Raises
        ------
        OSError
            Where the file cannot be written.
        TypeError
            Where a parameter or a feature's name is something that cannot be saved.

        Warns
        -----
        UserWarning
            Where the loss is code, which the file does not hold: `sgtrees.load` must be given it.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> import sgtrees
        >>> model = sgtrees.SGTRegressor().partial_fit([[1.0], [2.0]], [3.0, 5.0])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "model.safetensors"
        ...     model.save(path)
        ...     sgtrees.load(path).predict([[1.5]])
        array([4.])
        """
        contents = contents_of(self, inference_only=inference_only)
        write_file(path, contents)
        own_loss = _loss_to_be_given(contents)
        if own_loss is not None:
            warnings.warn(
                f"the loss {own_loss} is code, which a model file does not hold; to load this one "
                "give the loss again: sgtrees.load(path, loss=...)",
                stacklevel=2,
            )


def contents_of(
    estimator: Savable, *, inference_only: bool = False, checkpoint: Document | None = None
) -> Contents:
    """Return what a file of an estimator holds.

    Parameters
    ----------
    estimator : Savable
        The estimator.
    inference_only : bool, default=False
        Only what predictions need.
    checkpoint : dict, optional
        The position in the stream, where the file is a checkpoint.
    """
    _check_class(type(estimator))
    with estimator._lock:
        parameters = estimator.get_params(deep=False)
        model, state = (
            (None, {}) if estimator._model is None else estimator._model.saved(inference_only)
        )
    document = {
        "estimator": type(estimator).__name__,
        "parameters": parameters_to_document(parameters),
        "model": model,
    }
    return Contents(document, state, checkpoint)


def estimator_from(
    contents: Contents, classes: Mapping[str, type[AnySavable]], own_loss: Any = None
) -> AnySavable:
    """Return the estimator that a file holds.

    Parameters
    ----------
    contents : Contents
        What the file holds.
    classes : mapping from str to class
        The estimators that there are, by name.
    own_loss : Loss or callable, optional
        The loss, where it is code that the file does not hold.

    Raises
    ------
    ModelFileError
        Where the file holds no estimator of these classes, or a damaged one.
    """
    name = contents.document.get("estimator")
    if not isinstance(name, str) or name not in classes:
        raise ModelFileError(f"it holds {str(name)[:60]!r}, which is no known estimator")
    try:
        return _restored(classes[name], contents, own_loss)
    except RecursionError:
        raise ModelFileError("its document is nested too deeply") from None


def _restored(cls: type[AnySavable], contents: Contents, own_loss: Any) -> AnySavable:
    _check_loss(contents, own_loss)
    fields = Fields(contents.document, "document")
    fields.take("estimator")
    this: Any = cls
    names = _parameter_names(this)
    parameters = parameters_from_document(fields.fields("parameters"), names, own_loss)
    estimator = cls(**parameters)
    model = fields.maybe("model", fields.fields)
    if model is not None:
        kinds = {model_class.kind: model_class for model_class in cls._model_classes}
        kind = model.text("kind", kinds)
        estimator._model = kinds[kind].restored(model, contents.arrays, own_loss)
    fields.finish()
    return estimator


@cache
def _parameter_names(estimator: Any) -> frozenset[str]:
    return frozenset(estimator._get_param_names())


def _check_class(estimator: type) -> None:
    if not estimator.__module__.startswith("sgtrees."):
        raise TypeError(
            f"{estimator.__name__} is a class of your own, which is code; a model file holds none, "
            "so it could not be loaded. Save an estimator of sgtrees itself, or use pickle"
        )


def _own_loss(contents: Contents) -> str | None:
    """Name the loss that is code, and so is not in the file."""
    for part in (contents.document.get("model"), contents.document.get("parameters")):
        own = name_of_own_loss(part)
        if own is not None:
            return own
    return None


def _loss_to_be_given(contents: Contents) -> str | None:
    """Name the loss that must be given to load a file; to predict, its link is enough."""
    flag = contents.arrays.get("inference_only")
    inference_only = flag is not None and flag.tolist() == [1]
    if inference_only and has_known_link(contents.document.get("model")):
        return None
    return _own_loss(contents)


def _check_loss(contents: Contents, given: Any) -> None:
    if given is not None and _own_loss(contents) is None:
        raise ValueError(
            "loss is given, but the file holds the model's loss itself; load it without loss="
        )
    needed = _loss_to_be_given(contents)
    if given is None and needed is not None:
        raise ModelFileError(
            f"its loss, {needed}, is code, which a model file does not hold; "
            "give it: sgtrees.load(path, loss=...)"
        )
