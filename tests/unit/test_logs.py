import ast
import logging
from pathlib import Path

import sgtrees
from sgtrees import SGTClassifier
from sgtrees.checkpoint import Checkpoints
from sgtrees.logs import report
from sgtrees.streams import Agrawal, Drift

LOGGER = logging.getLogger("sgtrees.test")


def test_a_report_is_shown_without_a_set_up_only_if_it_is_asked_for(capsys):
    report(LOGGER, "shown", verbose=1)
    report(LOGGER, "hidden", verbose=0)
    assert capsys.readouterr().out == "shown\n"


def test_a_report_goes_to_the_log_where_there_is_one(capsys, caplog):
    with caplog.at_level(logging.DEBUG, logger="sgtrees"):
        report(LOGGER, "asked for", verbose=1)
        report(LOGGER, "for debugging", verbose=0)
    assert capsys.readouterr().out == ""
    assert [(r.levelname, r.message) for r in caplog.records] == [
        ("INFO", "asked for"),
        ("DEBUG", "for debugging"),
    ]


def test_drifts_passes_checkpoints_and_files_are_in_the_log(tmp_path, caplog):
    rows = Drift(Agrawal(1), Agrawal(5, seed=1), at=6_000).take(12_000)
    model = SGTClassifier()
    with caplog.at_level(logging.DEBUG, logger="sgtrees"):
        for first in range(0, 12_000, 3_000):
            part = slice(first, first + 3_000)
            model.partial_fit(rows.X[part], rows.y[part])
        Checkpoints(tmp_path).save(model, 12_000)
        model.save(tmp_path / "m.sgt")
        sgtrees.load(tmp_path / "m.sgt")
        SGTClassifier(epochs=2).fit(rows.X[:500], rows.y[:500])
    notes = {record.name: record.message for record in caplog.records}
    drifts = [r.message for r in caplog.records if r.name == "sgtrees.models.drift_event"]
    assert len(drifts) == len(model.drifts_) > 0
    assert ", alarm: the mean error rose from" in drifts[0]
    assert "checkpoint after 12000 rows" in notes["sgtrees.checkpoint"]
    assert "saved SGTClassifier" in notes["sgtrees.persistence.savable"]
    assert "loaded SGTClassifier" in notes["sgtrees.loading"]
    assert "pass 2 of 2" in notes["sgtrees.estimators.base"]


def test_only_the_command_prints():
    for path in Path(sgtrees.__file__).parent.rglob("*.py"):
        if "cli" in path.parts or path.name == "logs.py":
            continue
        tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        called = {ast.unparse(node.func) for node in tree if isinstance(node, ast.Call)}
        assert not called & {"print", "sys.stdout.write", "sys.stderr.write"}, path
