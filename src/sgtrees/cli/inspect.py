"""``sgtrees inspect``: a saved model as text."""

import json
from pathlib import Path
from typing import Any

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sgtrees.cli.console import counted, make_console
from sgtrees.cli.errors import report_errors
from sgtrees.cli.model_files import SavedModel, load_model
from sgtrees.cli.option_types import count_option
from sgtrees.cli.options import json_option
from sgtrees.inspection import (
    ALWAYS,
    TreeView,
    format_prediction,
    gain_importances,
    rules,
    top_splits,
    view_model,
)
from sgtrees.inspection.characters import shown

_MAX_LABELS = 10
_MAX_FEATURES = 15
_MAX_BRANCHES = 12


@click.command()
@click.argument(
    "path", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="MODEL"
)
@count_option(
    "--splits", least=0, default=5, help="The number of most important splits of each tree."
)
@count_option(
    "--rules", "n_rules", least=0, default=5, help="The number of rules (leaves) of each tree."
)
@count_option("--trees", "n_trees", default=3, help="The number of trees to show.")
@json_option
def inspect(path: Path, splits: int, n_rules: int, n_trees: int, *, as_json: bool) -> None:
    """Show a saved model: its size, feature importances, top splits and rules.

    \b
    Examples:
      sgtrees inspect m.sgt
      sgtrees inspect m.sgt --rules 20
      sgtrees inspect m.sgt --json | jq .importances
    """  # noqa: D301 - \b is click's mark of preformatted lines
    with report_errors():
        saved = load_model(path)
        view = view_model(saved.estimator)
        trees = view.trees
        properties = _properties(saved, path)
        importances = {n: value for n, value in gain_importances(view).ranked() if value > 0.0}
        described = [_tree(tree, splits, n_rules) for tree in trees[:n_trees]]
    if as_json:
        values = {**properties, "importances": importances, "trees": described}
        click.echo(json.dumps(values, indent=2, default=str))
        return
    console = make_console()
    _print_properties(properties, console)
    _print_importances(importances, console)
    for tree in described:
        _print_tree(tree, console)
    if len(trees) > n_trees:
        console.print(f"\n{len(trees) - n_trees} more trees: --trees {len(trees)}", style="dim")


def _properties(saved: SavedModel, path: Path) -> dict[str, Any]:
    estimator: Any = saved.estimator
    return {
        "file": str(path),
        "bytes": path.stat().st_size,
        "kind": type(estimator).__name__,
        "loss": str(getattr(estimator, "loss", "")),
        "target": saved.notes.get("target"),
        "rows": estimator.n_samples_seen_,
        "features": estimator.n_features_in_,
        "labels": [str(label) for label in getattr(estimator, "classes_", [])],
        "n_trees": estimator.n_trees_,
        "n_nodes": estimator.n_nodes_,
        "n_leaves": estimator.n_leaves_,
        "depth": estimator.depth_,
        "memory_bytes": estimator.memory_bytes_,
    }


def _tree(tree: TreeView, n_splits: int, n_rules: int) -> dict[str, Any]:
    return {
        "label": tree.label,
        "reference": tree.reference,
        "n_nodes": len(tree.nodes),
        "depth": tree.depth,
        "splits": [
            {
                "test": split.test,
                "where": split.where,
                "share": split.share,
                "branches": {branch: format_prediction(tree, v) for branch, v in split.branches},
            }
            for split in top_splits(tree, n_splits)
        ],
        "rules": [
            {
                "where": rule.where,
                "share": rule.share,
                "prediction": format_prediction(tree, rule.prediction),
            }
            for rule in rules(tree, n_rules)
        ],
    }


def _print_properties(properties: dict[str, Any], console: Console) -> None:
    lines = Table.grid(padding=(0, 2))
    lines.add_column(style="bold")
    lines.add_column()
    labels = properties["labels"]
    n_more = len(labels) - _MAX_LABELS
    shown = ", ".join(labels[:_MAX_LABELS]) + (f" and {n_more} more" if n_more > 0 else "")
    target = f" of {properties['target']}" if properties["target"] else ""
    lines.add_row("Model", f"{properties['kind']}{target}, {properties['loss']}")
    rows, columns = counted(properties["rows"], "row"), counted(properties["features"], "column")
    lines.add_row("Learned", f"{rows} of {columns}")
    if labels:
        lines.add_row("Labels", shown)
    trees = "" if properties["n_trees"] == 1 else f" in {properties['n_trees']:,} trees"
    leaves = counted(properties["n_leaves"], "leaf", "leaves")
    nodes = f"{counted(properties['n_nodes'], 'node')}, depth {properties['depth']}"
    memory, file = (f"{properties[size] / 1e6:.1f} MB" for size in ("memory_bytes", "bytes"))
    lines.add_row("Size", f"{leaves}{trees} ({nodes}, {memory}; file {file})")
    console.print(lines)


def _print_importances(importances: dict[str, float], console: Console) -> None:
    if not importances:
        console.print("\nNo split yet: the model needs more rows.")
        return
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=True)
    table.add_column("column")
    table.add_column("importance", justify="right")
    table.add_column("")
    highest = max(importances.values())
    for name, share in list(importances.items())[:_MAX_FEATURES]:
        bar = "#" * max(1, round(30 * share / highest))
        table.add_row(name, f"{100.0 * share:.1f} %", Text(bar, "cyan"))
    console.print()
    console.print(table)
    if len(importances) > _MAX_FEATURES:
        console.print(f" and {len(importances) - _MAX_FEATURES} more", style="dim")


def _print_tree(tree: dict[str, Any], console: Console) -> None:
    of = "" if tree["label"] is None else f" of {shown(tree['label'])}"
    against = "" if tree["reference"] is None else f" (against {shown(tree['reference'])})"
    console.print()
    console.print(Text.assemble((f"Top splits{of}", "bold"), (against, "dim")))
    for place, split in enumerate(tree["splits"], start=1):
        branches = ", ".join(f"{a} {v}" for a, v in list(split["branches"].items())[:_MAX_BRANCHES])
        where = "" if split["where"] == ALWAYS else f", where {split['where']}"
        console.print(f" {place}. {split['test']}{where}")
        console.print(f"    {branches} ({100.0 * split['share']:.0f} % of rows)")
    console.print(Text(f"Largest leaves{of}", "bold"))
    for rule in tree["rules"]:
        share = f"{100.0 * rule['share']:.1f} % of rows"
        console.print(f"  {rule['prediction']}  where {rule['where']} ({share})")
