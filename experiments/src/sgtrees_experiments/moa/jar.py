"""The path of MOA: the ``moa.jar`` in the wheel of CapyMOA.

Nothing else of CapyMOA is needed, and it pins old versions of other packages. So it is not
installed: its wheel is downloaded, and the jar is extracted.
"""

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from sgtrees.atomic_file import write_atomically
from sgtrees_experiments.absent import AbsentError
from sgtrees_experiments.folders import cache_folder

CAPYMOA = "0.15.1"
MOA_VERSION = f"of CapyMOA {CAPYMOA}"
_IN_WHEEL = "capymoa/jar/moa.jar"
_SHA256 = "e7d7c3d533a4800bf2581f820d2c1e9310d70ff40b52fc1a742793eceb89a660"


def moa_jar() -> Path:
    """Return the path of ``moa.jar``.

    It is looked for at ``$SGTREES_MOA_JAR``, in an installed ``capymoa`` and in the cache; if it is
    in none of them it is downloaded into the cache.

    Raises
    ------
    AbsentError
        If it cannot be found or downloaded; the message has what to do.
    """
    given = os.environ.get("SGTREES_MOA_JAR")
    if given:
        if not Path(given).is_file():
            raise AbsentError(f"no MOA: there is no file {given}, which SGTREES_MOA_JAR names")
        return Path(given)
    installed = _installed()
    if installed is not None:
        return installed
    kept = cache_folder() / f"moa-{CAPYMOA}.jar"
    if not kept.exists():
        _download(kept)
    return kept


def _installed() -> Path | None:
    # Looking for the package does not import it; that would start a Java machine.
    found = importlib.util.find_spec("capymoa")
    for place in (found.submodule_search_locations or []) if found else []:
        jar = Path(place, "jar", "moa.jar")
        if jar.is_file():
            return jar
    return None


def _download(kept: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--disable-pip-version-check", "--only-binary", ":all:"]
        command += ["--dest", scratch, f"capymoa=={CAPYMOA}"]
        finished = subprocess.run(command, capture_output=True, text=True, check=False)
        wheels = list(Path(scratch).glob("*.whl"))
        if finished.returncode or not wheels:
            raise AbsentError(
                f"no MOA: pip could not download capymoa {CAPYMOA}; try again with a "
                "network connection, or name a moa.jar in SGTREES_MOA_JAR"
            )
        jar = zipfile.ZipFile(wheels[0]).read(_IN_WHEEL)
    if hashlib.sha256(jar).hexdigest() != _SHA256:
        raise AbsentError(
            f"no MOA: the moa.jar in the wheel of capymoa {CAPYMOA} has a wrong checksum; "
            "name one that you trust in SGTREES_MOA_JAR"
        )
    kept.parent.mkdir(parents=True, exist_ok=True)
    # Several first runs may download it at once; an incomplete file is never found.
    write_atomically(kept, [jar])
