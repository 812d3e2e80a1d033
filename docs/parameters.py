"""Writes docs/parameters.md from the table of parameters: `python docs/parameters.py`."""

from pathlib import Path
from typing import Any

from sgtrees import (
    SGTBoostingClassifier,
    SGTClassifier,
    SGTForestClassifier,
    SGTMultiInstanceClassifier,
    SGTRegressor,
)
from sgtrees.parameters.constructors import parameters_of
from sgtrees.parameters.parameter import NOTHING, Parameter, quoted
from sgtrees.parameters.table.ensembles import BoostingParameters
from sgtrees.parameters.table.rows import PARAMETERS
from sgtrees.parameters.table.targets import StreamClassifierParameters, StreamRegressorParameters

PAGE = Path(__file__).with_name("parameters.md")

_ESTIMATORS = {
    "classifier": SGTClassifier,
    "regressor": SGTRegressor,
    "multi-instance": SGTMultiInstanceClassifier,
}
# Of which the classifier stands for the regressor too.
_ENSEMBLES = {"boosting": SGTBoostingClassifier, "forest": SGTForestClassifier}
_INTRODUCTION = """\
<!-- Written by docs/parameters.py from src/sgtrees/parameters/table/; do not edit. -->
# Parameters

Defaults of `SGTClassifier`, `SGTRegressor` and `SGTMultiInstanceClassifier`; an empty cell where an
estimator does not have the parameter. `SGTBoostingClassifier`, `SGTBoostingRegressor`,
`SGTForestClassifier` and `SGTForestRegressor` have the parameters of `SGTClassifier` or
`SGTRegressor`; the columns *boosting* and *forest* have what they add or change.
`.paper()` sets the paper's values, of single trees. The column *command* has
the option of `sgtrees train` and `sgtrees evaluate`. The estimators in `sgtrees.interop.river` have
the parameters marked *river*; those in `sgtrees.dask` have all of the local estimators, with
`round_rows="auto"`, and `client`.
"""


def page() -> str:
    """Return the page."""
    return "\n".join([_INTRODUCTION, *_overview(), "", *_descriptions()]).rstrip() + "\n"


def _overview() -> list[str]:
    of_estimators = [parameters_of(estimator) for estimator in _ESTIMATORS.values()]
    of_river = {
        **parameters_of(StreamClassifierParameters),
        **parameters_of(StreamRegressorParameters),
        **parameters_of(BoostingParameters),
    }
    columns = [*_ESTIMATORS, *_ENSEMBLES]
    lines = [
        f"| parameter | {' | '.join(columns)} | paper | range | command | river |",
        "|---" * (len(columns) + 5) + "|",
    ]
    for name, row in PARAMETERS.items():
        defaults = [_code(rows[name].default) if name in rows else "" for rows in of_estimators]
        defaults += [_of_ensemble(name, ensemble) for ensemble in _ENSEMBLES.values()]
        cells = [
            f"[`{name}`](#{name})",
            *defaults,
            "" if row.paper is NOTHING else _code(row.paper),
            _range(row),
            f"`{row.flag}`" if row.flag else "",
            "river" if name in of_river else "",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _of_ensemble(name: str, ensemble: type) -> str:
    """Return the default of a parameter that an ensemble adds or changes."""
    of_tree, own = parameters_of(SGTClassifier).get(name), parameters_of(ensemble).get(name)
    is_new = own is not None and (of_tree is None or own.default != of_tree.default)
    return _code(own.default) if own is not None and is_new else ""


def _descriptions() -> list[str]:
    lines = []
    for name, row in PARAMETERS.items():
        option = "" if row.option is None else f" Option of the core: `{row.option.name}`."
        lines.extend([f"## {name}", ""])
        kind = row.shown_type or row.described_type.partition(", default=")[0]
        lines.extend([f"*{kind.removesuffix(', optional')}*.{option}", ""])
        lines.extend([_text(row), ""])
        for estimator in (*_ESTIMATORS.values(), SGTBoostingClassifier):
            own = parameters_of(estimator).get(name, row)
            if _text(own) != _text(row):
                where = (
                    "ensembles" if estimator in _ENSEMBLES.values() else f"`{estimator.__name__}`"
                )
                lines.extend([f"In {where}: {_text(own)}", ""])
    return lines


def _text(row: Parameter) -> str:
    return f"{row.help} {row.text}".strip().replace("``", "`")


def _range(row: Parameter) -> str:
    words = "" if row.shown_type else ", ".join(_code(word) for word in row.words)
    numbers = "" if row.interval is None else str(row.interval)
    return " or ".join(part for part in (words, numbers) if part)


def _code(value: Any) -> str:
    return f"`{quoted(value)}`"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
