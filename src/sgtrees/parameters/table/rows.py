"""All rows of the table by the names of the parameters."""

from sgtrees.parameters.constructors import parameters_of
from sgtrees.parameters.parameter import Parameter
from sgtrees.parameters.table.bags import MultiInstanceParameters
from sgtrees.parameters.table.ensembles import BoostingClassifierParameters
from sgtrees.parameters.table.targets import ClassifierParameters, RegressorParameters

PARAMETERS: dict[str, Parameter] = {}
"""All parameters by name, as the first of these classes has them."""

for _group in (
    ClassifierParameters,
    RegressorParameters,
    BoostingClassifierParameters,
    MultiInstanceParameters,
):
    for _name, _row in parameters_of(_group).items():
        PARAMETERS.setdefault(_name, _row)
