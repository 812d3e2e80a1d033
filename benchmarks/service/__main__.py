"""``python -m benchmarks.service``: the figures of docs/service_figures.md."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.service import brokers, http, restart
from benchmarks.service.page import markdown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0, help="of each measurement")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--log-rows", type=int, nargs="*", default=[100_000, 1_000_000, 1_900_000])
    parser.add_argument("--broker-rows", type=int, default=300_000)
    parser.add_argument("--only", choices=["http", "restart", "brokers"])
    parser.add_argument("--markdown", type=Path, help="the page to write")
    given = parser.parse_args()
    found: dict[str, Any] = {"turns": given.turns, "seconds": given.seconds}
    if given.only in (None, "http"):
        found["http"] = http.measure(given.seconds, given.turns)
    if given.only in (None, "restart"):
        found["restart"] = restart.measure(tuple(given.log_rows))
    if given.only in (None, "brokers"):
        found["brokers"] = [asdict(one) for one in brokers.measure(given.broker_rows, given.turns)]
    print(json.dumps(found, indent=1))
    if given.markdown is not None:
        facts = machine.describe()
        names = ("Date", "Processor", "System", "Python", "sgtrees", "pyarrow")
        given.markdown.write_text(markdown(found, {name: facts[name] for name in names}))


if __name__ == "__main__":
    main()
