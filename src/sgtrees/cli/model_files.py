"""Model files with the number of rows that the model has learned of its stream."""

import contextlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from sgtrees.data.columns import Kind
from sgtrees.data.times import sources_of
from sgtrees.loading import Estimator, restore
from sgtrees.models.gains import features_in_use
from sgtrees.persistence.model_file import named, read_file, write_file
from sgtrees.persistence.python_values import from_json, to_json
from sgtrees.persistence.savable import contents_of


@dataclass(frozen=True)
class SavedModel:
    """A model from a file, the number of ``rows`` that it has learned, and the target's name.

    ``rows`` is None if the file does not have it; the name is ``notes["target"]``.
    """

    estimator: Estimator
    rows: int | None
    notes: Mapping[str, Any]

    @property
    def features(self) -> list[str]:
        """The names of the model's features."""
        return [str(name) for name in self.estimator.feature_names_in_]

    @property
    def columns(self) -> dict[str, list[str]]:
        """The arguments of `open_stream` that read files as the model needs them."""
        nominal, numeric = [], []
        sources = sources_of(self.features)
        for feature in self.estimator.model_.schema.features:
            # Categories that are numbers stay numbers; booleans have their own type in a file.
            kind = None if feature.categories is None else feature.categories.kind
            if feature.categories is None or kind is Kind.NUMBER:
                numeric.append(str(feature.name))
            elif kind is not Kind.BOOLEAN:
                nominal.append(str(feature.name))
        times = [source for source in sources if source not in self.features]
        return {
            "nominal": nominal,
            "numeric": [name for name in numeric if name in sources],
            "time": times,
            "only": sources,
        }

    @property
    def unused(self) -> list[str]:
        """The columns that no prediction depends on, so that files may lack them."""
        used = features_in_use(self.estimator.model_.learner)
        names = self.features
        needed = {names[number] for number in used}
        needed |= {name.rpartition(".")[0] for name in needed}
        return [source for source in self.columns["only"] if source not in needed]


def load_model(path: Path) -> SavedModel:
    """Load a model and its position in its stream."""
    with named(path):
        contents = read_file(path)
        position = contents.checkpoint or {}
        rows = position.get("rows")
        progress = position.get("progress")
        progress = None if progress is None else from_json(progress, "progress")
        notes = progress if isinstance(progress, dict) else {}
        return SavedModel(restore(contents), rows if isinstance(rows, int) else None, notes)


def save_model(estimator: Estimator, path: Path, rows: int, notes: Mapping[str, Any]) -> Path:
    """Save a model and its position; if that fails, save it among the temporary files.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    click.ClickException
        If ``path`` could not be written; the message names the file that was.
    """
    position = {"rows": rows, "progress": to_json(dict(notes), "notes")}
    contents = contents_of(estimator, checkpoint=position)
    try:
        write_file(path, contents)
    except OSError as error:
        why = f"{path} could not be written: {error.strerror or error}"
        with contextlib.suppress(OSError):
            copy = Path(tempfile.mkdtemp(prefix="sgtrees-")) / path.name
            write_file(copy, contents)
            raise click.ClickException(f"{why}. The model was saved as {copy}") from error
        raise click.ClickException(
            f"{why}, and neither could a copy; free some space and train again"
        ) from error
    return path
