import numpy as np

from sgtrees.streams import (
    RandomRbf,
)


def test_a_cloud_moves_with_its_speed():
    still, moving = RandomRbf(n_centres=2), RandomRbf(n_centres=2, speed=1e-3)
    centres = [[stream.take(500).X.mean(axis=0) for _ in range(4)] for stream in (still, moving)]
    gone = [np.linalg.norm(places[-1] - places[0]) for places in centres]
    assert gone[1] > gone[0] + 0.2
