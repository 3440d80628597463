"""A stranger on an agent's control socket, who says what no shepherd of this version says."""

from __future__ import annotations

import random
import socket
from contextlib import suppress
from typing import Any

from rmsd_agent.units.shepherd_lines import shepherd_line
from tests.fuzz_system.requests import Known
from tests.fuzz_system.system import System
from tests.fuzz_system.transcript import Act
from tests.fuzz_system.values import DEAD_PIDS, Hints, Values, tag_of

_WITHIN_S = 10.0
_LISTEN_S = 0.05


class LyingShepherd:
    """A party of which each act is a connection to the control socket."""

    def __init__(self, system: System, known: Known) -> None:
        self.name = "lying shepherd"
        self._control = system.damaged.state / "control.sock"
        self._known = known

    def act(self, number: int, rng: random.Random) -> Act:
        values = Values(rng, rng.choice((0.0, 0.05, 0.3)), _hints(self._known))
        said, kind = [], "nothing"
        for _ in range(rng.choice((0, 1, 2, 6))):
            kind, line = _line(values)
            said.append(line)
        return Act(self.name, number, kind, "", "b", said)

    def perform(self, act: Act) -> str:
        """Hold a connection, and return how it ended."""
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(_WITHIN_S)
            try:
                sock.connect(str(self._control))
            except OSError:
                return "nobody there"  # the agent is being started
            with suppress(OSError):
                for line in act.said:
                    sock.sendall(line)
                sock.settimeout(_LISTEN_S)
                return "told" if sock.recv(1 << 18) else "closed"
        return "heard"

    def close(self) -> None:
        """Do nothing: there is nothing to give back."""


def _hints(known: Known) -> Hints:
    return {
        "shepherd": lambda v: [v.rng.choice(DEAD_PIDS), v.rng.randint(0, 9)],
        "pid": lambda v: v.rng.choice((None, *DEAD_PIDS)),
        "unit": lambda v: v.rng.choice((None, _unit(v, known), _unit(v, known), v.text(100))),
        "message": lambda v: v.text(),
        "ended_s": lambda v: v.rng.choice((0.0, 1e9, 1e300)),
    }


def _unit(values: Values, known: Known) -> str:
    job = values.rng.choice(known.jobs)
    return f"{job}.1.{values.rng.choice(('b1', 'b2'))}/{values.rng.choice(('batch', 's.0'))}"


def _line(values: Values) -> tuple[str, bytes]:
    """Make up a line. Return what it is called, and its bytes."""
    said: Any = values.of(shepherd_line.type)
    kind = tag_of(said, "op", ("here", "started", "ended", "refused", "unable"))
    line = values.json(said) + b"\n"
    if values.chance(0.8):
        return kind, line
    odd = {
        "bent": values.bent(line),
        "garbage": values.rng.randbytes(40) + b"\n",
        "nested": values.nested() + b"\n",
        "no end": b"x" * ((1 << 20) + values.rng.choice((0, 1, 100))),
        "empty": b"\n\n",
        "cut": line[: len(line) // 2],
        "twice": line * 2,
    }
    name = values.rng.choice(list(odd))
    return name, odd[name]
