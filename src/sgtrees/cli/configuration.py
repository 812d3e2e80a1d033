"""Options from a file: ``--config run.toml``."""

import difflib
import tomllib
from pathlib import Path
from typing import Any

import click


def config_option(command: Any) -> Any:
    """Add ``--config``: a file may hold any option of the command."""
    return click.option(
        "--config",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        is_eager=True,
        expose_value=False,
        callback=_read_file,
        metavar="FILE",
        help='A TOML file of options: target = "delay", max-leaves = 500. A table [train] holds '
        "those of one command. The command line overrides the file.",
    )(command)


def _read_file(ctx: click.Context, _: click.Parameter, path: Path | None) -> None:
    if path is None:
        return
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise click.BadParameter(f"{path} is not a TOML file: {error}") from error
    names = _names(ctx.command)
    others = _other_names(ctx)
    defaults: dict[str, Any] = {}
    own = values.pop(ctx.info_name or "", {})
    for key, value in [*values.items(), *own.items()]:
        name = key.replace("_", "-")
        if name in names:
            defaults[names[name]] = _text(value)
        elif key in own or name not in others:
            raise click.BadParameter(
                f"{path} has {key!r}, which is not an option{_nearest(name, names)}"
            )
    ctx.default_map = {**(ctx.default_map or {}), **defaults}


def _names(command: click.Command) -> dict[str, str]:
    """Return the parameters of a command by their names in a file."""
    names: dict[str, str] = {}
    for parameter in command.params:
        if parameter.name in (None, "config", "help"):
            continue
        assert parameter.name is not None
        for flag in [*parameter.opts, *parameter.secondary_opts]:
            names[flag.lstrip("-").replace("_", "-")] = parameter.name
    return names


def _other_names(ctx: click.Context) -> set[str]:
    """Return the names of other commands' options, since one file may serve several commands."""
    group = ctx.parent.command if ctx.parent is not None else None
    if not isinstance(group, click.Group):
        return set()
    commands = [group.get_command(ctx, name) for name in group.list_commands(ctx)]
    known = {name for command in commands if command is not None for name in _names(command)}
    return known | set(group.list_commands(ctx))


def _text(value: Any) -> Any:
    """Return a value as the command line would give it."""
    if isinstance(value, list):
        return [str(item) for item in value]
    return value


def _nearest(name: str, names: dict[str, str]) -> str:
    near = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
