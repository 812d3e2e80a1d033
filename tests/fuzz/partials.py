"""Damaged partial statistics: each is refused with a clear error, or is added like others.

    python -m tests.fuzz.partials --cases 100000

Nothing may crash, or take memory without bounds. A case is known by its number.
"""

from __future__ import annotations

import argparse
import pickle
import random
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from sgtrees import SGTClassifier, SGTRegressor
from tests.fuzz.mutations import STRANGE_INTEGERS, STRANGE_NUMBERS

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

# Of a process with all its libraries.
MOST_MEMORY = 4 << 30

Partial = dict[str, Any]


def seeds() -> Iterator[tuple[Any, Partial]]:
    """Yield models in which rounds are under way, and what they have gathered."""
    numbers = np.random.default_rng(0)
    X = numbers.normal(size=(500, 4))
    X[:, 3] = numbers.integers(0, 12, 500)
    X[numbers.random((500, 4)) < 0.05] = np.nan
    score = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 3]) % 3
    classes = np.digitize(score, [0.5, 1.5]).astype(int)
    for kept_rows in (0, 5, 500):
        settings: dict[str, Any] = {
            "round_rows": 100,
            "kept_rows": kept_rows,
            "warm_up": 50,
            "grace_period": 10,
            "gamma": 0.01,
            "n_bins": 4,
            "categorical_features": [3],
        }
        for model, y in (
            (SGTClassifier(**settings), classes),
            (SGTClassifier(**settings), classes > 0),
            (SGTClassifier(multiclass="vector", **settings), classes),
            (SGTRegressor(**settings), score),
            (SGTRegressor(loss="huber", **settings), score),
        ):
            # The warm-up and three whole rounds: while rows wait, nothing would be absorbed.
            model.partial_fit(X[:350], y[:350])
            fitted: Any = model
            targets = y[350:390].astype(np.int32 if isinstance(model, SGTClassifier) else float)
            partial = fitted._model.core.gather([X[350:390]], targets, None)
            assert try_out(fitted._model, partial, partial)
            yield fitted._model, partial


def damaged(partial: Partial, chance: random.Random) -> Partial:
    """Change one to three arrays: a number, a length, a type, a name."""
    changed = {name: array.copy() for name, array in partial.items()}
    for _ in range(chance.randint(1, 3)):
        name = chance.choice(sorted(changed))
        array = changed[name]
        kind = chance.random()
        if kind < 0.6 and array.size:
            strange = STRANGE_NUMBERS if array.dtype == np.float64 else STRANGE_INTEGERS
            value: Any = chance.choice(strange)
            if array.dtype == np.uint8:
                value = chance.randrange(256)
            array[chance.randrange(array.size)] = value
        elif kind < 0.75:
            changed[name] = array[: chance.randint(0, array.size)]
        elif kind < 0.85:
            changed[name] = np.concatenate([array, array[: chance.randint(0, array.size)]])
        elif kind < 0.95:
            changed[name] = changed[chance.choice(sorted(changed))]
        else:
            del changed[name]
    return changed


def copy_of(model: Any) -> Any:
    core: Any = pickle.loads(pickle.dumps(model)).core
    return core


def try_out(model: Any, partial: Partial, changed: Partial) -> bool:
    """Add and absorb; return whether that was possible."""
    core, categories = copy_of(model), model.schema.n_categories
    taken = 0
    for step in (
        lambda: core.add_partials(changed, partial, categories),
        lambda: core.add_partials(partial, changed, categories),
        lambda: core.absorb(changed, categories),
        core.end_round,
    ):
        try:
            step()
            taken += 1
        except (ValueError, TypeError) as error:
            if not str(error):
                raise AssertionError("a refusal must say why") from error
    core.state()
    return taken == 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    arguments = parser.parse_args()
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    of_models = list(seeds())
    taken = 0
    for number in range(arguments.first, arguments.first + arguments.cases):
        chance = random.Random(number)
        model, partial = of_models[number % len(of_models)]
        sys.stderr.write(f"\rcase {number}")
        taken += try_out(model, partial, damaged(partial, chance))
    sys.stdout.write(f"{arguments.cases:,} damaged partial statistics, {taken:,} were possible\n")


if __name__ == "__main__":
    main()
