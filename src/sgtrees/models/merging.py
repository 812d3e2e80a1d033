"""Checks that two models can be merged, and the common numbers of their categories."""

from collections.abc import Mapping
from typing import Any

from sgtrees import _core
from sgtrees.data.schema import Additions, Categories, Schema
from sgtrees.data.weights import ClassWeight
from sgtrees.losses.base import Loss
from sgtrees.targets.labels import Labels
from sgtrees.targets.outputs import Outputs

# Models that cannot be merged; the message has the reason.
MergeError = _core.MergeError


def check_settings(mine: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    """Refuse models with other settings; the number of threads is none.

    Examples
    --------
    >>> check_settings({"gamma": 1.0, "n_threads": 1}, {"gamma": 1.0, "n_threads": 2})
    >>> check_settings({"gamma": 1.0}, {"gamma": 2.0})
    Traceback (most recent call last):
    sgtrees._core.MergeError: the models' settings differ: gamma is 1.0 in one and 2.0 in \
the other
    """
    for name, value in mine.items():
        if name != "n_threads" and other[name] != value:
            raise MergeError(
                f"the models' settings differ: {name} is {value} in one and {other[name]} in the "
                "other"
            )


def check_loss(mine: Loss, other: Loss) -> None:
    """Refuse models that learn by another loss."""
    # User-defined losses are the same if their attributes are, functions if they are identical.
    if type(mine) is not type(other) or vars(mine) != vars(other):
        raise MergeError(f"the models' losses differ: {mine!r} and {other!r}")


def check_outputs(mine: Outputs | None, other: Outputs | None) -> None:
    """Refuse models that predict other numbers."""
    if mine != other:
        raise MergeError("the models' targets are not the same")


def check_features(mine: Schema, other: Schema) -> None:
    """Refuse models of other features."""
    names, others = ([feature.name for feature in schema.features] for schema in (mine, other))
    if names != others or mine.named != other.named or mine.nominal != other.nominal:
        only = [name for name in [*names, *others] if (name in names) != (name in others)]
        what = f"only one of them has {only[0]!r}" if only else "their order or kinds differ"
        raise MergeError(f"the models' features are not the same: {what}")


def check_labels(mine: Labels, other: Labels) -> None:
    """Refuse models whose classes have other numbers."""
    if mine.seen != other.seen:
        raise MergeError(
            f"the models' classes are not the same, in order of first appearance: {mine.seen} and "
            f"{other.seen}"
        )


def check_class_weights(mine: ClassWeight, other: ClassWeight) -> None:
    """Refuse models that weigh classes in another way."""
    if vars(mine) != vars(other):
        raise MergeError("the models' settings differ: they have another class_weight")


def check_base(base: Schema, *schemas: Schema) -> None:
    """Refuse a base whose categories are not the first ones of the models."""
    for schema in schemas:
        for feature, known in zip(base.features, schema.features, strict=True):
            if feature.categories is None or known.categories is None:
                continue
            first = list(known.categories.numbers)[: len(feature.categories)]
            if first != list(feature.categories.numbers):
                raise MergeError(
                    f"base is not the model of which both are copies: it numbers the categories of "
                    f"{feature} in another way"
                )


def number_categories(mine: Schema, other: Schema) -> tuple[list[list[int]], Additions]:
    """Give the categories of another model their numbers in this one.

    Returns
    -------
    codes : list of list of int
        For each feature and code of the other model the code here; empty for numeric features.
    additions : Additions
        The categories that are new here, not yet part of the schema.

    Examples
    --------
    >>> from sgtrees.data.schema import Feature
    >>> from sgtrees.data.columns import Kind
    >>> mine, other = Categories(), Categories()
    >>> mine.extend(["red", "blue"], Kind.STRING)
    >>> other.extend(["blue", "green"], Kind.STRING)
    >>> codes, additions = number_categories(
    ...     Schema([Feature("colour", mine)]), Schema([Feature("colour", other)])
    ... )
    >>> codes, additions.categories
    ([[0, 2, 3]], {0: (['green'], <Kind.STRING: 'strings'>)})
    """
    codes: list[list[int]] = []
    additions = Additions()
    for column, (feature, others) in enumerate(zip(mine.features, other.features, strict=True)):
        known, categories = feature.categories, others.categories
        if known is None or categories is None:
            codes.append([])
            continue
        if known.kind is not None and categories.kind not in (None, known.kind):
            raise MergeError(f"{feature} holds {known.kind.value} in one model and not the other")
        new = [value for value in categories.numbers if value not in known.numbers]
        additions.note(column, new, categories.kind)
        codes.append(_codes(known, categories, new))
    return codes, additions


def _codes(known: Categories, other: Categories, new: list[Any]) -> list[int]:
    numbers = known.numbers | {value: len(known) + i for i, value in enumerate(new)}
    return [0, *(1 + numbers[value] for value in other.numbers)]
