"""``sgtrees inspect``: what a saved model knows, in words."""

import json
from pathlib import Path
from typing import Any

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sgtrees.cli.failures import told
from sgtrees.cli.model_files import Saved, load_model
from sgtrees.inspection import (
    TreeView,
    format_prediction,
    gain_importances,
    rules,
    top_splits,
    view_model,
)


@click.command()
@click.argument(
    "path", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="MODEL"
)
@click.option(
    "--splits",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="How many of the most telling splits of each tree.",
)
@click.option(
    "--rules",
    "n_rules",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="How many leaves of each tree, as rules; those of the most rows first.",
)
@click.option(
    "--trees",
    "n_trees",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="How many trees.",
)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def inspect(path: Path, splits: int, n_rules: int, n_trees: int, *, as_json: bool) -> None:
    """Show what a saved model is and knows: its size, what matters, its tree in words.

    \b
    Examples:
      sgtrees inspect m.sgt
      sgtrees inspect m.sgt --rules 20
      sgtrees inspect m.sgt --json | jq .importances
    """  # noqa: D301 - \b is click's own mark of lines to leave as they are
    with told():
        saved = load_model(path)
        view = view_model(saved.estimator)
        trees = view.trees
        facts = _facts(saved, path)
        importances = {n: value for n, value in gain_importances(view).ranked() if value > 0.0}
        told_trees = [_in_words(tree, splits, n_rules) for tree in trees[:n_trees]]
    if as_json:
        values = {**facts, "importances": importances, "trees": told_trees}
        click.echo(json.dumps(values, indent=2, default=str))
        return
    console = Console(highlight=False)
    _print_facts(facts, console)
    _print_importances(importances, console)
    for tree in told_trees:
        _print_tree(tree, console)
    if len(trees) > n_trees:
        console.print(f"\n{len(trees) - n_trees} further trees: --trees {len(trees)}", style="dim")


def _facts(saved: Saved, path: Path) -> dict[str, Any]:
    estimator: Any = saved.estimator
    core = estimator._known("size").core
    values: dict[str, Any] = {
        "file": str(path),
        "bytes": path.stat().st_size,
        "kind": type(estimator).__name__,
        "loss": str(getattr(estimator, "loss", "")),
        "target": saved.notes.get("target"),
        "rows": int(core.n_rows),
        "features": len(estimator._known("size").schema),
        "labels": [str(label) for label in getattr(estimator, "classes_", [])],
        "n_trees": int(core.n_trees),
        "n_nodes": estimator.n_nodes_,
        "n_leaves": estimator.n_leaves_,
        "depth": estimator.depth_,
        "memory_bytes": int(core.memory_bytes),
    }
    return values


def _in_words(tree: TreeView, n_splits: int, n_rules: int) -> dict[str, Any]:
    return {
        "label": tree.label,
        "reference": tree.reference,
        "n_nodes": len(tree.nodes),
        "depth": tree.depth,
        "splits": [
            {
                "question": split.test,
                "where": split.where,
                "share": split.share,
                "answers": {answer: format_prediction(tree, v) for answer, v in split.branches},
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


def _print_facts(facts: dict[str, Any], console: Console) -> None:
    lines = Table.grid(padding=(0, 2))
    lines.add_column(style="bold")
    lines.add_column()
    labels = facts["labels"]
    shown = ", ".join(labels[:10]) + (f" and {len(labels) - 10} more" if len(labels) > 10 else "")
    target = f" of {facts['target']}" if facts["target"] else ""
    lines.add_row("Model", f"{facts['kind']}{target}, {facts['loss']}")
    lines.add_row("Learned", f"{facts['rows']:,} rows of {facts['features']:,} columns")
    if labels:
        lines.add_row("Labels", shown)
    trees = "" if facts["n_trees"] == 1 else f" in {facts['n_trees']:,} trees"
    lines.add_row(
        "Size",
        f"{facts['n_leaves']:,} leaves{trees} ({facts['n_nodes']:,} nodes, depth {facts['depth']}, "
        f"{facts['memory_bytes'] / 1e6:.1f} MB; file {facts['bytes'] / 1e6:.1f} MB)",
    )
    console.print(lines)


def _print_importances(importances: dict[str, float], console: Console) -> None:
    if not importances:
        console.print("\nNo split yet: it needs more rows.")
        return
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=True)
    table.add_column("column")
    table.add_column("importance", justify="right")
    table.add_column("")
    highest = max(importances.values())
    for name, share in list(importances.items())[:15]:
        stripe = "#" * max(1, round(30 * share / highest))
        table.add_row(name, f"{100.0 * share:.1f} %", Text(stripe, "cyan"))
    console.print()
    console.print(table)
    if len(importances) > 15:
        console.print(f" and {len(importances) - 15} more", style="dim")


def _print_tree(tree: dict[str, Any], console: Console) -> None:
    of = "" if tree["label"] is None else f" of {tree['label']}"
    against = "" if tree["reference"] is None else f" (against {tree['reference']})"
    console.print()
    console.print(Text.assemble((f"Top splits{of}", "bold"), (against, "dim")))
    for place, split in enumerate(tree["splits"], start=1):
        answers = ", ".join(f"{a} {v}" for a, v in list(split["answers"].items())[:12])
        where = "" if split["where"] == "always" else f", where {split['where']}"
        console.print(f" {place}. {split['question']}{where}", markup=False)
        console.print(f"    {answers} ({100.0 * split['share']:.0f} % of rows)", markup=False)
    console.print(Text(f"Leaves of the most rows{of}", "bold"))
    for rule in tree["rules"]:
        share = f"{100.0 * rule['share']:.1f} % of rows"
        console.print(f"  {rule['prediction']}  where {rule['where']} ({share})", markup=False)
