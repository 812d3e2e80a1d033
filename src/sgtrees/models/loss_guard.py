"""What becomes of a model when its loss, which is written in Python, fails at a row."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

from sgtrees.data.schema import Additions
from sgtrees.losses.adapter import LossAdapter


class Retractable(Protocol):
    """What is needed of a model to take its latest rows back."""

    @property
    def core(self) -> Any:
        """The core's learner."""

    def saved(self) -> tuple[Any, Any]:
        """Return the whole state."""

    def take_back(self, document: Any, state: Any) -> None:
        """Become again what `saved` has returned earlier."""


def guard_batch(
    guard: AbstractContextManager[None],
    model: Retractable,
    adapter: LossAdapter,
    additions: Additions,
    labels: Any,
    *,
    is_ensemble: bool,
) -> AbstractContextManager[None]:
    """Return a guard inside which a batch is committed and learned.

    If the loss fails at the very first row, new features, categories and labels are taken back. An
    ensemble takes back all rows of the call: members may have learned some of them, and others not.

    Parameters
    ----------
    guard : context manager
        Names the row in the error.
    model : Model
        The model that learns.
    adapter : LossAdapter
        The adapter of its loss.
    additions, labels
        What the batch adds to the model.
    is_ensemble : bool
        Whether the model has several members.
    """
    is_new = bool(additions.features or additions.categories or labels)
    if is_ensemble or (is_new and model.core.n_rows > 0):
        return _taken_back(guard, model, adapter, is_ensemble)
    return guard


@contextmanager
def _taken_back(
    guard: AbstractContextManager[None], model: Retractable, adapter: LossAdapter, is_ensemble: bool
) -> Iterator[None]:
    # The state is copied, as the core cannot forget features.
    before, n_rows = model.saved(), model.core.n_rows
    try:
        with guard:
            yield
    except BaseException:
        is_half_learned = is_ensemble and not adapter.left_out
        if is_half_learned or model.core.n_rows == n_rows:
            model.take_back(*before)
        raise
