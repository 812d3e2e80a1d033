"""Requests to learn: what becomes of them, and which of their rows have been learned before."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sgtrees.serve.errors import RequestError
from sgtrees.serve.records import Record, digest_of_label
from sgtrees.serve.rows import Event, Rows
from sgtrees.serve.state_folder import StateFolder, label_key, request_key


class Outcome(NamedTuple):
    """What became of a request: how many rows were learned and repeated, and the predictions."""

    learned: int = 0
    repeated: int = 0
    predictions: Sequence[Any] | None = None


_NOTHING = Outcome()


@dataclass(slots=True)
class Request:
    """A record that is to be learned, and who waits for it."""

    record: Record
    caller: Any
    result: Outcome | RequestError = _NOTHING
    repeated: int = 0
    is_delivered: bool = False


class Repetitions:
    """Finds what has been learned before, by the ids that are remembered.

    Parameters
    ----------
    state : StateFolder
        The model and its log.
    """

    def __init__(self, state: StateFolder) -> None:
        self._state = state

    def admitted(self, group: Sequence[Request]) -> list[Request]:
        """Return the requests that are to be learned; the others have their results."""
        new: list[Request] = []
        for request in group:
            try:
                if self._has_new_rows(request):
                    new.append(request)
            except RequestError as error:
                request.result = error
        return new

    def _has_new_rows(self, request: Request) -> bool:
        """Return whether anything of a request is new; leave only that in it."""
        record = request.record
        found = None if record.id is None else self._state.ids.find(request_key(record.id))
        if found is not None:
            if found.digest != record.digest():
                raise RequestError(
                    409, "id_used", f"other rows have been learned under the id {record.id!r}"
                )
            request.result = Outcome(0, len(record.rows))
            return False
        if not record.labels:
            return True
        kept = [
            (name, event, given)
            for name, event, given in zip(
                record.labels, record.rows.events(), record.predicted, strict=True
            )
            if not self.is_labelled(name, event[self._state.model.target])
        ]
        request.repeated = len(record.labels) - len(kept)
        if not kept:
            request.result = Outcome(0, request.repeated)
            return False
        if request.repeated:
            names, events, predicted = zip(*kept, strict=True)
            request.record = label_record(names, events, predicted, record.id, record.time)
        return True

    def is_labelled(self, name: str, label: Any) -> bool:
        """Return whether the label of a row that waited has been learned.

        Raises
        ------
        RequestError
            If it was another label.
        """
        found = self._state.ids.find(label_key(name))
        if found is None:
            return False
        if found.digest != digest_of_label(label):
            raise RequestError(
                409, "label_differs", f"the row {name!r} has been learned with another label"
            )
        return True


def label_record(
    names: Sequence[str],
    events: Sequence[Event],
    predicted: Sequence[Any],
    request_id: str | None,
    at: float,
) -> Record:
    """Return the record of rows whose labels have come."""
    body = json.dumps(list(events), separators=(",", ":")).encode()
    return Record(Rows(list(events)), "json", body, request_id, at, tuple(names), tuple(predicted))


def keys_of(record: Record) -> Sequence[str]:
    """Return what a record is remembered by: its id, and the rows that it labels."""
    if record.id is None and not record.labels:
        return ()
    keys = [] if record.id is None else [request_key(record.id)]
    return [*keys, *map(label_key, record.labels)]
