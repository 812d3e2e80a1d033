"""The asynchronous client repeats as the other one does, and many requests are under way."""

import asyncio

import pytest

from sgtrees.client import AsyncClient, RefusedError
from tests.unit.client.stub import LOST, stub

DONE = (200, {"learned": 1, "repeated": 0, "model_rows": 1})


def test_requests_are_repeated_and_the_loop_goes_on():
    async def main(url):
        async with AsyncClient(url, connections=4) as client:
            replies = await asyncio.gather(*(client.learn({"a": n}) for n in range(8)))
        return sum(reply.learned for reply in replies)

    with stub(LOST, (503, {}), *[DONE] * 8) as (url, asked):
        assert asyncio.run(main(url)) == 8
    bodies = [body for _, _, body in asked]
    assert (len(bodies), len(set(bodies))) == (10, 8)
    names = {(headers["Idempotency-Key"], body) for _, headers, body in asked}
    assert len(names) == 8


def test_an_error_is_raised_where_it_is_awaited():
    async def main(url):
        async with AsyncClient(url) as client:
            await client.label("a", "apple")

    answer = (422, {"error": {"name": "bad_labels", "message": "a sentence"}})
    with stub(answer) as (url, _), pytest.raises(RefusedError, match="a sentence"):
        asyncio.run(main(url))
