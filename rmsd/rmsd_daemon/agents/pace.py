"""The pace at which an agent's messages are taken, so that no agent occupies the event loop
alone."""

from __future__ import annotations

import asyncio

_AT_ONCE = 200
FRAME_MESSAGES = 10
"""The number of messages that a frame counts for."""
FLOOD_S = 0.05
BREATH_S = 0.005
"""The time for `_AT_ONCE` messages of one agent, which are more than nodes have to report. A faster
agent is heard with pauses, so that other agents are served in between. (During a pause nothing is
read from the link, once its buffer is full.)"""


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
