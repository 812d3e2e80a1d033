"""The page `docs/accuracy.md`, written from the records of the runs."""

from __future__ import annotations

from statistics import median

import numpy as np

from benchmarks.accuracy.generated import all_generated, drifting
from benchmarks.accuracy.held_out import HELD_OUT
from benchmarks.accuracy.records import Records, Run, spelled
from benchmarks.accuracy.settings import (
    COMPARED_OF_NUMBERS,
    LINEAR_LEAVES,
    PEERS_OF_CLASSES,
    PEERS_OF_NUMBERS,
    titled,
)
from benchmarks.accuracy.streams import FILE_ORDER, STREAMS, StudyStream
from benchmarks.accuracy.study import Extent
from benchmarks.accuracy.summaries import Scores, gain, scores, together
from benchmarks.report import markdown_table
from sgtrees.evaluation import average_ranks

_CLASSES = [stream for stream in STREAMS.values() if stream.classification]
_NUMBERS = [stream for stream in STREAMS.values() if not stream.classification]
_DEFAULT = spelled({})
_MEASURES_OF_CLASSES = ("error", "log_loss")
_MEASURES_OF_NUMBERS = ("mae", "rmse")


def write_page(records: Records, extent: Extent, machine: str, absent: list[str]) -> str:
    """Return the page."""
    beside_peers, generated = extent.rows_beside_peers, extent.generated_beside_peers
    rows = f"the first {beside_peers:,} rows of each order" if beside_peers else "all rows"
    parts = [
        _INTRODUCTION.format(last=extent.seeds - 1, machine=machine),
        _QUICK if extent.quick else "",
        *(f"Absent here: {reason}.\n" for reason in absent),
        f"## Compared with MOA's trees: default settings, {rows}, shuffled\n",
        _classes_against_peers(records, extent),
        _numbers_against_peers(records, extent),
        f"## In file order: {rows}\n",
        _FILE_ORDER,
        _in_order(records, _CLASSES, beside_peers),
        _in_order(records, _NUMBERS, beside_peers),
        f"## Generated streams of {generated:,} rows\n",
        _GENERATED,
        _generated_against_peers(records, generated),
    ]
    if not extent.quick:
        held_out = list(HELD_OUT.values())
        parts += [
            "## Streams that were not used to choose the defaults\n",
            _HELD_OUT,
            _in_order(records, [s for s in held_out if s.classification], 0),
            _in_order(records, [s for s in held_out if not s.classification], 0),
        ]
    parts += [
        "## What each setting does\n",
        _SETTINGS.format(rows=extent.rows, generated=extent.generated_rows),
        _settings_table(records, extent, classification=True),
        _settings_table(records, extent, classification=False),
    ]
    return "\n".join(part for part in parts if part)


# ---- beside the peers ----------------------------------------------------------------------------


def _runs(records: Records, stream: StudyStream, learner: str, rows: int) -> list[Run]:
    """Return the shuffled runs."""
    return [
        run
        for run in records.of.values()
        if (run.stream, run.learner, run.rows) == (stream.name, learner, rows)
        and run.order != FILE_ORDER
    ]


def _mean(runs: list[Run], measure: str) -> float:
    return float(np.mean([run.measures[measure] for run in runs]))


def _size_and_time(runs: list[Run]) -> tuple[float, float]:
    nodes = [run.nodes for run in runs if run.nodes is not None]
    return float(np.mean(nodes)) if nodes else np.nan, float(np.mean([r.seconds for r in runs]))


