"""Model files: versions, checksums, files that are something else; written whole or not at all."""

import errno
import json
import os
import pickle
import sys
import zipfile

import joblib
import numpy as np
import pytest
import safetensors.numpy

import sgtrees
from sgtrees.persistence import ModelFileError, NewerFormatError, model_file
from sgtrees.persistence.model_file import Contents, from_buffer, to_bytes
from tests.fuzz.mutations import File


@pytest.fixture(scope="module")
def model():
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 3))
    y = np.where(X[:, 0] > 0, "up", "down")
    return sgtrees.SGTClassifier(warm_up=50, grace_period=20, delta=0.05).partial_fit(X, y)


@pytest.fixture
def path(model, tmp_path):
    path = tmp_path / "model.safetensors"
    model.save(path)
    return path


def refusal(path):
    with pytest.raises(ModelFileError) as caught:
        sgtrees.load(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


# ---- what a file says of itself ------------------------------------------------------------------


def test_the_header_has_the_format_and_the_version(path):
    with safetensors.safe_open(path, "numpy") as file:
        texts = file.metadata()
    assert texts["format"] == "sgtrees"
    assert texts["format_version"] == "1"
    assert texts["library_version"] == sgtrees.__version__
    assert json.loads(texts["model"])["estimator"] == "SGTClassifier"


def test_the_error_of_a_newer_format_names_what_to_do(path):
    parts = File(path.read_bytes())
    parts.texts |= {"format_version": "7", "library_version": "9.8.7"}
    path.write_bytes(parts.signed())
    message = refusal(path)
    assert "written by sgtrees 9.8.7 in format 7" in message
    assert "upgrade" in message
    with pytest.raises(NewerFormatError):
        sgtrees.load(path)


@pytest.mark.parametrize("version", ["", "one", "-1", "1.0", "9" * 30])
def test_a_format_version_that_is_no_number_is_refused(path, version):
    parts = File(path.read_bytes())
    parts.texts["format_version"] = version
    path.write_bytes(parts.signed())
    assert "format_version" in refusal(path)


def test_every_damaged_bit_is_noticed(path):
    file = path.read_bytes()
    random = np.random.default_rng(1)
    for bit in [*range(8 * 8), *random.integers(0, 8 * len(file), 300).tolist()]:
        damaged = bytearray(file)
        damaged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(ModelFileError):
            from_buffer(bytes(damaged))


def test_a_wrong_checksum_is_called_so(path):
    file = bytearray(path.read_bytes())
    file[-1] ^= 1
    path.write_bytes(file)
    assert "checksum is wrong: the file is damaged" in refusal(path)


def test_a_file_that_was_cut_off_is_refused(path):
    file = path.read_bytes()
    for size in (0, 1, 7, 8, 9, 100, len(file) // 2, len(file) - 1):
        path.write_bytes(file[:size])
        refusal(path)


# ---- files that are something else ---------------------------------------------------------------


def test_a_pickle_is_refused_without_being_loaded(path, model):
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        path.write_bytes(pickle.dumps(model, protocol))
        assert "a pickle" in refusal(path)
    joblib.dump(model, path)
    assert "a pickle" in refusal(path)
    path.write_bytes(pickle.dumps(model, 0))
    refusal(path)


def test_other_files_are_called_what_they_are(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model", b"")
    assert "a zip archive" in refusal(path)
    path.write_bytes(safetensors.numpy.save({"weights": np.zeros(3)}, {"format": "pt"}))
    assert "not a model of sgtrees" in refusal(path)
    path.write_text("x,y\n1,2\n" * 1000)
    assert "not a safetensors file" in refusal(path)
    path.write_bytes(b"")
    assert "empty" in refusal(path)


def test_a_large_file_that_is_no_model_is_not_read_whole(path):
    path.write_bytes(pickle.dumps([1]))
    with path.open("r+b") as file:
        file.truncate(1 << 40 if sys.platform == "linux" else 1 << 32)
    assert "a pickle" in refusal(path)


def test_files_that_are_not_there_raise_what_open_raises(tmp_path):
    with pytest.raises(FileNotFoundError):
        sgtrees.load(tmp_path / "nothing")
    with pytest.raises(OSError, match=str(tmp_path)):
        sgtrees.load(tmp_path)


# ---- writing -------------------------------------------------------------------------------------


def test_a_failed_save_leaves_what_was_there(path, model, monkeypatch):
    before = path.read_bytes()

    def no_space(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(OSError, match=f"the model was not saved: No space left.*{path.name}"):
        model.save(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on files here")
def test_a_disk_that_is_full_in_the_middle_of_a_file_leaves_what_was_there(path, model):
    resource = pytest.importorskip("resource")
    signal = pytest.importorskip("signal")
    before = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2, limits[1]))
        with pytest.raises(OSError, match="the model was not saved"):
            model.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_an_interrupt_while_saving_leaves_what_was_there(path, model, monkeypatch):
    before = path.read_bytes()

    def interrupt(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.save(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_paths_that_cannot_be_written_are_named(tmp_path, model):
    with pytest.raises(FileNotFoundError, match=r"not saved: No such file.*no/folder/model"):
        model.save(tmp_path / "no" / "folder" / "model")
    with pytest.raises(IsADirectoryError, match="not saved: that is a directory"):
        model.save(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="not saved"):
        model.save(tmp_path / "file" / "model")
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are others here")
def test_a_new_file_has_the_permissions_that_files_have(tmp_path, model):
    old = os.umask(0o027)
    try:
        model.save(tmp_path / "model")
    finally:
        os.umask(old)
    assert (tmp_path / "model").stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(sys.platform == "win32", reason="links need privileges here")
def test_a_link_stays_a_link_to_the_saved_model(tmp_path, model):
    (tmp_path / "there").mkdir()
    link = tmp_path / "latest"
    link.symlink_to(tmp_path / "there" / "model")
    model.save(link)
    model.save(link)
    assert link.is_symlink()
    assert sgtrees.load(tmp_path / "there" / "model").n_nodes_ == model.n_nodes_


def test_text_and_path_are_both_names_of_files(path):
    assert sgtrees.load(str(path)).n_nodes_ == sgtrees.load(path).n_nodes_


def test_a_file_that_shrinks_while_it_is_read_is_refused(path, monkeypatch):
    size = path.stat().st_size
    real = os.fstat

    class Longer:
        def __init__(self, descriptor):
            self.st_size = real(descriptor).st_size + 8

    monkeypatch.setattr(model_file.os, "fstat", Longer)
    assert "became shorter" in refusal(path)
    assert path.stat().st_size == size


# ---- documents -----------------------------------------------------------------------------------


def test_a_document_that_is_no_json_is_refused():
    contents = from_buffer(to_bytes(Contents({"a": [1, 2]}, {"x": np.zeros(2)})))
    assert contents.document == {"a": [1, 2]}
    assert contents.arrays["x"].tolist() == [0.0, 0.0]
    for text, reason in (
        ("{", "not JSON"),
        ("[1]", "not a JSON object"),
        ('{"a": NaN}', "NaN"),
        ("[" * 50_000, "nested too deeply"),
        ("1" * 10_000, "not JSON"),
    ):
        parts = File(to_bytes(Contents({}, {})))
        parts.texts["model"] = text
        with pytest.raises(ModelFileError, match=reason):
            from_buffer(parts.signed())


def test_an_estimator_that_is_not_known_is_refused(path):
    for name in ("SGTWizard", "", None, ["SGTClassifier"], 5):
        parts = File(path.read_bytes())
        parts.texts["model"] = json.dumps(json.loads(parts.texts["model"]) | {"estimator": name})
        path.write_bytes(parts.signed())
        assert "document.estimator is" in refusal(path)


@pytest.mark.parametrize("field", ["options", "features", "labels", "loss", "named"])
def test_every_field_of_a_document_is_needed_and_others_are_refused(path, field):
    parts = File(path.read_bytes())
    document = json.loads(parts.texts["model"])
    missing = document | {"model": {k: v for k, v in document["model"].items() if k != field}}
    parts.texts["model"] = json.dumps(missing)
    path.write_bytes(parts.signed())
    assert f"model has no field '{field}'" in refusal(path)
    parts.texts["model"] = json.dumps(document | {"model": document["model"] | {"more": 1}})
    path.write_bytes(parts.signed())
    assert "model has an unknown field 'more'" in refusal(path)


def test_a_parameter_that_a_later_version_added_is_named(path):
    parts = File(path.read_bytes())
    document = json.loads(parts.texts["model"])
    document["parameters"]["bagging"] = 3
    parts.texts["model"] = json.dumps(document)
    path.write_bytes(parts.signed())
    assert "has a parameter 'bagging', which this version" in refusal(path)


@pytest.mark.parametrize(
    ("limit", "value", "message"),
    [
        ("json_text._MOST_VALUES", 100, "values; the limit is 100"),
        ("json_text._MOST_CONTAINERS", 20, "lists and objects; the limit is 20"),
        ("json_text._DEEPEST", 2, "nested too deeply"),
        ("tensors._LONGEST_HEADER", 3000, "the limit is 3,000"),
    ],
)
def test_what_could_not_be_loaded_is_not_saved(limit, value, message, tmp_path, monkeypatch):
    model = sgtrees.SGTRegressor().partial_fit([[str(i)] for i in range(300)], np.arange(300.0))
    path = tmp_path / "model"
    model.save(path)
    before = path.read_bytes()
    monkeypatch.setattr(f"sgtrees.persistence.{limit}", value)
    with pytest.raises(ModelFileError, match=f"the model was not saved: .*{message}"):
        model.save(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["model"]
