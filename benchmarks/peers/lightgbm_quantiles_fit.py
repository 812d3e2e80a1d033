"""LightGBM at its defaults: fits rows under a quantile loss, and predicts others; one thread.

Arguments: a .npz file with X, y and new_X, alpha, and the .npy file to write.
"""

import sys

import lightgbm
import numpy as np

rows, alpha, out = sys.argv[1:]
data = np.load(rows)
settings = {"objective": "quantile", "alpha": float(alpha), "num_threads": 1, "verbose": -1}
model = lightgbm.train(settings, lightgbm.Dataset(data["X"], data["y"]))
np.save(out, model.predict(data["new_X"]))
