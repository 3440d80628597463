"""The agent's end of the link: messages that it cannot read, and how much it sends at once."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from rmsd_core.vocabulary import Cause
from rmsd_wire.frames import FRAME_BYTES, MAX_TEXT
from rmsd_wire.link import EndedAttempt, ExitedReport, Hello, Launch, encoder, ended_attempts
from rmsd_wire.link_calls import ReadEnded, ReadFile, Reply
from tests.waiting import wait_until

if TYPE_CHECKING:
    from tests.agent.rig import Rig

pytestmark = pytest.mark.live

USER = "nobody"


def odd_launch(job_id: int) -> dict[str, Any]:
    launch = Launch(job_id, 1, "n1", True, 0, None, 1.0, 1)
    return msgspec.to_builtins(launch) | {"cores": "many"}


def test_what_cannot_be_read_is_answered_and_costs_nothing_else(rig: Rig) -> None:
    rig.start()
    call = {"type": "read-file", "call": 7, "job_id": "x"}
    rig.peer.send(None, {"type": "no-such"}, call, odd_launch(1))  # type: ignore[arg-type]
    assert rig.peer.reply(7).status == 503
    refused = rig.peer.wait(ExitedReport, 1)
    assert refused.cause is Cause.LAUNCH
    assert "cannot read it: Expected `int`" in refused.message
    assert rig.run(2, "exit 3").exit_code == 3
    assert rig.peer.sessions == 1


@pytest.mark.parametrize("name", ["n\0", "../n1", "n" * 129])
def test_a_launch_that_no_directory_can_be_named_after_is_refused(rig: Rig, name: str) -> None:
    rig.start()
    ended = rig.run(1, "true", node=name)
    assert ended.cause is Cause.LAUNCH
    assert rig.run(2, "exit 3").exit_code == 3
    assert rig.peer.sessions == 1


def test_a_path_that_is_no_text_is_told_in_words(rig: Rig) -> None:
    """The kernel's names are bytes; what is told of them is text."""
    rig.start()
    (rig.work / "1.out").symlink_to(os.fsdecode(b"/proc/\xff\xfe/" + b"x" * 200))
    ended = rig.run(1, "true", keep_output_of=1, attempt=2)
    assert ended.cause is Cause.LAUNCH
    assert rig.run(2, "exit 3").exit_code == 3


def test_reasons_are_cut_where_they_are_written(rig: Rig) -> None:
    rig.start()
    ended = rig.run(1, "true", stdout="/tmp/" + "x" * 100_000)
    assert ended.cause is Cause.LAUNCH
    assert len(ended.message) <= MAX_TEXT
    assert ended.message.endswith("File name too long")
    journal = rig.jobs_dir.parent / "ended.jsonl"
    wait_until(lambda: journal.exists() and journal.stat().st_size > 0)
    assert journal.stat().st_size < 2 * MAX_TEXT


def test_output_goes_in_frames_of_a_size(rig: Rig) -> None:
    """The size holds however many callers ask for however much at once."""
    calls, size_bytes = 40, 2 << 20
    rig.start()
    rig.run(1, f"head -c {size_bytes} /dev/zero")
    path = str(rig.work / "1.out")
    rig.peer.send(
        *(
            ReadFile(call, 1, 1, "n1", "stdout", 0, 8 << 20, path=path)
            for call in range(1, calls + 1)
        )
    )
    for call in range(1, calls + 1):
        reply = rig.peer.reply(call)
        assert reply.status == 200
        assert (len(reply.data), reply.offset) == (FRAME_BYTES, FRAME_BYTES)
    assert rig.peer.sessions == 1
    for frame in rig.peer.frames:
        assert sum(len(one.data) for one in frame if isinstance(one, Reply)) <= FRAME_BYTES


def journal_line(job_id: int, message: str) -> bytes:
    one = EndedAttempt(job_id, 1, "n1", True, 1, 0, 1, Cause.EXIT, exit_code=0, message=message)
    return msgspec.json.encode({"noted_s": time.time(), "ended": one}) + b"\n"


def test_what_has_ended_is_told_in_pages(rig: Rig) -> None:
    """The journal is of an earlier version, whose messages were not cut."""
    entries, limit_bytes = 300, 200_000
    rig.start()
    rig.end_agent()
    journal = rig.jobs_dir.parent / "ended.jsonl"
    journal.write_bytes(b"".join(journal_line(i, "\N{SNOWMAN}" * 16_000) for i in range(entries)))
    rig.start()
    found: list[EndedAttempt] = []
    for call in range(1, entries):
        rig.peer.send(ReadEnded(call, offset=len(found), limit=limit_bytes))
        reply = rig.peer.reply(call)
        assert len(reply.data) <= limit_bytes + 10
        found += ended_attempts.decode(reply.data)
        assert reply.offset == len(found)
        if reply.eof:
            break
    assert [one.job_id for one in found] == [*range(entries)]
    assert max(len(one.message) for one in found) <= MAX_TEXT
    assert call > 10
    rig.peer.send(ReadEnded(entries))  # a daemon of the version before asks for all of it
    everything = rig.peer.reply(entries)
    assert everything.eof
    assert ended_attempts.decode(everything.data) == found


def test_an_end_that_is_not_acknowledged_is_held_and_reported_again(rig: Rig) -> None:
    rig.start()
    rig.peer.acknowledges = False
    rig.run(1, "exit 3")
    rig.peer.stop()
    rig.peer.start()
    rig.peer.wait(ExitedReport, 1, count=2)
    [held] = rig.peer.all(Hello)[-1].held
    assert (held.job_id, held.over) == (1, True)
    session, exited = [pair for pair in rig.peer.received if isinstance(pair[1], ExitedReport)][-1]
    assert session == rig.peer.sessions
    assert isinstance(exited, ExitedReport)
    assert exited.exit_code == 3
    assert len(encoder.encode(exited)) < FRAME_BYTES
