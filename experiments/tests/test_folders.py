import pytest

from sgtrees_experiments.folders import data_folders, download_folder

pytestmark = pytest.mark.usefixtures("cache")


def test_data_is_searched_in_the_folder_of_the_user(monkeypatch, tmp_path):
    monkeypatch.delenv("SGTREES_DATA", raising=False)
    assert str(data_folders()[0]) == "../shared/data"
    monkeypatch.setenv("SGTREES_DATA", str(tmp_path / "named"))
    assert data_folders()[0] == tmp_path / "named"
    assert data_folders(tmp_path)[0] == tmp_path
    assert data_folders(tmp_path)[1] == download_folder() == tmp_path / "cache" / "data"
