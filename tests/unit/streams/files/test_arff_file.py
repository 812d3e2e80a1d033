"""ARFF files."""

from sgtrees.streams import open_stream
from tests.unit.streams.same_data import rows_of

ARFF = """% Title
@relation 'odd things'
@attribute 'the size' numeric
@attribute "kind of" {'light red', blue, "dark, grey"}
@attribute note string
@attribute class {yes,no}

@data
% a comment among the rows
1.5, 'light red', 'it\\'s', yes
?,?,?,no
{0 2.5, 3 no}
{1 "dark, grey", 2 '?'}
"""


def test_arff_with_all_its_ways_of_writing(tmp_path):
    path = tmp_path / "a.arff"
    path.write_text(ARFF)
    stream = open_stream(path, "class")
    assert stream.target.categories == ("yes", "no")
    assert [(c.name, c.nominal) for c in stream.columns] == [
        ("the size", False), ("kind of", True), ("note", True)]  # fmt: skip
    assert rows_of(stream) == [
        (1.5, "light red", "it's", "yes"),
        (None, None, None, "no"),
        # What a sparse row does not say is 0 or the first of the declared values.
        (2.5, "light red", "0", "no"),
        (0.0, "dark, grey", "?", "yes"),
    ]


def test_a_plain_arff_is_read_like_csv(tmp_path):
    path = tmp_path / "a.arff"
    path.write_text("@relation r\n@attribute a real\n@attribute c {u,v}\n@data\n1,u\n2,v\n?,u\n")
    assert rows_of(open_stream(path, -1)) == [(1.0, "u"), (2.0, "v"), (None, "u")]
