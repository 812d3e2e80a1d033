"""Type checkers know the words that parameters may be."""

import subprocess
import sys
from pathlib import Path

import pytest

from sgtrees.losses.built_in import BY_NAME
from sgtrees.parameters.constructors import parameters_of
from sgtrees.parameters.table.targets import ClassifierParameters, RegressorParameters

ROOT = Path(__file__).parents[2]
WRONG = [
    'SGTClassifier(leaf_model="linaer")',
    'SGTRegressor(loss="squred_error")',
    'SGTForestClassifier(multiclass="vektor")',
    'SGTBoostingRegressor(on_drift="replaced")',
    'SGTMultiInstanceClassifier(pooling="mean")',
    'SGTClassifier(class_weight="balancd")',
    'SGTClassifier(n_bins="many")',
    "SGTClassifier(no_such_parameter=1)",
    'SGTClassifier().learn_predict([[1.0]], [1], method="predict_probs")',
]
RIGHT = [
    'SGTClassifier(leaf_model="linear", loss="log_loss")',
    "SGTRegressor(loss=losses.Quantile(alpha=0.9))",
    "SGTRegressor(loss=lambda y, raw: (raw - y, raw * 0 + 1))",
    'SGTClassifier(class_weight={"rare": 3.0})',
]


def test_a_typo_in_a_word_fails_in_mypy(tmp_path):
    pytest.importorskip("mypy")
    lines = ["from sgtrees import *", "from sgtrees import losses", *RIGHT, *WRONG]
    snippet = tmp_path / "snippet.py"
    snippet.write_text("\n".join(lines))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(snippet)],
        cwd=ROOT,  # whose settings and cache are those of `make check`
        capture_output=True,
        text=True,
        check=False,
    )
    errors = [line for line in done.stdout.splitlines() if "error:" in line]
    found = [int(error.split(":")[1]) for error in errors]
    first = len(lines) - len(WRONG) + 1
    assert found == list(range(first, first + len(WRONG))), done.stdout


@pytest.mark.parametrize(
    ("parameters", "for_classes"), [(ClassifierParameters, True), (RegressorParameters, False)]
)
def test_the_words_for_losses_are_the_names_of_losses(parameters, for_classes):
    names = {name for name, loss in BY_NAME.items() if loss.is_for_classes is for_classes}
    assert set(parameters_of(parameters)["loss"].words) == names
