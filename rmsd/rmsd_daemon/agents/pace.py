"""The pace at which an agent's messages are taken, so that no agent occupies the event loop
alone."""

from __future__ import annotations

import asyncio

from rmsd_wire.frames import FRAME_BYTES

_AT_ONCE = 200
FRAME_MESSAGES = 10
"""The number of messages that a frame counts for."""
FLOOD_S = 0.05
BREATH_S = 0.005
"""The time for `_AT_ONCE` messages of one agent, which are more than nodes have to report. A faster
agent is heard with pauses, so that other agents are served in between. (During a pause nothing is
read from the link, once its buffer is full.)"""
_LARGE_BYTES = 2 * FRAME_BYTES
_PAUSE_S_PER_BYTE = 0.3 / FRAME_BYTES
"""The size of a frame that no agent sends: agents close frames at half of this. To pass over 16 MiB
of fields that the daemon does not know takes 0.25 s of the event loop."""


def pause_s(frame_bytes: int) -> float:
    """Return how long an agent is not heard after a frame of this size, so that large frames take a
    twentieth of the daemon's time at most."""
    return frame_bytes * _PAUSE_S_PER_BYTE if frame_bytes > _LARGE_BYTES else 0.0


class Pace:
    """The pace of one agent: if it sends very many messages, in one frame or in several, they are
    taken with pauses."""

    def __init__(self) -> None:
        self._told = 0
        self._since_s = asyncio.get_running_loop().time()

    async def told(self, messages: int) -> None:
        """Count so many messages; return when more may be taken."""
        self._told += messages
        if self._told < _AT_ONCE:
            return
        loop = asyncio.get_running_loop()
        flood = loop.time() - self._since_s < FLOOD_S
        await asyncio.sleep(BREATH_S if flood else 0)
        self._told, self._since_s = 0, loop.time()
