"""The tables of exported C source."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from textwrap import fill
from typing import NamedTuple

from sgtrees.data.columns import Kind, Value
from sgtrees.export.numbers import numbers_of
from sgtrees.inspection import ModelView, Node, TargetType, TreeView


class _NodeRow(NamedTuple):
    """The entries of a node in the tables; a leaf by default."""

    feature: int = -1
    n_categories: int = 0
    threshold: float = 0.0
    left: int = 0
    right: int = 0
    missing: int = 0


# For each table: its type, and the comment above it.
_NODE_TABLES = {
    "feature": ("int", "Of each node: the feature of its split, -1 for a leaf;"),
    "n_categories": ("int", "the number of its categories, 0 if it has a threshold;"),
    "threshold": ("double", "the threshold;"),
    "left": ("int", "the node for values up to it, or the first of its categories;"),
    "right": ("int", "the node for values above it;"),
    "missing": ("int", "the node for missing values."),
}


class _Tables:
    """All trees one after the other: a row for each node, and one for each category's branch."""

    def __init__(self, view: ModelView) -> None:
        self._numbers = [numbers_of(feature) for feature in view.features]
        self.nodes: list[_NodeRow] = []
        self.branches: list[tuple[float, int]] = []
        self.roots: list[int] = []
        for tree in view.trees:
            first = len(self.nodes)
            self.roots.append(first)
            self.nodes += [self._row(tree, node, first) for node in tree.nodes]

    def _row(self, tree: TreeView, node: Node, first: int) -> _NodeRow:
        split = node.split
        if split is None:
            return _NodeRow()
        feature, missing = split.feature.number, first + split.default_child
        if split.threshold is not None:
            left, right = (first + child for child in node.children)
            return _NodeRow(feature, 0, split.threshold, left, right, missing)
        branches = sorted(_branches(tree, node, self._numbers[feature]))
        place = len(self.branches)
        self.branches += [(number, first + child) for number, child in branches]
        return _NodeRow(feature, len(branches), left=place, missing=missing)


def _branches(
    tree: TreeView, node: Node, numbers: dict[Value, float]
) -> Iterator[tuple[float, int]]:
    """Give the number of each category of a nominal split, and the node for it."""
    for child in node.children:
        branch = tree.nodes[child].branch
        assert branch is not None
        if branch.category is not None:
            yield numbers[branch.category], child


def tree_tables(view: ModelView, name: str) -> str:
    """Write all trees as tables."""
    tables = _Tables(view)
    pieces = []
    for column, (kind, comment) in _NODE_TABLES.items():
        values = [getattr(row, column) for row in tables.nodes]
        pieces += [c_comment(comment), c_array(kind, f"{name}_{column}", values)]
    values = [
        value for tree in view.trees for node in tree.nodes for value in tree.contribution(node)
    ]
    n_values = (len(tree.nodes) * len(tree.outputs) for tree in view.trees)
    n_outputs = (len(tree.outputs) for tree in view.trees)
    return "\n".join(
        [
            *pieces,
            c_comment("The categories of all splits, and the node for each."),
            c_array("double", f"{name}_category", [number for number, _ in tables.branches]),
            c_array("int", f"{name}_child", [child for _, child in tables.branches]),
            c_comment("What each node adds to the outputs of its tree."),
            c_array("double", f"{name}_value", values),
            c_comment("Of each tree: its first node, value and output; then the outputs."),
            c_array("int", f"{name}_root", tables.roots),
            c_array("int", f"{name}_first_value", [*accumulate(n_values, initial=0)]),
            c_array("int", f"{name}_first_output", [*accumulate(n_outputs, initial=0)]),
            c_array("int", f"{name}_output", [o for tree in view.trees for o in tree.outputs]),
            c_comment("The raw score of each output before any tree adds to it."),
            c_array("double", f"{name}_start", view.start),
        ]
    )


def linear_tables(view: ModelView, name: str) -> str:
    """Write what linear leaves add to their values."""
    inputs = view.trees[0].inputs
    weights = [
        tree.shrinkage * weight
        for tree in view.trees
        for node in tree.nodes
        for of_output in node.weights
        for weight in of_output
    ]
    return "\n".join(
        [
            c_comment("What leaves are linear in: features, their means and standard deviations."),
            c_array("int", f"{name}_input_feature", [used.feature.number for used in inputs]),
            c_array("double", f"{name}_input_mean", [used.mean for used in inputs]),
            c_array("double", f"{name}_input_deviation", [used.deviation for used in inputs]),
            c_comment("A weight for each of them, for each value of each node."),
            c_array("double", f"{name}_weight", weights),
        ]
    )


def label_tables(view: ModelView, name: str) -> str:
    """Write the labels, and the place of each output's label among them."""
    names = ", ".join(c_string(str(label)) for label in view.classes)
    tables = [f"const char *const {name}_classes[] = {{{names}}};"]
    if view.target_type is TargetType.CLASSES:
        places = [view.classes.index(label) for label in view.labels]
        tables.append(c_array("int", f"{name}_place", places))
    return "\n".join(tables)


def string_tables(view: ModelView, name: str) -> str:
    """Write the categories that are strings; nothing if there are none."""
    features: list[int] = []
    numbers: list[float] = []
    strings: list[str] = []
    for feature in view.features:
        if feature.kind is Kind.STRING:
            for category, number in numbers_of(feature).items():
                features.append(feature.number)
                numbers.append(number)
                strings.append(c_string(str(category)))
    if not strings:
        return ""
    inside = ",\n    ".join(strings)
    return "\n".join(
        [
            c_comment("The categories that are strings, and the number of each."),
            c_array("int", f"{name}_string_feature", features),
            c_array("double", f"{name}_string_number", numbers),
            f"static const char *const {name}_string[] = {{\n    {inside}\n}};",
        ]
    )


# ---- syntax -------------------------------------------------------------------------------------


def c_string(text: str) -> str:
    r"""Write a string: UTF-8, with octal escapes for everything but plain ASCII.

    Examples
    --------
    >>> print(c_string('"Ångström"?'))
    "\042\303\205ngstr\303\266m\042\077"
    """
    # Question marks too: two of them may begin a trigraph.
    plain = set(range(0x20, 0x7F)) - set(b'"\\?')
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in text.encode()) + '"'


def c_comment(text: str) -> str:
    """Write a comment; an end of comment inside it is split.

    Examples
    --------
    >>> c_comment("a */ b")
    '/* a * / b */'
    """
    return f"/* {text.replace('*/', '* /')} */"


def c_array(kind: str, name: str, values: Sequence[object]) -> str:
    """Write a constant array; an empty one gets an entry, since C has no empty arrays.

    Examples
    --------
    >>> print(c_array("double", "halves", [0.5, 1.5]))
    static const double halves[] = {
        0.5, 1.5
    };
    """
    inside = fill(
        ", ".join(map(str, values)) or "0",
        width=100,
        initial_indent="    ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return f"static const {kind} {name}[] = {{\n{inside}\n}};"
