import hashlib
from concurrent.futures import ThreadPoolExecutor

import pytest

from experiments.tests.datasets.songs import CONTENT
from sgtrees_experiments.absent import AbsentError
from sgtrees_experiments.datasets.dataset import Download
from sgtrees_experiments.datasets.download import fetch

RIGHT = hashlib.sha256(CONTENT).hexdigest()


def test_a_download_is_kept_and_not_repeated(address, tmp_path):
    first = fetch(Download(f"{address}/good", "songs", sha256=RIGHT), tmp_path)
    assert first.read_bytes() == CONTENT
    assert fetch(Download(f"{address}/none", "songs"), tmp_path) == first
    assert list(tmp_path.glob(".*")) == []


@pytest.mark.parametrize(
    ("path", "checksum", "message"),
    [
        ("/good", "0" * 64, "songs from 127.0.0.1 has a wrong checksum, so that it was not kept"),
        ("/none", "", r"songs could not be downloaded from 127.0.0.1 \(Not Found\); try again"),
        ("/short", "", "songs .*127.0.0.1.* after 100 of|IncompleteRead"),
    ],
)
def test_a_download_that_went_wrong_leaves_nothing(address, tmp_path, path, checksum, message):
    folder = tmp_path / "downloads"
    with pytest.raises(AbsentError, match=message):
        fetch(Download(f"{address}{path}", "songs", sha256=checksum), folder)
    assert list(folder.iterdir()) == []


def test_without_a_network_the_error_names_what_to_do(tmp_path):
    # No server listens at this port.
    with pytest.raises(AbsentError, match=r"put it into the data folder yourself \(http://127"):
        fetch(Download("http://127.0.0.1:9/it", "it"), tmp_path)


def test_one_file_may_be_fetched_by_several_at_once(address, tmp_path):
    download = Download(f"{address}/good", "songs", sha256=RIGHT)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: fetch(download, tmp_path).read_bytes(), range(24)))
    assert set(found) == {CONTENT}
    assert [path.name for path in tmp_path.iterdir()] == ["songs"]
