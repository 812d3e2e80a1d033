"""Interrupts."""

import importlib
import os
import signal

import pytest

from sgtrees.evaluation import Prequential
from sgtrees.models.batch import Batch
from tests.unit.cli.commands import n_rows, train

# The package has a command of the same name.
train_command = importlib.import_module("sgtrees.cli.train")


def test_an_interrupt_saves_and_explains_how_to_continue(folder, monkeypatch):
    learn = Prequential._learn

    def interrupted(self, block):
        learn(self, block)
        if self._rows >= 1000:
            os.kill(os.getpid(), 2)

    monkeypatch.setattr(Prequential, "_learn", interrupted)
    result = train()
    assert result.exit_code == 130
    # Held back until the rows at hand were learned and counted.
    assert "Stopped. The model after 2,000 rows is in m.sgt" in result.stderr
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    assert n_rows("m.sgt") == 2000
    train("--resume")
    train(model="once.sgt")
    assert (folder / "m.sgt").read_bytes() == (folder / "once.sgt").read_bytes()


def test_an_interrupt_before_the_first_point_saves_and_draws_nothing(folder, monkeypatch):
    learn = Prequential._learn

    def interrupted(self, block):
        learn(self, block.slice(0, 400))
        os.kill(os.getpid(), 2)

    monkeypatch.setattr(Prequential, "_learn", interrupted)
    result = train("--report", "r.html")
    assert result.exit_code == 130
    assert (folder / "m.sgt").exists()
    assert not (folder / "r.html").exists()


@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_between_the_last_row_and_the_save_still_saves(
    folder, monkeypatch, number, exit_code
):
    save = train_command.save_model

    def stopped(*arguments):
        os.kill(os.getpid(), number)
        return save(*arguments)

    monkeypatch.setattr(train_command, "save_model", stopped)
    result = train()
    assert result.exit_code == exit_code
    assert "The model after 3,000 rows is in m.sgt" in result.stderr
    assert n_rows("m.sgt") == 3000


def test_an_interrupt_of_several_passes_does_not_promise_to_resume(folder, monkeypatch):
    learn_pass = Batch.learn_pass

    def interrupted(self, order):
        learn_pass(self, order)
        os.kill(os.getpid(), 2)

    monkeypatch.setattr(Batch, "learn_pass", interrupted)
    result = train("--epochs", 3)
    assert result.exit_code == 130
    assert "The model is in m.sgt; its first pass learned 3,000 rows" in result.stderr
    assert "--resume continues" not in result.stderr
    assert "--update" in result.stderr
