"""Rows with numbers, categories and missing values."""

import numpy as np
import pandas as pd

QUICK = {"warm_up": 200, "grace_period": 50, "delta": 1e-3}


def frame(n_rows, seed=0, n_labels=3):
    """Rows of all kinds, with missing values."""
    random = np.random.default_rng(seed)
    a, b = random.normal(size=(2, n_rows))
    word = random.choice(["red", "green", "blue"], n_rows)
    number = (a > 0).astype(int) + ((b > 0.5) ^ (word == "red")) * (n_labels > 2)
    return pd.DataFrame(
        {
            "a": np.where(random.random(n_rows) < 0.1, np.nan, a),
            "b": b,
            "word": np.where(random.random(n_rows) < 0.1, None, word),
            "t": np.array(["u", "v", "w"])[number],
            "n": 3.0 * a + (word == "red") + 0.1 * random.normal(size=n_rows),
        }
    )


def events(data):
    for row in data.drop(columns=["t", "n"]).to_dict("records"):
        yield {k: v for k, v in row.items() if not pd.isna(v)}
