import pytest

from tests.unit.streams import same_data


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    same_data.write(same_data.table(3000, seed=3), tmp_path, "csv")
    return tmp_path
