"""Two classes, 500,000 x 28, from a NumPy array, binning included: speed beside all peers."""

from __future__ import annotations

import numpy as np

from benchmarks import streams
from benchmarks.figures import Bar, Figure, Outcome, ratio, speed
from benchmarks.isolation import measure
from benchmarks.peers import moa, river_sgt
from benchmarks.settings import Settings
from sgtrees_experiments.moa import NumericStream

NAME = "collider"
ROWS = 500_000
# It learns some hundred rows a second. A third of these are its warm-up, which is cheap: the
# rate is higher than the one that it would keep up.
RIVER_ROWS = 3_000
DEFAULTS = "sgtrees, default settings"
MEMBERS = 10
BOOSTED = f"sgtrees, {MEMBERS} boosted trees"
HOEFFDING = "MOA HoeffdingTree"
LEARNERS = {
    "MOA StochasticGradientTree, re-splits off": moa.SGT,
    HOEFFDING: moa.HOEFFDING,
    "MOA HoeffdingTree, majority leaves": moa.HOEFFDING_MAJORITY,
    "MOA EFDT": moa.EFDT,
}
RIVER = f"river SGTClassifier, first {RIVER_ROWS:,} rows"
BARS = {
    "MOA StochasticGradientTree, re-splits off": Bar(">=", 60),
    HOEFFDING: Bar(">=", 20),
    RIVER: Bar(">=", 2_000),
}


def run(settings: Settings) -> list[Figure]:
    rows = settings.capped(ROWS)
    settings.say("sgtrees")
    ours = measure("benchmarks.ours:collider", rows=rows, repeats=settings.repeats)
    settings.say(DEFAULTS)
    by_default = measure("benchmarks.ours:collider_by_default", rows=rows, repeats=settings.repeats)
    settings.say(BOOSTED)
    boosted = measure(
        "benchmarks.ours:collider_boosted", rows=rows, repeats=settings.repeats, members=MEMBERS
    )
    peers = moa.measure_all(lambda: stream(rows), LEARNERS, settings)
    settings.say(RIVER)
    peers[RIVER] = river_sgt.measure(stream(settings.capped(RIVER_ROWS)), settings.repeats)
    return [
        speed(NAME, "sgtrees", ours),
        *_against(ours, peers),
        speed(NAME, DEFAULTS, by_default),
        ratio(NAME, f"{DEFAULTS} / {HOEFFDING}", by_default, peers[HOEFFDING], Bar(">=", 9)),
        speed(NAME, BOOSTED, boosted),
        ratio(NAME, f"{BOOSTED} / {HOEFFDING}", boosted, peers[HOEFFDING], Bar(">=", 0.7)),
    ]


def stream(rows: int) -> NumericStream:
    X, y = streams.collider(rows)
    return NumericStream(X.astype(np.float64), y.astype(np.float64), [0] * X.shape[1], classes=2)


def _against(ours: Outcome, peers: dict[str, Outcome]) -> list[Figure]:
    figures = []
    for peer, outcome in peers.items():
        figures.append(speed(NAME, peer, outcome))
        figures.append(ratio(NAME, f"sgtrees / {peer}", ours, outcome, BARS.get(peer)))
    return figures
