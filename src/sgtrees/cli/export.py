"""``sgtrees export``: a saved model in the format of another program."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sgtrees.atomic_file import write_atomically
from sgtrees.cli.errors import ModelError, report_errors
from sgtrees.cli.model_files import load_model
from sgtrees.cli.option_types import output_path
from sgtrees.export import c_header, to_c, to_json, to_onnx, to_python, to_treelite

# For each format the ending of its files, and from a model and the file's name to its bytes.
_FORMATS: dict[str, tuple[str, Callable[[Any, str], bytes]]] = {
    "onnx": (".onnx", lambda model, _: to_onnx(model).SerializeToString()),
    "c": (".c", lambda model, name: to_c(model, name=name).encode()),
    "python": (".py", lambda model, _: to_python(model).encode()),
    "treelite": (".treelite", lambda model, _: bytes(to_treelite(model).serialize_bytes())),
    "json": (".json", lambda model, _: to_json(model, indent=1).encode()),
}


@click.command()
@click.argument(
    "path", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="MODEL"
)
@click.option("--to", "to", type=click.Choice(list(_FORMATS)), required=True, help="The format.")
@output_path(
    "--output", "-o", help="The file to write; by default MODEL with the format's extension."
)
def export(path: Path, to: str, output: Path | None) -> None:
    """Write a saved model in the format of another program.

    ONNX runs in many languages; C and Python are source without dependencies (C with a header file
    beside it); treelite compiles and serves trees; JSON has the trees as they are.

    \b
    Examples:
      sgtrees export m.sgt --to onnx
      sgtrees export m.sgt --to c -o firmware/model.c
    """  # noqa: D301 - \b is click's mark of preformatted lines
    suffix, written = _FORMATS[to]
    target = path.with_suffix(suffix) if output is None else output
    if target.exists() and target.samefile(path):
        raise click.UsageError(f"--output and the model are the same file, {path}; give two paths")
    name = _name(target)
    with report_errors():
        estimator = load_model(path).estimator
        try:
            files = {target: written(estimator, name)}
            if to == "c":
                files[target.with_suffix(".h")] = c_header(estimator, name=name).encode()
        except ValueError as error:
            raise ModelError(f"{path}: {error}") from error
        for file, data in files.items():
            write_atomically(file, [data])
    for file in files:
        click.echo(str(file))


def _name(path: Path) -> str:
    """Return a file's name as one of C.

    Examples
    --------
    >>> _name(Path("my-model.c")), _name(Path("2013.c"))
    ('my_model', 'model_2013')
    """
    name = re.sub(r"\W", "_", path.stem, flags=re.ASCII)
    return name if re.match(r"[A-Za-z_]", name) else f"model_{name}"
