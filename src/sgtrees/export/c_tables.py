"""The tables of exported C source."""

from dataclasses import dataclass, field

from sgtrees.data.columns import Kind, Value
from sgtrees.export.c_text import c_array, c_comment, c_string
from sgtrees.export.numbers import numbers_of
from sgtrees.inspection import ModelView, Node, Task, TreeView


@dataclass
class _Tables:
    """All trees one after the other: an entry for each node, and one for each category's branch."""

    feature: list[int] = field(default_factory=list)
    count: list[int] = field(default_factory=list)
    threshold: list[float] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    value: list[float] = field(default_factory=list)
    category: list[float] = field(default_factory=list)
    child: list[int] = field(default_factory=list)
    root: list[int] = field(default_factory=list)

    def add(self, tree: TreeView) -> None:
        first = len(self.feature)
        self.root.append(first)
        numbers = [numbers_of(feature) for feature in tree.features]
        for node in tree.nodes:
            self._add_node(tree, node, first, numbers)

    def _add_node(
        self, tree: TreeView, node: Node, first: int, numbers: list[dict[Value, float]]
    ) -> None:
        split = node.split
        feature, count, threshold, left, right, missing = -1, 0, 0.0, 0, 0, 0
        if split is not None:
            feature, missing = split.feature.number, first + split.default_child
            if split.threshold is None:
                branches = _branches(tree, node, numbers[feature])
                left, count = len(self.category), len(branches)
                self.category += [number for number, _ in branches]
                self.child += [first + child for _, child in branches]
            else:
                threshold = split.threshold
                left, right = (first + child for child in node.children)
        self.feature.append(feature)
        self.count.append(count)
        self.threshold.append(threshold)
        self.left.append(left)
        self.right.append(right)
        self.missing.append(missing)
        self.value.extend(node.values)


def _branches(tree: TreeView, node: Node, numbers: dict[Value, float]) -> list[tuple[float, int]]:
    """Return the branches of a nominal split by their numbers, ascending."""
    branches = []
    for child in node.children:
        branch = tree.nodes[child].branch
        assert branch is not None
        if branch.category is not None:
            branches.append((numbers[branch.category], child))
    return sorted(branches)


def tree_tables(view: ModelView, name: str) -> str:
    """Write all trees as tables."""
    tables = _Tables()
    for tree in view.trees:
        tables.add(tree)
    pieces = [
        c_comment("Of each node: the feature that it asks, -1 for a leaf;"),
        c_array("int", f"{name}_feature", tables.feature),
        c_comment("the number of its categories, 0 where it has a threshold;"),
        c_array("int", f"{name}_count", tables.count),
        c_array("double", f"{name}_threshold", tables.threshold),
        c_comment("where values up to the threshold go, or the first of its categories;"),
        c_array("int", f"{name}_left", tables.left),
        c_array("int", f"{name}_right", tables.right),
        c_array("int", f"{name}_missing", tables.missing),
        c_comment("and its value."),
        c_array("double", f"{name}_value", tables.value),
        c_comment("The categories of all splits, and where they go."),
        c_array("double", f"{name}_category", tables.category),
        c_array("int", f"{name}_child", tables.child),
    ]
    if view.n_scores > 1 or view.outputs is not None:
        pieces += [
            c_comment("Of each tree: its first node, and the scores that it gives."),
            c_array("int", f"{name}_root", tables.root),
            c_array(
                "int", f"{name}_target", [target for tree in view.trees for target in tree.targets]
            ),
        ]
    return "\n".join(pieces)


def label_tables(view: ModelView, name: str) -> str:
    """Write the labels, and the place of each raw score's label among them."""
    names = ", ".join(c_string(str(label)) for label in view.classes)
    tables = [f"const char *const {name}_classes[] = {{{names}}};"]
    if view.task is Task.CLASSES:
        places = [view.classes.index(label) for label in view.labels]
        tables.append(c_array("int", f"{name}_place", places))
    return "\n".join(tables)


def string_tables(view: ModelView, name: str) -> str:
    """Write the categories that are strings; nothing where there are none."""
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
            c_comment("The categories that are strings, and the number that stands for each."),
            c_array("int", f"{name}_string_feature", features),
            c_array("double", f"{name}_string_number", numbers),
            f"static const char *const {name}_string[] = {{\n    {inside}\n}};",
        ]
    )
