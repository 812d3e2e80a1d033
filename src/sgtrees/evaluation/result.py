"""What an evaluation found: for every model its figures over time, and in the end."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import narwhals as nw

from sgtrees.evaluation.metrics.base import Task

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Measured:
    """A model at one point of the stream.

    Attributes
    ----------
    window : dict from str to float
        The metrics over the point's window.
    total : dict from str to float
        The metrics over all rows so far; NaN for those that only a window has.
    faded : dict from str to float or None
        The metrics with a fading factor, where one was asked for.
    seconds : float
        The time that the model has taken so far, to predict and to learn.
    n_nodes, n_leaves, memory_bytes : int or None
        The model's size, where it has such.
    """

    window: dict[str, float]
    total: dict[str, float]
    faded: dict[str, float] | None
    seconds: float
    n_nodes: int | None = None
    n_leaves: int | None = None
    memory_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Point:
    """A point of the stream at which all models were measured.

    Attributes
    ----------
    rows : int
        The number of rows so far.
    window : int
        The number of rows that its window holds.
    models : dict from str to Measured
        What was measured of each model.
    best_error : float or None
        The error over the rows since the point before that is expected of whoever knows how the
        labels come about; None where nobody knows.
    """

    rows: int
    window: int
    models: dict[str, Measured]
    best_error: float | None = None


@dataclass(frozen=True)
class Evaluation:
    """What an evaluation found.

    Attributes
    ----------
    kind : str
        "prequential", "holdout", or "test" where nothing was learned.
    task : Task
        What was predicted.
    metrics : tuple of str
        The names of the metrics; the first one is the one to look at.
    shares, higher : tuple of str
        Those of them that are parts of 1, and those that are better the higher they are.
    points : tuple of Point
        The models over time; there may be none yet.
    settings : dict
        How it was evaluated.
    labels : tuple
        The labels that occurred, in classification.

    Examples
    --------
    >>> from sgtrees import SGTClassifier
    >>> from sgtrees.evaluation import MajorityClass, prequential
    >>> from sgtrees.streams import Sea
    >>> models = {"tree": SGTClassifier(), "majority class": MajorityClass()}
    >>> result = prequential(Sea().head(20_000), models)
    >>> result.rows, result.total("error", "tree") < result.total("error", "majority class")
    (20000, True)
    >>> print(result.summary())  # doctest: +ELLIPSIS
                    error  kappa  kappa_temporal  log_loss  rows/s  nodes  leaves  memory
    tree           ...
    majority class ...
    """

    kind: str
    task: Task
    metrics: tuple[str, ...]
    shares: tuple[str, ...] = ()
    higher: tuple[str, ...] = ()
    points: tuple[Point, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    labels: tuple[Any, ...] = ()

    # ---- figures --------------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.points[-1].rows if self.points else 0

    @property
    def names(self) -> list[str]:
        """The models' names."""
        return list(self.points[-1].models) if self.points else []

    def last(self, model: str | None = None) -> Measured:
        """Return what was measured of a model at the last point."""
        if not self.points:
            raise ValueError("nothing has been measured yet")
        models = self.points[-1].models
        name = next(iter(models)) if model is None else model
        if name not in models:
            raise ValueError(f"there is no model {name!r}; there are {', '.join(models)}")
        return models[name]

    def total(self, metric: str | None = None, model: str | None = None) -> float:
        """Return a metric over all rows.

        Parameters
        ----------
        metric : str, optional
            Its name; the first one by default.
        model : str, optional
            The model's name; the first one by default.

        Returns
        -------
        float
            The metric; in a holdout and for what only windows have, that of the last point.
        """
        name = self._metric(metric)
        last = self.last(model)
        total = last.total.get(name, math.nan)
        return last.window[name] if math.isnan(total) else total

    def curve(self, metric: str | None = None, model: str | None = None) -> list[float]:
        """Return a metric window by window."""
        name = self._metric(metric)
        chosen = self.names[0] if model is None else model
        return [point.models[chosen].window[name] for point in self.points]

    def rows_per_second(self, model: str | None = None) -> float:
        """Return how many rows the model predicted and learned in a second."""
        seconds = self.last(model).seconds
        return self.rows / seconds if seconds > 0.0 else 0.0

    def _metric(self, metric: str | None) -> str:
        name = self.metrics[0] if metric is None else metric
        if name not in self.metrics:
            raise ValueError(f"{name!r} was not measured; there are {', '.join(self.metrics)}")
        return name

    # ---- out ------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return a table of all models: their metrics, speed and size.

        Returns
        -------
        str
            A line for each model, under a line of titles.
        """
        head = [*self.metrics, "rows/s", "nodes", "leaves", "memory"]
        lines = [["", *head], *([name, *self._cells(name)] for name in self.names)]
        # A column in which nobody has anything is left out.
        kept = [place for place in range(len(lines[0])) if any(line[place] for line in lines[1:])]
        widths = [max(len(line[place]) for line in lines) for place in kept]
        return "\n".join(
            "  ".join(
                line[place].ljust(width) if place == 0 else line[place].rjust(width)
                for place, width in zip(kept, widths, strict=True)
            ).rstrip()
            for line in lines
        )

    def _cells(self, model: str) -> list[str]:
        last = self.last(model)
        figures = [self.in_words(metric, self.total(metric, model)) for metric in self.metrics]
        size = [None if last.memory_bytes is None else f"{last.memory_bytes / 1e6:.1f} MB"]
        counts = [None if n is None else f"{n:,}" for n in (last.n_nodes, last.n_leaves)]
        speed = f"{self.rows_per_second(model):,.0f}"
        return [*figures, speed, *(cell or "" for cell in [*counts, *size])]

    def in_words(self, metric: str, value: float) -> str:
        """Write a metric's value: in percent where it is a part of 1."""
        if math.isnan(value):
            return ""
        return f"{100.0 * value:.2f} %" if metric in self.shares else f"{value:.4g}"

    def to_frame(self, library: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Return a data frame with a row for each model at each point.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}, default="pandas"
            Whose data frame; it must be installed.

        Returns
        -------
        data frame
            Columns: model, rows, window, the metrics of the window, ``total_...``, ``faded_...``
            where asked for, seconds, n_nodes, n_leaves, memory_bytes.
        """
        rows = [
            {"model": name, "rows": point.rows, "window": point.window}
            | {metric: measured.window.get(metric) for metric in self.metrics}
            | {f"total_{metric}": measured.total.get(metric) for metric in self.metrics}
            | {f"faded_{metric}": value for metric, value in (measured.faded or {}).items()}
            | {
                "seconds": measured.seconds,
                "n_nodes": measured.n_nodes,
                "n_leaves": measured.n_leaves,
                "memory_bytes": measured.memory_bytes,
            }
            for point in self.points
            for name, measured in point.models.items()
        ]
        columns = {key: [row[key] for row in rows] for key in (rows[0] if rows else {"model": ""})}
        return nw.from_dict(columns, backend=library).to_native()

    def plot(
        self, metric: str | None = None, *, path: str | Path | None = None, title: str | None = None
    ) -> "Figure":
        """Draw a metric over the rows, and the models' growth below (needs the extra ``plot``).

        Parameters
        ----------
        metric : str, optional
            Its name; the first one by default.
        path : path, optional
            A PNG file to write.
        title : str, optional
            What the picture shows.

        Returns
        -------
        matplotlib.figure.Figure
            The picture.
        """
        # A picture reads a result, so this import cannot stand above.
        from sgtrees.evaluation.picture import draw_evaluation  # noqa: PLC0415

        figure = draw_evaluation(self, self._metric(metric), title=title)
        if path is not None:
            figure.savefig(path, format="png", dpi=150)
        return figure

    # ---- JSON -----------------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON; what is not known is None."""
        values: dict[str, Any] = _plain(
            {
                "format": _FORMAT,
                "kind": self.kind,
                "task": self.task.value,
                "metrics": self.metrics,
                "shares": self.shares,
                "higher": self.higher,
                "rows": self.rows,
                "settings": self.settings,
                "labels": self.labels,
                "points": [asdict(point) for point in self.points],
            }
        )
        return values

    def save(self, path: str | Path) -> None:
        """Write the result as JSON.

        Parameters
        ----------
        path : path
            The file.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from sgtrees import SGTRegressor
        >>> from sgtrees.evaluation import Evaluation, prequential
        >>> from sgtrees.streams import Friedman
        >>> result = prequential(Friedman().head(3_000), SGTRegressor())
        >>> with TemporaryDirectory() as folder:
        ...     result.save(Path(folder, "result.json"))
        ...     again = Evaluation.load(Path(folder, "result.json"))
        >>> again == result
        True
        """
        Path(path).write_text(json.dumps(self.as_dict(), indent=1), encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a result that `save` has written.

        Parameters
        ----------
        path : path
            The file.

        Returns
        -------
        Evaluation
            The result.
        """
        return cls.from_dict(json.loads(Path(path).read_text(encoding="utf-8")))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the result that `as_dict` was asked of."""
        if values.get("format") != _FORMAT:
            raise ValueError(f"this is no result in format {_FORMAT}: {values.get('format')!r}")
        points = tuple(
            Point(
                point["rows"],
                point["window"],
                {name: _measured(measured) for name, measured in point["models"].items()},
                point["best_error"],
            )
            for point in values["points"]
        )
        return cls(
            kind=values["kind"],
            task=Task(values["task"]),
            metrics=tuple(values["metrics"]),
            shares=tuple(values["shares"]),
            higher=tuple(values["higher"]),
            points=points,
            settings=values["settings"],
            labels=tuple(values["labels"]),
        )

    def __eq__(self, other: object) -> bool:
        # By their plain values: NaN differs from itself, and None does not.
        return isinstance(other, Evaluation) and self.as_dict() == other.as_dict()

    __hash__ = None  # type: ignore[assignment]


def _plain(value: Any) -> Any:
    """Return a value that JSON can hold: no NaN, no tuples."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)


def _measured(values: Mapping[str, Any]) -> Measured:
    return Measured(
        window=_figures(values["window"]),
        total=_figures(values["total"]),
        faded=None if values["faded"] is None else _figures(values["faded"]),
        seconds=values["seconds"],
        n_nodes=values["n_nodes"],
        n_leaves=values["n_leaves"],
        memory_bytes=values["memory_bytes"],
    )


def _figures(values: Mapping[str, float | None]) -> dict[str, float]:
    return {name: math.nan if value is None else value for name, value in values.items()}
