"""The pace at which an agent is heard, so that none keeps the event loop to itself."""

from __future__ import annotations

import asyncio

_AT_ONCE = 200
FRAME_MESSAGES = 10
"""A frame costs as much as so many messages."""
_FLOOD_S = 0.05
_BREATH_S = 0.005
"""Who tells so many messages in less than that time, more than nodes have to tell, is heard with
pauses, so that others are served between. (Nothing is read from the link meanwhile, once what has
come from there fills its buffer.)"""


class Pace:
    """How fast an agent is heard: whoever tells very much, in one frame or in many, is heard with
    pauses."""

    def __init__(self) -> None:
        self._told = 0
        self._since_s = asyncio.get_running_loop().time()

    async def told(self, messages: int) -> None:
        """Note so many messages; return when more may be heard."""
        self._told += messages
        if self._told < _AT_ONCE:
            return
        loop = asyncio.get_running_loop()
        flood = loop.time() - self._since_s < _FLOOD_S
        await asyncio.sleep(_BREATH_S if flood else 0)
        self._told, self._since_s = 0, loop.time()
