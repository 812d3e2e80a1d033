"""Each wrong bag is refused in words that help, and leaves the model exactly as it was."""

import numpy as np
import pandas as pd
import pytest

from sgtrees import SGTMultiInstanceClassifier
from tests.fingerprint import fingerprint

GOOD = [[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]]]
FRAME = pd.DataFrame({"bag": [7, 7, 8], "a": [1.0, 2.0, 3.0], "b": ["u", "v", "u"]})

LISTS = {
    "no bags": ([], ValueError, "X holds no bags"),
    "an empty bag": ([[[1.0, 2.0]], []], ValueError, "bag 1 is empty"),
    "an empty array": ([[[1.0, 2.0]], np.empty((0, 2))], ValueError, "bag 1 is empty"),
    "widths": ([[[1.0, 2.0]], [[3.0]]], ValueError, "bag 1 has 1 features, but bag 0 has 2"),
    "ragged rows": ([[[1.0, 2.0]], [[3.0, 4.0], [5.0]]], ValueError, "bag 1: "),
    "rows": ([[1.0, 2.0], [3.0, 4.0]], ValueError, r"bag 0 has 1 dimension.*give groups"),
    "an array of rows": (np.ones((2, 2)), ValueError, r"bag 0 has 1 dimension.*give groups"),
    "numbers": ([1.0, 2.0], ValueError, "bag 0 has 0 dimension"),
    "infinity": ([[[1.0, 2.0]], [[1, np.inf]]], ValueError, "bag 1: .*infinity in row 0, column 1"),
    "another width": ([[[1.0]], [[2.0]]], ValueError, "X has 1 features, but .* is expecting 2"),
    "strings": ([[["u", 2.0]], [["v", 2.0]]], TypeError, "column 0 is numeric but holds strings"),
    "mixed": ([[["u", 2.0]], [[1.0, 2.0]]], TypeError, "column 0 holds numbers in bag 1, but str"),
    "other types": (7, TypeError, "X is of type int; give a list of bags"),
    "a string": ("bags", TypeError, "X is of type str; give a list of bags"),
}


@pytest.fixture
def model():
    return SGTMultiInstanceClassifier().partial_fit(GOOD, ["no", "yes"])


@pytest.mark.parametrize("case", LISTS)
@pytest.mark.parametrize("method", ["partial_fit", "fit", "predict", "instance_scores"])
def test_wrong_bags(model, case, method):
    bags, error, message = LISTS[case]
    if method == "fit" and case in ("another width", "strings"):
        return
    before = fingerprint(model)
    y = ["no", "yes"][: len(bags) if isinstance(bags, list) else 2]
    arguments = (bags, y) if "fit" in method else (bags,)
    with pytest.raises(error, match=message):
        getattr(model, method)(*arguments)
    assert fingerprint(model) == before


LABELS = {
    "a third label": (["no", "perhaps"], {}, ValueError, "bag 1 has the label 'perhaps', a third"),
    "another kind": ([0, 1], {}, TypeError, "y holds numbers, but the class labels so far are str"),
    "too few": (["no"], {}, ValueError, "y has 1 labels: not one for each of the 2 bags"),
    "one a row": (
        ["no", "yes", "yes"],
        {},
        ValueError,
        "y has 3 labels: not one for each of the 2",
    ),
    "missing": (["no", None], {}, ValueError, "y contains NaN or None in row 1"),
    "none": (None, {}, ValueError, "requires y to be passed"),
    "weights": (
        ["no", "yes"],
        {"sample_weight": [1.0, 2.0, 3.0]},
        ValueError,
        "sample_weight has 3 values for 2 bags",
    ),
    "a negative weight": (
        ["no", "yes"],
        {"sample_weight": [1.0, -2.0]},
        ValueError,
        r"sample_weight\[1\] is -2.0",
    ),
    "a third class": (["no", "yes"], {"classes": ["maybe"]}, ValueError, "declare 3 labels"),
    "classes of another kind": (["no", "yes"], {"classes": [0, 1]}, TypeError, "classes holds num"),
}


@pytest.mark.parametrize("case", LABELS)
def test_wrong_labels_and_weights(model, case):
    y, more, error, message = LABELS[case]
    before = fingerprint(model)
    with pytest.raises(error, match=message):
        model.partial_fit(GOOD, y, **more)
    assert fingerprint(model) == before


