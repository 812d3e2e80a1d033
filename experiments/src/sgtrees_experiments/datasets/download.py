"""Downloads of public originals, checked and kept; an incomplete file is never found."""

import hashlib
import http.client
import urllib.request
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

from sgtrees.atomic_file import atomic_file
from sgtrees_experiments.absent import AbsentError
from sgtrees_experiments.datasets.dataset import Download

_PIECE = 1 << 20
_SECONDS_TO_WAIT = 60


def fetch(download: Download, folder: Path) -> Path:
    """Bring a file into a folder, unless it is there already.

    Parameters
    ----------
    download : Download
        What to fetch.
    folder : Path
        Where to keep it; created if it does not exist.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    AbsentError
        If it cannot be downloaded, or has a wrong size or checksum; nothing is kept then.
    """
    kept = folder / download.name
    if kept.exists():
        return kept
    folder.mkdir(parents=True, exist_ok=True)
    with atomic_file(kept) as half:
        checksum = _copy(download, half)
        if download.sha256 and checksum != download.sha256:
            raise AbsentError(
                f"{download.name} from {_host(download)} has a wrong checksum, so that it was not "
                f"kept; if you trust another copy, put it into the data folder as {download.name}"
            )
    return kept


def _copy(download: Download, half: BinaryIO) -> str:
    digest, size = hashlib.sha256(), 0
    try:
        with urllib.request.urlopen(download.url, timeout=_SECONDS_TO_WAIT) as source:
            expected = int(source.headers.get("Content-Length") or download.size)
            while piece := source.read(_PIECE):
                half.write(piece)
                digest.update(piece)
                size += len(piece)
    except (OSError, http.client.HTTPException) as error:
        raise AbsentError(
            f"{download.name} could not be downloaded from {_host(download)} ({_reason(error)}); "
            f"try again later, or put it into the data folder yourself ({download.url})"
        ) from error
    if expected and size != expected:
        raise AbsentError(
            f"{download.name} from {_host(download)} ended after {size:,} of {expected:,} bytes, "
            "so that it was not kept; try again"
        )
    return digest.hexdigest()


def _host(download: Download) -> str:
    return urlsplit(download.url).hostname or download.url


def _reason(error: BaseException) -> str:
    return str(getattr(error, "reason", None) or error) or type(error).__name__
