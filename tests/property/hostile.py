"""Names, labels and categories that would do harm where they were taken for code or markup."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from sgtrees import SGTClassifier, SGTMultiInstanceClassifier, SGTRegressor

# Each is, or ends, or begins something in one of the languages that the library writes.
PIECES = [
    '"""',
    "'''",
    '"',
    "'",
    "\\",
    "\n",
    "\r",
    "\t",
    "\0",
    "*/",
    "/*",
    "//",
    "??/",
    "??'",
    "#",
    ";",
    "%s",
    "{0}",
    "{names}",
    "{{settings}}",
    "{{data}}",
    "</script>",
    "<b onclick=x>",
    "<!--",
    "]]>",
    "&lt;",
    "&#0;",
    "[red]",
    "[/red]",
    "[/]",
    ":smile:",
    "\x1b[2J",
    "\\N",
    "\\input{x}",
    "$",
    "$\\frac{",
    "%",
    "&",
    "_",
    "~",
    "^",
    "|",
    "`",
    "**",
    "raw",
    "label",
    "probabilities",
    "sgtrees/Constant/1",
    "__import__('os')",
    "print(1)",
    "\ud800",
    "\u2028",
    "\u202e",
    "\x85",
    "\ufffe",
    "é",
    "a",
    " ",
]
texts = st.one_of(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join),
    # Of all characters, halves of them too.
    st.text(st.characters(), min_size=1, max_size=6),
)
TASKS = ("softmax", "focal", "vector", "labels", "linear", "targets", "bags")
N_ROWS = 300


@dataclass(frozen=True)
class Words:
    """The names of three features, the categories of the second one, three labels or targets."""

    features: tuple[str, str, str]
    categories: tuple[str, str, str]
    labels: tuple[str, str, str]

    def twin(self) -> Words:
        """Harmless ones in the same order."""
        return Words(
            ("first", "second", "third"),
            ("red", "green", "blue"),
            tuple(f"label{sorted(self.labels).index(label)}" for label in self.labels),  # type: ignore[arg-type]
        )

    def all(self) -> tuple[str, ...]:
        return self.features + self.categories + self.labels


def _three() -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(texts, min_size=3, max_size=3, unique=True).map(tuple)


words: st.SearchStrategy[Words] = st.builds(Words, _three(), _three(), _three())


def rows(of: Words) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    which = rng.integers(0, 3, N_ROWS)
    columns = [
        pd.Series(rng.random(N_ROWS)),
        pd.Series([of.categories[number] for number in which], dtype=object),
        pd.Series(rng.random(N_ROWS)),
    ]
    return pd.concat(columns, axis=1).set_axis(pd.Index(of.features, dtype=object), axis=1)


def learned(of: Words, task: str) -> Any:
    """A model whose trees have splits of numbers and of categories."""
    X = rows(of)
    which = np.array([of.categories.index(category) for category in X.iloc[:, 1].tolist()])
    number = which + 2.0 * (X.iloc[:, 0].to_numpy() > 0.5)
    options: dict[str, Any] = {"warm_up": 30, "grace_period": 10, "delta": 0.2, "gamma": 0.0}
    if task in ("targets", "linear"):
        y = number
        if task == "targets":
            columns = pd.Index(of.labels, dtype=object)
            y = pd.DataFrame(np.column_stack([number, -number, number**2]), columns=columns)
        leaf_model = "linear" if task == "linear" else "constant"
        return SGTRegressor(leaf_model=leaf_model, **options).partial_fit(X, y)
    if task == "labels":
        columns = pd.Index(of.labels, dtype=object)
        marks = np.column_stack([number > 1, number > 2, number < 1]).astype(int)
        return SGTClassifier(**options).partial_fit(X, pd.DataFrame(marks, columns=columns))
    if task == "bags":
        y = np.array([of.labels[int(n > 3)] for n in number], dtype=object)
        model = SGTMultiInstanceClassifier(epochs=1, grace_period=10, delta=0.2)
        return model.fit(X, y, np.arange(N_ROWS))
    n_labels = 2 if task == "focal" else 3
    y = np.array([of.labels[int(n) % n_labels] for n in number], dtype=object)
    loss = "focal" if task == "focal" else "log_loss"
    multiclass = "vector" if task == "vector" else "committee"
    return SGTClassifier(loss=loss, multiclass=multiclass, **options).partial_fit(X, y)
