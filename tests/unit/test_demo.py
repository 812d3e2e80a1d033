import json

from sgtrees.demo import MAJORITY, TREE, Demo


def error_of(point):
    return point.models[TREE].window["error"]


def test_the_tree_learns():
    demo = Demo(rows=50_000)
    points = list(demo.run())
    result = demo.result()
    assert result.complete
    assert result.evaluation.points == tuple(points)
    errors = [result.evaluation.total("error", name) for name in (TREE, MAJORITY)]
    assert result.best_error < errors[0] < 0.7 * errors[1]
    assert error_of(points[-1]) < error_of(points[0])
    assert len(result.tree.leaves) == points[-1].models[TREE].n_leaves > 20
    assert len(result.top_splits) == 5


def test_the_same_seed_gives_the_same_result():
    def curve(seed):
        demo = Demo(rows=5000, seed=seed)
        return [error_of(point) for point in demo.run()], demo.result().top_splits

    assert curve(1) == curve(1) != curve(2)


def test_the_first_rows_of_a_long_run_are_those_of_a_short_one():
    long, short = Demo(rows=30_000), Demo(rows=3000)
    points = [next(run) for run in [long.run()] for _ in range(3)]
    assert [error_of(p) for p in points] == [error_of(p) for p in short.run()]


def test_there_is_a_result_at_any_time():
    demo = Demo(rows=50_000)
    assert not demo.result().complete
    assert demo.result().top_splits == ()
    steps = demo.run()
    next(steps)
    next(steps)
    result = demo.result()
    assert not result.complete
    assert (result.rows, result.requested_rows) == (2000, 50_000)
    assert len(result.tree.leaves) > 1


def test_the_result_is_ready_for_json():
    demo = Demo(rows=3000)
    list(demo.run())
    values = json.loads(json.dumps(demo.result().as_dict()))
    assert values["rows"] == 3000
    assert len(values["curve"]) == 3
    assert 0.0 < values["error"]["best_possible"] < values["error"]["tree"] < 1.0
