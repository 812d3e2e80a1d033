"""The files of deploy/ are well-formed, and give the command options that it has."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from sgtrees.cli.serve import serve

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
CONTAINER = DEPLOY / "Containerfile"
UNIT = DEPLOY / "sgtrees.service"
KUBERNETES = DEPLOY / "kubernetes.yaml"

pytestmark = pytest.mark.skipif(not DEPLOY.is_dir(), reason="it is not part of a wheel")


def check(arguments: list[str]) -> dict:
    """Parse the arguments of ``sgtrees serve``, without running it."""
    return serve.make_context("serve", arguments).params


def instructions() -> list[tuple[str, str]]:
    text = re.sub(r"\\\n", "", re.sub(r"^#.*\n", "", CONTAINER.read_text(), flags=re.MULTILINE))
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in text.splitlines() if line]


def entry_point() -> list[str]:
    words = json.loads(dict(instructions())["ENTRYPOINT"])
    assert words[:2] == ["sgtrees", "serve"]
    return words[2:]


def test_the_container_runs_the_command_as_a_user_with_a_volume_and_a_check():
    last = dict(instructions())
    params = check(entry_point() + json.loads(last["CMD"]))
    assert (params["host"], params["port"]) == ("0.0.0.0", int(last["EXPOSE"]))
    assert params["path"].is_relative_to(last["VOLUME"])
    assert last["USER"] not in ("0", "root")
    assert sum(name == "FROM" for name, _ in instructions()) == 2, "no compiler in the image"
    kind, _, check_command = last["HEALTHCHECK"].partition("CMD ")
    assert "--start-period" in kind
    words = json.loads(check_command)
    assert words[0] == "python"
    compile(words[2], "HEALTHCHECK", "exec")
    assert f":{params['port']}/ready" in words[2]


def test_the_unit_runs_the_command_and_restarts_it():
    found = re.findall(r"^(\w+)=(.*)$", UNIT.read_text(), re.MULTILINE)
    unit = dict(found)
    words = shlex.split(unit["ExecStart"])
    assert words[1] == "serve"
    # systemd puts the credentials there; the option wants a file that exists.
    params = check([word.replace("%d/tokens.toml", str(UNIT)) for word in words[2:]])
    assert params["tokens"] == UNIT
    assert params["path"].parent == Path("/var/lib") / unit["StateDirectory"]
    assert unit["Restart"] == "always"
    assert unit["DynamicUser"] == unit["NoNewPrivileges"] == "yes"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")
def test_systemd_finds_nothing_wrong(tmp_path):
    command = tmp_path / "sgtrees"
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    unit = tmp_path / "sgtrees.service"
    unit.write_text(UNIT.read_text().replace("/opt/sgtrees/bin/sgtrees", str(command)))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    said = [line for line in done.stderr.splitlines() if "sgtrees" in line]
    assert (done.returncode, said) == (0, [])


@pytest.fixture(scope="module")
def documents():
    yaml = pytest.importorskip("yaml")
    found = list(yaml.safe_load_all(KUBERNETES.read_text()))
    return {(document["kind"], document["metadata"]["name"]): document for document in found}


def container_of(document):
    return document["spec"]["template"]["spec"]["containers"][0]


def test_one_learns_and_others_follow_its_folder(documents):
    learner = documents["StatefulSet", "sgtrees-learner"]
    replica = documents["Deployment", "sgtrees-replica"]
    assert learner["spec"]["replicas"] == 1
    learning = check(entry_point() + container_of(learner)["args"])
    following = check(entry_point() + container_of(replica)["args"])
    assert following["path"] is None
    assert following["follow"] == Path(f"{learning['path']}.state")
    name, port = re.fullmatch(r"http://([\w-]+):(\d+)", following["learner"]).groups()
    assert documents["Service", name]["spec"]["ports"][0]["port"] == int(port)
    for document in (learner, replica):
        container = container_of(document)
        assert container["ports"][0]["containerPort"] == learning["port"]
        (mount,) = container["volumeMounts"]
        assert learning["path"].is_relative_to(mount["mountPath"])
        claim = document["spec"]["template"]["spec"]["volumes"][0]["persistentVolumeClaim"]
        assert ("PersistentVolumeClaim", claim["claimName"]) in documents
        assert mount.get("readOnly", False) == (document is replica)


@pytest.mark.skipif(find_spec("starlette") is None, reason="needs the extra 'serve'")
@pytest.mark.skipif(sys.platform == "win32", reason="paths of Linux")
def test_every_probe_asks_for_a_path_that_needs_no_token(documents):
    probes = [
        probe["httpGet"]
        for (kind, _), document in documents.items()
        if kind in ("StatefulSet", "Deployment")
        for name, probe in container_of(document).items()
        if name.endswith("Probe")
    ]
    assert len(probes) == 5
    assert {probe["path"] for probe in probes} <= {"/health", "/ready"}


def test_every_service_selects_pods(documents):
    labels = [
        document["spec"]["template"]["metadata"]["labels"]
        for (kind, _), document in documents.items()
        if kind in ("StatefulSet", "Deployment")
    ]
    services = [d for (kind, _), d in documents.items() if kind == "Service"]
    assert len(services) == 2
    assert all(service["spec"]["selector"] in labels for service in services)
