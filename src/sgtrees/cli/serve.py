"""``sgtrees serve``: a model that learns while it predicts, over HTTP."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from sgtrees.cli.configuration import config_option
from sgtrees.cli.console import make_console
from sgtrees.cli.console_log import show_log
from sgtrees.cli.errors import ModelError, report_errors
from sgtrees.cli.model_choice import new_estimators, read_loss, stated_task
from sgtrees.cli.model_files import load_model
from sgtrees.cli.option_types import count_option, input_path
from sgtrees.cli.options import model_options, quiet_option, seed_option
from sgtrees.extras import install_command
from sgtrees.serve.access import Access, read_tokens
from sgtrees.serve.errors import StateError
from sgtrees.serve.limits import Limits


@click.command()
@click.argument(
    "path", metavar="[MODEL]", required=False, type=click.Path(dir_okay=False, path_type=Path)
)
@click.option("--target", "-t", metavar="NAME", help="The column to predict, of a new model.")
@click.option("--weight", metavar="NAME", help="The column with the rows' weights.")
@click.option(
    "--state",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Where log and checkpoints are kept. [default: MODEL.state]",
)
@click.option(
    "--follow",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Instead of MODEL: predict with the checkpoints of the server of this state folder.",
)
@click.option(
    "--learner", metavar="URL", help="With --follow: where requests to learn should go instead."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@count_option("--port", least=0, default=8000, help="The port; 0: a free one.")
@input_path("--tokens", help="A TOML file of tokens: predict, learn and admin.")
@input_path("--tls-certificate", help="A certificate, if the server itself speaks TLS.")
@input_path("--tls-key", help="The certificate's key.")
@count_option("--checkpoint-seconds", default=60, metavar="N", help="The time between checkpoints.")
@count_option("--max-body", default=64 << 20, metavar="BYTES", help="The size of a request.")
@count_option("--max-rows", default=100_000, metavar="N", help="The rows of a request.")
@count_option("--max-seconds", default=30, metavar="N", help="How long a request may take to come.")
@count_option("--max-connections", default=1000, metavar="N", help="Open connections.")
@count_option(
    "--queue-rows", default=200_000, metavar="N", help="Rows that may wait to be learned."
)
@count_option(
    "--waiting-rows", default=1_000_000, metavar="N", help="Predicted rows that wait for labels."
)
@count_option("--waiting-hours", default=168, metavar="N", help="How long they may wait.")
@count_option(
    "--remembered-ids", default=200_000, metavar="N", help="Ids of learned requests to remember."
)
@count_option("--remembered-hours", default=24, metavar="N", help="How long they are remembered.")
@seed_option
@model_options
@quiet_option
@config_option
def serve(path: Path | None, **options: Any) -> None:
    """Serve a model that learns while it predicts, over HTTP.

    MODEL is a model file, or the path of a new model, which needs --target and --task. What is
    learned is in the state folder before it is acknowledged, and a start goes on from there. Ctrl-C
    and SIGTERM end the server in order, and write the model to MODEL too.

    Without tokens it listens on this machine only. Tokens come from a file, or from
    SGTREES_PREDICT_TOKEN, SGTREES_LEARN_TOKEN and SGTREES_ADMIN_TOKEN.

    \b
    Examples:
      sgtrees serve m.sgt
      sgtrees serve new.sgt --target delay --task regression --port 8080
      sgtrees serve m.sgt --host 0.0.0.0 --tokens tokens.toml
      sgtrees serve --follow m.sgt.state --port 8001
    """  # noqa: D301 - \b is click's mark of preformatted lines
    log = make_console(stderr=True, quiet=options["quiet"])
    try:
        from sgtrees.serve.server import (  # noqa: PLC0415 - an extra
            Address,
            run_server,
        )
    except ModuleNotFoundError as error:
        raise click.ClickException(
            f"this command needs {error.name}: {install_command('serve')}"
        ) from error
    if (options["tls_key"] is None) != (options["tls_certificate"] is None):
        raise click.UsageError("--tls-certificate and --tls-key go together")
    if (path is None) == (options["follow"] is None):
        raise click.UsageError("give MODEL, or --follow FOLDER")
    if path is None:
        service, started = _following(options, log)
    else:
        service, started = _learning(path, options, log)
    with report_errors(), show_log(log):
        try:
            run_server(
                Address(options["host"], options["port"],
                        options["tls_certificate"], options["tls_key"]),
                Access(read_tokens(options["tokens"], os.environ)),
                service,
                started,
            )  # fmt: skip
        except StateError as error:
            raise ModelError(str(error)) from error
        except ValueError as error:
            raise click.UsageError(str(error)) from error


def _learning(path: Path, options: Mapping[str, Any], log: Console) -> tuple[Any, Any]:
    """Return what opens the service that learns, and what reports its start."""
    from sgtrees.serve.server import begin_with, learn_from  # noqa: PLC0415 - an extra

    folder = options["state"] or path.with_name(f"{path.name}.state")

    def begin() -> Any:
        return begin_with(*_model(path, options), options["weight"])

    def started(service: Any, url: str) -> None:
        model, recovery = service.state.model, service.state.recovery
        log.print(
            f"Serving {path} ({type(model.estimator).__name__}, target {model.target!r}, "
            f"{model.rows:,} rows) at {url}; state in {folder}.",
            soft_wrap=True,
        )
        if recovery.records:
            log.print(f"{recovery.rows:,} rows of the log were learned again.", soft_wrap=True)

    limits, seconds = _limits(options), options["checkpoint_seconds"]
    return learn_from(folder, begin, limits, path, seconds), started


def _following(options: Mapping[str, Any], log: Console) -> tuple[Any, Any]:
    """Return what opens the service that follows, and what reports its start."""
    from sgtrees.serve.server import follow  # noqa: PLC0415 - an extra

    def started(service: Any, url: str) -> None:
        model = service.follower.model
        log.print(
            f"Following {options['follow']} ({type(model.estimator).__name__}, target "
            f"{model.target!r}, {model.rows:,} rows) at {url}; it predicts and does not learn.",
            soft_wrap=True,
        )

    return follow(options["follow"], _limits(options), options["learner"]), started


def _limits(options: Mapping[str, Any]) -> Limits:
    return Limits(
        body_bytes=options["max_body"],
        request_rows=options["max_rows"],
        body_seconds=float(options["max_seconds"]),
        queue_rows=options["queue_rows"],
        connections=options["max_connections"],
        waiting_rows=options["waiting_rows"],
        waiting_seconds=options["waiting_hours"] * 3600.0,
        remembered_ids=options["remembered_ids"],
        remembered_seconds=options["remembered_hours"] * 3600.0,
    )


def _model(path: Path, options: Mapping[str, Any]) -> tuple[Any, str]:
    """Return the estimator to begin with and its target: from the file, or a new one."""
    target = options["target"]
    if path.exists():
        saved = load_model(path)
        target = target or saved.notes.get("target")
        if target is None:
            raise click.UsageError(f"{path} does not say what it predicts: give --target")
        return saved.estimator, str(target)
    if target is None:
        raise click.UsageError(f"{path} does not exist; a new model needs --target and --task")
    loss = read_loss(options["loss"])
    task = stated_task(options["task"], loss)
    if task is None:
        raise click.UsageError("a new model needs --task classification or --task regression")
    return new_estimators(task, loss, options, example="")[0], target
