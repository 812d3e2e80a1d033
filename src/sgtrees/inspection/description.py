"""A model as text in one of several formats."""

from collections.abc import Callable
from itertools import islice

from sgtrees.inspection.characters import shown
from sgtrees.inspection.document import to_json
from sgtrees.inspection.dot import to_dot
from sgtrees.inspection.extraction import Estimator, as_view
from sgtrees.inspection.importances import gain_importances
from sgtrees.inspection.model_view import ModelView, TargetType
from sgtrees.inspection.predictions import format_prediction, format_share, tree_title
from sgtrees.inspection.rules import SplitSummary, rules, top_splits
from sgtrees.inspection.svg import to_svg
from sgtrees.inspection.text import to_text
from sgtrees.inspection.tree_view import TreeView, ValueKind
from sgtrees.models.drift_event import DriftEvent

_TOP_FEATURES, _TOP_SPLITS, _TOP_BRANCHES, _LATEST_EVENTS = 8, 5, 6, 4
# Of an ensemble the first trees are described.
_FIRST_TREES = 3


def describe(model: Estimator | ModelView, form: str = "summary") -> str:
    """Describe a model as text.

    Parameters
    ----------
    model : SGTClassifier, SGTRegressor, SGTMultiInstanceClassifier or ModelView
        The model.
    form : {"summary", "tree", "rules", "dot", "json", "svg"}, default="summary"
        The format: its size, most important features and splits; whole trees as indented text
        (`to_text`); all leaves as rules; or the result of `to_dot`, `to_json` or `to_svg`.

    Returns
    -------
    str
        The text.

    Raises
    ------
    ValueError
        If ``form`` is none of these.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 200, [10.0, 10.0, 20.0, 20.0] * 200
    >>> print(describe(SGTRegressor(warm_up=50, epochs=1).fit(X, y)))
    SGTRegressor that predicts a number, after 800 rows
    1 tree, 2 leaves, depth 1
    <BLANKLINE>
    Feature importance, by the gains of splits
      100 %  x0
    <BLANKLINE>
    Most important splits
      1. x0 > 2.031 (missing: no), 100 % of rows
         no 10, yes 20
    """
    forms: dict[str, Callable[[ModelView], str]] = {
        "summary": _summary,
        "tree": to_text,
        "rules": _rules,
        "dot": to_dot,
        "json": to_json,
        "svg": to_svg,
    }
    if form not in forms:
        raise ValueError(f"form == {form!r}, must be one of {', '.join(map(repr, forms))}.")
    return forms[form](as_view(model))


def _summary(view: ModelView) -> str:
    lines = [f"{view.estimator} that predicts {_predicted(view)}, after {view.n_rows:,} rows"]
    if not view.trees:
        return "\n".join([*lines, "no tree yet"])
    n = len(view.trees)
    n_all = n + view.n_unused
    trees = f"{n_all:,} tree{'s' if n_all > 1 else ''}"
    if view.n_unused:
        trees = f"{n:,} of {trees} in use"
    size = f"{view.n_leaves:,} leaves, depth {view.depth}"
    leaves = ", linear leaves" if view.is_linear else ""
    lines.append(f"{trees}, {size}{leaves}")
    lines += _drifts(view)
    ranked = list(islice(gain_importances(view).ranked(), _TOP_FEATURES))
    if any(value > 0.0 for _, value in ranked):
        lines += ["", "Feature importance, by the gains of splits"]
        lines += [f"  {format_share(v):>5}  {shown(name)}" for name, v in ranked if v > 0.0]
    first_trees = view.trees[:_FIRST_TREES] if view.is_ensemble else view.trees
    for tree in first_trees:
        splits = top_splits(tree, _TOP_SPLITS)
        if splits:
            of_tree = "" if tree.value_kind is ValueKind.NUMBER else f", {tree_title(tree)}"
            lines += ["", f"Most important splits{of_tree}"]
            for place, split in enumerate(splits, start=1):
                lines += _split(place, split, tree)
    if len(first_trees) < n:
        lines += ["", f"and {n - len(first_trees):,} more trees"]
    return "\n".join(lines)


def _drifts(view: ModelView) -> list[str]:
    if not view.drifts:
        return []
    n = sum(event.kind == "replaced" for event in view.drifts)
    times = "once" if n == 1 else f"{n:,} times"
    if n == len(view.drifts):
        # Boosted members have no detector: they begin anew for what they do to the loss.
        said = f"members that did harm began anew {times}"
    else:
        replaced = f"its trees were replaced {times}" if n else "its trees were never replaced"
        said = f"errors rose, and {replaced}"
    return [
        f"{said}; the latest of it:",
        *(f"  row {e.row:,}, {_what(view, e)}: {e.why}" for e in view.drifts[-_LATEST_EVENTS:]),
    ]


def _what(view: ModelView, event: DriftEvent) -> str:
    return f"member {event.member} {event.kind}" if view.is_ensemble else event.kind


def _predicted(view: ModelView) -> str:
    if view.target_type is TargetType.NUMBERS:
        return "a number" if view.targets is None else f"{len(view.targets)} numbers"
    if view.target_type is TargetType.LABELS:
        return f"which of {len(view.classes)} labels a row has"
    if view.target_type is TargetType.BAGS:
        return f"whether bags are {shown(view.labels[1])}"
    return f"one of {len(view.classes)} labels"


def _split(place: int, split: SplitSummary, tree: TreeView) -> list[str]:
    branches = [f"{name} {format_prediction(tree, value)}" for name, value in split.branches]
    if len(branches) > _TOP_BRANCHES:
        shown = _TOP_BRANCHES - 2
        branches = [*branches[:shown], f"{len(branches) - shown - 1} others", branches[-1]]
    return [
        f"  {place}. {split}, {format_share(split.share)} of rows",
        f"     {', '.join(branches)}",
    ]


def _rules(view: ModelView) -> str:
    pieces = []
    for tree in view.trees:
        lines = [f"{tree_title(tree)}:"] if len(view.trees) > 1 else []
        lines += [
            f"{format_prediction(tree, rule.prediction)} where {rule.where} "
            f"({format_share(rule.share)} of rows)"
            for rule in rules(tree)
        ]
        pieces.append("\n".join(lines))
    return "\n\n".join(pieces) or "no tree yet"
