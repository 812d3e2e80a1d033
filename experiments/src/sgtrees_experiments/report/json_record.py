"""The figures of a reproduction as JSON, for machines."""

import json
from typing import Any

from sgtrees_experiments.report.bag_tables import bag_figures
from sgtrees_experiments.report.checks import checks
from sgtrees_experiments.report.published import BAG_FIGURES, STREAM_FIGURES
from sgtrees_experiments.report.summaries import StreamSummary, Summaries


def as_json(summaries: Summaries, facts: dict[str, str]) -> str:
    """Return everything that the tables hold, and the curves."""
    record = {
        "run": facts,
        "data": [
            {
                "set": found.of.name,
                "version": found.version.name,
                "status": found.version.status.value,
                "shape": vars(found.version.shape),
            }
            for found in summaries.plan.found
        ],
        "absent": {known.name: known.obtain for known in summaries.plan.absent},
        "problems": summaries.problems,
        "checks": [vars(check) for check in checks(summaries)],
        "streams": [_stream(summary) for summary in summaries.streams.values()],
        "bags": _bags(summaries),
    }
    return json.dumps(record, indent=1) + "\n"


def _stream(summary: StreamSummary) -> dict[str, Any]:
    published = STREAM_FIGURES.get((summary.found.of.name, summary.learner.name))
    return {
        "data": summary.found.version.name,
        "learner": summary.learner.name,
        "settings": dict(summary.learner.settings),
        "rows": summary.rows,
        "runs": len(summary.runs),
        "loss": summary.loss,
        "deviation": summary.deviation,
        "nodes": summary.nodes,
        "seconds": summary.seconds,
        "published": vars(published) if published else None,
        "curve": vars(summary.curve) if summary.curve else None,
    }


def _bags(summaries: Summaries) -> list[dict[str, Any]]:
    entries = []
    for name, line in bag_figures(summaries).items():
        for learner, summary in line.of.items():
            published = BAG_FIGURES.get((name, learner))
            entries.append(
                {
                    "data": name,
                    "learner": learner,
                    "settings": dict(summary.learner.settings),
                    "runs": len(summary.runs),
                    "accuracy": summary.accuracy,
                    "deviation": summary.deviation,
                    "rank": line.rank[learner],
                    "mark": line.mark.get(learner, 0),
                    "seconds": summary.seconds,
                    "published": vars(published) if published else None,
                }
            )
    return entries
