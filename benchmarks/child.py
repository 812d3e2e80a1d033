"""The other end of `isolation`: run "module:function" and print what it returns as JSON."""

from __future__ import annotations

import importlib
import json
import sys

from benchmarks.isolation import ABSENT
from sgtrees_experiments.absent import AbsentError


def main(function: str, arguments: str) -> int:
    module, _, name = function.partition(":")
    try:
        result = getattr(importlib.import_module(module), name)(**json.loads(arguments))
    except AbsentError as absent:
        print(absent, file=sys.stderr)
        return ABSENT
    except ModuleNotFoundError as absent:
        print(f"{absent.name} is not installed", file=sys.stderr)
        return ABSENT
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
