"""The weights of classes as the command line gives them: ``--class-weight``."""

from typing import Any

import click

from sgtrees.cli.option_types import split_names

BALANCED = "balanced"


def read_class_weight(text: str, example: Any) -> Any:
    """Return the parameter ``class_weight``.

    Parameters
    ----------
    text : str
        "balanced", or labels with their weights: "spam=3,ham=1".
    example : str, int, bool or float
        A label, which shows of which type labels are.
    """
    if text == BALANCED:
        return BALANCED
    weights: dict[Any, float] = {}
    for pair in split_names(text):
        label, equals, weight = pair.rpartition("=")
        try:
            weights[_label(label, example)] = float(weight)
        except ValueError:
            equals = ""
        if not equals:
            raise click.BadParameter(
                f"{pair!r} is no label with a weight; give 'balanced', or LABEL=WEIGHT,...",
                param_hint="--class-weight",
            )
    return weights


def _label(text: str, example: Any) -> Any:
    """Return a label of the type that the example has."""
    if isinstance(example, bool):
        if text.lower() not in ("true", "false"):
            raise ValueError(text)
        return text.lower() == "true"
    if not isinstance(example, int | float):
        return text
    number = float(text)
    return int(number) if number.is_integer() else number
