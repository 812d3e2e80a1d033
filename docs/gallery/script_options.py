"""The command line of the gallery's scripts, and the real data if it is available."""

import argparse
import os
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Options:
    """The options of a script.

    Attributes
    ----------
    out : Path
        Path of the picture.
    generated : bool
        Whether to use a few generated rows even if real data is available.
    """

    out: Path
    generated: bool

    def real_data(self, name: str) -> pd.DataFrame | None:
        """Return a data set; None if it is not available, or not wanted."""
        folder = os.environ.get("SGTREES_DATA") or HERE.parents[2] / "shared" / "data"
        path = Path(folder) / f"{name}.parquet"
        if self.generated or not path.exists():
            return None
        return pd.read_parquet(path)


def read_options(script: str, description: str | None) -> Options:
    """Read the command line of a script; by default the picture is written beside it."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--out", type=Path, default=Path(script).with_suffix(".png"))
    parser.add_argument(
        "--generated", action="store_true", help="use a few generated rows in place of real data"
    )
    return Options(**vars(parser.parse_args()))
