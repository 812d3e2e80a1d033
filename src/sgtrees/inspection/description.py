"""A model as a page of text, or in any other form that is text: what ``sgtrees inspect`` prints."""

from collections.abc import Callable
from itertools import islice

from sgtrees.inspection.document import to_json
from sgtrees.inspection.dot import to_dot
from sgtrees.inspection.importances import gain_importances
from sgtrees.inspection.reading import Estimator, as_view
from sgtrees.inspection.svg import to_svg
from sgtrees.inspection.text import SplitInWords, rules, top_splits
from sgtrees.inspection.tree_text import share_in_words, title, to_text
from sgtrees.inspection.view import ModelView, Output, Task, TreeView
from sgtrees.inspection.words import value_in_words

_TOP_FEATURES, _TOP_SPLITS, _TOP_ANSWERS = 8, 5, 6


def describe(model: Estimator | ModelView, form: str = "summary") -> str:
    """Tell about a model in any form that is text.

    Parameters
    ----------
    model : SGTClassifier, SGTRegressor, SGTMultiInstanceClassifier or ModelView
        The model.
    form : {"summary", "tree", "rules", "dot", "json", "svg"}, default="summary"
        Its size, most important features and most telling splits; whole trees as indented text
        (`to_text`); all leaves as rules; or what `to_dot`, `to_json` and `to_svg` give.

    Returns
    -------
    str
        The text.

    Raises
    ------
    ValueError
        Where there is no such form.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 200, [10.0, 10.0, 20.0, 20.0] * 200
    >>> print(describe(SGTRegressor(warm_up=50, epochs=1).fit(X, y)))
    SGTRegressor that predicts a number, after 800 rows
    1 tree, 2 leaves, depth 1
    <BLANKLINE>
    Most important features, by the gains of their splits
      100 %  x0
    <BLANKLINE>
    Most telling splits
      1. x0 > 2.031 (missing: no), asked of 100 % of rows
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
    lines.append(f"{n} tree{'s' if n > 1 else ''}, {view.n_leaves:,} leaves, depth {view.depth}")
    ranked = list(islice(gain_importances(view).ranked(), _TOP_FEATURES))
    if any(value > 0.0 for _, value in ranked):
        lines += ["", "Most important features, by the gains of their splits"]
        lines += [f"  {share_in_words(value):>5}  {name}" for name, value in ranked if value > 0.0]
    for tree in view.trees:
        splits = top_splits(tree, _TOP_SPLITS)
        if splits:
            of_tree = "" if tree.output is Output.NUMBER else f", {title(tree)}"
            lines += ["", f"Most telling splits{of_tree}"]
            for place, split in enumerate(splits, start=1):
                lines += _split(place, split, tree)
    return "\n".join(lines)


def _predicted(view: ModelView) -> str:
    if view.task is Task.NUMBER:
        return "a number" if view.outputs is None else f"{len(view.outputs)} numbers"
    if view.task is Task.LABELS:
        return f"which of {len(view.classes)} labels a row has"
    if view.task is Task.BAGS:
        return f"whether bags are {view.labels[1]}"
    return f"one of {len(view.classes)} labels"


def _split(place: int, split: SplitInWords, tree: TreeView) -> list[str]:
    answers = [f"{name} {value_in_words(tree, value)}" for name, value in split.answers]
    if len(answers) > _TOP_ANSWERS:
        shown = _TOP_ANSWERS - 2
        answers = [*answers[:shown], f"{len(answers) - shown - 1} others", answers[-1]]
    return [
        f"  {place}. {split}, asked of {share_in_words(split.share)} of rows",
        f"     {', '.join(answers)}",
    ]


def _rules(view: ModelView) -> str:
    pieces = []
    for tree in view.trees:
        lines = [f"{title(tree)}:"] if len(view.trees) > 1 else []
        lines += [
            f"{value_in_words(tree, rule.prediction)} where {rule.where} "
            f"({share_in_words(rule.share)} of rows)"
            for rule in rules(tree)
        ]
        pieces.append("\n".join(lines))
    return "\n\n".join(pieces) or "no tree yet"
