"""The messages between daemon, agents and shepherds, and their files."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from rmsd_agent.attempts.tasks import STEP_NAME, task_unit_name
from rmsd_agent.state.files import read_record
from rmsd_agent.state.journal import Journal
from rmsd_agent.state.records import BATCH, ClaimedUnit, SavedAttempt, UnitStatus
from rmsd_agent.units.shepherd_lines import shepherd_line
from rmsd_core.vocabulary import Cause
from rmsd_wire import link
from rmsd_wire.frames import Unreadable, messages_in
from rmsd_wire.link_calls import Reply
from rmsd_wire.malformed import MALFORMED
from rmsd_wire.node_info import NodeInfo
from tests.fuzz.harness import Harness, scratch


def frame(data: bytes) -> None:
    """Check that messages are the same after another journey, one by one, or malformed."""
    decoders: tuple[msgspec.msgpack.Decoder[Any], ...] = (link.to_daemon, link.to_agent)
    for decoder in decoders:
        with suppress(*MALFORMED):
            for message in messages_in(data, decoder.decode):
                if isinstance(message, Unreadable):
                    for name in ("type", "seq", "call", "job_id", "attempt", "node"):
                        message.field(name, str)
                        message.field(name, int)
                else:
                    again = link.encoder.encode(message)
                    assert link.encoder.encode(decoder.decode(again)) == again
    with suppress(*MALFORMED):
        page = link.encoder.encode(link.ended_attempts.decode(data))
        assert link.encoder.encode(link.ended_attempts.decode(page)) == page


def shepherd_lines(data: bytes) -> None:
    """Check that messages are the same when they are said again, or malformed."""
    for line in data.split(b"\n"):
        with suppress(*MALFORMED):
            said = msgspec.json.encode(shepherd_line.decode(line))
            assert msgspec.json.encode(shepherd_line.decode(said)) == said


def records(data: bytes) -> None:
    """Expect the last whole record of a file, or none, whatever is in it."""
    path = scratch() / "record"
    path.write_bytes(data)
    kinds: tuple[type[msgspec.Struct], ...] = (UnitStatus, ClaimedUnit, SavedAttempt)
    for kind in kinds:
        record = read_record(path, kind)
        assert record is None or isinstance(record, kind)


def journal(data: bytes) -> None:
    """Expect the ends that can be read, whatever else is in the file."""
    (scratch() / "ended.jsonl").write_bytes(data)
    assert all(isinstance(one, link.EndedAttempt) for one in Journal(scratch()).read())


def step_name(step: str, task: int) -> None:
    """Expect that what a step may be called stays in the directory of its attempt, beside the
    script's."""
    if STEP_NAME.fullmatch(step):
        name = task_unit_name(step, task)
        assert Path("attempt", name).parent == Path("attempt")
        assert name not in (".", "..", BATCH)
        assert name.isprintable()


def check(data: bytes) -> None:
    frame(data)
    shepherd_lines(data)
    records(data)
    journal(data)
    step_name(data.decode("latin-1"), 0)


_ENDED = link.EndedAttempt(7, 1, "n1", True, 2, 5, 6, Cause.EXIT, exit_code=0)
_LAUNCH = link.Launch(7, 1, "n1", True, 0, 60.0, 10.0, 2, "#!/bin/sh\n", env={"A": "b"})
_STATUS = UnitStatus(Cause.EXIT, exit_code=0, boot_id="b")

HARNESS = Harness(
    what="frames of the agent link, lines of shepherds, records on disk",
    check=check,
    readers=(
        "rmsd_wire.frames",
        "rmsd_agent.state.journal",
        "rmsd_agent.units.shepherd_lines",
    ),
    seeds=(
        link.encoder.encode(
            [
                link.Hello(
                    *(1, "0.1", "a", 1, [NodeInfo("n1", "real", 4, 100)]),
                    [link.HeldAttempt(7, 1, "n1")],
                ),
                link.LaunchedReport(1, 7, 1, "n1", 99),
                link.ExitedReport(2, 7, 1, "n1", Cause.LIMIT, signal=9),
            ]
        ),
        link.encoder.encode([_LAUNCH, link.StopAttempt(7, 1, "n1", Cause.USER), link.Ack(3)]),
        link.encoder.encode([_ENDED]),
        link.encoder.encode([Reply(1, 404, "no such file", b"x", 3, True)]),
        b"\x91\x82\xa4type\xa6exited\xa1x" + b"\x91" * 2000 + b"\xc0",
        b'{"op":"here","shepherd":[1,2],"unit":null,"pid":null}\n{"op":"refused","unit":"7.1.n1"}',
        b'{"op":"ended","unit":"7.1.n1/batch","status":%b}' % msgspec.json.encode(_STATUS),
        b'{"op":"refused","unit":"a","x":' + b"[" * 2000,
        b'{"cause":"exit"}\n{"cause":"exit","message":"\xff"}',
        b'{"cause":"exit"}\n{"cause":"exit","x":' + b"[" * 2000,
        msgspec.json.encode(ClaimedUnit("b", (1, 2), None, None, None, 1.0)),
        msgspec.json.encode(SavedAttempt(_LAUNCH, 1.0, None, "b")),
        b"step_1-a",
    ),
)
