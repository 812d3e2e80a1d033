import pytest


@pytest.fixture
def file(tmp_path):
    """A function that writes a file and returns its path."""

    def write(text, name="a.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write
