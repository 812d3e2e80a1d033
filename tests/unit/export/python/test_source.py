import subprocess
import sys

import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.export import to_python
from sgtrees.inspection import view_model
from tests.conformance.exports.models import MODELS


@pytest.fixture(scope="module")
def case():
    return MODELS["squared_error"]()


def test_exported_python_needs_nothing_but_python(case, tmp_path):
    path = tmp_path / "exported.py"
    path.write_text(to_python(case.model), encoding="utf-8")
    code = "import exported; print(exported.predict({'age': 30, 'colour': 'red'}))"
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {code}",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(done.stdout) == case.model.predict_one({"age": 30, "colour": "red"})


def test_exported_python_refuses_what_the_estimator_refuses(case):
    module = {}
    exec(to_python(case.model), module)
    with pytest.raises(ValueError, match="feature 'age' is infinite"):
        module["predict"]({"age": float("inf")})
    with pytest.raises(TypeError, match="feature 'colour' holds strings, got 3"):
        module["predict"]({"colour": 3})
    with pytest.raises(TypeError, match="feature 'age' holds numbers, got 'old'"):
        module["predict"]({"age": "old"})
    with pytest.raises(ValueError, match="the row has 1 values, but the model has 9 features"):
        module["predict"]([1.0])


@pytest.mark.parametrize("loss", ["focal", "exponential", "log_loss"])
def test_a_label_is_no_code(loss, capsys):
    labels = ["no", '""";print("INJECTED");"""']
    model = SGTClassifier(warm_up=20, loss=loss).fit([[0.0], [1.0]] * 50, labels * 50)
    module = {}
    exec(to_python(model), module)
    assert capsys.readouterr().out == ""
    assert module["predict"]([1.0]) == labels[1]


@pytest.mark.parametrize("name", [np.float64(1.5), np.str_("a"), float("nan"), float("inf")])
def test_names_are_written_as_plain_literals_or_refused(name):
    model = SGTRegressor(warm_up=2)
    for i in range(5):
        model.learn_one({name: float(i)}, float(i))
    if isinstance(name, float) and not np.isfinite(name):
        with pytest.raises(TypeError, match="strings or finite numbers"):
            to_python(model)
        return
    module = {}
    exec(to_python(model), module)
    assert [name] == module["KEYS"]


def test_exported_python_takes_numpys_numbers_at_their_value():
    X = np.array([[0.1], [0.2], [0.3], [0.4]] * 100)
    model = SGTRegressor(warm_up=50, epochs=1).fit(X, [1.0, 1.0, 2.0, 2.0] * 100)
    module = {}
    exec(to_python(model), module)
    (tree,) = view_model(model).trees
    threshold = tree.root.split.threshold
    near = np.float32(np.nextafter(np.float32(threshold), np.float32(1)))
    for value in (near, np.float32(threshold), np.float64(threshold), np.int64(1)):
        assert module["predict"]([value]) == model.predict([[float(value)]])[0]


def test_features_named_by_tuples_cannot_be_written_in_python():
    model = SGTRegressor(warm_up=2)
    for i in range(5):
        model.learn_one({("a", 1): float(i)}, float(i))
    with pytest.raises(TypeError, match="named by a tuple"):
        to_python(model)
