"""The reading of a Hello: its nodes and attempts are read some at a time, while others have their
turns. A frame has space for so many that to read them all takes seconds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from rmsd_wire import link
from rmsd_wire.link_values import Name
from rmsd_wire.node_info import NodeInfo

_AT_ONCE = 100
"""The nodes or attempts that are read in one piece. A node with the most features takes 35
microseconds."""

_T = TypeVar("_T")

_node = msgspec.msgpack.Decoder(NodeInfo)
_held = msgspec.msgpack.Decoder(link.HeldAttempt)
_name = msgspec.msgpack.Decoder(Name)


async def whole_hello(parts: link.HelloParts) -> link.Hello:
    """Return the Hello that has these parts. Raises one of `MALFORMED`: a part cannot be read."""
    return link.Hello(
        parts.protocol,
        parts.version,
        parts.agent_id,
        parts.epoch,
        await _read(parts.nodes, _node.decode),
        await _read(parts.held, _held.decode),
        await _read(parts.leaving, _name.decode),
        parts.remembers,
    )


async def _read(parts: Sequence[msgspec.Raw], decode: Callable[[msgspec.Raw], _T]) -> list[_T]:
    read: list[_T] = []
    for at in range(0, len(parts), _AT_ONCE):
        read += map(decode, parts[at : at + _AT_ONCE])
        await asyncio.sleep(0)
    return read
