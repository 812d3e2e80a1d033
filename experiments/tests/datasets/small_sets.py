"""The paper's data sets with few rows, and without the checksums of the originals."""

from dataclasses import replace

from sgtrees_experiments.datasets import STREAMS


def small(name, n_rows, **versions):
    """Return a known set with its versions shrunk to so many rows."""
    known = STREAMS[name]
    shrunk = tuple(
        replace(version, shape=replace(version.shape, rows=versions.get(version.name, n_rows)))
        for version in known.versions
    )
    return replace(known, versions=shrunk)


def without_checksum(known):
    version = known.whole
    files = tuple(
        replace(f, downloads=tuple(replace(d, sha256="") for d in f.downloads))
        for f in version.files
    )
    return replace(known, versions=(replace(version, files=files), *known.versions[1:]))