def _classes_against_peers(records: Records, extent: Extent) -> str:
    rows = extent.rows_beside_peers
    learners = [_DEFAULT, *PEERS_OF_CLASSES]
    names = ["sgtrees", *PEERS_OF_CLASSES.values()]
    of_errors, of_sizes, gains, log_losses = [], [], [], 0
    for stream in _CLASSES:
        runs = [_runs(records, stream, learner, rows) for learner in learners]
        if not all(runs):
            continue
        errors, losses, calibrations = (
            [_mean(of_learner, measure) for of_learner in runs]
            for measure in ("error", "log_loss", "calibration")
        )
        sizes, times = zip(*map(_size_and_time, runs), strict=True)
        best = min(errors[1:])
        if stream.in_bars:
            gains.append(gain(errors[0], best))
            log_losses += losses[0] < min(losses[1:])
        of_errors.append(
            [
                stream.name,
                *(f"{100 * error:.2f}" for error in errors),
                f"{100 * gain(errors[0], best):+.1f} %",
                *(f"{loss:.4f}" for loss in losses),
            ]
        )
        of_sizes.append(
            [
                stream.name,
                *(f"{100 * calibration:.1f}" for calibration in calibrations),
                *(f"{size:,.0f}" for size in sizes),
                *(f"{seconds:.2f}" for seconds in times),
            ]
        )
    if not gains:
        return "There are no runs of all learners.\n"
    summary = (
        f"Of the {len(gains)} real streams the error is below the best peer's on "
        f"{sum(g > 0 for g in gains)}, the log loss on {log_losses}; the gain in error is "
        f"{100 * median(gains):.1f} % in the median and {100 * min(gains):+.1f} % at "
        "least. (`collider` is synthetic.)\n\n"
    )
    headings = ["stream", *_of_each("error %", names), "gain", *_of_each("log loss", names)]
    sizes_and_times = [
        "stream",
        *_of_each("calibration error %", names),
        *_of_each("nodes", names),
        *_of_each("CPU s", names),
    ]
    return (
        summary
        + _ranks(records, rows)
        + markdown_table(headings, of_errors)
        + "\n\nCalibration, size and time:\n\n"
        + markdown_table(sizes_and_times, of_sizes)
        + "\n"
    )


def _of_each(what: str, names: list[str]) -> list[str]:
    return [f"{what}, {name}" for name in names]


def _ranks(records: Records, rows: int) -> str:
    """Compare the mean ranks over the real streams, by Friedman's and Nemenyi's tests."""
    learners = {_DEFAULT: "sgtrees", **PEERS_OF_CLASSES}
    found = scores(records, [s for s in _CLASSES if s.in_bars], list(learners), "error", rows)
    ranks = average_ranks(dict(zip(learners.values(), found.values.tolist(), strict=True)))
    listed = ", ".join(f"{name} {rank:.2f}" for name, rank in ranks.ranks.items())
    return (
        f"Mean ranks by error: {listed} (Friedman p = {ranks.friedman_p:.2g}; critical "
        f"difference at 5 %: {ranks.critical_difference:.2f}).\n\n"
    )


def _numbers_against_peers(records: Records, extent: Extent) -> str:
    learners = [*(spelled(settings) for settings in COMPARED_OF_NUMBERS), *PEERS_OF_NUMBERS]
    names = ["squared error", "absolute error", *PEERS_OF_NUMBERS.values()]
    lines = []
    for stream in _NUMBERS:
        runs = [_runs(records, stream, name, extent.rows_beside_peers) for name in learners]
        if not all(runs):
            continue
        sizes, times = zip(*map(_size_and_time, runs), strict=True)
        lines.append(
            [
                stream.name,
                *(f"{_mean(of_learner, 'mae'):.4g}" for of_learner in runs),
                *(f"{_mean(of_learner, 'rmse'):.4g}" for of_learner in runs),
                *(f"{size:,.0f}" for size in sizes),
                *(f"{seconds:.2f}" for seconds in times),
            ]
        )
    columns = ["MAE", "RMSE", "nodes", "CPU s"]
    headings = [heading for what in columns for heading in _of_each(what, names)]
    return _REGRESSION + markdown_table(["stream", *headings], lines) + "\n"


