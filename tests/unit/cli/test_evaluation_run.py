"""Interrupts."""

import os

from sgtrees.evaluation import Prequential
from tests.unit.cli.commands import n_rows, train


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
