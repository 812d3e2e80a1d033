"""Models of every format that was released can be loaded, predict what they did, and learn on."""

import json
import shutil
from pathlib import Path

import pytest

import sgtrees
from sgtrees.checkpoint import Checkpoints
from sgtrees.persistence.model_file import FORMAT_VERSION
from tests.compat.make_models import (
    EVENTS,
    MORE_EVENTS,
    MORE_ROWS,
    ROWS,
    about,
    event_probabilities,
    learn_events,
    learners,
)
from tests.learners import stream

FOLDERS = sorted(Path(__file__).parent.glob("format_*"))


def models():
    for folder in FOLDERS:
        for name in json.loads((folder / "expected.json").read_text()):
            yield pytest.param(folder, name, id=f"{folder.name}, {name}")


def check(found, expected):
    # Other systems' exp and log may differ in the last digit.
    assert found.pop("predictions") == pytest.approx(expected.pop("predictions"), rel=1e-9)
    assert found == expected


def test_the_present_format_is_among_them():
    assert f"format_{FORMAT_VERSION}" in [folder.name for folder in FOLDERS]


@pytest.mark.parametrize(("folder", "name"), list(models()))
def test_an_old_model_is_what_it_was(folder, name):
    expected = json.loads((folder / "expected.json").read_text())[name]
    model = sgtrees.load(folder / f"{name}.safetensors")
    if name in ("checkpoint", "inference_only"):
        check(about(model, event_probabilities(model)), expected["loaded"])
        if name == "checkpoint":
            learn_events(model, EVENTS, MORE_EVENTS)
            check(about(model, event_probabilities(model)), expected["later"])
        return
    learner, rows = learners()[name], stream(MORE_ROWS, seed=9)
    check(about(model, learner.predict(model, rows)), expected["loaded"])
    learner.learn(model, rows, ROWS, MORE_ROWS)
    check(about(model, learner.predict(model, rows)), expected["later"])


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_training_resumes_from_an_old_checkpoint(folder, tmp_path):
    shutil.copy(folder / "checkpoint.safetensors", tmp_path / "checkpoint-250.safetensors")
    last = Checkpoints(tmp_path).begin(resume=True)
    assert (last.rows, last.progress) == (EVENTS, {"errors": 17})