def _in_order(records: Records, streams: list[StudyStream], rows: int) -> str:
    """Compare the learners on streams in their own order, each with each."""
    classification = streams[0].classification
    peers = PEERS_OF_CLASSES if classification else PEERS_OF_NUMBERS
    first, second = _MEASURES_OF_CLASSES if classification else _MEASURES_OF_NUMBERS
    ours = {_DEFAULT: "default"}
    if not classification:
        ours[spelled(COMPARED_OF_NUMBERS[1])] = "absolute error"
    ours[spelled(LINEAR_LEAVES)] = "linear leaves"
    lines, ahead = [], 0
    for stream in streams:
        runs = {
            learner: records.of.get((stream.name, FILE_ORDER, learner, rows))
            for learner in [*ours, *peers]
        }
        base = runs[_DEFAULT]
        rivals = [run.measures[first] for run in map(runs.get, peers) if run is not None]
        if not stream.has_order or base is None or not rivals:
            continue
        ahead += base.measures[first] < min(rivals)
        scale = 100.0 if classification else 1.0
        cells = [_cell(run, first, scale) for run in runs.values()]
        cells += [_cell(run, second, 1.0) for run in runs.values()]
        by = gain(base.measures[first], min(rivals))
        lines.append([stream.name, *cells, f"{100 * by:+.1f} %" if abs(by) < 100 else "behind"])
    title, other = ("error %", "log loss") if classification else ("MAE", "RMSE")
    names = [*ours.values(), *peers.values()]
    headings = ["stream", *_of_each(title, names), *_of_each(other, names), "gain of the default"]
    said = f"The defaults are ahead of the best peer on {ahead} of {len(lines)}.\n\n"
    return said + markdown_table(headings, lines) + "\n"


def _cell(run: Run | None, measure: str, scale: float) -> str:
    return "" if run is None else f"{scale * run.measures[measure]:.4g}"


def _generated_against_peers(records: Records, rows: int) -> str:
    hat = "trees.HoeffdingAdaptiveTree"
    pairs = [
        (ours.measures["error"], theirs.measures["error"])
        for name in drifting(rows)
        if (ours := records.of.get((name, FILE_ORDER, _DEFAULT, rows)))
        and (theirs := records.of.get((name, FILE_ORDER, hat, rows)))
    ]
    below = sum(ours < theirs for ours, theirs in pairs)
    streams = list(all_generated(rows).values())
    return (
        f"The error is below HAT's on {below} of the {len(pairs)} drifting ones that HAT was made "
        "for (the first in the table).\n\n"
        "![Error over the rows on streams with drifts](accuracy-drifts.png)\n\n"
        + _in_order(records, [s for s in streams if s.classification], rows)
        + "\n"
        + _in_order(records, [s for s in streams if not s.classification], rows)
    )


# ---- settings ------------------------------------------------------------------------------------


def _settings_table(records: Records, extent: Extent, *, classification: bool) -> str:
    settings = extent.settings(classification=classification)
    learners = [spelled(one) for one in settings]
    title = {spelled(one): titled(one) for one in settings}
    measures = _MEASURES_OF_CLASSES if classification else _MEASURES_OF_NUMBERS
    groups = [_groups(records, extent, learners, measure) for measure in measures]
    judged = [together(of_measure, _DEFAULT) for of_measure in groups]
    every = groups[0][0].and_(*groups[0][1:])
    if not every.streams:
        return "There are no runs with all settings.\n"
    means = [group.geometric_means(_DEFAULT) for of_measure in groups for group in of_measure]
    worst = every.relative(_DEFAULT)
    ranks = every.ranks()
    lines = [
        [
            title[learner],
            *(f"**{column[learner]:.3f}**" for column in judged),
            *(f"{column[learner]:.3f}" for column in means),
            f"{np.exp(worst[i].max()):.3f} ({every.streams[int(worst[i].argmax())]})",
            f"{ranks[learner]:.1f}",
        ]
        for i, learner in enumerate(learners)
    ]
    names = ("shuffled", "file order", "generated")
    headings = ["setting", *(f"{measure}, together" for measure in measures)]
    headings += [f"{measure}, {name}" for measure in measures for name in names]
    headings += [f"worst stream, {measures[0]}", "mean rank"]
    return markdown_table(headings, lines) + "\n\n" + _stability(groups[0], title) + "\n"


