"""A learner that runs, for the tests of its parts."""

import pytest

from tests.unit.serve.running import Running


@pytest.fixture
def running(tmp_path):
    served = Running(tmp_path)
    yield served
    served.stop()
