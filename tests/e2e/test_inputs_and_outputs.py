"""Files as people have them, and pipes and signals, through the installed command."""

import io
import json
import lzma
import signal
import subprocess
import sys
import time
import zipfile

import numpy as np
import pandas as pd
import pytest

import sgtrees
from tests.e2e import command


def fruit(n_rows=1500):
    """Rows whose label follows from the colour, of few words and in a few more columns."""
    random = np.random.default_rng(0)
    colour = random.choice(["rot", "grün"], n_rows)
    return pd.DataFrame(
        {
            "id": 10**16 + np.arange(n_rows),
            "größe, m": random.random(n_rows).round(3),
            "farbe": colour,
            "sorte": np.where(colour == "rot", "Kirsche", "Apfel"),
        }
    )


def train(folder, *arguments, target="sorte", run=command.run_here):
    return run(folder, "train", *arguments, "-t", target, "-m", "m.sgt")


def zipped(data):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("fruit.csv", data)
    return buffer.getvalue()


def test_a_packed_file_in_another_encoding_with_a_name_that_has_a_comma(tmp_path):
    text = fruit().to_csv(index=False)
    (tmp_path / "a.csv.xz").write_bytes(lzma.compress(text.encode("utf-16")))
    (tmp_path / "b.zip").write_bytes(zipped(text.encode("utf-16-le")))
    drop = ("--drop", 'id,"größe, m"')
    done = train(tmp_path, "a.csv.xz", *drop, "-q", run=command.run)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    names = sgtrees.load(tmp_path / "m.sgt").feature_names_in_.tolist()
    assert names == ["farbe"]
    done = train(tmp_path, "b.zip", *drop, "--encoding", "utf-16-le", "--overwrite", "--json", "-q")
    assert json.loads(done.stdout)["rows"] == 1500


def test_numbers_dates_and_headers_of_another_country(tmp_path):
    random = np.random.default_rng(0)
    days, hours = random.integers(1, 29, 2000), random.integers(0, 24, 2000)
    prices = 1000.0 * (hours > 12) + random.random(2000)
    lines = ["wann;preis;preis"]
    for day, hour, price in zip(days, hours, prices, strict=True):
        written = f"{price:_.2f}".translate(str.maketrans("_.", ".,"))
        lines.append(f"{day:02}.03.2021 {hour:02}:00;{written};{written}")
    (tmp_path / "a.csv").write_text("\n".join(lines))
    done = train(tmp_path, "a.csv", "--limit", 50, target="preis_2")
    assert "column 3, 'preis', is called 'preis_2' here" in done.stderr
    assert "classes that look like numbers" in done.stderr
    assert "--decimal , --thousands . reads them as numbers" in done.stderr
    numbers = ("--decimal", ",", "--thousands", ".", "--drop", "preis", "--overwrite")
    times = ("--time", "wann", "--time-format", "%d.%m.%Y %H:%M")
    done = train(tmp_path, "a.csv", *numbers, *times, target="preis_2")
    assert done.returncode == 0, done.stderr
    assert "column 'wann' holds dates or times: its parts are features" in done.stderr
    model = sgtrees.load(tmp_path / "m.sgt")
    importances = dict(zip(model.feature_names_in_, model.feature_importances_, strict=True))
    assert importances["wann.hour"] > 0.9
    (tmp_path / "new.csv").write_text("wann\n03.03.2021 02:00\n20.03.2021 19:00\n")
    done = command.run_here(
        tmp_path, "predict", "new.csv", "-m", "m.sgt", *times[2:], "--keep", "wann"
    )
    header, low, high = done.stdout.splitlines()
    assert header == "wann,prediction"
    assert low.startswith("2021-03-03 02:00:00")
    assert float(low.split(",")[1]) < 100
    assert float(high.split(",")[1]) > 900


def test_predictions_need_only_the_columns_in_use_and_print_integers(tmp_path):
    fruit().to_csv(tmp_path / "a.csv", index=False)
    assert train(tmp_path, "a.csv", "-q").returncode == 0
    fruit()[["farbe", "id"]].to_csv(tmp_path / "b.csv", index=False)
    done = command.run(tmp_path, "predict", "b.csv", "-m", "m.sgt", "--keep", "id")
    lines = done.stdout.splitlines()
    assert lines[0] == "id,prediction"
    assert lines[1].startswith("10000000000000000,")
    fruit()[["id"]].to_csv(tmp_path / "c.csv", index=False)
    done = command.run_here(tmp_path, "predict", "c.csv", "-m", "m.sgt")
    assert (done.returncode, done.stdout) == (3, "")
    assert "c.csv has no column 'farbe'" in done.stderr
    done = command.run_here(tmp_path, "predict", "b.csv", "-m", "m.sgt", "-o", "p.xlsx")
    assert done.returncode == 2
    assert "p.xlsx would be an Excel file, which cannot be written" in done.stderr
    assert not (tmp_path / "p.xlsx").exists()
    done = command.run_here(tmp_path, "export", "m.sgt", "--to", "c", "-o", "fruit.c")
    assert done.stdout.split() == ["fruit.c", "fruit.h"]
    assert "fruit_predict" in (tmp_path / "fruit.h").read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_sigterm_saves_and_a_closed_pipe_ends_silently(tmp_path):
    text = fruit().to_csv(index=False).encode()
    head, rows = text.split(b"\n", 1)
    process = command.start(
        tmp_path, "train", "-", "-t", "sorte", "-m", "m.sgt", "--drop", "id",
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    # More than a chunk, so that some is learned while the pipe stays open.
    process.stdin.write(head + b"\n" + rows * 100)
    process.stdin.flush()
    time.sleep(4)
    process.send_signal(signal.SIGTERM)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 143
    assert b"Stopped by SIGTERM. The model after" in stderr
    (tmp_path / "a.csv").write_bytes(head + b"\n" + rows * 100)
    process = command.start(
        tmp_path, "predict", "a.csv", "-m", "m.sgt", stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=60) == 141


HOSTILE = {
    "mixed encodings": (
        "a.csv",
        "a,t\nä,x\n".encode() + "ö,y\n".encode("latin-1"),
        3,
        "line 3, column 'a': these bytes are not UTF-8",
    ),
    "Excel": ("a.xlsx", zipped(b""), 3, "a.xlsx is an Excel file, which cannot be read; save"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_file_gets_one_sentence(tmp_path, case):
    name, data, code, words = HOSTILE[case]
    (tmp_path / name).write_bytes(data)
    done = train(tmp_path, name, target="t")
    assert done.returncode == code
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert len([line for line in done.stderr.splitlines() if "Error" in line]) == 1
