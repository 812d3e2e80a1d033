"""Labels that come later: rows wait under ids, and are learned as they were then."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sgtrees.serve.arrow_stream import read_arrow, too_many_rows
from sgtrees.serve.errors import RequestError
from sgtrees.serve.learn_requests import label_record
from sgtrees.serve.learner import Learner
from sgtrees.serve.records import Record
from sgtrees.serve.rows import Rows, read_objects
from sgtrees.serve.state_folder import StateFolder
from sgtrees.serve.waiting_rows import WaitingRow

ID = "@id"
"""The column of a row to predict that holds its id."""

_LONGEST_ID = 200
_FIELDS = frozenset({"id", "label", "weight"})


@dataclass(frozen=True)
class Label:
    """The label of a row that waits, and its weight if it has one."""

    id: str
    label: Any
    weight: float | None = None


def read_labels(body: bytes, kind: str, most_rows: int) -> list[Label]:
    """Read the labels of a request.

    Examples
    --------
    >>> read_labels(b'{"id": "a", "label": "apple"}', "json", 10)
    [Label(id='a', label='apple', weight=None)]
    """
    items = read_arrow(body, most_rows).to_pylist() if kind == "arrow" else read_objects(body, kind)
    if not items:
        raise RequestError(422, "no_rows", "the request has no labels")
    if len(items) > most_rows:
        raise too_many_rows(most_rows)
    labels = [_label(item, number) for number, item in enumerate(items)]
    if len({label.id for label in labels}) < len(labels):
        raise RequestError(422, "bad_labels", "an id occurs twice in the request")
    return labels


def _label(item: dict[str, Any], number: int) -> Label:
    name, label, weight = item.get("id"), item.get("label"), item.get("weight")
    if not set(item) <= _FIELDS or label is None:
        raise RequestError(
            422, "bad_labels", f"row {number}: a label is an object with 'id' and 'label'"
        )
    if type(label) not in (str, int, float, bool) or type(weight) not in (float, int, type(None)):
        raise RequestError(
            422, "bad_labels", f"row {number}: a label is a string, number or boolean"
        )
    return Label(_checked_id(name, number), label, weight)


def _checked_id(name: Any, number: int) -> str:
    if type(name) is int:
        name = str(name)
    if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_ID or not name.isprintable():
        raise RequestError(
            422,
            "bad_id",
            f"row {number}: an id is a string of 1 to {_LONGEST_ID} printable characters",
        )
    return name


def ids_of(rows: Rows) -> list[str] | None:
    """Return the ids that the caller has given to rows; None if there are none.

    Raises
    ------
    RequestError
        If only some rows have one, or two have the same.
    """
    given = rows.column(ID)
    if given is None:
        return None
    ids = [_checked_id(name, number) for number, name in enumerate(given)]
    if len(set(ids)) < len(ids):
        raise RequestError(422, "bad_id", "two rows have the same id")
    return ids


def wait_for_labels(
    state: StateFolder, ids: Sequence[str], rows: Rows, predicted: Sequence[Any]
) -> None:
    """Keep rows and what was predicted for them until their labels come."""
    now = time.time()
    state.waiting.keep(
        [
            WaitingRow(name, json.dumps(event, default=str), json.dumps(value), now)
            for name, event, value in zip(ids, rows.events(), predicted, strict=True)
        ]
    )


def with_labels(
    state: StateFolder,
    learner: Learner,
    labels: Sequence[Label],
    request_id: str | None,
    at: float,
) -> tuple[Record | None, int]:
    """Return the record of rows whose labels have come, and how many were learned before.

    Raises
    ------
    RequestError
        If no row waits under an id, or it has been learned with another label.
    """
    # In this order: a row stops waiting after its label has been learned.
    found = state.waiting.find([label.id for label in labels])
    new = [label for label in labels if not learner.is_labelled(label.id, label.label)]
    unknown = [label.id for label in new if label.id not in found]
    if unknown:
        raise RequestError(
            404,
            "unknown_id",
            f"no row waits under the id {unknown[0]!r}"
            + (f", and {len(unknown) - 1:,} more" if len(unknown) > 1 else "")
            + "; nothing of the request was learned",
        )
    if not new:
        return None, len(labels)
    target, weight = state.model.target, state.model.weight
    events = []
    for label in new:
        event = json.loads(found[label.id].row) | {target: label.label}
        if label.weight is not None:
            if weight is None:
                raise RequestError(422, "bad_labels", "the model was given no column of weights")
            event[weight] = label.weight
        events.append(event)
    predicted = [json.loads(found[label.id].predicted) for label in new]
    names = [label.id for label in new]
    return label_record(names, events, predicted, request_id, at), len(labels) - len(new)
