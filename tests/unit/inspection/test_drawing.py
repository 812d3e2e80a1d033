from sgtrees import SGTClassifier
from sgtrees.inspection import draw, view_model


def test_a_view_is_drawn_as_its_model(tmp_path):
    X, y = [["red", 1.0], ["blue", 2.0]] * 200, ["stop", "go"] * 200
    model = SGTClassifier(warm_up=50, epochs=1).fit(X, y)
    drawing = draw(model)
    assert drawing == draw(view_model(model))
    assert drawing.save(str(tmp_path / "tree.svg")).read_text(encoding="utf-8") == drawing.svg
    assert draw(model, max_depth=0).svg != drawing.svg


def test_a_model_without_trees_is_drawn_empty():
    assert "digraph" in draw(SGTClassifier().partial_fit([[1.0]], ["a"])).source
