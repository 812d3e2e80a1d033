from rich.console import Console

from sgtrees.cli.demo_summary import print_demo
from sgtrees.demo import Demo


def test_a_tree_without_a_split_is_printed_too(capsys):
    demo = Demo(rows=50)
    list(demo.run())
    print_demo(demo.result(), None, Console())
    printed = capsys.readouterr().out
    assert "No split yet" in printed
    assert "Top splits" not in printed
