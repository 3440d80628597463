"""A Hello is read in pieces, and only if it may open a link."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

import msgspec
import pytest

from rmsd_daemon.agents.admission import too_many
from rmsd_daemon.agents.hello_reading import node_rows, whole_hello
from rmsd_daemon.agents.pace import pause_s
from rmsd_wire import PROTOCOL, link
from rmsd_wire.frames import Unreadable, messages_in, next_frame
from rmsd_wire.link_calls import Reply
from rmsd_wire.malformed import MALFORMED
from rmsd_wire.node_info import NodeInfo

_NODES = 1000


def _hello(**fields: Any) -> bytes:
    told = {"protocol": PROTOCOL, "version": "0", "agent_id": "liar", "epoch": 1, "held": []}
    return msgspec.msgpack.encode({"type": "hello", **told, **fields})


async def test_others_have_their_turns_while_a_hello_is_read() -> None:
    """A frame of 16 MiB with 150,000 nodes was read in one piece, in 4 s of processor time, before
    the number of its nodes was looked at."""
    features = tuple(f"f{number}" for number in range(32))
    nodes = [NodeInfo(f"x{at}", "real", 4, 1024, features=features) for at in range(_NODES)]
    held = [link.HeldAttempt(at, 1, "x1") for at in range(1, _NODES)]
    hello = link.Hello(PROTOCOL, "0", "liar", 1, nodes, held, ["x2"], remembers=True)
    reading = asyncio.create_task(
        whole_hello(link.remote_hello_parts.decode(link.encoder.encode(hello)))
    )
    turns = 0
    while not reading.done():
        turns += 1
        await asyncio.sleep(0)
    assert reading.result() == hello
    assert turns >= 2 * _NODES // 100
    making = asyncio.create_task(node_rows(hello))
    turns = 0
    while not making.done():
        turns += 1
        await asyncio.sleep(0)
    assert [row["name"] for row in making.result()] == [info.name for info in nodes]
    assert turns >= _NODES // 100


@pytest.mark.parametrize("field", ["nodes", "held", "leaving"])
def test_what_is_too_much_is_not_read(field: str) -> None:
    most = 200_000 if field == "held" else 10_000
    for count in (most, most + 1):
        parts = link.remote_hello_parts.decode(_hello(**{"nodes": [], field: [None] * count}))
        assert bool(too_many(parts)) == (count > most)
    with pytest.raises(msgspec.ValidationError, match="of length <="):
        link.remote_hello_parts.decode(_hello(**{"nodes": [], field: [None] * (1 << 20)}))


async def test_a_node_that_cannot_be_read_is_told() -> None:
    parts = link.remote_hello_parts.decode(_hello(nodes=[{"name": ""}]))
    with pytest.raises(MALFORMED, match="length >= 1"):
        await whole_hello(parts)


def test_a_hello_in_a_session_is_not_read() -> None:
    """An agent could send one after the other: there is no pause between the messages of a
    session."""
    hello = link.Hello(PROTOCOL, "0", "liar", 1, [NodeInfo("x1", "real", 4, 1024)], [])
    [read] = messages_in(msgspec.msgpack.encode([hello]), link.after_hello.decode)
    assert isinstance(read, Unreadable)
    assert read.field("type", str) == "hello"


def test_an_agent_is_not_heard_for_a_while_after_a_frame_that_no_agent_sends() -> None:
    """Frames of 16 MiB full of unknown fields took 0.25 s each, one after the other."""
    told = deque[object]([Reply(1, 200, data=bytes(1 << 20))])
    frame, _ = next_frame(told, lambda *_: None)
    assert pause_s(len(frame)) == 0.0
    assert pause_s(16 << 20) > 4.0
