"""Models as C source that needs nothing but a C compiler."""

import re
from importlib.metadata import version

from sgtrees.data.columns import Kind
from sgtrees.export import c_parts as parts
from sgtrees.export.c_tables import label_tables, string_tables, tree_tables
from sgtrees.export.c_text import c_comment
from sgtrees.export.links import is_known, says_link
from sgtrees.export.ready import exportable
from sgtrees.inspection import ModelView, Task
from sgtrees.inspection.reading import Estimator
from sgtrees.losses.links import EXP, IDENTITY, TWICE_LOGISTIC


def to_c(estimator: Estimator, *, name: str = "model") -> str:
    """Export a model as C source (C89 and the mathematical library); `c_header` declares it.

    A row is an array of ``NAME_N_FEATURES`` doubles: numbers as they are, booleans as 0 and 1, a
    string as what ``NAME_category_number`` returns for it, NaN for missing values. Its predictions
    are those of the estimator, which refuses infinities; here they are the greatest and the least
    number. Compile it without ``-ffast-math``, under which NaN has no meaning.

    Parameters
    ----------
    estimator : SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier
        The estimator.
    name : str, default="model"
        What all names begin with.

    Returns
    -------
    str
        The source.

    Raises
    ------
    ValueError
        Where the model has no tree yet, or ``name`` is no name in C.

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
    view = exportable(estimator)
    strings = string_tables(view, name)
    pieces = [
        _introduction(view),
        "#include <math.h>\n#include <string.h>" if strings else "#include <math.h>",
        _constants(view, name),
        tree_tables(view, name),
        label_tables(view, name) if _has_labels(view) else "",
        strings,
        *(_named(part, name) for part in _functions(view)),
    ]
    return "\n\n".join(piece.strip("\n") for piece in pieces if piece) + "\n"


def c_header(estimator: Estimator, *, name: str = "model") -> str:
    """Return the header of what `to_c` exports.

    Parameters
    ----------
    estimator : SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier
        The estimator.
    name : str, default="model"
        What all names begin with.

    Returns
    -------
    str
        The header.
    """
    _check_name(name)
    view = exportable(estimator)
    declarations = [
        line.replace(" {", ";")
        for part in _functions(view)
        for line in _named(part, name).splitlines()
        if line.endswith("{") and re.match(r"(void|int|double) ", line)
    ]
    if _has_labels(view):
        declarations.insert(0, f"extern const char *const {name}_classes[];")
    pieces = [
        _introduction(view),
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


def _named(part: str, name: str) -> str:
    """Put the prefix in place: in capitals for constants."""
    return re.sub(r"NAME_(?=[A-Z])", f"{name.upper()}_", part).replace("NAME_", f"{name}_")


def _introduction(view: ModelView) -> str:
    return c_comment(
        f"{view.estimator} of {view.n_leaves:,} leaves, after {view.n_rows:,} rows. Written by "
        f"sgtrees {version('sgtrees')}. {says_link(view)}"
    )


def _constants(view: ModelView, name: str) -> str:
    constants = {"FEATURES": len(view.features)}
    if view.is_softmax or view.outputs is not None:
        constants |= {"SCORES": view.n_scores, "TREES": len(view.trees)}
        constants["VALUES"] = len(view.trees[0].targets)
    if view.task is Task.CLASSES:
        constants["CLASSES"] = len(view.classes)
    strings = [feature for feature in view.features if feature.kind is Kind.STRING]
    if strings:
        constants["STRINGS"] = sum(len(feature.categories or ()) for feature in strings)
    return "\n".join(f"#define {name.upper()}_N_{what} {n}" for what, n in constants.items())


def _has_labels(view: ModelView) -> bool:
    return view.task in (Task.CLASSES, Task.LABELS) and (view.is_softmax or is_known(view.link))


def _functions(view: ModelView) -> list[str]:
    has_strings = any(feature.kind is Kind.STRING for feature in view.features)
    return [*([parts.CATEGORY] if has_strings else []), parts.WALK, *_predictions(view)]


def _predictions(view: ModelView) -> list[str]:
    if view.task is Task.BAGS:
        return [parts.LOGISTIC, parts.SCORE, parts.INSTANCE]
    if view.is_softmax and view.n_scores == 2:
        return [parts.LOGISTIC, parts.SCORES, parts.TWO_LABELS, parts.BEST_SCORE]
    if view.is_softmax:
        return [parts.SCORES, parts.MANY_LABELS, parts.BEST_SCORE]
    score = parts.SCORE if view.outputs is None else parts.SCORES
    if not is_known(view.link):
        return [score]
    link = _link(view)
    before = [parts.LOGISTIC] if "logistic" in link else []
    return [*before, score, _after(view).replace("LINK", link)]


def _after(view: ModelView) -> str:
    if view.task is Task.LABELS:
        return parts.LABELS_AT_ONCE
    if view.task is Task.CLASSES:
        return parts.LINKED_LABELS
    return parts.NUMBER if view.outputs is None else parts.COLUMNS


def _link(view: ModelView) -> str:
    if view.link == IDENTITY:
        return "raw"
    if view.link == EXP:
        return "exp(raw)"
    return "NAME_logistic(2.0 * raw)" if view.link == TWICE_LOGISTIC else "NAME_logistic(raw)"
