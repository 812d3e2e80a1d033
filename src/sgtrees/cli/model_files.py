"""Model files, with the place in the stream up to which the model has learned."""

import contextlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from sgtrees.data.columns import Kind
from sgtrees.loading import Estimator, restore
from sgtrees.persistence.model_file import named, read_file, write_file
from sgtrees.persistence.python_values import from_json, to_json
from sgtrees.persistence.savable import contents_of


@dataclass(frozen=True)
class Saved:
    """A model from a file.

    Attributes
    ----------
    estimator : estimator
        The model.
    rows : int or None
        How many rows of its stream it had learned, where the file tells.
    notes : mapping
        What else was saved: the target's name.
    """

    estimator: Estimator
    rows: int | None
    notes: Mapping[str, Any]

    @property
    def features(self) -> list[str]:
        """The names of the model's features."""
        return [str(name) for name in self.estimator.feature_names_in_]

    @property
    def kinds(self) -> dict[str, list[str]]:
        """What the columns of a file are, as the model knows them."""
        nominal, numeric = [], []
        for feature in self.estimator._known("kinds").schema.features:
            # Categories that are numbers stay numbers; True and False are told by the file.
            kind = None if feature.categories is None else feature.categories.kind
            if feature.categories is None or kind is Kind.NUMBER:
                numeric.append(str(feature.name))
            elif kind is not Kind.BOOLEAN:
                nominal.append(str(feature.name))
        return {"nominal": nominal, "numeric": numeric, "only": self.features}


def load_model(path: Path) -> Saved:
    """Load a model and its place."""
    with named(path):
        contents = read_file(path)
        place = contents.checkpoint or {}
        rows = place.get("rows")
        progress = from_json(place["progress"], "progress") if "progress" in place else None
        notes = progress if isinstance(progress, dict) else {}
        return Saved(restore(contents), rows if isinstance(rows, int) else None, notes)


def save_model(estimator: Estimator, path: Path, rows: int, notes: Mapping[str, Any]) -> Path:
    """Save a model and its place; where that fails, beside the system's temporary files.

    Returns
    -------
    Path
        Where it is.

    Raises
    ------
    click.ClickException
        Where it could not be saved where it should; the message says where it is.
    """
    place = {"rows": rows, "progress": to_json(dict(notes), "notes")}
    contents = contents_of(estimator, checkpoint=place)
    try:
        write_file(path, contents)
    except OSError as error:
        why = f"{path} could not be written: {error.strerror or error}"
        with contextlib.suppress(OSError):
            elsewhere = Path(tempfile.mkdtemp(prefix="sgtrees-")) / path.name
            write_file(elsewhere, contents)
            raise click.ClickException(f"{why}. What was learned is in {elsewhere}") from error
        raise click.ClickException(
            f"{why}, nor could a copy; free some space and train again"
        ) from error
    return path
