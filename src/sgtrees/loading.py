"""Loading: `sgtrees.load` returns the estimator of a file."""

import logging
from typing import Any, TypeAlias

import sgtrees
from sgtrees.atomic_file import PathLike
from sgtrees.estimators.classifier import SGTClassifier
from sgtrees.estimators.multi_instance import SGTMultiInstanceClassifier
from sgtrees.estimators.regressor import SGTRegressor
from sgtrees.persistence.model_file import Contents, named, read_file
from sgtrees.persistence.savable import estimator_from

_LOGGER = logging.getLogger(__name__)

Estimator: TypeAlias = SGTClassifier | SGTMultiInstanceClassifier | SGTRegressor

# All that the package offers, by name.
_ESTIMATORS: dict[str, type[Estimator]] = {
    name: getattr(sgtrees, name) for name in sgtrees.__all__ if name.startswith("SGT")
}


def load(path: PathLike, *, loss: Any = None) -> Estimator:
    """Load an estimator that was saved with its method ``save``.

    No code in the file is run, and everything in it is checked, so files from untrusted sources
    can be loaded. The estimator continues to learn exactly as the saved one would have.

    Parameters
    ----------
    path : str or path-like
        The file.
    loss : Loss or callable, optional
        The loss, if it is user-defined: code, which is not in the file.

    Returns
    -------
    SGTClassifier, SGTRegressor, one of their ensembles, or SGTMultiInstanceClassifier
        The estimator.

    Raises
    ------
    sgtrees.persistence.ModelFileError
        If the file is not a model, has a newer format, or is damaged (a ValueError).
    OSError
        If it cannot be read.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from sgtrees import SGTClassifier, load
    >>> model = SGTClassifier().partial_fit([[1.0], [2.0]], ["a", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "model.safetensors"
    ...     model.save(path)
    ...     again = load(path)
    >>> again.partial_fit([[3.0]], ["c"]).classes_
    array(['a', 'b', 'c'], dtype='<U1')
    """
    with named(path):
        estimator = restore(read_file(path), loss)
    _LOGGER.debug("loaded %s from %s", type(estimator).__name__, path)
    return estimator


def restore(contents: Contents, loss: Any = None) -> Estimator:
    """Return the estimator of a file's contents; see `load`."""
    return estimator_from(contents, _ESTIMATORS, loss)
