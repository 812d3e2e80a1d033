"""The HTML page of a report."""

import html
import json
import platform
import re
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from sgtrees.atomic_file import write_atomically
from sgtrees.estimators.classifier import SGTClassifier
from sgtrees.estimators.regressor import SGTRegressor
from sgtrees.evaluation import Evaluation
from sgtrees.evaluation.metrics import metric_title
from sgtrees.inspection import gain_importances, view_model
from sgtrees.inspection.characters import shown
from sgtrees.report.observations import Observations
from sgtrees.report.segments import segments_of
from sgtrees.report.tree_document import MOST_NODES, tree_document

# A classifier of very many classes has very many trees; the page has the first ones.
_MOST_TREES = 12
_MOST_FEATURES = 25
_MOST_LABELS = 20
_MOST_EVENTS = 200


@dataclass(frozen=True)
class Page:
    """The content of a report.

    Attributes
    ----------
    evaluation : Evaluation
        The evaluation of the model and of others to compare it with; the model comes first.
    estimator : SGTClassifier or SGTRegressor
        The model.
    target : str
        The name of the target.
    sources : list of str
        The files or streams of the rows.
    seconds : float
        The total time.
    skipped : int
        The number of rows that were left out.
    observations : Observations or None
        Statistics of single predictions.
    command : str
        The command that made the report.
    """

    evaluation: Evaluation
    estimator: SGTClassifier | SGTRegressor
    target: str
    sources: list[str] = field(default_factory=list)
    seconds: float = 0.0
    skipped: int = 0
    observations: Observations | None = None
    command: str = ""


def write_report(page: Page, path: str | Path) -> Path:
    """Write a report as one self-contained HTML file.

    Parameters
    ----------
    page : Page
        The content.
    path : path
        The file.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from sgtrees import SGTClassifier
    >>> from sgtrees.evaluation import MajorityClass, prequential
    >>> from sgtrees.streams import Sea
    >>> model = SGTClassifier()
    >>> result = prequential(Sea().head(5_000), {"tree": model, "majority": MajorityClass()})
    >>> with TemporaryDirectory() as folder:
    ...     path = write_report(Page(result, model, "group"), Path(folder, "report.html"))
    ...     "<html" in path.read_text(encoding="utf-8")
    True
    """
    place = Path(path)
    write_atomically(place, [_html(page).encode()])
    return place


def _html(page: Page) -> str:
    data = json.dumps(_data(page), separators=(",", ":"), allow_nan=False)
    parts = {
        "css": _asset("page.css"),
        "js": _asset("page.js"),
        # Text in the data must not end the element that holds it.
        "data": data.replace("<", "\\u003c"),
        "title": _escape(f"Model of {page.target}"),
        "subtitle": _escape(_subtitle(page)),
        "verdict": _escape(page.evaluation.verdict()),
        "tiles": _tiles(page),
        "settings": _settings(page),
    }
    # In one pass: what is inserted may contain anything, and is not searched for marks itself.
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: parts[mark[1]], _asset("page.html"))


def _escape(text: str) -> str:
    return html.escape(shown(text))


def _asset(name: str) -> str:
    return (files("sgtrees.report") / "assets" / name).read_text(encoding="utf-8")


