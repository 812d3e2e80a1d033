"""How far a first `learn_predict` of a data frame goes: modules of sgtrees, and calls between them.

``python -m benchmarks.call_path`` prints both numbers, and the calls with ``--calls``. A call
counts where a function of one module calls one of another, whatever lies between them.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from types import FrameType
from typing import Any

import pandas as pd

import sgtrees

Calls = Counter[tuple[str, str, str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", action="store_true", help="list the calls, too")
    arguments = parser.parse_args()
    modules, calls = first_learn_predict()
    print(f"{len(modules)} modules, {calls.total()} calls from one to another")
    if arguments.calls:
        for module in sorted(modules):
            print(f"  {module}")
        for (caller, called, function), times in sorted(calls.items()):
            print(f"{times:4d}  {caller} -> {called}.{function}")


def first_learn_predict() -> tuple[set[str], Calls]:
    """Return the modules that a first `learn_predict` passes, and the calls between them."""
    frame = pd.DataFrame(
        {
            "age": [31.0, 45.0, 27.0, 52.0],
            "income": [1200.0, 3400.0, 800.0, 2100.0],
            "rooms": [2, 4, 1, 3],
            "city": ["Rome", "Oslo", "Rome", "Bern"],
            "owner": ["yes", "yes", "no", "no"],
        }
    )
    labels = pd.Series(["low", "high", "low", "high"])
    # Once before: what is imported or made on first use does not count.
    sgtrees.SGTClassifier().learn_predict(frame, labels)
    model = sgtrees.SGTClassifier()
    return count(lambda: model.learn_predict(frame, labels))


def count(action: Any) -> tuple[set[str], Calls]:
    """Run something, and return the modules it passed and the calls between them."""
    modules: set[str] = set()
    calls: Calls = Counter()

    def note(frame: FrameType, event: str, _: Any) -> None:
        module = _module(frame)
        if event != "call" or module is None:
            return
        modules.add(module)
        caller = _caller(frame)
        if caller is not None and caller != module:
            calls[caller, module, frame.f_code.co_qualname] += 1

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return modules, calls


def _module(frame: FrameType) -> str | None:
    name = frame.f_globals.get("__name__", "")
    return name if name.split(".")[0] == "sgtrees" else None


def _caller(frame: FrameType) -> str | None:
    """Return the module of the nearest function of sgtrees that led here."""
    above = frame.f_back
    while above is not None:
        module = _module(above)
        if module is not None:
            return module
        above = above.f_back
    return None


if __name__ == "__main__":
    main()
