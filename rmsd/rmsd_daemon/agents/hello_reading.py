"""The reading of a Hello: its nodes and attempts are read, and the rows of the nodes are made, some
at a time, while others have their turns. A frame has space for so many that to read them all takes
seconds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from rmsd_daemon.domain.texts import reason_of_agent
from rmsd_daemon.store.records import Row
from rmsd_wire import link
from rmsd_wire.features import KINDS
from rmsd_wire.frames import cut
from rmsd_wire.link_values import Name
from rmsd_wire.node_info import NodeInfo

_AT_ONCE = 100
"""The nodes or attempts that are read in one piece. A node with the most features takes 35
microseconds."""

_P = TypeVar("_P")
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
        await _in_pieces(parts.nodes, _node.decode),
        await _in_pieces(parts.held, _held.decode),
        await _in_pieces(parts.leaving, _name.decode),
        parts.remembers,
    )


async def node_rows(hello: link.Hello) -> list[Row]:
    """Return the rows of the nodes that a Hello tells of."""
    return await _in_pieces(hello.nodes, lambda info: _node_row(info, hello))


async def _in_pieces(parts: Sequence[_P], made: Callable[[_P], _T]) -> list[_T]:
    found: list[_T] = []
    for at in range(0, len(parts), _AT_ONCE):
        found += map(made, parts[at : at + _AT_ONCE])
        await asyncio.sleep(0)
    return found


def _node_row(info: NodeInfo, hello: link.Hello) -> Row:
    return {
        "name": info.name,
        "agent_id": hello.agent_id,
        "kind": info.kind,
        "cores": info.cores,
        "mem_mib": info.mem_mib,
        "features": [info.kind, *(one for one in info.features if one not in KINDS)],
        "gres": [[kind, sorted(numbers)] for kind, numbers in sorted(info.gres)],
        "hostname": cut(info.hostname),
        "os": cut(info.os),
        "cpu_model": cut(info.cpu_model),
        "agent_version": cut(hello.version),
        "memory_limit": cut(info.memory_limit),
        "unable": reason_of_agent(info.unable),
        "boot_id": info.boot_id,
    }