def _groups(records: Records, extent: Extent, learners: list[str], measure: str) -> list[Scores]:
    """Return a measure shuffled, in file order, and on generated streams."""
    streams = _CLASSES if measure in _MEASURES_OF_CLASSES else _NUMBERS
    ordered = [stream for stream in streams if stream.has_order]
    generated = [
        stream
        for stream in all_generated(extent.generated_rows).values()
        if stream.classification == streams[0].classification
    ]
    return [
        scores(records, streams, learners, measure, extent.rows),
        scores(records, ordered, learners, measure, extent.rows, shuffled=False),
        scores(records, generated, learners, measure, extent.generated_rows, shuffled=False),
    ]


def _stability(groups: list[Scores], title: dict[str, str]) -> str:
    """Say which setting is best, and whether one stream more or less decides it."""
    means = together(groups, _DEFAULT)
    best = min(means, key=lambda name: means[name])
    others = {}
    for group in groups:
        for stream in group.streams:
            left = [one.without(stream) for one in groups]
            without = together(left, _DEFAULT)
            found = min(without, key=lambda name: without[name])
            if found != best:
                others[stream] = title[found]
    changed = "; ".join(f"without {stream} {name}" for stream, name in others.items())
    return (
        f"Best together: {title[best]} ({means[best]:.3f}). "
        + (
            f"It depends on single streams: {changed}."
            if others
            else "No single stream decides it."
        )
        + "\n"
    )


_INTRODUCTION = """\
# Accuracy

Generated by `python -m benchmarks.accuracy`. Test-then-train: each row is predicted, then learned,
once; all rows count, including the warm-up. Shuffled figures are means over the seeds 0 to {last}
(`numpy.random.default_rng(seed).permutation`). The peers are MOA's trees with their default
settings, over the same rows in the same orders: VFDT (`HoeffdingTree`, adaptive naive Bayes
leaves), EFDT, HAT (`HoeffdingAdaptiveTree`), FIMT-DD with linear leaves and, with `-e`, with means.
Log loss uses the shares of the votes as probabilities, at least 1e-15. The calibration error is the
mean distance between confidence and accuracy in 15 bins of confidence. CPU seconds are those of one
thread, for Java without compiler and garbage collector. They show the order of magnitude only: the
machine had other work, and the peers' runs, which do not change with our code, are of an earlier
day. [Benchmarks](benchmarks.md) measure speed in turns. {machine}
"""
_QUICK = "**A quick look, not a result**: few rows, one shuffle, few settings.\n"
_REGRESSION = """
Regression. The default loss is squared error, which predicts means. `loss="absolute_error"`
predicts medians, and has the lower mean absolute error on most streams. FIMT-DD has linear models
in its leaves, or means with `-e`.

"""
_FILE_ORDER = """\
One run. In most of these files neighbouring rows are alike, and the distribution changes along the
file. The gain over the best peer is negative where the defaults are behind. FIMT-DD's linear leaves
can diverge here; its figures are given as measured.
"""
_GENERATED = """\
Four concepts in turn, abruptly or gradually (within a twentieth of the rows), centres or planes
that move all the time, and the like without any drift ("still").
"""
_HELD_OUT = """\
The defaults were chosen on the streams above, so those results are optimistic. Nothing was chosen
on the following streams: 50,000 rows of the generators with other concepts and seeds, some with a
drift in the middle, and river's example data sets, in their own order.
"""
_SETTINGS = """\
The defaults with one change at a time: the first {rows:,} rows of each order, and generated streams
of {generated:,} rows. Figures are geometric means over the streams, relative to the defaults: below
1 is better. **Together** is what defaults are judged by: shuffled streams, streams in file order
and generated streams count one third each, however many there are of them. "Worst stream" is the
largest ratio of one stream's figure to that of the defaults.
"""
