"""What the workflows fetch is named by its contents, not by a name that may move."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
LOCKS = (ROOT / "requirements/dev.txt", ROOT / "requirements/tools.txt")

pytestmark = pytest.mark.skipif(not WORKFLOWS, reason="the workflows are not part of an sdist")


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_their_commits(workflow):
    for used in re.findall(r"uses: +(\S.*)", workflow.read_text()):
        assert re.fullmatch(r"\./\S+|[\w/-]+@[0-9a-f]{40}  # v[\d.]+", used), used


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_may_read_only_unless_a_job_says_more(workflow):
    assert "\npermissions:\n  contents: read\n\n" in workflow.read_text()
    assert "secrets." not in workflow.read_text()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_every_locked_requirement_has_one_version_and_hashes(lock):
    blocks = re.split(r"\n(?=\S)", re.sub(r"\n? *#.*", "", lock.read_text()).strip())
    assert len(blocks) > 10
    for block in blocks:
        assert re.match(r"[\w.\[\]-]+==\S+", block), block
        assert "--hash=sha256:" in block, block


def test_the_lock_has_all_that_developers_install():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    locked = {
        name.lower() for name in re.findall(r"^([\w.-]+)==", LOCKS[0].read_text(), re.MULTILINE)
    }
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["test"], *extras["dev"]]
    wanted_names = {re.match(r"[\w.-]+", line)[0].lower() for line in wanted} - {"sgtrees"}
    assert wanted_names <= locked, wanted_names - locked
