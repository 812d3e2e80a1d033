"""The page `docs/accuracy.md`, written from the records of the runs."""

from __future__ import annotations

from statistics import median

import numpy as np

from benchmarks.accuracy.held_out import HELD_OUT
from benchmarks.accuracy.records import Records, spelled
from benchmarks.accuracy.settings import (
    COMPARED_OF_NUMBERS,
    LINEAR_LEAVES,
    OF_CLASSES,
    OF_NUMBERS,
    PEERS_OF_CLASSES,
    PEERS_OF_NUMBERS,
    Settings,
    titled,
)
from benchmarks.accuracy.streams import FILE_ORDER, STREAMS, StudyStream
from benchmarks.accuracy.study import Extent
from benchmarks.accuracy.summaries import Scores, gain, scores
from sgtrees.evaluation import average_ranks

_CLASSES = [stream for stream in STREAMS.values() if stream.classification]
_NUMBERS = [stream for stream in STREAMS.values() if not stream.classification]
_DEFAULT = spelled({})


def write_page(records: Records, extent: Extent, machine: str) -> str:
    """Return the page."""
    parts = [
        _INTRODUCTION.format(seeds=extent.seeds, rows=extent.rows, machine=machine),
        "## Compared with MOA's trees: default settings, all rows, shuffled\n",
        _classes_against_peers(records),
        _numbers_against_peers(records),
        "## In file order\n",
        _FILE_ORDER,
        _in_file_order(records, [*_CLASSES, *_NUMBERS]),
        "## Streams that were not used to choose the defaults\n",
        _HELD_OUT,
        _in_file_order(records, list(HELD_OUT.values())),
        "## What each setting does\n",
        _SETTINGS.format(rows=extent.rows),
        _settings_table(
            records, _CLASSES, OF_CLASSES, ("error", "log_loss", "calibration"), extent
        ),
        _settings_table(records, _NUMBERS, OF_NUMBERS, ("mae", "rmse"), extent),
    ]
    return "\n".join(parts)


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def _mean(records: Records, stream: StudyStream, learner: str, measure: str) -> float:
    return float(scores(records, [stream], [learner], measure, 0).values[0, 0])


def _size_and_time(records: Records, stream: StudyStream, learner: str) -> tuple[float, float]:
    runs = [
        run
        for run in records.of.values()
        if (run.stream, run.learner, run.rows) == (stream.name, learner, 0)
        and run.order != FILE_ORDER
    ]
    return float(np.mean([run.nodes for run in runs])), float(np.mean([r.seconds for r in runs]))


