"""Commands in this process, on a small file."""

from click.testing import CliRunner

import sgtrees
from sgtrees.cli import main

QUICK = ["--warm-up", 200, "--grace-period", 50, "--delta", 1e-3]


def run(*arguments, **options):
    return CliRunner().invoke(main, [*map(str, arguments)], **options)


def train(*arguments, model="m.sgt", **options):
    return run("train", "data.csv", "-t", "label", "-m", model, *QUICK, *arguments, **options)


def n_rows(path):
    return sgtrees.load(path).n_samples_seen_
