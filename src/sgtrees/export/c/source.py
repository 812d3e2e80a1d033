"""Models as C source that needs nothing but a C compiler."""

import re
from importlib.metadata import version

from sgtrees.data.columns import Kind
from sgtrees.export.c import functions
from sgtrees.export.c.tables import (
    c_comment,
    label_tables,
    linear_tables,
    string_tables,
    tree_tables,
)
from sgtrees.export.strings import check_strings
from sgtrees.export.view import (
    PredictionForm,
    exportable_view,
    prediction_form,
    prediction_sentence,
)
from sgtrees.inspection import Estimator, ModelView, TargetType
from sgtrees.losses.links import EXP, HIGHEST_LOG_MEAN, IDENTITY, LOGISTIC, TWICE_LOGISTIC

_LINKS = {
    IDENTITY: "raw",
    EXP: f"exp(raw < {HIGHEST_LOG_MEAN} ? raw : {HIGHEST_LOG_MEAN})",
    LOGISTIC: "NAME_logistic(raw)",
    TWICE_LOGISTIC: "NAME_logistic(2.0 * raw)",
}
_PREDICTIONS = {
    PredictionForm.RAW: "",
    PredictionForm.NUMBER: functions.LINKED_NUMBER.replace("FUNCTION", "predict"),
    PredictionForm.NUMBERS: functions.LINKED_NUMBERS.replace("FUNCTION", "predict"),
    PredictionForm.INSTANCE: functions.LINKED_NUMBER.replace("FUNCTION", "probability"),
    PredictionForm.INDICATORS: (
        functions.LINKED_NUMBERS.replace("FUNCTION", "predict_proba") + functions.INDICATORS
    ),
    PredictionForm.LINK_OF_TWO: functions.LINK_OF_TWO,
    PredictionForm.SOFTMAX_OF_TWO: functions.SOFTMAX_OF_TWO + functions.BEST_LABEL,
    PredictionForm.SOFTMAX: functions.SOFTMAX + functions.BEST_LABEL,
}


def to_c(model: Estimator | ModelView, *, name: str = "model") -> str:
    """Export a model as C source (C89 and the mathematical library); `c_header` declares it.

    A row is an array of ``NAME_N_FEATURES`` doubles: numbers as they are, booleans as 0 and 1, a
    string as the result of ``NAME_category_number`` for it, NaN for missing values. Its predictions
    are those of the estimator. The estimator refuses infinities; here they are the greatest and the
    least number. Compile it without ``-ffast-math``, under which NaN has no meaning.

    Parameters
    ----------
    model : SGTClassifier, SGTRegressor, SGTMultiInstanceClassifier or ModelView
        The model.
    name : str, default="model"
        The prefix of all names.

    Returns
    -------
    str
        The source.

    Raises
    ------
    ValueError
        If the model has no tree yet, ``name`` is not a name in C, or a label or category contains a
        NUL, which ends a string in C, or is no text.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> X, y = [["red", 1.5], ["blue", 2.5]] * 200, [10.0, 20.0] * 200
    >>> model = SGTRegressor(warm_up=50, epochs=1).fit(X, y)
    >>> source = to_c(model, name="price")
    >>> print(c_header(model, name="price"))
    /* SGTRegressor of 2 leaves, after 400 rows. Written by sgtrees ... */
    #ifndef PRICE_H
    ...
    double price_raw(const double *x);
    double price_predict(const double *x);
    ...
    """
    _check_name(name)
    view = exportable_view(model)
    check_strings(view, "C", names=False)
    strings = string_tables(view, name)
    pieces = [
        _introduction(view, name),
        "#include <math.h>\n#include <string.h>" if strings else "#include <math.h>",
        _constants(view, name),
        tree_tables(view, name),
        linear_tables(view, name) if view.is_linear else "",
        label_tables(view, name) if _has_labels(view) else "",
        strings,
        *(_named(function, name) for function in _functions(view)),
    ]
    return "\n\n".join(piece.strip("\n") for piece in pieces if piece) + "\n"


def c_header(model: Estimator | ModelView, *, name: str = "model") -> str:
    """Return the header of the source that `to_c` writes; the parameters are the same.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> model = SGTRegressor(warm_up=50).fit([[1.0], [2.0]] * 200, [10.0, 20.0] * 200)
    >>> "double model_predict(" in c_header(model)
    True
    """
    _check_name(name)
    view = exportable_view(model)
    declarations = [
        line.replace(" {", ";")
        for function in _functions(view)
        for line in _named(function, name).splitlines()
        if line.endswith("{") and re.match(r"(void|int|double) ", line)
    ]
    if _has_labels(view):
        declarations.insert(0, f"extern const char *const {name}_classes[];")
    pieces = [
        _introduction(view, name),
        f"#ifndef {name.upper()}_H",
        f"#define {name.upper()}_H",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        _constants(view, name),
        *declarations,
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "#endif",
    ]
    return "\n".join(pieces) + "\n"


def _check_name(name: str) -> None:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z_0-9]*", name):
        raise ValueError(f"name == {name!r}, must be letters, digits and underscores, as in C.")


def _named(function: str, name: str) -> str:
    """Insert the prefix: in capitals for constants."""
    return re.sub(r"NAME_(?=[A-Z])", f"{name.upper()}_", function).replace("NAME_", f"{name}_")


def _introduction(view: ModelView, name: str) -> str:
    label = "the positive label"
    if view.target_type is TargetType.CLASSES:
        label = f"the class {name}_classes[{name}_place[1]]"
    return c_comment(
        f"{view.estimator} of {view.n_leaves:,} leaves, after {view.n_rows:,} rows. Written by "
        f"sgtrees {version('sgtrees')}. {prediction_sentence(view, label=label)}"
    )


def _constants(view: ModelView, name: str) -> str:
    constants = {
        "FEATURES": len(view.features),
        "OUTPUTS": view.n_outputs,
        "TREES": len(view.trees),
    }
    if view.is_linear:
        constants["INPUTS"] = len(view.trees[0].inputs)
    if view.target_type is TargetType.CLASSES:
        constants["CLASSES"] = len(view.classes)
    strings = [feature for feature in view.features if feature.kind is Kind.STRING]
    if strings:
        constants["STRINGS"] = sum(len(feature.categories or ()) for feature in strings)
    return "\n".join(f"#define {name.upper()}_N_{what} {n}" for what, n in constants.items())


def _has_labels(view: ModelView) -> bool:
    has_form = prediction_form(view) is not PredictionForm.RAW
    return view.target_type in (TargetType.CLASSES, TargetType.LABELS) and has_form


def _functions(view: ModelView) -> list[str]:
    is_single = view.targets is None and not view.is_softmax
    raw = functions.RAW_SCORE if is_single else functions.RAW_SCORES
    predictions = _PREDICTIONS[prediction_form(view)].replace("LINK", _LINKS.get(view.link, ""))
    has_strings = any(feature.kind is Kind.STRING for feature in view.features)
    return [
        *([functions.CATEGORY] if has_strings else []),
        functions.LEAF,
        functions.LINEAR_SUM if view.is_linear else functions.SUM,
        raw,
        *([functions.LOGISTIC] if "NAME_logistic" in predictions else []),
        *([predictions] if predictions else []),
    ]
