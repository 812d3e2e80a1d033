from click.testing import CliRunner

from sgtrees import __version__
from sgtrees.cli import main


def test_the_versions_for_bug_reports_are_printed():
    lines = CliRunner().invoke(main, ["version"]).stdout.splitlines()
    assert lines[0].split() == ["sgtrees", __version__]
    assert {line.split()[0] for line in lines} >= {"Python", "NumPy", "scikit-learn", "system"}
