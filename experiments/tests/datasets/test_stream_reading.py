import pyarrow as pa

from sgtrees_experiments.datasets.stream_reading import code


def test_categories_are_numbered_in_sorted_order_whatever_the_file(tmp_path):
    first = pa.table({"c": pa.array(["b", "c"]).dictionary_encode(), "target": [1.5, 2.5]})
    second = pa.table({"c": pa.array(["a", "b"]).dictionary_encode(), "target": [3.5, 4.5]})
    both = pa.concat_tables(
        [t.cast(pa.schema([("c", pa.string()), ("target", pa.float64())])) for t in (first, second)]
    )
    stream = code(both, [], classification=False)
    assert stream.X[:, 0].tolist() == [1.0, 2.0, 0.0, 1.0]
    assert stream.cardinalities == [3]
