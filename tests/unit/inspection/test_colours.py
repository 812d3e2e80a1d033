import numpy as np

from sgtrees.inspection.colours import Palette


def test_colours_go_from_one_end_to_the_other_through_a_neutral_middle():
    palette = Palette(-2.0, 0.0, 1.0)
    low, middle, high = (palette.colours(np.array([x]))[0] for x in (-2.0, 0.0, 1.0))
    assert len({low, middle, high}) == 3
    assert palette.colours(np.array([-1.0]))[0] not in (low, middle)
    assert Palette(3.0, 3.0, 3.0).colours(np.array([3.0]))[0] == middle


def test_labels_have_colours_of_their_own():
    palette = Palette(0.0, 0.5, 1.0, by_label=True)
    fills = [palette.colours(np.eye(9)[k])[0] for k in range(9)]
    assert len(set(fills)) == 8  # grey for all beyond the seventh
    assert palette.colours(np.array([0.6, 0.4]))[0] != fills[0]
