"""The core grows the oracle's trees with vectors in the leaves: classes, targets, labels."""

from __future__ import annotations

import pytest

from tests.oracle.test_core_equals_oracle import assert_the_core_equals_the_oracle
from tests.oracle.vector_configurations import (
    N_OF_CLASSES,
    N_OF_LABELS,
    N_OF_TARGETS,
    class_configuration,
    label_configuration,
    target_configuration,
)


@pytest.mark.parametrize("number", range(N_OF_CLASSES))
def test_the_core_grows_the_oracles_trees_of_classes(number: int) -> None:
    assert_the_core_equals_the_oracle(class_configuration(number))


@pytest.mark.parametrize("number", range(N_OF_TARGETS))
def test_the_core_grows_the_oracles_trees_of_several_targets(number: int) -> None:
    assert_the_core_equals_the_oracle(target_configuration(number))


@pytest.mark.parametrize("number", range(N_OF_LABELS))
def test_the_core_grows_the_oracles_trees_of_several_labels(number: int) -> None:
    assert_the_core_equals_the_oracle(label_configuration(number))
