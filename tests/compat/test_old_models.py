"""Models of every released format can be loaded, predict what they did, and continue to learn."""

import copy
import json
import shutil
from pathlib import Path

import pytest

import sgtrees
from sgtrees.checkpoint import Checkpoints
from sgtrees.persistence.model_file import FORMAT_VERSION, from_buffer, read_file, to_bytes
from sgtrees.persistence.savable import contents_of
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
PRESENT = Path(__file__).parent / f"format_{FORMAT_VERSION}"


def models():
    for folder in FOLDERS:
        for name in json.loads((folder / "expected.json").read_text()):
            yield pytest.param(folder, name, id=f"{folder.name}, {name}")


def check(found, expected):
    # Other systems' exp and log may differ in the last digit.
    assert found.pop("predictions") == pytest.approx(expected.pop("predictions"), rel=1e-9)
    assert found == expected


def without_new_parameters(new, old):
    """Return a document with the parameters and options that another one has.

    Both may grow without a new format; see "Changing the format" in docs/model_format.md.
    """
    new = copy.deepcopy(new)
    new["parameters"] = {k: v for k, v in new["parameters"].items() if k in old["parameters"]}
    options = new["model"]["options"]
    new["model"]["options"] = {k: options[k] for k in options if k in old["model"]["options"]}
    return new


def test_the_present_format_is_among_them():
    assert PRESENT in FOLDERS


def test_every_kind_of_learner_has_a_file_of_the_present_format():
    assert json.loads((PRESENT / "expected.json").read_text()).keys() == {
        *learners(),
        "checkpoint",
        "inference_only",
    }


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


@pytest.mark.parametrize("name", json.loads((PRESENT / "expected.json").read_text()))
def test_the_present_version_writes_the_format_as_it_is_described(name):
    """A change of what is saved cannot go unnoticed: it needs new files, or a new format."""
    file = PRESENT / f"{name}.safetensors"
    old = read_file(file)
    new = from_buffer(
        to_bytes(
            contents_of(
                sgtrees.load(file),
                inference_only=name == "inference_only",
                checkpoint=old.checkpoint,
            )
        )
    )
    assert without_new_parameters(new.document, old.document) == old.document
    assert new.arrays.keys() == old.arrays.keys()
    for array, values in old.arrays.items():
        found = new.arrays[array]
        assert (found.dtype, found.shape) == (values.dtype, values.shape), array
        assert found.tobytes() == values.tobytes(), array


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_training_resumes_from_an_old_checkpoint(folder, tmp_path):
    shutil.copy(folder / "checkpoint.safetensors", tmp_path / "checkpoint-250.safetensors")
    last = Checkpoints(tmp_path).begin(resume=True)
    assert (last.rows, last.progress) == (EVENTS, {"errors": 17})
