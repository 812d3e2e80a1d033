"""How much each feature has helped."""

from collections.abc import Sequence

from sgtrees.inspection import TreeView


def gain_importances(trees: Sequence[TreeView]) -> dict[str, float]:
    """Return each feature's share of the fall in loss that splits have brought, highest first.

    Parameters
    ----------
    trees : sequence of TreeView
        All trees of a model.

    Returns
    -------
    dict from str to float
        Parts of 1 for the features that were asked; empty where there is no split.

    Examples
    --------
    >>> from sgtrees import SGTClassifier
    >>> from sgtrees.inspection import view_trees
    >>> X, y = [["red", 1.0], ["blue", 2.0]] * 200, ["stop", "go"] * 200
    >>> model = SGTClassifier(warm_up=50, epochs=1).fit(X, y)
    >>> gain_importances(view_trees(model, feature_names=["colour", "size"]))
    {'colour': 1.0}
    """
    gains: dict[str, float] = {}
    for tree in trees:
        for node in tree.nodes:
            if node.split is not None:
                name = node.split.feature.name
                gains[name] = gains.get(name, 0.0) + max(node.split.gain, 0.0)
    total = sum(gains.values())
    ranked = sorted(gains.items(), key=lambda item: item[1], reverse=True)
    return {name: gain / total for name, gain in ranked} if total > 0.0 else {}
