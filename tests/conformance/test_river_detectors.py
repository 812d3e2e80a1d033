"""ADWIN and Page-Hinkley find what river's find, at the same inputs.

river starts a detector anew when it has spoken; ADWIN's paper keeps the window that is left. So
river's is compared with ours started anew at the same place. river also takes its
``min_window_length`` (less 1) off the sizes of both parts before it compares them; with 1 that is
nothing, which is the paper. with its default of 5 some moments come a test or more later.
"""

import numpy as np
import pytest
from numpy.typing import NDArray
from river import drift

from sgtrees import _core

Floats = NDArray[np.float64]


def coin_flips(seed: int, shares: Floats) -> Floats:
    rng = np.random.default_rng(seed)
    return (rng.random(len(shares)) < shares).astype(np.float64)


def series(seed: int) -> dict[str, Floats]:
    rng = np.random.default_rng(seed)
    return {
        "one rise": coin_flips(seed, np.repeat([0.2, 0.5], 3_000)),
        "rises and a fall": coin_flips(seed, np.repeat([0.1, 0.3, 0.2, 0.6], 4_000)),
        "slow rise": coin_flips(seed, np.linspace(0.1, 0.5, 16_000)),
        "no change": coin_flips(seed, np.full(20_000, 0.3)),
        "rare errors": coin_flips(seed, np.repeat([0.01, 0.03], 8_000)),
        "normal": rng.normal(np.repeat([0.0, 0.5, 2.0], 3_000), 1.0),
        "constant": np.ones(5_000),
    }


def moments_of_river(detector: drift.ADWIN | drift.PageHinkley, inputs: Floats) -> list[int]:
    moments = []
    for i, x in enumerate(inputs.tolist()):
        detector.update(x)
        if detector.drift_detected:
            moments.append(i)
    return moments


def moments_started_anew(inputs: Floats, delta: float, bucket_inputs: int = 1) -> list[int]:
    moments: list[int] = []
    begin = 0
    while True:
        at, _ = _core.adwin_changes(inputs[begin:].copy(), delta, bucket_inputs)
        if len(at) == 0:
            return moments
        moments.append(begin + int(at[0]))
        begin = moments[-1] + 1


@pytest.mark.parametrize("delta", [0.002, 0.01, 0.05])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_adwin_speaks_when_that_of_river_does(seed: int, delta: float) -> None:
    for name, inputs in series(seed).items():
        river = moments_of_river(drift.ADWIN(delta=delta, min_window_length=1), inputs)
        assert moments_started_anew(inputs, delta) == river, name


def test_with_the_default_of_river_most_first_moments_are_the_same() -> None:
    same, later = 0, []
    for seed in range(4):
        for inputs in series(seed).values():
            river = moments_of_river(drift.ADWIN(delta=0.01), inputs)[:1]
            ours = moments_started_anew(inputs, 0.01)[:1]
            same += ours == river
            if ours != river:
                later.append(river[0] - ours[0])
    assert same >= 24
    assert all(0 < rows <= 512 for rows in later)


def test_buckets_of_32_inputs_find_changes_within_four_tests() -> None:
    for seed in range(4):
        for name in ("one rise", "rises and a fall", "normal"):
            inputs = series(seed)[name]
            fine, _ = _core.adwin_changes(inputs, 0.01)
            coarse, _ = _core.adwin_changes(inputs, 0.01, 32)
            assert abs(int(fine[0]) - int(coarse[0])) <= 128, (name, seed)


@pytest.mark.parametrize(("threshold", "alpha"), [(50.0, 0.9999), (10.0, 0.9999), (20.0, 1.0)])
def test_page_hinkley_speaks_when_that_of_river_does(threshold: float, alpha: float) -> None:
    for seed in range(3):
        for name, inputs in series(seed).items():
            detector = drift.PageHinkley(threshold=threshold, alpha=alpha, mode="up")
            river = moments_of_river(detector, inputs)
            ours, _ = _core.page_hinkley_changes(inputs, 0.005, threshold, alpha, 30)
            assert ours.tolist() == river, name
