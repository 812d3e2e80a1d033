"""What has happened to the trees of a model because its errors rose."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self, TypeAlias

# Kind, row, figures and member, as the core has them.
CoreEvent: TypeAlias = tuple[str, int, float, float, int, int, int]
Kind: TypeAlias = Literal["alarm", "replaced", "given up"]

_REASONS_TO_GIVE_UP = {
    "no memory": "it would have exceeded max_memory",
    "merged": "the model was merged with another",
}


_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DriftEvent:
    """Something that happened because the errors of a model rose.

    Attributes
    ----------
    row : int
        The row with which it happened, counted from 0 over the rows learned.
    kind : {"alarm", "replaced", "given up"}
        Errors rose, and fresh trees were started in the background; these took over; or they were
        given up. A member of a boosted ensemble that does harm is replaced without an alarm.
    why : str
        The reason, with its figures.
    member : int
        The member of an ensemble to which it happened; 0 where there is one.

    Examples
    --------
    >>> from sgtrees import SGTClassifier
    >>> from sgtrees.streams import Agrawal, Drift
    >>> rows = Drift(Agrawal(1), Agrawal(5, seed=1), at=10_000).take(20_000)
    >>> model = SGTClassifier().partial_fit(rows.X, rows.y)
    >>> [event.kind for event in model.drifts_][:2]
    ['alarm', 'replaced']
    """

    row: int
    kind: Kind
    why: str
    member: int = 0

    @classmethod
    def from_core(cls, event: CoreEvent) -> Self:
        """Return an event in words."""
        kind, row, first, second, n_first, n_second, member = event
        if kind == "alarm":
            why = (
                f"the mean error rose from {first:.4g} (over {n_first:,} rows) to {second:.4g} "
                f"(over {n_second:,} rows)"
            )
            return cls(row, "alarm", why, member)
        if kind == "harm":
            raised = f"it raised the loss by {-first:.3g} per row (t = {second:.3g})"
            why = f"over {n_first:,} rows {raised}"
            return cls(row, "replaced", why, member)
        lead = f"{abs(first):.3g} per row {'less' if first > 0 else 'more'} loss"
        after = f"after {n_first:,} rows the new trees had {lead} (t = {second:.3g})"
        if kind == "replaced":
            return cls(row, "replaced", after, member)
        reason = _REASONS_TO_GIVE_UP.get(kind)
        return cls(row, "given up", after if reason is None else f"{reason}; {after}", member)


def log_drifts(events: Sequence[CoreEvent], last: CoreEvent | None) -> CoreEvent | None:
    """Write a note for each event after the last that has one; return the latest."""
    new: list[CoreEvent] = []
    for event in reversed(events):
        if event == last:
            break
        new.append(event)
    for event in reversed(new):
        described = DriftEvent.from_core(event)
        _LOGGER.info("row %d, %s: %s", described.row, described.kind, described.why)
    return events[-1] if events else last
