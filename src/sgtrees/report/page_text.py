"""The text at the top of the page: the subtitle, the verdict, and the tiles of figures."""

import html
import math
from collections.abc import Sequence
from pathlib import Path

from sgtrees.estimators.classifier import SGTClassifier
from sgtrees.estimators.regressor import SGTRegressor
from sgtrees.evaluation import Evaluation
from sgtrees.evaluation.metrics import metric_title
from sgtrees.inspection.characters import shown
from sgtrees.report.members import is_boosted, is_ensemble


def escape(text: str) -> str:
    """Return text for HTML, with control characters made visible."""
    return html.escape(shown(text))


def subtitle(found: Evaluation, estimator: SGTClassifier | SGTRegressor, files: list[str]) -> str:
    """Return what the model is, and of which rows."""
    sources = ", ".join(Path(source).name for source in files[:3])
    more = f" and {len(files) - 3} more" if len(files) > 3 else ""
    where = f" of {sources}{more}" if sources else ""
    learned = found.kind != "test"
    how = "each predicted before it was learned" if learned else "predicted, not learned"
    return f"{_kind(estimator)}, {found.rows:,} rows{where}: {how}."


def _kind(estimator: SGTClassifier | SGTRegressor) -> str:
    if not is_ensemble(estimator):
        return "Stochastic gradient tree"
    method = "Boosting" if is_boosted(estimator) else "Forest"
    return f"{method} of {estimator.get_params()['n_estimators']:,} stochastic gradient trees"


def verdict(found: Evaluation) -> str:
    """Return the verdict as HTML: over all rows, then over the latest ones; or nothing."""
    said = found.verdict()
    if not said:
        return ""
    metric = found.judged_by or found.metrics[0]
    name = found.names[0]
    others = [other for other in found.baselines if other in found.names and other != name]
    totals = {other: found.total(metric, other) for other in others}
    judgement = _judgement(found, metric, found.total(metric, name), list(totals.values()))
    words = {
        "better": "The model beats every baseline.",
        "worse": "The model is no better than any baseline.",
        "mixed": "The model beats some baselines, but not all.",
    }[judgement]
    lines = [f"<strong>{words}</strong> {escape(said)}"]
    last = found.points[-1]
    if last.window < found.rows and found.kind != "holdout":
        values = {model: last.models[model].window[metric] for model in (name, *others)}
        figures = ", ".join(
            f"{model} {found.formatted(metric, value)}"
            for model, value in values.items()
            if not math.isnan(value)
        )
        lines.append(escape(f"Over the last {last.window:,} rows alone: {figures}."))
    inside = "".join(f"<p>{line}</p>" for line in lines)
    return f'<div class="verdict {judgement}" id="verdict">{inside}</div>'


def _judgement(found: Evaluation, metric: str, value: float, others: Sequence[float]) -> str:
    sign = 1.0 if metric in found.higher else -1.0
    beaten = [sign * (value - other) > 0.0 for other in others if not math.isnan(other)]
    return "better" if all(beaten) else "mixed" if any(beaten) else "worse"


def tiles(found: Evaluation, estimator: SGTClassifier | SGTRegressor, total_seconds: float) -> str:
    """Return the tiles of figures as HTML."""
    metric, name = found.metrics[0], found.names[0]
    title = metric_title(metric)
    shown_tiles = [
        (found.formatted(metric, found.total(metric, name)), f"{title}, all rows"),
        (
            found.formatted(metric, found.curve(metric, name)[-1]),
            f"{title}, last {found.points[-1].window:,} rows",
        ),
    ]
    shown_tiles += [
        (found.formatted(metric, found.total(metric, other)), f"{title}, {other}, all rows")
        for other in found.names[1:]
    ]
    last = found.last(name)
    if last.n_leaves is not None:
        shown_tiles.append((f"{last.n_leaves:,}", f"leaves, depth {estimator.depth_}"))
    if total_seconds > 0.0:
        speed = found.rows / total_seconds
        shown_tiles.append((f"{speed:,.0f}", f"rows/s, {total_seconds:,.1f} s in total"))
    return "\n".join(
        f'<div class="tile"><b>{escape(value)}</b><span>{escape(words)}</span></div>'
        for value, words in shown_tiles
    )
