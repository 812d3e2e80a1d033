"""LightGBM: fits rows, and predicts them again; one thread.

Arguments: a .npz file with X and y, the trees, the leaves of each, and how often it predicts.
"""

import json
import sys
import time

import lightgbm
import numpy as np

path, trees, leaves, repeats = sys.argv[1:]
data = np.load(path)
X, y = data["X"], data["y"]
# Trees of so many leaves need leaves of few rows.
settings = {
    "objective": "binary",
    "num_leaves": int(leaves),
    "min_data_in_leaf": 5,
    "num_threads": 1,
    "verbose": -1,
}
model = lightgbm.train(settings, lightgbm.Dataset(X, y), int(trees))
seconds = []
for _ in range(int(repeats)):
    began = time.process_time()
    model.predict(X, num_threads=1)
    seconds.append(time.process_time() - began)
grown = [tree["num_leaves"] for tree in model.dump_model()["tree_info"]]
print(json.dumps({"rows": len(y), "seconds": min(seconds), "leaves": sum(grown)}))