def _data(page: Page) -> dict[str, Any]:
    found = page.evaluation
    view = view_model(page.estimator)
    trees = view.trees
    most = max(MOST_NODES // max(min(len(trees), _MOST_TREES), 1), 50)
    importances = [item for item in gain_importances(view).ranked() if item[1] > 0.0]
    labels = [str(label) for label in found.labels]
    seen = {} if page.observations is None else page.observations.as_dict()
    if len(labels) > _MOST_LABELS:
        seen["confusion"] = []
    values: dict[str, Any] = {
        "target": page.target,
        "task": found.task.value,
        "metric": found.metrics[0],
        "metric_title": metric_title(found.metrics[0]),
        "is_share": found.metrics[0] in found.shares,
        "names": found.names,
        "points": [
            {
                "rows": point.rows,
                "values": [point.models[n].window[found.metrics[0]] for n in found.names],
                "leaves": point.models[found.names[0]].n_leaves,
            }
            for point in found.points
        ],
        # The model's own, which comes first.
        "drifts": [
            {"row": event.row, "kind": event.kind, "why": event.why}
            for event in found.drifts.get(found.names[0], ())[-_MOST_EVENTS:]
        ],
        "best": [point.best_error for point in found.points],
        "segments": segments_of(found),
        "importances": importances[:_MOST_FEATURES],
        "n_features_left_out": max(len(importances) - _MOST_FEATURES, 0),
        "trees": [tree_document(tree, page.target, most=most) for tree in trees[:_MOST_TREES]],
        "n_trees": len(trees),
        "labels": labels,
        **seen,
    }
    cleaned: dict[str, Any] = _without_nan(values)
    return cleaned


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    is_odd = isinstance(value, float) and (value != value or value in (float("inf"), -float("inf")))  # noqa: PLR0124
    return None if is_odd else value


# ---- text ---------------------------------------------------------------------------------------


def _subtitle(page: Page) -> str:
    sources = ", ".join(Path(source).name for source in page.sources[:3])
    more = f" and {len(page.sources) - 3} more" if len(page.sources) > 3 else ""
    where = f" of {sources}{more}" if sources else ""
    learned = page.evaluation.kind != "test"
    how = "each predicted before it was learned" if learned else "predicted, not learned"
    return f"{_kind(page.estimator)}, {page.evaluation.rows:,} rows{where}: {how}."


def _kind(estimator: SGTClassifier | SGTRegressor) -> str:
    parameters = estimator.get_params(deep=False)
    if "n_estimators" not in parameters:
        return "Stochastic gradient tree"
    method = "Boosting" if "learning_rate" in parameters else "Forest"
    return f"{method} of {parameters['n_estimators']:,} stochastic gradient trees"


def _tiles(page: Page) -> str:
    found = page.evaluation
    metric, name = found.metrics[0], found.names[0]
    title = metric_title(metric)
    tiles = [
        (found.formatted(metric, found.total(metric, name)), f"{title}, all rows"),
        (
            found.formatted(metric, found.curve(metric, name)[-1]),
            f"{title}, last {found.points[-1].window:,} rows",
        ),
    ]
    tiles += [
        (found.formatted(metric, found.total(metric, other)), f"{title}, {other}")
        for other in found.names[1:]
    ]
    last = found.last(name)
    if last.n_leaves is not None:
        tiles.append((f"{last.n_leaves:,}", f"leaves, depth {page.estimator.depth_}"))
    if page.seconds > 0.0:
        speed = found.rows / page.seconds
        tiles.append((f"{speed:,.0f}", f"rows/s, {page.seconds:,.1f} s in total"))
    return "\n".join(
        f'<div class="tile"><b>{_escape(value)}</b><span>{_escape(words)}</span></div>'
        for value, words in tiles
    )


def _settings(page: Page) -> str:
    found = page.evaluation
    name = found.names[0]
    tables = [
        (
            "Metrics",
            [
                (metric_title(m), found.formatted(m, found.total(m, name)) or "\u2013")
                for m in found.metrics
            ],
        ),
        (
            "Parameters",
            [
                (key, str(value))
                for key, value in page.estimator.get_params().items()
                if value is not None
            ],
        ),
        ("Run", _run(page)),
    ]
    return "\n".join(_table(title, rows) for title, rows in tables)


def _run(page: Page) -> list[tuple[str, str]]:
    last = page.evaluation.last()
    rows = [
        ("made", datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z")),
        ("command", page.command),
        ("rows", f"{page.evaluation.rows:,}"),
        ("rows left out", f"{page.skipped:,}" if page.skipped else ""),
        ("seconds", f"{page.seconds:,.2f}" if page.seconds else ""),
        ("seconds of the model alone", f"{last.seconds:,.2f}"),
        (
            "memory of the model",
            "" if last.memory_bytes is None else f"{last.memory_bytes / 1e6:,.1f} MB",
        ),
        ("sgtrees", version("sgtrees")),
        ("NumPy, scikit-learn", f"{version('numpy')}, {version('scikit-learn')}"),
        ("Python", platform.python_version()),
        ("system", f"{platform.system()} {platform.machine()}"),
    ]
    return [(key, value) for key, value in rows if value]


def _table(title: str, rows: list[tuple[str, str]]) -> str:
    lines = "".join(
        f"<tr><th>{_escape(key)}</th><td>{_escape(value)}</td></tr>" for key, value in rows
    )
    return f"<div><h3>{_escape(title)}</h3><table>{lines}</table></div>"
