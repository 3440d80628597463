"""The bounds of both directions fit: an agent can tell a daemon what it has read of a daemon."""

from __future__ import annotations

import random

import msgspec

from rmsd_agent.reports import held_as
from rmsd_core.vocabulary import Cause
from rmsd_wire import link
from tests.fuzz_system.values import Values, packed

_TRIES = 3000


def launches() -> list[link.Launch]:
    """Return launches with odd values that an agent reads."""
    found = []
    for seed in range(_TRIES):
        made = Values(random.Random(seed), 0.1).of(link.Launch)
        try:
            launch = msgspec.msgpack.decode(packed(made), type=link.Launch)
        except msgspec.MsgspecError:
            continue
        found.append(launch)
    return found


def test_what_an_agent_holds_of_a_launch_is_read_by_a_daemon() -> None:
    read = launches()
    assert len(read) > _TRIES / 20
    held = [held_as(launch) for launch in read]
    hello = link.Hello(1, "0", "a", 1, [], held)
    assert link.to_daemon.decode(link.encoder.encode(hello)) == hello


def test_what_an_agent_says_of_a_stop_is_read_by_a_daemon() -> None:
    read = 0
    for seed in range(_TRIES):
        made = packed(Values(random.Random(seed), 0.1).of(link.StopAttempt))
        try:
            stop = link.to_agent.decode(made)
        except msgspec.MsgspecError:
            continue
        assert isinstance(stop, link.StopAttempt)
        exited = link.ExitedReport(1, stop.job_id, stop.attempt, stop.node, Cause.USER)
        assert link.to_daemon.decode(link.encoder.encode(exited)) == exited
        read += 1
    assert read > _TRIES / 20
