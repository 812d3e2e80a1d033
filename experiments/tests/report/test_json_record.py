import json

import pytest

from sgtrees_experiments.report.json_record import as_json


def test_json_holds_the_figures_and_the_curves(summaries):
    record = json.loads(as_json(summaries, {"date": "today"}))
    entries = {(e["data"], e["learner"]): e for e in record["streams"]}
    covtype = entries["covtype", "sgt"]
    assert covtype["loss"] == pytest.approx(25.25)
    assert covtype["runs"] == 3
    assert covtype["published"]["loss"] == 26.94
    assert covtype["curve"]["rows"][-1] == 581_012
    assert entries["covtype", "lightgbm"]["curve"] is None
    assert {e["learner"] for e in record["bags"]} == {"sgt-bags", "qddi", "miti"}
    assert record["absent"]["zurich"].startswith("download")
    assert record["problems"] == ["ORTO on aws: no Java here"]
