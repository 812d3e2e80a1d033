from sgtrees.cli import model_files
from tests.unit.cli.commands import n_rows, train


def test_a_full_disk_keeps_what_was_learned_elsewhere(folder, monkeypatch):
    write = model_files.write_file

    def full(path, contents):
        if path.name == "m.sgt" and path.parent == type(path)():
            raise OSError(28, "No space left on device")
        write(path, contents)

    monkeypatch.setattr(model_files, "write_file", full)
    result = train()
    assert result.exit_code == 1
    assert "m.sgt could not be written: No space left on device" in result.stderr
    path = result.stderr.split("The model was saved as ")[1].strip()
    assert n_rows(path) == 3000
