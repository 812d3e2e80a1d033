"""What exports look like, and what they refuse; tests/conformance/exports asks what they say."""

import builtins
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.export import as_numbers, c_header, to_c, to_json, to_onnx, to_python, to_treelite
from sgtrees.export.binary import Test, binary_tree
from sgtrees.export.c_text import c_comment, c_string
from sgtrees.inspection import view_model
from tests.conformance.exports.runtimes import onnx_inputs, onnx_session
from tests.conformance.exports.zoo import ZOO

EXPORTS = [to_onnx, to_treelite, to_python, to_c]


@pytest.fixture(scope="module")
def case():
    return ZOO["squared_error"]()


# ---- what cannot be exported --------------------------------------------------------------------


@pytest.mark.parametrize("export", [*EXPORTS, c_header])
def test_a_model_in_its_warm_up_is_refused(export):
    model = SGTRegressor().partial_fit([[1.0], [2.0]], [1.0, 2.0])
    with pytest.raises(ValueError, match="2 rows have come, and the warm-up has not ended; learn"):
        export(model)


@pytest.mark.parametrize("export", EXPORTS)
def test_a_model_of_one_class_is_refused(export):
    model = SGTClassifier().fit([[1.0], [2.0]], ["a", "a"])
    with pytest.raises(ValueError, match="all of the class 'a'; learn rows of a second class"):
        export(model)


@pytest.mark.parametrize("export", EXPORTS)
def test_a_model_that_has_learned_nothing_is_refused(export):
    with pytest.raises(AttributeError, match="before it has learned a row"):
        export(SGTRegressor())


@pytest.mark.parametrize(("export", "package"), [(to_onnx, "onnx"), (to_treelite, "treelite")])
def test_an_absent_package_is_named_with_the_way_to_get_it(export, package, case, monkeypatch):
    def refuse(name, *rest, **more):
        if name.split(".")[0] == package:
            raise ImportError(f"No module named {name!r}")
        return found(name, *rest, **more)

    found = builtins.__import__
    for module in [m for m in sys.modules if m.startswith("sgtrees.export.onnx_graph")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError, match=rf"pip install 'sgtrees\[{package}\]'"):
        export(case.model)


# ---- yes-or-no trees ----------------------------------------------------------------------------


def test_covers_of_a_binary_tree_add_up():
    for name in ("squared_error", "late categories", "four classes"):
        for tree in view_model(ZOO[name]().model).trees:
            nodes = binary_tree(tree)
            assert nodes[0].cover == pytest.approx(tree.root.cover)
            for place, node in enumerate(nodes):
                if node.test is not None:
                    assert place < node.yes != node.no > place
                    below = nodes[node.yes].cover + nodes[node.no].cover
                    assert below == pytest.approx(node.cover)
            assert sum(node.gain for node in nodes) == pytest.approx(
                sum(node.split.gain for node in tree.nodes if node.split is not None)
            )


def test_many_categories_are_searched_by_halves():
    n = 200
    rng = np.random.default_rng(0)
    X = rng.integers(0, n, (20_000, 1)).astype(float)
    model = SGTRegressor(
        categorical_features=[0], warm_up=100, grace_period=10_000, gamma=0.0, delta=0.5
    ).partial_fit(X, np.sin(X[:, 0]) * 100.0)
    (tree,) = view_model(model).trees
    assert len(tree.root.children) == n
    nodes = binary_tree(tree)
    depths = [0] * len(nodes)
    for place, node in enumerate(nodes):
        if node.test is not None:
            depths[node.yes] = depths[node.no] = depths[place] + 1
    assert max(depths) <= 2 + np.ceil(np.log2(n))
    assert sum(node.test is Test.EQUALS for node in nodes) == n


# ---- numbers ------------------------------------------------------------------------------------


def test_rows_become_numbers(case):
    numbers = as_numbers(case.model, case.frame)
    assert numbers.dtype == np.float64
    frame = case.frame
    np.testing.assert_array_equal(numbers[:, 0], frame["size"])
    np.testing.assert_array_equal(numbers[:, 3], frame["grade"])
    categories = view_model(case.model).features[2].categories
    for number, colour in zip(numbers[:, 2], frame["colour"], strict=True):
        assert np.isnan(number) if colour is None else categories[int(number)] == colour
    known = frame["known"].map({True: 1.0, False: 0.0, None: np.nan}).astype(float)
    np.testing.assert_array_equal(numbers[:, 6], known)


