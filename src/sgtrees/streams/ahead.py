"""Blocks read by a thread of its own: parsing goes on while the blocks before are learned."""

import queue
import threading
from collections.abc import Iterator

from sgtrees.streams.block import Block

_END = object()


def read_ahead(blocks: Iterator[Block], n_blocks: int) -> Iterator[Block]:
    """Yield the same blocks; a thread has up to ``n_blocks`` of them ready.

    What the source raises is raised here, after the blocks before it. Where the consumer stops
    early the thread ends after the block that it is at.
    """
    ready: queue.Queue[object] = queue.Queue(maxsize=n_blocks)
    stop = threading.Event()
    thread = threading.Thread(target=_read, args=(blocks, ready, stop), daemon=True)
    thread.start()
    try:
        while (item := ready.get()) is not _END:
            if isinstance(item, BaseException):
                raise item
            assert isinstance(item, Block)
            yield item
    finally:
        stop.set()
        _let_end(thread, ready)


def _let_end(thread: threading.Thread, ready: "queue.Queue[object]") -> None:
    """Take what the thread is about to hand over, so that it sees that it shall stop.

    One that waits for a pipe is left alone after a while: it ends with the process.
    """
    for _ in range(100):
        while not ready.empty():
            ready.get_nowait()
        thread.join(timeout=0.01)
        if not thread.is_alive():
            return


def _read(blocks: Iterator[Block], ready: "queue.Queue[object]", stop: threading.Event) -> None:
    try:
        for block in blocks:
            if stop.is_set():
                return
            ready.put(block)
        ready.put(_END)
    except BaseException as error:  # noqa: BLE001 - it is raised again where it can be seen
        ready.put(error)
