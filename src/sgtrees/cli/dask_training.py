"""``sgtrees train --dask``: a model of files, trained on a cluster."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import isnan
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from sgtrees.cli.console import make_console
from sgtrees.cli.errors import DataError
from sgtrees.cli.input_stream import CommandInput, column_options, file_options
from sgtrees.cli.model_choice import ModelChoice, choose_model
from sgtrees.cli.model_files import SavedModel, load_model, save_model
from sgtrees.cli.progress import ProgressDisplay
from sgtrees.evaluation import Task
from sgtrees.extras import install_command

LOCAL = "local"
# Options that need the rows to pass through this process in their order.
_LOCAL_OPTIONS = ("resume", "checkpoint", "shuffle", "limit", "report")
_SECONDS_TO_CONNECT = 15


def train_on_dask(given: CommandInput, path: Path | None) -> None:
    """Train a model of files on a cluster, and save it."""
    if path is None:
        raise click.UsageError("--dask needs --model")
    options, log = given.options, given.log
    saved = _saved(path, options)
    choice = choose_model(given, saved)
    if saved is None and options["round_rows"] is None:
        choice.estimator.set_params(round_rows="auto")
    columns = None if saved is None else saved.columns
    arguments = {
        "sample_weight": options.get("weight"),
        "stream_options": {**column_options(options, columns), **file_options(options)},
    }
    display = ProgressDisplay.of_stream(log, choice.stream, quiet=options["quiet"])
    notes = dict(saved.notes if saved else {}) | {"target": choice.target}
    with _cluster(options["cluster"], log) as client:
        training = _DaskTraining(choice, client, path, notes, display)
        training.run(list(given.files), arguments, from_scratch=saved is None)
    if options["as_json"]:
        click.echo(json.dumps({"rows": training.rows, "model": str(path)}))


def _saved(path: Path, options: Mapping[str, Any]) -> SavedModel | None:
    for name in _LOCAL_OPTIONS:
        if options[name]:
            raise click.UsageError(f"--{name} cannot be combined with --dask")
    if options["epochs"] != 1:
        raise click.UsageError("--epochs cannot be combined with --dask, which makes one pass")
    if not path.exists() or options["overwrite"]:
        return None
    if not options["update"]:
        raise click.UsageError(
            f"{path} exists: --update learns these files in addition, --overwrite starts from "
            "scratch"
        )
    return load_model(path)


class _DaskTraining:
    """A model that is trained on a cluster, and saved after its last complete round."""

    def __init__(
        self,
        choice: ModelChoice,
        client: Any,
        path: Path,
        notes: Mapping[str, Any],
        display: ProgressDisplay,
    ) -> None:
        # Of the extra `dask`, which `_cluster` has imported.
        from sgtrees.dask import from_local  # noqa: PLC0415

        is_classifier = choice.task is Task.CLASSIFICATION
        self._metric = "error" if is_classifier else "mean absolute error"
        self._model = from_local(choice.estimator, client)
        self._path = path
        self._notes = notes
        self._display = display
        self.rows = 0

    def run(self, files: list[str], arguments: Mapping[str, Any], *, from_scratch: bool) -> None:
        learn = self._model.fit if from_scratch else self._model.partial_fit
        began = time.monotonic()
        try:
            with self._display.shown():
                learn(files, self._notes["target"], callback=self._show, **arguments)
        except (ValueError, OSError, RuntimeError, KeyboardInterrupt) as error:
            saved = self._save()
            kept = "Nothing was learned."
            if saved is not None:
                kept = f"The model after the last complete round is in {saved}."
            raise DataError(f"{error}\n{kept}") from error
        seconds = time.monotonic() - began
        saved = self._save()
        make_console(stderr=True).print(
            f"{self.rows:,} rows in {seconds:.1f} s ({self.rows / seconds:,.0f} rows/s), "
            f"{self._model.n_leaves_:,} leaves. The model is in {saved}.",
            soft_wrap=True,
        )

    def _show(self, report: Any) -> None:
        self.rows = report.rows
        error = "" if isnan(report.error) else f", {report.error:.4g} {self._metric}"
        self._display.update(self.rows, f"round {report.number}{error}", report.leaves)

    def _save(self) -> Path | None:
        if self.rows == 0:
            return None
        return save_model(self._model.to_local(), self._path, self.rows, self._notes)


@contextmanager
def _cluster(address: str, log: Console) -> Iterator[Any]:
    try:
        import dask  # noqa: PLC0415 - an extra
        from distributed import Client, LocalCluster  # noqa: PLC0415

        from sgtrees.dask.workers import BUSY_WORKERS  # noqa: PLC0415
    except ImportError as error:
        raise click.ClickException(f"--dask needs Dask: {install_command('dask')}") from error
    if address == LOCAL:
        with (
            dask.config.set(BUSY_WORKERS),
            LocalCluster(threads_per_worker=1, dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            log.print(f"{len(cluster.workers)} workers on this machine.")
            yield client
        return
    try:
        client = Client(address, timeout=_SECONDS_TO_CONNECT)
    except (OSError, ValueError) as error:
        raise click.ClickException(
            f"there is no Dask scheduler at {address}: {error}; start one with 'dask scheduler', "
            "or give --dask local"
        ) from error
    with client:
        log.print(f"{len(client.nthreads())} workers at {address}.")
        yield client
