"""What is told about trees that were replaced, and when that does not happen."""

import pickle
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.evaluation import Evaluation, prequential
from sgtrees.inspection import describe
from sgtrees.models.drift_event import DriftEvent
from sgtrees.streams import Agrawal, Drift, Sea, open_stream

CHANGE = 6_000


def changing_rows() -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    rows = Drift(Sea(0), Sea(3, seed=1), at=CHANGE).take(12_000)
    # Labels change sides, which no tree can miss.
    other = {"a": "b", "b": "a"}
    y = [other[label] if i >= CHANGE else label for i, label in enumerate(rows.y)]
    return rows.X, np.array(y)


def test_an_alarm_and_a_replacement_are_told_with_their_reasons() -> None:
    X, y = changing_rows()
    alarm, replaced, *_ = SGTClassifier(following_rates=()).partial_fit(X, y).drifts_
    assert (alarm.kind, replaced.kind) == ("alarm", "replaced")
    assert CHANGE <= alarm.row < replaced.row < CHANGE + 1_500
    assert alarm.why.startswith("the mean error rose from 0.")
    assert "less loss (t = " in replaced.why


def test_a_tree_that_is_replaced_errs_less_than_one_that_is_not() -> None:
    X, y = changing_rows()
    wrong = {
        on_drift: (SGTClassifier(on_drift=on_drift).learn_predict(X, y) != y).sum()
        for on_drift in ("replace", "ignore")
    }
    assert wrong["replace"] < wrong["ignore"]


@pytest.mark.parametrize("settings", [{"on_drift": "ignore"}, {"round_rows": 100}])
def test_where_it_is_off_nothing_happens(settings: dict[str, object]) -> None:
    X, y = changing_rows()
    assert SGTClassifier(**settings).partial_fit(X, y).drifts_ == []


def test_fit_replaces_nothing_and_partial_fit_after_it_does() -> None:
    X, y = changing_rows()
    model = SGTClassifier(epochs=1).fit(X, y)
    assert model.drifts_ == []
    flipped = np.where(y == "a", "b", "a")
    assert model.partial_fit(X, flipped).drifts_ != []


def test_the_papers_settings_ignore_drifts() -> None:
    assert SGTClassifier.paper().on_drift == SGTRegressor.paper().on_drift == "ignore"


def test_page_hinkley_finds_the_change_too() -> None:
    X, y = changing_rows()
    model = SGTClassifier(drift_detector="page_hinkley", following_rates=()).partial_fit(X, y)
    assert [event.kind for event in model.drifts_][:2] == ["alarm", "replaced"]


def test_a_smaller_drift_delta_finds_a_change_later() -> None:
    rows = Drift(Agrawal(1), Agrawal(5, seed=1), at=10_000).take(20_000)
    first = []
    for delta in (0.5, 0.01, 1e-12):
        model = SGTClassifier(drift_delta=delta, following_rates=()).partial_fit(rows.X, rows.y)
        first.append(next(event.row for event in model.drifts_ if event.row >= 10_000))
    assert first[0] <= first[1] < first[2]
    with pytest.raises(ValueError, match=r"drift_delta == 0\.0, must be"):
        SGTClassifier(drift_delta=0.0).partial_fit([[0.0]], [0])


def test_words_that_do_not_exist_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="on_drift == 'reset', must be 'replace' or 'ignore'"):
        SGTClassifier(on_drift="reset").partial_fit([[0.0]], [0])
    with pytest.raises(ValueError, match="drift_detector == 'ddm', must be"):
        SGTClassifier(drift_detector="ddm").partial_fit([[0.0]], [0])


def test_numbers_of_several_targets_are_replaced_and_tell_so() -> None:
    random = np.random.default_rng(0)
    X = random.random((10_000, 3))
    late = np.arange(len(X)) >= 5_000
    signal = np.where(late, X[:, 1] < 0.5, X[:, 0] > 0.5)
    y = np.column_stack([5.0 * signal, -100.0 * signal]) + random.normal(0, 0.3, (len(X), 2))
    model = SGTRegressor(following_rates=()).partial_fit(X, y)
    assert [event.kind for event in model.drifts_][:2] == ["alarm", "replaced"]


def test_a_model_resumes_as_if_it_had_not_been_saved_also_with_a_background() -> None:
    X, y = changing_rows()
    whole = SGTClassifier().partial_fit(X, y)
    for at in (CHANGE - 1, whole.drifts_[0].row + 40, whole.drifts_[1].row + 1):
        first = SGTClassifier().partial_fit(X[:at], y[:at])
        again = pickle.loads(pickle.dumps(first)).partial_fit(X[at:], y[at:])
        assert again.drifts_ == whole.drifts_
        assert np.array_equal(again.predict_proba(X), whole.predict_proba(X))


def test_models_of_which_one_was_replaced_are_not_merged() -> None:
    X, y = changing_rows()
    base = SGTClassifier().partial_fit(X[:CHANGE], y[:CHANGE])
    one, other = (pickle.loads(pickle.dumps(base)) for _ in range(2))
    one.partial_fit(X[CHANGE:], y[CHANGE:])
    with pytest.raises(ValueError, match="trees have been replaced since the models were copied"):
        other.merge(one, base=base)


def test_describe_and_an_evaluation_show_the_moments() -> None:
    X, y = changing_rows()
    model = SGTClassifier(following_rates=())
    model.partial_fit(X[:1_000], y[:1_000])
    result = prequential(open_stream(X[1_000:], y=y[1_000:]), {"tree": model})
    events = result.drifts["tree"]
    assert [event.row + 1_000 for event in events] == [event.row for event in model.drifts_]
    assert Evaluation.from_dict(result.as_dict()) == result
    assert f"row {model.drifts_[-1].row:,}, {model.drifts_[-1].kind}: " in describe(model)
    assert isinstance(events[0], DriftEvent)


def test_targets_of_one_value_raise_no_alarm() -> None:
    X = np.random.default_rng(0).random((3_000, 2))
    assert SGTRegressor().partial_fit(X, np.full(3_000, 7.0)).drifts_ == []
    assert SGTClassifier().partial_fit(X, np.full(3_000, "x")).drifts_ == []


@pytest.mark.parametrize("detector", ["adwin", "page_hinkley"])
def test_errors_that_never_change_raise_no_alarm(
    detector: Literal["adwin", "page_hinkley"],
) -> None:
    events = [{"a": a, "b": b} for a, b in np.random.default_rng(0).random((1_500, 2)).tolist()]
    classifier = SGTClassifier(drift_detector=detector, warm_up=20)
    regressor = SGTRegressor(drift_detector=detector, warm_up=20)
    for event, label in zip(events[:2], (0, 1), strict=True):
        classifier.learn_one(event, label)
        regressor.learn_one(event, 0.0)
    for event in events[2:]:
        # Each prediction is wrong, and by the same.
        classifier.learn_one(event, 1 - classifier.predict_one(event))
        regressor.learn_one(event, regressor.predict_one(event) + 5.0)
    assert classifier.drifts_ == regressor.drifts_ == []
