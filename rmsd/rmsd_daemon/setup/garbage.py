"""The collection of garbage in short pauses, whatever the number of waiting jobs.

A full collection walks everything that lives: with 100,000 waiting jobs 620,000 objects in 150 ms,
while no caller is answered and no job starts. So the objects that have survived a full collection
are frozen: the next one walks only what has come since. Most objects are freed without any
collection, the frozen ones too. What no one frees otherwise are cycles that were frozen before they
became garbage: a complete collection frees them once in a while.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from contextlib import contextmanager

from rmsd_process.lean_start import no_collections

_THRESHOLDS = (700, 10, 2)
"""A full collection comes after some 700 x 10 x 2 new objects and walks these (3 ms). Python's own
thresholds would have it walk five times as many."""
_COMPLETE_S = 3600.0
"""The time between complete collections. The cycles that become garbage meanwhile are those of
links and connections that were open for long, of a few kB each."""


@contextmanager
def short_pauses() -> Iterator[None]:
    """Freeze what survives full collections, within the block, and what is there when it begins:
    the modules."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
    gc.callbacks.append(_freeze_survivors)
    try:
        yield
    finally:
        gc.callbacks.remove(_freeze_survivors)
        gc.unfreeze()
        gc.set_threshold(*before)


@contextmanager
def none_yet() -> Iterator[None]:
    """Collect nothing within the block, which builds a state that stays, and freeze what is there
    at its end. With 200,000 waiting jobs, collections took a quarter of the block's time, and the
    first full one after it would walk all that was built."""
    with no_collections():
        try:
            yield
        finally:
            if _freeze_survivors in gc.callbacks:
                gc.freeze()


async def collect_all(every_s: float = _COMPLETE_S) -> None:
    """Collect the garbage among the frozen objects as well, once in a while."""
    while True:
        await asyncio.sleep(every_s)
        gc.unfreeze()
        gc.collect()


def _freeze_survivors(phase: str, info: dict[str, int]) -> None:
    if phase == "stop" and info["generation"] == 2:
        gc.freeze()