def _classes_against_peers(records: Records) -> str:
    learners = [_DEFAULT, *PEERS_OF_CLASSES]
    names = ["sgtrees", *PEERS_OF_CLASSES.values()]
    of_errors, of_sizes, gains, log_losses = [], [], [], 0
    for stream in _CLASSES:
        errors, losses, calibrations = (
            [_mean(records, stream, learner, measure) for learner in learners]
            for measure in ("error", "log_loss", "calibration")
        )
        sizes, times = zip(
            *(_size_and_time(records, stream, learner) for learner in learners), strict=True
        )
        if stream.in_bars:
            gains.append(gain(errors[0], min(errors[1:])))
            log_losses += losses[0] < min(losses[1:])
        of_errors.append(
            [
                stream.name,
                *(f"{100 * error:.2f}" for error in errors),
                f"{100 * gain(errors[0], min(errors[1:])):+.1f} %",
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
    summary = (
        f"Of the {len(gains)} real streams the error is below the better peer's on "
        f"{sum(g > 0 for g in gains)}, the log loss on {log_losses}; the gain in error is "
        f"{100 * median(gains):.1f} % in the median and {100 * min(gains):+.1f} % at "
        "least. (`collider` is synthetic.)\n\n"
    )
    return (
        summary
        + _ranks(records)
        + _table(
            ["stream", *_of_each("error %", names), "gain", *_of_each("log loss", names)], of_errors
        )
        + "\nCalibration, size and time:\n\n"
        + _table(
            [
                "stream",
                *_of_each("calibration error %", names),
                *_of_each("nodes", names),
                *_of_each("CPU s", names),
            ],
            of_sizes,
        )
    )


def _of_each(what: str, names: list[str]) -> list[str]:
    return [f"{what}, {name}" for name in names]


def _ranks(records: Records) -> str:
    """Compare the mean ranks over the real streams, by Friedman's and Nemenyi's tests."""
    learners = {_DEFAULT: "sgtrees", **PEERS_OF_CLASSES}
    found = scores(records, [s for s in _CLASSES if s.in_bars], list(learners), "error", 0)
    ranks = average_ranks(dict(zip(learners.values(), found.values.tolist(), strict=True)))
    listed = ", ".join(f"{name} {rank:.2f}" for name, rank in ranks.ranks.items())
    return (
        f"Mean ranks by error: {listed} (Friedman p = {ranks.friedman_p:.2g}; critical "
        f"difference at 5 %: {ranks.critical_difference:.2f}).\n\n"
    )


def _numbers_against_peers(records: Records) -> str:
    (peer,) = PEERS_OF_NUMBERS
    ours = [spelled(settings) for settings in COMPARED_OF_NUMBERS]
    names = ["squared error", "absolute error", "FIMT-DD"]
    header = ["stream", *(f"MAE, {name}" for name in names), *(f"RMSE, {name}" for name in names)]
    header += [f"nodes, {name}" for name in names] + [f"CPU s, {name}" for name in names]
    rows = []
    for stream in _NUMBERS:
        learners = [*ours, peer]
        sizes, times = zip(
            *(_size_and_time(records, stream, learner) for learner in learners), strict=True
        )
        rows.append(
            [
                stream.name,
                *(f"{_mean(records, stream, name, 'mae'):.4g}" for name in learners),
                *(f"{_mean(records, stream, name, 'rmse'):.4g}" for name in learners),
                *(f"{size:,.0f}" for size in sizes),
                *(f"{seconds:.2f}" for seconds in times),
            ]
        )
    return _REGRESSION + _table(header, rows)


def _in_file_order(records: Records, streams: list[StudyStream]) -> str:
    rows, ahead, ahead_with_linear = [], 0, 0
    for stream in streams:
        if not stream.has_order:
            continue
        peers = PEERS_OF_CLASSES if stream.classification else PEERS_OF_NUMBERS
        linear = records.of.get((stream.name, FILE_ORDER, spelled(LINEAR_LEAVES), 0))
        measures = ("error", "log_loss") if stream.classification else ("mae", "rmse")
        cells = []
        for measure in measures:
            found = scores(records, [stream], [_DEFAULT, *peers], measure, 0, shuffled=False)
            ours, theirs = found.values[0, 0], found.values[1:, 0].min()
            with_linear = ours if linear is None else linear.measures[measure]
            cells += [f"{ours:.4g}", "" if linear is None else f"{with_linear:.4g}"]
            cells.append(f"{theirs:.4g}")
            if measure == measures[0]:
                cells += [f"{100 * gain(value, theirs):+.1f} %" for value in (ours, with_linear)]
                ahead += ours < theirs
                ahead_with_linear += with_linear < theirs
        rows.append([stream.name, *cells])
    header = ["stream", *_of_each("error or MAE", ["default", "linear leaves", "better peer"])]
    header += [*_of_each("gain", ["default", "linear leaves"])]
    header += _of_each("log loss or RMSE", ["default", "linear leaves", "better peer"])
    return (
        f'Ahead on {ahead} of {len(rows)}; with `leaf_model="linear"` (if there are numeric '
        f"features) on {ahead_with_linear}.\n\n" + _table(header, rows)
    )


def _settings_table(
    records: Records,
    streams: list[StudyStream],
    settings: list[Settings],
    measures: tuple[str, ...],
    extent: Extent,
) -> str:
    learners = [spelled(one) for one in settings]
    title = {spelled(one): titled(one) for one in settings}
    shuffled = [scores(records, streams, learners, m, extent.rows) for m in measures]
    ordered = [stream for stream in streams if stream.has_order]
    in_order = [
        scores(records, ordered, learners, m, extent.rows, shuffled=False) for m in measures
    ]
    columns = [*(found.geometric_means(_DEFAULT) for found in shuffled)]
    columns += [found.geometric_means(_DEFAULT) for found in in_order]
    worst = np.exp(shuffled[0].relative(_DEFAULT).max(axis=1))
    ranks = shuffled[0].ranks()
    rows = [
        [
            title[learner],
            *(f"{column[learner]:.3f}" for column in columns),
            f"{worst[i]:.3f}",
            f"{ranks[learner]:.1f}",
        ]
        for i, learner in enumerate(learners)
    ]
    header = ["setting", *measures, *(f"{measure}, file order" for measure in measures)]
    header += [f"worst stream, {measures[0]}", "mean rank"]
    return _table(header, rows) + "\n" + _stability(shuffled[0], title) + "\n"


def _stability(found: Scores, title: dict[str, str]) -> str:
    means = found.geometric_means(_DEFAULT)
    best = min(means, key=lambda name: means[name])
    without = []
    for stream in found.streams:
        others = [i for i, name in enumerate(found.streams) if name != stream]
        relative = np.exp(found.relative(_DEFAULT)[:, others].mean(axis=1))
        best_here = title[found.best_without(stream, _DEFAULT)]
        without.append(f"{stream} {best_here} {relative.min():.3f}")
    return (
        f"Best on average: {title[best]} ({means[best]:.3f}). With one stream left out: "
        + "; ".join(without)
        + ".\n"
    )


_INTRODUCTION = """\
# Accuracy

Generated by `python -m benchmarks.accuracy`. Test-then-train: each row is predicted, then learned,
once; all rows count, including the warm-up. Shuffled figures are means over {seeds} shuffles
(`numpy.random.default_rng(seed).permutation`). The peers are MOA's trees with their default
settings, over the same rows in the same orders: VFDT (`HoeffdingTree`, adaptive naive Bayes
leaves), EFDT, FIMT-DD. Log loss uses the shares of the votes as probabilities, at least 1e-15. The
calibration error is the mean distance between confidence and accuracy in 15 bins of confidence.
CPU seconds are those of one thread, for Java without compiler and garbage collector. {machine}
"""
_REGRESSION = """
Regression. The default loss is squared error, which predicts means. `loss="absolute_error"`
predicts medians, and has the lower mean absolute error on most streams. FIMT-DD has linear models
in its leaves.

"""
_FILE_ORDER = """\
One run, default settings. In most of these files neighbouring rows are alike, and the distribution
changes along the file. The gain over the better peer is negative where sgtrees is behind. FIMT-DD's
linear leaves can diverge here; its figures are given as measured. The linear leaves of sgtrees are
updated with every row, and so follow a stream that changes. Constant leaves, the default, are
faster; their values change only when a test passes.
"""
_HELD_OUT = """\
The defaults were chosen on the streams above, so those results are optimistic. Nothing was chosen
on the following streams: 50,000 rows of the generators, some with a drift in the middle, and
river's example data sets, in their own order. The peers have naive Bayes or linear models in their
leaves; sgtrees has constants by default.
"""
_SETTINGS = """\
The defaults with one change at a time, the first {rows:,} rows of each order. Figures are
geometric means over the streams, relative to the defaults: below 1 is better. "Worst stream" is
the largest ratio of one stream's figure to that of the defaults.
"""
