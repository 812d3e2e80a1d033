"""``sgtrees train --dask``: the same files, learned by a cluster."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isnan
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from sgtrees.cli.failures import WrongData
from sgtrees.cli.model_files import Saved, load_model, save_model
from sgtrees.cli.modelling import choose_model
from sgtrees.cli.progress import Watch
from sgtrees.cli.reading import read_stream, said_of_columns, said_of_files
from sgtrees.estimators.classifier import SGTClassifier
from sgtrees.streams import Stream, StreamError

LOCAL = "local"
# What needs the rows to pass through this process, in their order.
_NOT_SHARED = ("resume", "checkpoint", "shuffle", "limit", "report")
_SECONDS_TO_CONNECT = 15


def train_on_dask(
    files: Sequence[str],
    target: str | None,
    path: Path | None,
    options: Mapping[str, Any],
    log: Console,
) -> None:
    """Learn files on a cluster, and save the model."""
    assert path is not None
    saved = _saved(path, options)
    notes: dict[str, Any] = dict(saved.notes) if saved else {}
    target = target or notes.get("target")
    if target is None:
        raise click.UsageError("Missing option '--target' / '-t'.")
    kinds = None if saved is None else saved.kinds
    stream = read_stream(files, target, options, kinds=kinds)
    assert stream.target is not None
    notes["target"] = stream.target.name
    estimator: Any = _chosen(stream, options, log) if saved is None else saved.estimator
    reading = {**said_of_columns(options, kinds), **said_of_files(options)}
    arguments = {"sample_weight": options.get("weight"), "reading": reading}
    watch = Watch(log, stream, quiet=options["quiet"])
    with _cluster(options["cluster"], log) as client:
        rows = _learn(estimator, client, list(files), path, watch, notes, arguments)
    if options["as_json"]:
        click.echo(json.dumps({"rows": rows, "model": str(path)}))


def _saved(path: Path, options: Mapping[str, Any]) -> Saved | None:
    for name in _NOT_SHARED:
        if options[name]:
            raise click.UsageError(f"--{name} does not go with --dask")
    if not path.exists() or options["overwrite"]:
        return None
    if not options["update"]:
        raise click.UsageError(
            f"{path} exists: --update learns these files after those before, --overwrite begins "
            "anew"
        )
    return load_model(path)


def _chosen(stream: Stream, options: Mapping[str, Any], log: Console) -> Any:
    first, stream = stream.peek()
    if first is None:
        raise StreamError("there are no rows")
    choice = choose_model(stream, first, options)
    if choice.reason:
        log.print(choice.reason, soft_wrap=True, markup=False)
    if options["round_rows"] is None:
        choice.estimator.set_params(round_rows="auto")
    return choice.estimator


def _learn(
    estimator: Any,
    client: Any,
    files: list[str],
    path: Path,
    watch: Watch,
    notes: Mapping[str, Any],
    arguments: Mapping[str, Any],
) -> int:
    from sgtrees.dask import (  # noqa: PLC0415 - an extra
        DaskSGTClassifier,
        DaskSGTRegressor,
        PartitionError,
        RoundReport,
    )

    of_classes = isinstance(estimator, SGTClassifier)
    kind: Any = DaskSGTClassifier if of_classes else DaskSGTRegressor
    model = kind.from_local(estimator, client)
    began, rows = time.monotonic(), 0

    def tell(report: RoundReport) -> None:
        nonlocal rows
        rows = report.rows
        what = "wrong" if of_classes else "mean absolute error"
        error = "" if isnan(report.error) else f", {report.error:.4g} {what}"
        watch.tell(rows, f"round {report.number}{error}", report.leaves)

    def kept() -> Path | None:
        return save_model(model.to_local(), path, rows, notes) if rows > 0 else None

    try:
        with watch.shown():
            if estimator._model is None:
                model.fit(files, notes["target"], tell=tell, **arguments)
            else:
                model.partial_fit(files, notes["target"], tell=tell, **arguments)
    except (PartitionError, ValueError, OSError, RuntimeError, KeyboardInterrupt) as error:
        place = kept()
        what = "Nothing was learned."
        if place is not None:
            what = f"The model as it was after the last complete round is in {place}."
        raise WrongData(f"{error}\n{what}") from error
    seconds = time.monotonic() - began
    place = kept()
    local = model.to_local()
    Console(highlight=False, stderr=True).print(
        f"{rows:,} rows in {seconds:.1f} s ({rows / seconds:,.0f} rows/s), "
        f"{local.n_leaves_:,} leaves. The model is in {place}.",
        soft_wrap=True,
    )
    return rows


@contextmanager
def _cluster(address: str, log: Console) -> Iterator[Any]:
    try:
        import dask  # noqa: PLC0415 - an extra
        from distributed import Client, LocalCluster  # noqa: PLC0415

        from sgtrees.dask.workers import BUSY_WORKERS  # noqa: PLC0415
    except ImportError as error:
        raise click.ClickException("--dask needs Dask: pip install 'sgtrees[dask]'") from error
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
            "or say --dask local"
        ) from error
    with client:
        log.print(f"{len(client.nthreads())} workers at {address}.")
        yield client
