"""Comparison of a runtime's predictions with the library's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sgtrees.inspection import view_model
from tests.conformance.exports.runtimes import RUNTIMES, of_the_library


def assert_equal(
    runtime: str, model: Any, frame: pd.DataFrame, folder: Path, digits: float = 0.0
) -> None:
    """Raw scores and labels are the same; probabilities and predictions but for the last digit.

    ``digits``: how far raw scores, and all that follows from them, may be apart, relatively.
    """
    expected = of_the_library(model, frame)
    answers = RUNTIMES[runtime](model, view_model(model), frame, folder)
    assert expected.raw is not None
    assert answers.raw is not None or answers.probabilities is not None
    if answers.raw is not None:
        assert answers.raw.shape == expected.raw.shape
        allowed = digits * np.maximum(1.0, np.abs(expected.raw))
        wrong = np.flatnonzero((np.abs(answers.raw - expected.raw) > allowed).any(axis=1))
        assert len(wrong) == 0, f"row {wrong[0]}: {frame.iloc[wrong[0]].to_dict()}"
    if answers.labels is not None:
        assert answers.labels == expected.labels
        assert {type(label) for label in answers.labels} == {type(x) for x in expected.labels}
    if answers.probabilities is not None:
        np.testing.assert_allclose(
            answers.probabilities, expected.probabilities, rtol=0, atol=answers.digits + digits
        )
    if answers.prediction is not None:
        np.testing.assert_allclose(
            answers.prediction,
            expected.prediction,
            rtol=max(answers.digits, 4e-16, 10 * digits),
            atol=digits,
        )
