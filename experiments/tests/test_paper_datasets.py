"""The registry, its readers and its checks, on small files in the originals' forms."""

import gzip
import hashlib
import http.server
import threading
import zipfile
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sgtrees_experiments.absent import AbsentError
from sgtrees_experiments.datasets import BAGS, STREAMS, Shape, Status, Task, locate
from sgtrees_experiments.datasets.bag_reading import read_bag_parquet, read_musk
from sgtrees_experiments.datasets.coding import code
from sgtrees_experiments.datasets.download import fetch
from sgtrees_experiments.datasets.folders import data_folders, download_folder
from sgtrees_experiments.datasets.known import Download, Files, PaperSet, Version
from sgtrees_experiments.datasets.locating import download_whole
from sgtrees_experiments.datasets.relational_arff import read_relational_arff


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("SGTREES_CACHE", str(tmp_path / "cache"))


# ---- the registry --------------------------------------------------------------------------------


def test_all_data_sets_of_the_paper_are_known():
    titles = "Higgs,HEPMASS,KDD'99,Covertype,AWS Prices,Airline,Zurich,MSD Year"
    assert [known.title for known in STREAMS.values()] == titles.split(",")
    assert len(BAGS) == 12
    for name, known in (STREAMS | BAGS).items():
        assert known.name == name
        assert known.whole.status is Status.WHOLE
        assert all(version.status is not Status.WHOLE for version in known.versions[1:])
        assert known.obtain
        assert (known.task is Task.BAGS) == (name in BAGS)


def test_names_of_versions_are_unique():
    names = [version.name for known in (STREAMS | BAGS).values() for version in known.versions]
    assert len(set(names)) == len(names)


def test_table_1_differs_from_the_true_shapes_only_where_it_is_known_to():
    differing = {
        name: (known.published, known.whole.shape)
        for name, known in STREAMS.items()
        if known.published != known.whole.shape
    }
    assert differing == {
        "higgs": (Shape(11_000_000, 27, 2), Shape(11_000_000, 28, 2)),
        "hepmass": (Shape(10_500_000, 27, 2), Shape(10_500_000, 28, 2)),
        "kdd99": (Shape(4_898_430, 41, 40), Shape(4_898_431, 41, 23)),
        "covtype": (Shape(581_012, 55, 7), Shape(581_012, 54, 7)),
    }


def test_data_is_looked_for_where_the_user_says(monkeypatch, tmp_path):
    monkeypatch.delenv("SGTREES_DATA", raising=False)
    assert str(data_folders()[0]) == "../shared/data"
    monkeypatch.setenv("SGTREES_DATA", str(tmp_path / "named"))
    assert data_folders()[0] == tmp_path / "named"
    assert data_folders(tmp_path)[0] == tmp_path
    assert data_folders(tmp_path)[1] == download_folder() == tmp_path / "cache" / "data"


# ---- finding and checking ------------------------------------------------------------------------


