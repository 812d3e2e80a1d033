import gzip
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from experiments.tests.datasets.small_sets import small, without_checksum
from experiments.tests.datasets.songs import CONTENT
from sgtrees_experiments.absent import AbsentError
from sgtrees_experiments.datasets import STREAMS, Status, locate
from sgtrees_experiments.datasets.dataset import Download, Files
from sgtrees_experiments.datasets.locating import download_whole
from sgtrees_experiments.folders import data_folders, download_folder


def write_higgs(path, n_rows):
    rng = np.random.default_rng(0)
    columns = {f"x{i}": rng.normal(size=n_rows) for i in range(28)}
    pq.write_table(pa.table(columns | {"target": rng.permutation(n_rows) % 2}), path)


def test_the_whole_goes_before_its_parts_unless_they_are_named(tmp_path):
    known = small("higgs", 10)
    assert locate(known, [tmp_path]) == []
    write_higgs(tmp_path / "higgs_16k.parquet", 10)
    (part,) = locate(known, [tmp_path])
    assert (part.version.name, part.version.status) == ("higgs_16k", Status.PART)
    write_higgs(tmp_path / "higgs.parquet", 10)
    (whole,) = locate(known, [tmp_path])
    assert whole.version.status is Status.WHOLE
    assert [f.version.name for f in locate(known, [tmp_path], ["higgs_16k"])] == ["higgs_16k"]


def test_a_version_of_several_files_needs_all_of_them(tmp_path):
    (tmp_path / "kdd99_corrected_test.parquet").touch()
    assert locate(STREAMS["kdd99"], [tmp_path]) == []
    (tmp_path / "kdd99_10pct.parquet").touch()
    names = [found.version.name for found in locate(STREAMS["kdd99"], [tmp_path])]
    assert names == ["kdd99_10pct", "kdd99_both"]


def test_the_first_folder_that_has_it_counts(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_higgs(tmp_path / name / "higgs.parquet", 10)
    (found,) = locate(small("higgs", 10), [tmp_path / "none", tmp_path / "b", tmp_path / "a"])
    assert found.folder == tmp_path / "b"


def test_what_is_read_must_have_the_known_shape(tmp_path):
    write_higgs(tmp_path / "higgs.parquet", 9)
    (found,) = locate(small("higgs", 10), [tmp_path])
    message = r"higgs: .*higgs\.parquet holds 9 x 28, 2 classes, but it should be 10 x 28, 2 cl"
    with pytest.raises(AbsentError, match=f"{message}.*--download"):
        found.load()


def test_a_truncated_file_is_named(tmp_path):
    write_higgs(tmp_path / "higgs.parquet", 100)
    whole = (tmp_path / "higgs.parquet").read_bytes()
    (tmp_path / "higgs.parquet").write_bytes(whole[: len(whole) // 2])
    (found,) = locate(small("higgs", 100), [tmp_path])
    with pytest.raises(AbsentError, match=r"higgs\.parquet cannot be read \(.*get a good copy"):
        found.load()


def test_a_truncated_archive_is_named(tmp_path):
    text = "\n".join(",".join(["1.0"] * 29) for _ in range(5000)).encode()
    compressed = gzip.compress(text)
    (tmp_path / "HIGGS.csv.gz").write_bytes(compressed[: len(compressed) // 2])
    known = without_checksum(small("higgs", 5000))
    (found,) = locate(known, [tmp_path])
    with pytest.raises(AbsentError, match=r"HIGGS\.csv\.gz cannot be read"):
        found.load()


def songs(address, path="/good", sha256=""):
    known = small("msd", 2)
    original = known.whole.files[1]
    files = Files(
        ("songs.csv",), original.read, (Download(f"{address}{path}", "songs.csv", sha256=sha256),)
    )
    return replace(known, versions=(replace(known.whole, files=(files,)),))


def test_what_was_downloaded_is_found_and_its_checksum_is_demanded_from_then_on(address):
    known = songs(address)
    download_whole(known)
    (found,) = locate(known, data_folders())
    assert found.load().y.tolist() == [2001.0, 2002.0]
    # Another file of the same shape is not the one that was downloaded.
    (download_folder() / "songs.csv").write_bytes(CONTENT.replace(b"2002", b"2003"))
    with pytest.raises(AbsentError, match=r"songs\.csv has a wrong checksum; delete it"):
        found.load()


def test_what_needs_an_account_is_not_tried():
    with pytest.raises(AbsentError, match=r"aws cannot be downloaded by itself: .*Kaggle"):
        download_whole(STREAMS["aws"])
