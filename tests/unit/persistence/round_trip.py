"""Small estimators for the tests of saving, and a way through a file and back."""

import warnings

import numpy as np

import sgtrees
from sgtrees import SGTRegressor

QUICK = {"warm_up": 50, "grace_period": 20, "delta": 0.05, "gamma": 0.01}


def numbers(n=400, seed=0):
    X = np.random.default_rng(seed).random((n, 3))
    return X, 4.0 * (X[:, 0] > 0.5) + X[:, 1]


def regressor(**parameters):
    return SGTRegressor(**(QUICK | parameters)).partial_fit(*numbers())


def saved(model, folder, *, loss=None, **options):
    path = folder / "model.safetensors"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model.save(path, **options)
    return sgtrees.load(path, loss=loss)