def small(name, n_rows, **versions):
    """Return a known set with its versions shrunk to so many rows."""
    known = STREAMS[name]
    shrunk = tuple(
        replace(version, shape=replace(version.shape, rows=versions.get(version.name, n_rows)))
        for version in known.versions
    )
    return replace(known, versions=shrunk)


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
    packed = gzip.compress(text)
    (tmp_path / "HIGGS.csv.gz").write_bytes(packed[: len(packed) // 2])
    known = without_checksum(small("higgs", 5000))
    (found,) = locate(known, [tmp_path])
    with pytest.raises(AbsentError, match=r"HIGGS\.csv\.gz cannot be read"):
        found.load()


# ---- the originals' forms ------------------------------------------------------------------------


def without_checksum(known):
    version = known.whole
    files = tuple(
        replace(f, downloads=tuple(replace(d, sha256="") for d in f.downloads))
        for f in version.files
    )
    return replace(known, versions=(replace(version, files=files), *known.versions[1:]))


def loaded(known, folder):
    (found,) = locate(without_checksum(known), [folder])
    return found.load()


def test_higgs_as_uci_has_it(tmp_path):
    lines = [f"{i % 2:.18e}," + ",".join(f"{i + j / 10:.18e}" for j in range(28)) for i in range(4)]
    (tmp_path / "HIGGS.csv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    stream = loaded(small("higgs", 4), tmp_path)
    assert stream.y.tolist() == [0.0, 1.0, 0.0, 1.0]
    assert stream.X[2, :3].tolist() == [2.0, 2.1, 2.2]
    assert stream.nominal == []


def test_hepmass_is_two_files_with_headings(tmp_path):
    heading = "# label," + ",".join(f"f{j}" for j in range(27)) + ",mass"
    for part, name in enumerate(("all_train.csv.gz", "all_test.csv.gz")):
        rows = [f"{i % 2}.0," + ",".join([f"{part}.5"] * 28) for i in range(3)]
        (tmp_path / name).write_bytes(gzip.compress("\n".join([heading, *rows]).encode()))
    stream = loaded(small("hepmass", 6), tmp_path)
    assert stream.X[:, 27].tolist() == [0.5] * 3 + [1.5] * 3


def test_kdd99_as_scikit_learn_has_it(tmp_path):
    classes = [f"attack{i:02}." for i in range(23)]
    rows = [
        f"{i},tcp,http{i % 3},SF,181,5450,{i % 2},0,0,0,0,{1 - i % 2},"
        + "0," * 8
        + "0,0,"
        + ",".join(["0.50"] * 19)
        + f",{classes[i]}"
        for i in range(23)
    ]
    assert all(row.count(",") == 41 for row in rows)
    # It is compressed, though its name does not say so.
    (tmp_path / "kddcup99_data").write_bytes(gzip.compress("\n".join(rows).encode()))
    stream = loaded(small("kdd99", 23), tmp_path)
    assert stream.nominal == [1, 2, 3, 6, 11, 20, 21]
    assert [stream.cardinalities[j] for j in (1, 2, 6)] == [1, 3, 2]
    assert stream.y.tolist() == list(range(23))


def test_covertype_as_scikit_learn_has_it(tmp_path):
    rows = [",".join([str(i)] * 10 + ["0", "1"] * 22 + [str(i % 7 + 1)]) for i in range(14)]
    (tmp_path / "covtype.data.gz").write_bytes(gzip.compress("\n".join(rows).encode()))
    stream = loaded(small("covtype", 14), tmp_path)
    assert stream.nominal == list(range(10, 54))
    assert stream.y.tolist() == [0, 1, 2, 3, 4, 5, 6] * 2


def test_songs_are_the_only_file_of_an_archive(tmp_path):
    rows = "\n".join(",".join([str(2000 + i)] + [f"{i}.5"] * 90) for i in range(5))
    with zipfile.ZipFile(tmp_path / "YearPredictionMSD.txt.zip", "w") as archive:
        archive.writestr("YearPredictionMSD.txt", rows)
    stream = loaded(small("msd", 5), tmp_path)
    assert stream.classes == 0
    assert stream.y.tolist() == [2000, 2001, 2002, 2003, 2004]


def test_categories_are_numbered_in_sorted_order_whatever_the_file(tmp_path):
    first = pa.table({"c": pa.array(["b", "c"]).dictionary_encode(), "target": [1.5, 2.5]})
    second = pa.table({"c": pa.array(["a", "b"]).dictionary_encode(), "target": [3.5, 4.5]})
    both = pa.concat_tables(
        [t.cast(pa.schema([("c", pa.string()), ("target", pa.float64())])) for t in (first, second)]
    )
    stream = code(both, [], classification=False)
    assert stream.X[:, 0].tolist() == [1.0, 2.0, 0.0, 1.0]
    assert stream.cardinalities == [3]


ARFF = r"""@relation musk
% a comment
@attribute molecule {'MUSK-1','OTHER-2'}
@attribute bag relational
  @attribute f1 numeric
  @attribute 'f 2' {u,v}
  @attribute f3 real
@end bag
@attribute class {0,1}
@data
MUSK-1,"42,u,1.5\n43,v,?",1

'OTHER-2',"1,u,2",0
"""


def test_bags_as_weka_has_them(tmp_path):
    (tmp_path / "musk.arff").write_text(ARFF)
    data = read_relational_arff([tmp_path / "musk.arff"])
    assert data.y.tolist() == [1, 0]
    assert data.bags[0][0].tolist() == [42.0, 1.0, 0.0, 1.5]
    assert data.bags[0][1, :3].tolist() == [43.0, 0.0, 1.0]
    assert np.isnan(data.bags[0][1, 3])
    assert data.bags[1].tolist() == [[1.0, 1.0, 0.0, 2.0]]


def test_bags_may_stand_in_single_quotes(tmp_path):
    (tmp_path / "musk.arff").write_text(ARFF.replace('"', "'"))
    assert len(read_relational_arff([tmp_path / "musk.arff"]).bags[0]) == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("MUSK-1,1", "line 14: 2 fields instead of a name, a bag and a class"),
        ('MUSK-1,"1,u,2",5', "line 14: the class '5' is not declared"),
        ('MUSK-1,"1,u",1', "line 14: an instance has 2 values instead of 3"),
        ('MUSK-1,"1,u,x",1', "could not convert string to float: 'x'"),
    ],
)
def test_a_wrong_line_of_bags_is_named(tmp_path, line, message):
    (tmp_path / "musk.arff").write_text(ARFF + line + "\n")
    with pytest.raises(ValueError, match=message):
        read_relational_arff([tmp_path / "musk.arff"])


def test_an_arff_without_bags_is_refused(tmp_path):
    (tmp_path / "rows.arff").write_text("@relation r\n@attribute a numeric\n@data\n1\n")
    with pytest.raises(ValueError, match=r"rows\.arff is no file of bags"):
        read_relational_arff([tmp_path / "rows.arff"])


def test_musk_as_uci_has_it(tmp_path):
    lines = [f"{name},{name}_{i}," + ",".join(["7"] * 166) + f",{label}." for name, i, label in
             [("MUSK-jf78", 0, 1), ("NON-MUSK-1", 0, 0), ("MUSK-jf78", 1, 1)]]  # fmt: skip
    (tmp_path / "clean1.data").write_text("\n".join(lines) + "\n")
    data = read_musk([tmp_path / "clean1.data"])
    assert [len(bag) for bag in data.bags] == [2, 1]
    assert data.y.tolist() == [1, 0]
    with zipfile.ZipFile(tmp_path / "musk1.zip", "w") as archive:
        archive.writestr("clean1.info", "about it")
        archive.writestr("clean1.data", "\n".join(lines))
    zipped = read_musk([tmp_path / "musk1.zip"])
    assert all((a == b).all() for a, b in zip(data.bags, zipped.bags, strict=True))


def test_bags_in_parquet_may_lie_mixed(tmp_path):
    table = pa.table({"bag": [5, 3, 5], "label": [1, 0, 1], "a": [1, 2, 3], "b": [0.5, 1.5, 2.5]})
    pq.write_table(table, tmp_path / "bags.parquet")
    data = read_bag_parquet([tmp_path / "bags.parquet"])
    assert [bag.tolist() for bag in data.bags] == [[[2.0, 1.5]], [[1.0, 0.5], [3.0, 2.5]]]
    assert data.y.tolist() == [0, 1]


# ---- downloads -----------------------------------------------------------------------------------

CONTENT = b"2001," + b",".join([b"1"] * 90) + b"\n2002," + b",".join([b"2"] * 90) + b"\n"


class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/none":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(CONTENT[:100] if self.path == "/short" else CONTENT)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


RIGHT = hashlib.sha256(CONTENT).hexdigest()


def test_a_download_is_told_kept_and_not_repeated(address, tmp_path):
    told = []
    first = fetch(
        Download(f"{address}/good", "songs", sha256=RIGHT), tmp_path, lambda *p: told.append(p)
    )
    assert first.read_bytes() == CONTENT
    assert told[-1] == (len(CONTENT), len(CONTENT))
    assert fetch(Download(f"{address}/none", "songs"), tmp_path) == first
    assert list(tmp_path.glob(".*")) == []


@pytest.mark.parametrize(
    ("path", "checksum", "message"),
    [
        ("/good", "0" * 64, "songs from 127.0.0.1 has a wrong checksum, so that it was not kept"),
        ("/none", "", r"songs could not be downloaded from 127.0.0.1 \(Not Found\); try again"),
        ("/short", "", "songs .*127.0.0.1.* after 100 of|IncompleteRead"),
    ],
)
def test_a_download_that_went_wrong_leaves_nothing(address, tmp_path, path, checksum, message):
    folder = tmp_path / "downloads"
    with pytest.raises(AbsentError, match=message):
        fetch(Download(f"{address}{path}", "songs", sha256=checksum), folder)
    assert list(folder.iterdir()) == []


def test_without_a_network_it_is_said_what_to_do(tmp_path):
    # Nobody listens at this port.
    with pytest.raises(AbsentError, match=r"put it into the data folder yourself \(http://127"):
        fetch(Download("http://127.0.0.1:9/it", "it"), tmp_path)


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


def test_versions_and_sets_are_values():
    version = Version("v", Status.PART, "a part", Shape(1, 2, 3), ())
    known = PaperSet("k", "K", Task.CLASSIFICATION, Shape(5, 2, 3), (version,), "ask")
    assert known.whole is version
    assert str(version.shape) == "1 x 2, 3 classes"
    assert str(Shape(1618, 10, 2, 188)) == "188 bags, 1,618 x 10"
