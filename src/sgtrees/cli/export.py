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
    targets = [target, target.with_suffix(".h")] if to == "c" else [target]
    if len(set(targets)) < len(targets):
        raise click.UsageError(f"{target} is the name of the header; give the C source another")
    for file in targets:
        if file.exists() and file.samefile(path):
            raise click.UsageError(f"{file} is the model itself; give another path by --output")
        if file.exists() and output is None:
            raise click.UsageError(f"{file} exists; give it by --output to replace it")
    name = _name(target)
    with report_errors():
        estimator = load_model(path).estimator
        try:
            contents = [written(estimator, name)]
            if to == "c":
                contents.append(c_header(estimator, name=name).encode())
        except ValueError as error:
            raise ModelError(f"{path}: {error}") from error
        for file, data in zip(targets, contents, strict=True):
            write_atomically(file, [data])
    for file in targets:
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
