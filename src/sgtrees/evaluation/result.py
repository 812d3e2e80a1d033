"""The result of an evaluation: the metrics of all models over time."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import narwhals as nw

from sgtrees.atomic_file import write_atomically
from sgtrees.evaluation.baselines import Baseline
from sgtrees.evaluation.measurements import Measurement, Point
from sgtrees.evaluation.metrics.base import Metric
from sgtrees.evaluation.model_loss import common_loss, metric_of
from sgtrees.evaluation.plots import plot_learning_curve
from sgtrees.evaluation.result_values import fields_of, values_of
from sgtrees.evaluation.tasks import Task
from sgtrees.evaluation.verdict import verdict
from sgtrees.models.drift_event import DriftEvent
from sgtrees.models.range_updates import RangeUpdate

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Evaluation:
    """The result of an evaluation.

    Attributes
    ----------
    kind : str
        "prequential", "holdout", or "test" if the models learned nothing.
    task : Task
        Classification or regression.
    metrics : tuple of str
        The names of the metrics, the main one first.
    shares, higher : tuple of str
        The metrics that are shares, and those of which greater values are better.
    points : tuple of Point
        The models over time.
    settings : dict
        The settings of the evaluation.
    labels : tuple
        The labels that occurred, in classification.
    baselines : tuple of str
        The names of the models that are baselines, which `verdict` compares the others with.
    judged_by : str
        The metric of that comparison: the one that the models' loss minimises, if it was measured,
        otherwise the first one.
    drifts : mapping from str to tuple of DriftEvent
        What happened to the trees of each model because its errors rose; without those models to
        which nothing happened.
    range_updates : mapping from str to tuple of RangeUpdate
        When numeric features of each model got new bins; without those models that kept theirs.

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
    >>> print(result.verdict())  # doctest: +ELLIPSIS
    Error 12... % over 20,000 rows: better than the majority class (35.82 %) by 23... points.
    """

    kind: str
    task: Task
    metrics: tuple[str, ...]
    shares: tuple[str, ...] = ()
    higher: tuple[str, ...] = ()
    points: tuple[Point, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    labels: tuple[Any, ...] = ()
    baselines: tuple[str, ...] = ()
    judged_by: str = ""
    drifts: Mapping[str, tuple[DriftEvent, ...]] = field(default_factory=dict)
    range_updates: Mapping[str, tuple[RangeUpdate, ...]] = field(default_factory=dict)

    @classmethod
    def of_points(
        cls,
        kind: str,
        task: Task,
        metrics: Sequence[Metric],
        points: Sequence[Point],
        settings: Mapping[str, Any],
        labels: Sequence[Any],
        models: Mapping[str, Any],
        drifts: Mapping[str, tuple[DriftEvent, ...]] | None = None,
        range_updates: Mapping[str, tuple[RangeUpdate, ...]] | None = None,
    ) -> Self:
        """Return the result of an evaluation of these models with these metrics and points."""
        names = tuple(metric.name for metric in metrics)
        wanted = metric_of(common_loss(models))
        return cls(
            kind=kind,
            task=task,
            metrics=names,
            shares=tuple(metric.name for metric in metrics if metric.is_share),
            higher=tuple(metric.name for metric in metrics if metric.greater_is_better),
            points=tuple(points),
            settings=settings,
            labels=tuple(labels),
            baselines=tuple(name for name, model in models.items() if isinstance(model, Baseline)),
            judged_by=wanted if wanted in names else names[0],
            drifts=drifts or {},
            range_updates=range_updates or {},
        )

    # ---- metrics --------------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.points[-1].rows if self.points else 0

    @property
    def names(self) -> list[str]:
        """The models' names."""
        return list(self.points[-1].models) if self.points else []

    def last(self, model: str | None = None) -> Measurement:
        """Return the measurement of a model at the last point."""
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
            The metric; for a holdout, and for metrics of windows only, that of the last point.
        """
        name = self._metric(metric)
        last = self.last(model)
        total = last.total.get(name, math.nan)
        return last.window[name] if math.isnan(total) else total

    def curve(self, metric: str | None = None, model: str | None = None) -> list[float]:
        """Return a metric over the window of each point."""
        name = self._metric(metric)
        chosen = self.names[0] if model is None else model
        return [point.models[chosen].window[name] for point in self.points]

    def rows_per_second(self, model: str | None = None) -> float:
        """Return how many rows the model predicted and learned per second."""
        seconds = self.last(model).seconds
        return self.rows / seconds if seconds > 0.0 else 0.0

    def _metric(self, metric: str | None) -> str:
        name = self.metrics[0] if metric is None else metric
        if name not in self.metrics:
            raise ValueError(f"{name!r} was not measured; there are {', '.join(self.metrics)}")
        return name

    # ---- tables and figures ---------------------------------------------------------------------

    def summary(self) -> str:
        """Return a table of all models: their metrics, speed and size.

        Returns
        -------
        str
            A header, and a line for each model; below them, if there are baselines, what `verdict`
            says of each other model.
        """
        header = [*self.metrics, "rows/s", "nodes", "leaves", "memory"]
        lines = [["", *header], *([name, *self._cells(name)] for name in self.names)]
        # Empty columns are left out.
        kept = [place for place in range(len(lines[0])) if any(line[place] for line in lines[1:])]
        widths = [max(len(line[place]) for line in lines) for place in kept]
        table = "\n".join(
            "  ".join(
                line[place].ljust(width) if place == 0 else line[place].rjust(width)
                for place, width in zip(kept, widths, strict=True)
            ).rstrip()
            for line in lines
        )
        others = [name for name in self.names if name not in self.baselines]
        said = [(name, self.verdict(name)) for name in others]
        if len(others) > 1:
            said = [(name, f"{name}: {text}") for name, text in said if text]
        return "\n\n".join([table, *(text for _, text in said if text)])

    def verdict(self, model: str | None = None, metric: str | None = None) -> str:
        """Say in words whether a model beats the baselines.

        Parameters
        ----------
        model : str, optional
            The model's name; the first one by default.
        metric : str, optional
            The metric's name; by default `judged_by`.

        Returns
        -------
        str
            A sentence; empty if there are no baselines, or nothing was measured.
        """
        return verdict(self, model, metric)

    def _cells(self, model: str) -> list[str]:
        last = self.last(model)
        scores = [self.formatted(metric, self.total(metric, model)) for metric in self.metrics]
        size = [None if last.memory_bytes is None else f"{last.memory_bytes / 1e6:.1f} MB"]
        counts = [None if n is None else f"{n:,}" for n in (last.n_nodes, last.n_leaves)]
        speed = f"{self.rows_per_second(model):,.0f}"
        return [*scores, speed, *(cell or "" for cell in [*counts, *size])]

    def formatted(self, metric: str, value: float) -> str:
        """Return a metric's value as text: shares in percent, NaN as nothing."""
        if math.isnan(value):
            return ""
        return f"{100.0 * value:.2f} %" if metric in self.shares else f"{value:.4g}"

    def to_frame(self, library: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Return a data frame with a row for each model at each point.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}, default="pandas"
            The library of the data frame.

        Returns
        -------
        data frame
            Columns: model, rows, window, the metrics of the window, ``total_...``, ``faded_...``
            (with fading), seconds, n_nodes, n_leaves, memory_bytes.
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
        """Draw a metric over the rows, and the number of leaves below (extra ``plot``).

        Solid lines are over the window of each point, dashed ones are cumulative; see
        `plot_learning_curve`.

        Parameters
        ----------
        metric, path, title
            As for `plot_learning_curve`.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        return plot_learning_curve(self, self._metric(metric), path=path, title=title)

    # ---- JSON -----------------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """Return the result as plain values for JSON; NaN becomes None."""
        return values_of(self)

    def save(self, path: str | Path) -> None:
        """Write the result to a JSON file.

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
        write_atomically(path, [json.dumps(self.as_dict(), indent=1).encode()])

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a result from a file that `save` has written."""
        return cls.from_dict(json.loads(Path(path).read_text(encoding="utf-8")))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the result from the values of `as_dict`."""
        return cls(**fields_of(values))

    def __eq__(self, other: object) -> bool:
        # By their plain values: NaN is not equal to itself, None is.
        return isinstance(other, Evaluation) and self.as_dict() == other.as_dict()

    __hash__ = None  # type: ignore[assignment]
