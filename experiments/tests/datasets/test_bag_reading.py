import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sgtrees_experiments.datasets.bag_reading import (
    read_bag_parquet,
    read_musk,
    read_relational_arff,
)

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
