"""Names, labels and categories that the strings of another language can hold."""

from collections.abc import Iterator

from sgtrees.inspection import ModelView


def check_strings(view: ModelView, language: str, *, names: bool) -> None:
    r"""Refuse a model with strings that are no text in UTF-8, or that contain a NUL.

    A reader that takes a NUL for the end would not tell such a string from its beginning.

    Parameters
    ----------
    view : ModelView
        The model.
    language : str
        The language of the export, for the error's text.
    names : bool
        Whether the names of features are part of the export.

    Raises
    ------
    ValueError
        If a label, a category or (if they matter) a name is such a string.

    Examples
    --------
    >>> from sgtrees import SGTClassifier
    >>> from sgtrees.inspection import view_model
    >>> model = SGTClassifier().fit([[1.0], [2.0]], ["spam", "ham\0s"])
    >>> check_strings(view_model(model), "C", names=False)
    Traceback (most recent call last):
    ValueError: the label 'ham\x00s' contains a NUL, which ends a string in C; rename it in the...
    """
    for what, text in _strings(view, names=names):
        if "\0" in text:
            reason = f"contains a NUL, which ends a string in {language}"
        elif any("\ud800" <= letter <= "\udfff" for letter in text):
            reason = f"contains half a character, which is no text in {language}"
        else:
            continue
        raise ValueError(f"{what} {text!r} {reason}; rename it in the data and learn again")


def _strings(view: ModelView, *, names: bool) -> Iterator[tuple[str, str]]:
    for label in view.classes:
        if isinstance(label, str):
            yield "the label", label
    for feature in view.features:
        if names:
            yield "the feature", feature.name
        for category in feature.categories or ():
            if isinstance(category, str):
                yield f"of the feature {feature.name!r} the category", category
