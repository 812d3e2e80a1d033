from sgtrees_experiments.execution.results import Key, Results
from sgtrees_experiments.learners.runs import BagRun, StreamRun


def test_a_line_that_was_cut_off_is_passed_over_and_the_next_one_is_whole(tmp_path):
    path = tmp_path / "runs.jsonl"
    first = Key("a", "b", "{}", 0, 0)
    Results(path).add(first, BagRun(1.0, [0.5]))
    with path.open("a") as file:
        file.write('{"key": {"data": "a", "lear')
    again = Results(path)
    assert list(again.of) == [first]
    second = Key("a", "b", "{}", 0, 1)
    again.add(second, StreamRun(1.0, None, [5], [2.0]))
    assert list(Results(path).of) == [first, second]
    assert Results(path).of[second].loss == 0.4
