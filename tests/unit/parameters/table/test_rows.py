"""The table against those who use it."""

import pytest

from sgtrees import (
    SGTBoostingClassifier,
    SGTBoostingRegressor,
    SGTClassifier,
    SGTForestClassifier,
    SGTForestRegressor,
    SGTMultiInstanceClassifier,
    SGTRegressor,
    _core,
)
from sgtrees.parameters.constructors import paper_settings, parameters_of
from sgtrees.parameters.parameter import NOTHING
from sgtrees.parameters.settings import CORE_OPTIONS, core_options
from sgtrees.parameters.table.rows import PARAMETERS

ENSEMBLES = [
    SGTBoostingClassifier,
    SGTBoostingRegressor,
    SGTForestClassifier,
    SGTForestRegressor,
]
ESTIMATORS = [SGTClassifier, SGTRegressor, SGTMultiInstanceClassifier, *ENSEMBLES]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_core_takes_the_options_of_every_estimator_by_name(estimator):
    options = core_options(estimator().get_params())
    assert list(options) == [option.name for option in CORE_OPTIONS]
    assert NOTHING not in options.values()
    _core.Options(**options)


def test_a_parameter_is_in_the_table_once():
    names = {name for estimator in ESTIMATORS for name in parameters_of(estimator)}
    assert names == set(PARAMETERS)
    assert len({option.name for option in CORE_OPTIONS}) == len(CORE_OPTIONS)


@pytest.mark.parametrize("row", PARAMETERS.values(), ids=lambda row: row.name)
def test_a_row_is_complete(row):
    assert row.help.endswith(".")
    assert not row.text or row.text.endswith(".")
    assert row.type is not None
    assert row.described_type


@pytest.mark.parametrize("estimator", [SGTClassifier, SGTRegressor])
def test_the_papers_settings_are_a_preset(estimator):
    settings = paper_settings(estimator)
    given = estimator.paper().get_params()
    assert {name: given[name] for name in settings} == settings
    others = estimator().get_params()
    assert any(others[name] != value for name, value in settings.items())
    assert estimator.paper(delta=0.2, n_threads=2).get_params() == {
        **given,
        "delta": 0.2,
        "n_threads": 2,
    }


@pytest.mark.parametrize("estimator", ENSEMBLES)
def test_ensembles_have_no_settings_of_the_paper(estimator):
    with pytest.raises(TypeError, match=f"{estimator.__name__} has no settings of the paper"):
        estimator.paper()