def test_contradictory_labels_name_the_bag_and_the_rows():
    with pytest.raises(
        ValueError, match="bag 7 has contradictory labels: 'no' in row 0, 'yes' in row 1"
    ):
        SGTMultiInstanceClassifier().fit(FRAME, ["no", "yes", "yes"])
    with pytest.raises(
        ValueError, match="bag 'x' has contradictory labels: 0 in row 1, 1 in row 2"
    ):
        SGTMultiInstanceClassifier().fit(np.ones((3, 1)), [1, 0, 1], groups=["y", "x", "x"])


def test_labels_that_fit_neither_bags_nor_rows():
    with pytest.raises(ValueError, match=r"y has 4 labels: not one .* 2 bags, nor .* the 3 rows"):
        SGTMultiInstanceClassifier().fit(FRAME, [0, 1, 1, 0])


def test_more_than_two_labels_name_the_third():
    with pytest.raises(ValueError, match=r"bag 2 has the label 2, a third one after \[0, 1\]"):
        SGTMultiInstanceClassifier().fit([[[1.0]]] * 3, [0, 1, 2])


def test_one_label_only():
    with pytest.raises(ValueError, match="all bags so far have the label 'no'"):
        SGTMultiInstanceClassifier().partial_fit(GOOD, ["no", "no"])
    with pytest.raises(ValueError, match="all bags so far have the label 1"):
        SGTMultiInstanceClassifier().fit(GOOD, [1, 1])
    # Of True and False each names the other.
    model = SGTMultiInstanceClassifier().partial_fit(GOOD, [False, False])
    assert model.classes_.tolist() == [False, True]


def test_a_positive_label_that_no_bag_has():
    with pytest.raises(ValueError, match="bag 1 has the label 'yes', a third one after"):
        SGTMultiInstanceClassifier(positive_label="YES").fit(GOOD, ["no", "yes"])
    with pytest.raises(TypeError, match="positive_label holds numbers, but y holds strings"):
        SGTMultiInstanceClassifier(positive_label=1).fit(GOOD, ["no", "yes"])


def test_groups_and_bag_columns():
    rows = FRAME.drop(columns="bag")
    model = SGTMultiInstanceClassifier()
    with pytest.raises(ValueError, match=r"without the column 'bag'.*its columns are"):
        model.fit(rows, [0, 1])
    with pytest.raises(ValueError, match="groups has 2 values for 3 rows"):
        model.fit(rows, [0, 1], groups=[1, 2])
    with pytest.raises(ValueError, match="groups has no value in row 1"):
        model.fit(rows, [0, 1], groups=[1, None, 2])
    with pytest.raises(ValueError, match="column 'bag' has no value in row 2"):
        model.fit(FRAME.assign(bag=[1.0, 2.0, np.nan]), [0, 1])
    assert model._model is None


def test_frames_of_different_columns():
    bags = [FRAME[["a", "b"]], FRAME[["a", "b"]].rename(columns={"b": "c"})]
    with pytest.raises(ValueError, match=r"bag 1 has the columns \['a', 'c'\], but bag 0"):
        SGTMultiInstanceClassifier().fit(bags, [0, 1])
    model = SGTMultiInstanceClassifier().fit([FRAME[["a", "b"]]] * 2, [0, 1])
    with pytest.raises(ValueError, match="unseen at fit time:\n- c"):
        model.predict(bags[1:])


def test_all_weights_zero():
    with pytest.raises(ValueError, match="sample_weight is zero for all bags"):
        SGTMultiInstanceClassifier().fit(GOOD, [0, 1], sample_weight=0.0)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"pooling": "mean"}, ValueError, "pooling == 'mean', must be 'log_sum_exp' or 'max'"),
        ({"sharpness": 0.0}, ValueError, "sharpness == 0.0, must be > 0"),
        ({"sharpness": "sharp"}, TypeError, "sharpness must be a number"),
        ({"epochs": 0}, ValueError, "epochs == 0, must be >= 1"),
    ],
)
def test_wrong_parameters(parameters, error, message):
    with pytest.raises(error, match=message):
        SGTMultiInstanceClassifier(**parameters).fit(GOOD, [0, 1])
