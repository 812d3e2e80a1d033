"""Ensembles on a cluster are those of one process, bit for bit."""

from __future__ import annotations

from typing import Any

import pytest

from sgtrees import (
    SGTBoostingClassifier,
    SGTBoostingRegressor,
    SGTForestClassifier,
    SGTForestRegressor,
    SGTMultiInstanceClassifier,
    SGTRegressor,
)
from sgtrees.dask import (
    DaskSGTBoostingClassifier,
    DaskSGTBoostingRegressor,
    DaskSGTForestClassifier,
    DaskSGTForestRegressor,
    DaskSGTRegressor,
    from_local,
)
from tests.unit.dask.example_frames import assert_same, cut_at, frame
from tests.unit.dask.test_estimators import FEATURES, SETTINGS, UNEVEN

pytestmark = pytest.mark.filterwarnings("ignore:Sending large graph")
SMALL: dict[str, Any] = SETTINGS | {"n_estimators": 3, "random_state": 4}
KINDS = [
    (DaskSGTBoostingClassifier, SGTBoostingClassifier, "label", {}),
    (DaskSGTBoostingClassifier, SGTBoostingClassifier, "label", {"multiclass": "vector"}),
    (DaskSGTForestClassifier, SGTForestClassifier, "label", {}),
    (DaskSGTForestClassifier, SGTForestClassifier, "label", {"round_rows": "auto"}),
    (DaskSGTBoostingRegressor, SGTBoostingRegressor, "score", {}),
    (DaskSGTForestRegressor, SGTForestRegressor, "score", {"max_features": 0.7}),
]


@pytest.fixture(scope="module")
def data() -> Any:
    return frame()


@pytest.mark.parametrize(("on_dask", "local", "target", "more"), KINDS)
def test_the_model_is_the_same(client, data, on_dask, local, target, more) -> None:
    settings = SMALL | more
    here = local(epochs=1, **settings).fit(data[FEATURES], data[target])
    ddf = cut_at(data[[*FEATURES, target]], UNEVEN)
    there = on_dask(client=client, **settings).fit(ddf, target)
    assert here.n_splits_ > 10
    assert_same(here, there)
    assert type(there.to_local()) is local


def test_a_local_model_finds_its_kind() -> None:
    assert type(from_local(SGTForestRegressor())) is DaskSGTForestRegressor
    assert type(from_local(SGTRegressor())) is DaskSGTRegressor
    with pytest.raises(TypeError, match="SGTMultiInstanceClassifier cannot be trained"):
        from_local(SGTMultiInstanceClassifier())
