"""The command line of the gallery's scripts, and the real data where it is at hand."""

import argparse
import os
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Options:
    """What a script was asked for.

    Attributes
    ----------
    out : Path
        The picture.
    generated : bool
        Whether to do with few generated rows, even where real data is at hand.
    """

    out: Path
    generated: bool

    def real(self, name: str) -> pd.DataFrame | None:
        """Return a data set; None where it is not at hand, or not wanted."""
        folder = os.environ.get("SGTREES_DATA") or HERE.parents[2] / "shared" / "data"
        path = Path(folder) / f"{name}.parquet"
        if self.generated or not path.exists():
            return None
        return pd.read_parquet(path)


def read_options(script: str, description: str | None) -> Options:
    """Read the command line of a script; its picture lies beside it by default."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--out", type=Path, default=Path(script).with_suffix(".png"))
    parser.add_argument(
        "--generated", action="store_true", help="a few generated rows in place of real data"
    )
    return Options(**vars(parser.parse_args()))
