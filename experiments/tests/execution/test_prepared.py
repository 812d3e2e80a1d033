from sgtrees_experiments.execution.prepared import read_bags, write_bags


def test_bags_that_were_written_are_read(bags, tmp_path):
    write_bags(bags, tmp_path)
    again = read_bags(tmp_path)
    assert all((a == b).all() for a, b in zip(bags.bags, again.bags, strict=True))
    assert (bags.y == again.y).all()
