"""The gallery's scripts make their pictures, from a few generated rows."""

import re
import runpy
import sys
from pathlib import Path

import pytest

GALLERY = Path(__file__).resolve().parents[2] / "docs" / "gallery"
PARTS = {"figure_style.py", "script_options.py"}  # shared by the scripts
SCRIPTS = sorted(path for path in GALLERY.glob("*.py") if path.name not in PARTS)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_makes_its_picture(script, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    picture = tmp_path / "picture.png"
    monkeypatch.syspath_prepend(str(GALLERY))
    monkeypatch.setattr(sys, "argv", [str(script), "--generated", "--out", str(picture)])
    try:
        runpy.run_path(str(script), run_name="__main__")
    finally:
        for part in PARTS:  # names that others may have, too
            sys.modules.pop(Path(part).stem, None)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 20_000, "there is hardly anything on it"


def test_every_script_has_its_place_and_picture_on_the_page():
    page = (GALLERY / "README.md").read_text()
    shown = re.findall(r"\[!\[[^\]]+\]\((\w+)\.png\)\]\((\w+)\.py\)", page)
    assert sorted(shown) == [(path.stem, path.stem) for path in SCRIPTS]
    assert all((GALLERY / f"{stem}.png").exists() for stem, _ in shown)
