"""The tables of the page that need no script: metrics, parameters, and the run."""

import math
import platform
from collections.abc import Iterable, Mapping
from datetime import datetime
from importlib.metadata import version
from typing import Any

from sgtrees.estimators.classifier import SGTClassifier
from sgtrees.estimators.regressor import SGTRegressor
from sgtrees.evaluation import Evaluation
from sgtrees.evaluation.metrics import metric_title
from sgtrees.report.observations import Observations
from sgtrees.report.page_text import escape
from sgtrees.version import VERSION

_NOTHING = "\u2013"
# Means over the classes that occur, and the names that they have on the page.
_CLASS_MEANS = {
    "area": "area under the ROC curve",
    "mean_precision": "precision, mean of the classes",
    "mean_recall": "recall, mean of the classes",
    "mean_f1": "F1, mean of the classes",
}


def metrics_table(found: Evaluation, seen: Observations | None) -> str:
    """Return the metrics of the model and of all baselines over all rows, as HTML."""
    rows = [
        (
            metric_title(metric),
            [found.formatted(metric, found.total(metric, name)) for name in found.names],
        )
        for metric in found.metrics
    ]
    sums = {} if seen is None else {name: part.as_dict() for name, part in seen.classes.items()}
    if sums:
        titles = {metric_title(metric) for metric in found.metrics}
        for key, title in _CLASS_MEANS.items():
            values = [sums.get(name, {}).get(key, math.nan) for name in found.names]
            if title not in titles and not all(map(math.isnan, values)):
                rows.append((title, [_class_metric(key, value) for value in values]))
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in ("metric", *found.names))
    body = "".join(
        f'<tr><th scope="row">{escape(title)}</th>'
        + "".join(f"<td>{escape(value or _NOTHING)}</td>" for value in values)
        + "</tr>"
        for title, values in rows
    )
    caption = f"Over all {found.rows:,} rows (cumulative)"
    if found.kind == "holdout":
        caption = f"Over the {found.points[-1].window:,} test rows"
    return (
        f'<table class="figures"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _class_metric(key: str, value: float) -> str:
    if math.isnan(value):
        return ""
    return f"{value:.4g}" if key == "area" else f"{100.0 * value:.2f} %"


def parameters_table(
    estimator: SGTClassifier | SGTRegressor, own_defaults: Mapping[str, object]
) -> str:
    """Return the parameters, those that differ from the defaults marked, as HTML."""
    values = estimator.get_params()
    defaults = type(estimator)().get_params()
    changed = {
        key: value
        for key, value in values.items()
        if not _is_same(value, defaults.get(key, value))
        and not (key in own_defaults and _is_same(value, own_defaults[key]))
    }
    rows = [
        f'<tr class="changed"><th scope="row">{escape(key)}</th><td>{escape(str(value))} '
        f'<span class="default">default: {escape(str(defaults[key]))}</span></td></tr>'
        for key, value in changed.items()
    ]
    same = [(k, str(v)) for k, v in values.items() if k not in changed and v is not None]
    count = "All are the defaults." if not changed else f"{len(changed)} differ from the defaults."
    return (
        f'<div><h3>Parameters</h3><p class="note">{count}</p>'
        f"<table>{''.join(rows)}{_lines(same)}</table></div>"
    )


def _is_same(value: Any, default: Any) -> bool:
    if isinstance(value, list | tuple) and isinstance(default, list | tuple):
        return list(value) == list(default)
    return bool(value is default or (type(value) is type(default) and value == default))


def run_table(found: Evaluation, command: str, total_seconds: float, skipped: int) -> str:
    """Return when, how and with which versions the evaluation was made, as HTML."""
    last = found.last()
    rows = [
        ("made", datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z")),
        ("command", command),
        ("rows", f"{found.rows:,}"),
        ("rows left out", f"{skipped:,}" if skipped else ""),
        ("seconds", f"{total_seconds:,.2f}" if total_seconds else ""),
        ("seconds of the model alone", f"{last.seconds:,.2f}"),
        (
            "memory of the model",
            "" if last.memory_bytes is None else f"{last.memory_bytes / 1e6:,.1f} MB",
        ),
        ("sgtrees", VERSION),
        ("NumPy, scikit-learn", f"{version('numpy')}, {version('scikit-learn')}"),
        ("Python", platform.python_version()),
        ("system", f"{platform.system()} {platform.machine()}"),
    ]
    shown = [(key, value) for key, value in rows if value]
    return f"<div><h3>Run</h3><table>{_lines(shown)}</table></div>"


def _lines(rows: Iterable[tuple[str, str]]) -> str:
    return "".join(
        f'<tr><th scope="row">{escape(key)}</th><td>{escape(value)}</td></tr>'
        for key, value in rows
    )
