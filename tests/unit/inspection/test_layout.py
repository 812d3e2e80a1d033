import numpy as np
import pytest

from sgtrees.inspection.boxes import Box
from sgtrees.inspection.layout import arrange


def all_boxes(root):
    return [root, *(box for child in root.children for box in all_boxes(child))]


def random_boxes(rng, depth=0):
    box = Box(["x" * rng.integers(1, 30)], "", "", "", "", 1.0, False)
    if depth < 6:
        box.children = [random_boxes(rng, depth + 1) for _ in range(rng.integers(0, 4))]
    return box


@pytest.mark.parametrize("seed", range(20))
def test_no_boxes_overlap_and_parents_stand_over_their_children(seed):
    rng = np.random.default_rng(seed)
    root = random_boxes(rng)
    layout = arrange(root, lambda box: (len(box.lines[0]), 3.0), gap=1.0, level_gap=2.0)
    places = layout.places
    assert len(places) == len(all_boxes(root))
    for one in places:
        assert one.along - one.length / 2 + 1e-9 >= 0.0
        assert one.along + one.length / 2 <= layout.length + 1e-9
        below = [place for place in places if place.parent is one]
        if below:
            middle = (below[0].along + below[-1].along) / 2
            assert one.along == pytest.approx(middle)
            assert all(place.down == one.down + 5.0 for place in below)
        for other in places:
            if other is not one and other.down == one.down:
                apart = abs(other.along - one.along) - (one.length + other.length) / 2
                assert apart >= 1.0 - 1e-9
