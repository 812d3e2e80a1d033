"""The trees as the page shows them, and how they have changed of late."""

import threading
import time
from collections import deque
from typing import Any

from sgtrees.inspection import ChangeKind, ModelView, compare, view_model
from sgtrees.report.tree_document import tree_document
from sgtrees.serve.source import Source

_MOST_TREES = 30
_MOST_NODES = 300
_KEPT_CHANGES = 40
# Of one look; splits come before leaves whose values have moved.
_MOST_CHANGES = 8
# The time between two looks, and how many times longer than a look it is at least: a large model
# must not be copied again and again because a page is open.
_SECONDS = 2.0
_REST = 100.0


class TreeWatch:
    """Looks at the trees when somebody asks, and keeps the changes since the look before.

    Parameters
    ----------
    source : Source
        Where the model comes from.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lock = threading.Lock()
        self._view: ModelView | None = None
        self._changes: deque[dict[str, Any]] = deque(maxlen=_KEPT_CHANGES)
        self._document: dict[str, Any] = {"rows": 0, "trees": [], "n_trees": 0, "changes": []}
        self._next = 0.0

    def document(self) -> dict[str, Any]:
        """Return the trees of this moment, or of one shortly before.

        Returns
        -------
        dict
            ``rows``, which the model had learned; ``trees``, each as in a report; their number
            ``n_trees``; and ``changes``, the latest first, each with ``rows``, ``kind`` and
            ``text``.
        """
        with self._lock:
            began = time.monotonic()
            if began >= self._next and not self._source.model.is_new:
                self._look()
                now = time.monotonic()
                self._next = now + max(_SECONDS, _REST * (now - began))
            return self._document

    def _look(self) -> None:
        model = self._source.model
        before, view = self._view, view_model(model.estimator)
        if before is not None and before.n_rows != view.n_rows:
            self._note_changes(before, view)
        self._view = view
        self._document = {
            "rows": view.n_rows,
            "trees": [
                tree_document(tree, model.target, most=_MOST_NODES)
                for tree in view.trees[:_MOST_TREES]
            ],
            "n_trees": len(view.trees),
            "changes": list(self._changes),
        }

    def _note_changes(self, before: ModelView, view: ModelView) -> None:
        try:
            found = compare(before, view).changes
        except ValueError:
            # Trees were replaced after a drift: there is nothing to compare node by node.
            self._note(view, "tree", "trees were replaced")
            return
        structural = [change for change in found if change.kind is not ChangeKind.VALUE]
        values = [change for change in found if change.kind is ChangeKind.VALUE]
        for change in reversed([*structural, *values][:_MOST_CHANGES]):
            self._note(view, change.kind.value, change.text)

    def _note(self, view: ModelView, kind: str, text: str) -> None:
        self._changes.appendleft({"rows": view.n_rows, "kind": kind, "text": text})
