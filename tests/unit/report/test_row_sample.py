import numpy as np

from sgtrees.report.row_sample import RowSample
from sgtrees.streams import Block


def test_the_sample_is_bounded_uniform_and_in_order():
    sample = RowSample(500)
    for part in np.array_split(np.arange(50_000.0), 41):
        sample.add(Block(part.reshape(-1, 1)))
    rows = sample.rows().X[:, 0]
    assert len(rows) == 500
    assert (np.diff(rows) > 0).all()
    counts = np.bincount((rows // 5000).astype(int), minlength=10)
    # Expected 50 each; six standard deviations are 40.
    assert counts.min() > 10
    assert counts.max() < 90


def test_few_rows_are_all_kept_and_none_are_none():
    sample = RowSample(10)
    assert sample.rows() is None
    sample.add(Block(np.arange(4.0).reshape(-1, 1)))
    assert sample.rows().X[:, 0].tolist() == [0.0, 1.0, 2.0, 3.0]
