"""Streams made from blocks of another one: other sizes, another order, read in another thread."""

import queue
import threading
from collections.abc import Iterator
from typing import Any, TypeVar

import numpy as np

from sgtrees.streams.block import Block, concatenate

Item = TypeVar("Item")

_END = object()


# ---- sizes --------------------------------------------------------------------------------------


def first_rows(blocks: Iterator[Block], n_rows: int) -> Iterator[Block]:
    """Yield the first rows."""
    while n_rows > 0 and (block := next(blocks, None)) is not None:
        yield block.slice(0, n_rows)
        n_rows -= len(block)


def without_first_rows(blocks: Iterator[Block], n_rows: int) -> Iterator[Block]:
    """Yield all rows but the first ones."""
    for block in blocks:
        if n_rows < len(block):
            yield block.slice(n_rows, len(block))
        n_rows = max(n_rows - len(block), 0)


def rebatched(blocks: Iterator[Block], n_rows: int) -> Iterator[Block]:
    """Yield blocks of ``n_rows`` rows each; the last one may be shorter.

    Examples
    --------
    >>> import numpy as np
    >>> blocks = iter([Block(np.zeros((n, 1))) for n in (3, 1, 6)])
    >>> [len(block) for block in rebatched(blocks, 4)]
    [4, 4, 2]
    """
    waiting: list[Block] = []
    n_waiting = 0
    for block in blocks:
        start = 0
        while n_waiting + len(block) - start >= n_rows:
            stop = start + n_rows - n_waiting
            yield concatenate([*waiting, block.slice(start, stop)])
            waiting, n_waiting, start = [], 0, stop
        if start < len(block):
            waiting.append(block.slice(start, len(block)))
            n_waiting += len(block) - start
    if waiting:
        yield concatenate(waiting)


# ---- order --------------------------------------------------------------------------------------


def shuffled(blocks: Iterator[Block], buffer_rows: int, seed: int) -> Iterator[Block]:
    """Yield the rows in random order, through a buffer of bounded size.

    Whenever half a buffer of new rows has come, all rows in the buffer are shuffled, and as many as
    came are yielded. The blocks are cut to that size first, so that the order depends on the rows
    and the seed alone, not on how the blocks were cut.
    """
    if buffer_rows < 1:
        raise ValueError(f"buffer_rows == {buffer_rows}, must be >= 1.")
    random = np.random.default_rng(seed)
    buffer: list[Block] = []
    n_buffered = 0
    for block in rebatched(blocks, max(buffer_rows // 2, 1)):
        buffer.append(block)
        n_buffered += len(block)
        if n_buffered > buffer_rows:
            mixed = _permuted(buffer, random)
            yield mixed.slice(0, n_buffered - buffer_rows)
            buffer = [mixed.slice(n_buffered - buffer_rows, n_buffered)]
            n_buffered = buffer_rows
    if buffer:
        yield _permuted(buffer, random)


def _permuted(buffer: list[Block], random: np.random.Generator) -> Block:
    whole = concatenate(buffer)
    return whole.take(random.permutation(len(whole)))


# ---- threads ------------------------------------------------------------------------------------


def prefetched(items: Iterator[Item], n_ahead: int) -> Iterator[Item]:
    """Yield the same blocks, or whatever they are; a thread reads up to ``n_ahead`` of them ahead.

    An error of the source is raised here, after the items before it. If the consumer stops early,
    the thread ends after the item that it is reading.
    """
    ready: queue.Queue[Any] = queue.Queue(maxsize=n_ahead)
    stop = threading.Event()
    thread = threading.Thread(target=_read, args=(items, ready, stop), daemon=True)
    thread.start()
    try:
        while (item := ready.get()) is not _END:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        stop.set()
        _drain(thread, ready)


def _drain(thread: threading.Thread, ready: "queue.Queue[Any]") -> None:
    """Empty the queue until the thread has seen that it must stop.

    A thread that waits for a pipe is left alone after a second: it ends with the process.
    """
    for _ in range(100):
        while not ready.empty():
            ready.get_nowait()
        thread.join(timeout=0.01)
        if not thread.is_alive():
            return


def _read(items: Iterator[Any], ready: "queue.Queue[Any]", stop: threading.Event) -> None:
    try:
        for item in items:
            if stop.is_set():
                return
            ready.put(item)
        ready.put(_END)
    except BaseException as error:  # noqa: BLE001 - it is raised again by the consumer
        ready.put(error)
