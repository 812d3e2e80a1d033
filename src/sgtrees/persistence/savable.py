"""Estimators that can be saved: parameters and model to the contents of a file, and back."""

import logging
import threading
import warnings
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, TypeVar

from sklearn.base import BaseEstimator

from sgtrees.atomic_file import PathLike
from sgtrees.persistence import ModelFileError
from sgtrees.persistence.document import Document, Fields
from sgtrees.persistence.losses import has_known_link, name_of_own_loss
from sgtrees.persistence.model_file import Contents, write_file
from sgtrees.persistence.parameters import parameters_from_document, parameters_to_document

_LOGGER = logging.getLogger(__name__)

AnySavable = TypeVar("AnySavable", bound="Savable")


class Savable(BaseEstimator):
    """Base of estimators that can be saved with their parameters and their model, if any."""

    # The classes of models that it may have, each with `kind`, `saved` and `restored`.
    _model_classes: ClassVar[tuple[Any, ...]]
    # How the members of its models may combine: values of the core's option ``combination``.
    _combinations: ClassVar[tuple[str, ...]] = ("one", "choosing")
    _model: Any

    @property
    def _lock(self) -> threading.RLock:
        """The lock that is held while rows are learned."""
        raise NotImplementedError

    def save(self, path: PathLike, *, inference_only: bool = False) -> None:
        """Save the estimator and its model to a file.

        `sgtrees.load` loads it, in any process, and it continues to learn exactly as if it had
        never been saved. The file contains no code and no pickle (``docs/model_format.md``). It is
        written completely or not at all: if writing fails, an existing file does not change. The
        new file has the permissions of the one that it replaces. A symbolic link stays one, and the
        file that it points to is replaced. Several threads and processes may save to one path: the
        last one to finish wins.

        Parameters
        ----------
        path : str or path-like
            The file; an existing one is replaced.
        inference_only : bool, default=False
            Save only what predictions need: a small file, whose model cannot learn.

        Raises
        ------
        OSError
            If the file cannot be written, or is none: a directory, a device, a FIFO.
        TypeError
            If a parameter or the name of a feature cannot be saved.

        Warns
        -----
        UserWarning
            If the loss is user-defined code, which is not in the file: pass it to `sgtrees.load`.

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
        _LOGGER.debug("saved %s to %s", type(self).__name__, path)
        own_loss = _loss_to_be_given(contents)
        if own_loss is not None:
            warnings.warn(
                f"the loss {own_loss} is code, which a model file does not contain; to load this "
                "file pass the loss again: sgtrees.load(path, loss=...)",
                stacklevel=2,
            )


def contents_of(
    estimator: Savable, *, inference_only: bool = False, checkpoint: Document | None = None
) -> Contents:
    """Return the contents of an estimator's file.

    Parameters
    ----------
    estimator : Savable
        The estimator.
    inference_only : bool, default=False
        Only what predictions need.
    checkpoint : dict, optional
        The position in the stream, if the file is a checkpoint.
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
    """Return the estimator of a file.

    Parameters
    ----------
    contents : Contents
        The contents of the file.
    classes : mapping from str to class
        The classes of estimators, by name.
    own_loss : Loss or callable, optional
        The loss, if it is user-defined and so not in the file.

    Raises
    ------
    ModelFileError
        If the file has no estimator of these classes, or a damaged one.
    """
    try:
        return _restored(contents, classes, own_loss)
    except RecursionError:
        raise ModelFileError("its document is nested too deeply") from None


def _restored(
    contents: Contents, classes: Mapping[str, type[AnySavable]], own_loss: Any
) -> AnySavable:
    fields = Fields(contents.document, "document")
    cls: Any = classes[fields.text("estimator", classes)]
    _check_loss(contents, own_loss)
    names = _parameter_names(cls)
    parameters = parameters_from_document(fields.fields("parameters"), names, own_loss)
    estimator: AnySavable = cls(**parameters)
    model = fields.maybe("model", fields.fields)
    if model is not None:
        kinds = {model_class.kind: model_class for model_class in cls._model_classes}
        kind = model.text("kind", kinds)
        restored = kinds[kind].restored(model, contents.arrays, own_loss)
        combination = restored.options["combination"]
        if combination not in cls._combinations:
            raise ModelFileError(
                f"its model combines trees by {combination}, which no {cls.__name__} does"
            )
        estimator._model = restored
    fields.finish()
    return estimator


@cache
def _parameter_names(estimator: Any) -> frozenset[str]:
    return frozenset(estimator._get_param_names())


def _check_class(estimator: type) -> None:
    if not estimator.__module__.startswith("sgtrees."):
        raise TypeError(
            f"{estimator.__name__} is a class of your own: code, which a model file does not "
            "contain, so it could not be loaded. Save an estimator of sgtrees, or use pickle"
        )


def _own_loss(contents: Contents) -> str | None:
    """Return the name of the user-defined loss, which is not in the file; None if there is none."""
    for part in (contents.document.get("model"), contents.document.get("parameters")):
        own = name_of_own_loss(part)
        if own is not None:
            return own
    return None


def _loss_to_be_given(contents: Contents) -> str | None:
    """Return the name of the loss that is needed to load a file; predictions need only its link."""
    flag = contents.arrays.get("inference_only")
    inference_only = flag is not None and flag.tolist() == [1]
    if inference_only and has_known_link(contents.document.get("model")):
        return None
    return _own_loss(contents)


def _check_loss(contents: Contents, given: Any) -> None:
    if given is not None and _own_loss(contents) is None:
        raise ValueError(
            "loss is given, but the model's loss is in the file; load it without loss=..."
        )
    needed = _loss_to_be_given(contents)
    if given is None and needed is not None:
        raise ModelFileError(
            f"its loss, {needed}, is code, which a model file does not contain; "
            "pass it: sgtrees.load(path, loss=...)"
        )
