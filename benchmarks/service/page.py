"""The page of the figures."""

# ruff: noqa: E501 - lines of the page, which are as long as they are there

from __future__ import annotations

from typing import Any

_HEAD = """# Service: figures

<!-- Written by `python -m benchmarks.service --markdown docs/service_figures.md`. -->

Client and servers share one machine. Everything was measured in one run, in turns; each figure is the best of {turns} turns of {seconds:g} s.
The empty handler and river's tree are routes of the same application: tokens, limits, metrics and the reading of bodies are the same, and so are uvicorn's settings. The
empty handler reads a body of the same size and answers as many bytes; it parses, learns and writes nothing. River's has no log and no checkpoints; ours writes every
row to the disk before it answers, and a checkpoint every two seconds. Rows have six numbers, two nominal columns and a class; blocks are also those of the
[collider stream](benchmarks.md#collider) (28 numbers) and of two real streams, adult (14 columns) and covtype (54), again and again from their first row.
"""


def markdown(found: dict[str, Any], facts: dict[str, str]) -> str:
    parts = [_HEAD.format(turns=found["turns"], seconds=found["seconds"])]
    if "http" in found:
        parts.append(_http(found["http"]))
    if "restart" in found:
        parts.append(_restart(found["restart"]))
    if "brokers" in found:
        parts.append(_brokers(found["brokers"]))
    listed = ", ".join(f"{name} {value}" for name, value in facts.items())
    return "\n".join([*parts, f"Machine: {listed}.\n"])


def _http(of: dict[str, Any]) -> str:
    blocks = "\n".join(
        f"| {name} | {one['rows']:,.0f} | {one['river_rows']:,.0f} | {one['rows'] / one['river_rows']:.0f} |"
        for name, one in of["streams"].items()
    )
    return f"""## Requests

| | bar | sgtrees | empty handler | river | ratio |
|---|---|---|---|---|---|
| single-row `/learn_predict`, requests/s | >= 1,500 | {of["requests"]:,.0f} | {of["empty"]:,.0f} | {of["river_requests"]:,.0f} | {of["requests"] / of["empty"]:.2f} of an empty handler (bar: 0.5), {of["requests"] / of["river_requests"]:.1f} x river |
| time of 99 % of replies at 500 requests/s, ms | <= 25 | {of["p99_ms"]:.1f} (median {of["p50_ms"]:.1f}) | | | |

Blocks of 1,000 rows by Arrow; the bars are 200,000 rows/s and 50 times river's:

| stream | rows/s | river's | ratio |
|---|---|---|---|
{blocks}
"""


def _restart(rows: list[dict[str, Any]]) -> str:
    lines = [
        f"| {one['what']} | {one['rows']:,} | {one['seconds']:.2f} | {one['recovery']:.2f} | "
        f"{2.0 + one['rows'] / 1e6:.2f} |"
        for one in rows
    ]
    head = """## A start after a kill

From the start of the process to its first answer; of that the log, which is learned again. The bar is 2 s and 1 s for each million rows of log.

| log | rows | seconds | of that the log | bar |
|---|---|---|---|---|
"""
    return head + "\n".join(lines) + "\n"


def _brokers(found: list[dict[str, Any]]) -> str:
    lines = [
        f"| {one['source']} | {one['n_rows']:,} | {one['rows']:,.0f} | {one['ndjson']:,.0f} | "
        f"{one['rows'] / one['ndjson']:.2f} |"
        for one in found
    ]
    head = """## Brokers

The same rows as JSON, read and learned by `open_stream` and `partial_fit`; the bar is 0.5 of a file. Kafka is librdkafka's mock of a cluster, a thread of the
process that learns; the file is as short then.

| source | rows | rows/s | the same rows from NDJSON | ratio |
|---|---|---|---|---|
"""
    return head + "\n".join(lines) + "\n"
