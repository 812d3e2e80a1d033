import gzip
import zipfile

from experiments.tests.datasets.small_sets import small, without_checksum
from sgtrees_experiments.datasets import BAGS, STREAMS, Shape, Status, Task, locate


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
