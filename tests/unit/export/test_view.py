import pytest

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.export import c_header, to_c, to_onnx, to_python, to_treelite

EXPORTS = [to_onnx, to_treelite, to_python, to_c]


@pytest.mark.parametrize("export", [*EXPORTS, c_header])
def test_a_model_in_its_warm_up_is_refused(export):
    model = SGTRegressor().partial_fit([[1.0], [2.0]], [1.0, 2.0])
    with pytest.raises(ValueError, match="has seen 2 rows, and the warm-up has not ended; learn"):
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