def test_rows_that_do_not_fit_become_no_numbers(case):
    with pytest.raises(ValueError, match="X has 1 columns, but the model has 9 features"):
        as_numbers(case.model, [[1.0]])
    with pytest.raises(ValueError, match="infinity in row 0, column 'age'"):
        as_numbers(case.model, case.frame[:2].assign(age=np.inf))
    with pytest.raises(TypeError, match="column 'size' is numeric but holds strings, 'big'"):
        as_numbers(case.model, case.frame[:1].assign(size="big"))


# ---- ONNX ---------------------------------------------------------------------------------------


def test_there_is_one_input_where_all_are_numbers_and_one_for_each_feature_otherwise(case):
    numbers = ZOO["numbers"]().model
    assert [tensor.name for tensor in to_onnx(numbers).graph.input] == ["X"]
    by_column = to_onnx(numbers, by_column=True).graph.input
    assert [tensor.name for tensor in by_column] == ["x0", "x1", "x2", "x3"]
    columns = to_onnx(case.model, missing_string="?").graph.input
    assert [tensor.name for tensor in columns] == list(case.frame.columns)


def test_one_block_cannot_hold_strings(case):
    with pytest.raises(ValueError, match="feature 'colour' holds strings"):
        to_onnx(case.model, by_column=False)


def test_the_string_for_missing_values_must_be_no_category(case):
    frame = case.frame[:200].assign(colour=["", "red"] * 100)
    model = SGTRegressor(warm_up=50).partial_fit(frame, np.arange(200.0))
    with pytest.raises(ValueError, match="missing_string='' is a category of feature 'colour'"):
        to_onnx(model)
    to_onnx(model, missing_string="?")


def test_inputs_by_column_need_names_of_their_own():
    model = SGTRegressor(warm_up=2)
    for i in range(10):
        model.learn_one({1: float(i), "1": "a"}, float(i))
    with pytest.raises(ValueError, match="feature 1 is called '1', but inputs by column need"):
        to_onnx(model)


def test_float32_rows_are_compared_in_float64():
    case = ZOO["float32"]()
    X = case.frame.to_numpy()
    session = onnx_session(to_onnx(case.model, float32=True))
    assert session.get_inputs()[0].type == "tensor(float)"
    outputs = session.run(["prediction"], onnx_inputs(session, case.frame))
    assert outputs[0].tolist() == case.model.predict(X).tolist()


def test_an_own_link_is_said_and_raw_scores_come_out():
    graph = to_onnx(ZOO["own link"]().model, missing_string="?")
    assert [tensor.name for tensor in graph.graph.output] == ["raw"]
    assert "the link '_cube'" in graph.doc_string


# ---- Python -------------------------------------------------------------------------------------


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


# ---- C ------------------------------------------------------------------------------------------


def test_names_in_c_begin_with_the_prefix(case):
    source, header = to_c(case.model, name="price"), c_header(case.model, name="price")
    assert "double price_predict(const double *x) {" in source
    assert "double price_predict(const double *x);" in header
    assert "#define PRICE_N_FEATURES 9" in header
    assert "NAME_" not in source


@pytest.mark.parametrize("name", ["", "9lives", "a b", "a-b", "é"])
def test_a_prefix_that_is_no_name_in_c_is_refused(case, name):
    for export in (to_c, c_header):
        with pytest.raises(ValueError, match="must be letters, digits and underscores"):
            export(case.model, name=name)


def test_strings_in_c_are_escaped():
    assert c_string('a"b\\c\n') == r'"a\042b\134c\012"'
    assert c_comment("/* a */ b") == "/* /* a * / b */"


# ---- JSON ---------------------------------------------------------------------------------------


def test_json_is_exported_too(case):
    assert '"format": "sgtrees-trees"' in to_json(case.model)


# ---- while the model learns on ------------------------------------------------------------------


def test_an_export_stays_as_it_is_while_the_model_learns_on():
    frame = pd.DataFrame({"a": np.arange(600.0) % 7})
    model = SGTRegressor(warm_up=50).partial_fit(frame, frame["a"])
    session = onnx_session(to_onnx(model))
    before = model.predict(frame)
    model.partial_fit(frame, -frame["a"])
    (after,) = session.run(["prediction"], onnx_inputs(session, frame))
    assert after.tolist() == before.tolist() != model.predict(frame).tolist()
