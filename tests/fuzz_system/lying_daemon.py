"""A daemon that an agent dials, and that says anything at all.

Now and then the agent is let through to the real daemon, which it must serve as ever. The agent may
end only after a daemon has told it to leave for good.
"""

from __future__ import annotations

import random
import select
import socket
import time
from contextlib import suppress
from typing import Any

from rmsd_wire import link
from rmsd_wire.frames import messages_in
from rmsd_wire.link_calls import ReadEnded, ReadFile, StartTask, StopTask
from rmsd_wire.malformed import MALFORMED
from tests.fuzz_system import websocket
from tests.fuzz_system.judge import Judge
from tests.fuzz_system.odd_scripts import script
from tests.fuzz_system.system import HOSTILE, System
from tests.fuzz_system.transcript import ROOT, Act
from tests.fuzz_system.values import Hints, Values, packed, tag_of
from tests.fuzz_system.websocket import BINARY, Peer

_DIALS_WITHIN_S = 120.0
_SERVES_WITHIN_S = 120.0
_WITHIN_S = 60.0
_LISTEN_S = 0.02
_NODES = {"v1", "v2"}
_WORK = ROOT.decode() + "/w"
_TAGS = (
    *("welcome", "goodbye", "ack", "launch", "stop", "start-task", "stop-task", "read-file"),
    "read-ended",
)
_TO_AGENT = (
    link.Launch, link.Launch, link.Launch, link.StopAttempt, link.StopAttempt, link.Ack,
    StartTask,
    StopTask, ReadFile, ReadFile, ReadEnded, link.Welcome, link.Goodbye,
)  # fmt: skip


class LyingDaemon:
    """A party of which each act is a session of the agent's link, at the daemon's end."""

    def __init__(self, system: System, judge: Judge) -> None:
        self.name = "lying daemon"
        self._system = system
        self._judge = judge
        system.fake_socket.unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(system.fake_socket))
        self._listener.listen()
        self._listener.settimeout(0.2)
        self._previous: Act | None = None
        self._may_leave = False  # the agent was told to leave for good

    def act(self, number: int, rng: random.Random) -> Act:
        values = Values(rng, rng.choice((0.0, 0.02, 0.2)), _hints())
        if number % 40 == 39:
            return Act(self.name, number, "serve")
        said = [_binary([_welcome(values)])]
        kind = "welcome"
        for _ in range(rng.choice((0, 1, 3, 8))):
            kind, wire = _frame(values)
            said.append(wire)
        return Act(self.name, number, kind, rng.choice(("leave", "stay")), "v", said)

    def perform(self, act: Act) -> str:
        """Hold a session, and return how it ended."""
        if act.kind == "serve":
            return self._serve(act)
        if (sock := self._accepted(act)) is None:
            return "not dialed"
        with sock:
            try:
                outcome = self._tell(sock, act)
            except OSError as error:
                outcome = type(error).__name__
        self._may_leave |= any(map(_sends_away, act.said))
        return outcome

    def close(self) -> None:
        self._listener.close()

    # ------------------------------------------------------------ inside

    def _accepted(self, act: Act) -> socket.socket | None:
        """Return the next connection of the agent, which is started again if it was sent away."""
        agent = self._system.lied_to
        until_s = time.monotonic() + _DIALS_WITHIN_S
        while time.monotonic() < until_s and not self._judge.over.is_set():
            if agent.exit_code is not None and self._may_leave:
                self._may_leave = False
                agent.start()
            elif agent.exit_code is not None:
                self._judge.found("agent ended", f"v: {agent.last_words()}", self._previous)
                self._begin_anew()
                return None
            with suppress(TimeoutError):
                sock, _ = self._listener.accept()
                self._previous = act
                return sock
        if not self._judge.over.is_set():
            self._judge.found("agent silent", "v does not dial any more", self._previous)
            self._begin_anew()
        return None

    def _begin_anew(self) -> None:
        """Start the agent with a state directory that nobody has lied into."""
        agent = self._system.lied_to
        if agent.exit_code is None:
            agent.end(9)
        agent.state.rename(agent.state.with_name(f"v-{time.monotonic_ns()}"))
        agent.start()

    def _tell(self, sock: socket.socket, act: Act) -> str:
        peer = websocket.accept(sock, _WITHIN_S)
        heard = 0 if peer.receive(_WITHIN_S) is None else 1  # the agent's Hello
        for wire in act.said:
            peer.send(self._system.filled(wire), _WITHIN_S)
            heard += _heard(peer)
        if act.how == "stay":
            time.sleep(0.3)
            heard += _heard(peer)
        return "reports" if heard > 1 else "hello" if heard else "silence"

    def _serve(self, act: Act) -> str:
        """Let the agent through to the real daemon until its nodes are up there."""
        until_s = time.monotonic() + _SERVES_WITHIN_S
        while time.monotonic() < until_s and (sock := self._accepted(act)) is not None:
            with sock, socket.socket(socket.AF_UNIX) as real, suppress(OSError):
                real.connect(str(self._system.daemon.state / "rmsd.sock"))
                while time.monotonic() < until_s and _relayed(sock, real):
                    if self._system.nodes_up() >= _NODES:
                        return "served"
        if not self._judge.over.is_set():
            told = self._system.lied_to.last_words()
            self._judge.found("agent useless", f"v's nodes do not come up: {told}", act)
            self._begin_anew()
        return "not served"


def _relayed(one: socket.socket, other: socket.socket) -> bool:
    """Pass on what both ends have to say, and return whether both are still there."""
    ready, _, _ = select.select([one, other], [], [], 0.2)
    for sock in ready:
        data = sock.recv(1 << 18)
        if not data:
            return False
        (other if sock is one else one).sendall(data)
    return True


def _heard(peer: Peer) -> int:
    """Return how many frames came until now. Raises OSError: the agent has hung up."""
    count = 0
    while (frame := peer.receive(_LISTEN_S)) is not None:
        count += frame[0] == BINARY
    return count


def _sends_away(wire: bytes) -> bool:
    """Return whether these frames may tell an agent to leave for good."""
    peer = Peer(socket.socket(), wire)
    with suppress(OSError, *MALFORMED):
        while (frame := peer.receive(0)) is not None:
            messages = messages_in(frame[1], link.to_agent.decode)
            if any(isinstance(one, link.Goodbye) and not one.retry for one in messages):
                return True
    return False


# ---------------------------------------------------------------- what is said


def _hints() -> Hints:
    return {
        "job_id": lambda v: v.rng.choice((1, 2, 5, 9, 30, 10**6)),
        "attempt": lambda v: v.rng.choice((1, 1, 2)),
        "node": lambda v: v.rng.choice(("v1", "v1", "v2", "e1", "x")),
        "batch": lambda v: v.chance(0.8),
        "user": lambda v: v.rng.choice((HOSTILE, HOSTILE, HOSTILE, "", "root", "nobody-at-all")),
        "script": script,
        "args": lambda v: [v.word()],
        "argv": lambda v: v.rng.choice((["true"], ["sleep", "0.2"], [v.word()], [])),
        "env": lambda v: {v.word(): v.word()},
        "workdir": lambda v: v.rng.choice((_WORK, _WORK, "/nonexistent", "")),
        "stdout": _output,
        "stderr": lambda v: "" if v.chance(0.7) else _output(v),
        "path": _output,
        "limit_s": lambda v: v.rng.choice((None, 0.0, 0.3, 2.0)),
        "kill_grace_s": lambda v: v.rng.choice((0.0, 0.2, 1.0)),
        "overrun_s": lambda v: v.rng.choice((0.0, 0.1)),
        "model_start_us": lambda v: v.rng.choice((0, 1_700_000_000_000_000, 1 << 50)),
        "trial_end_us": lambda v: v.rng.choice((None, 0, 1_700_000_000_000_000)),
        "run_us": lambda v: v.rng.choice((0, 100_000, 10**9)),
        "number": lambda v: v.rng.randint(1, 64),
        "signal": lambda v: v.rng.randint(1, 64),
        "seq": lambda v: v.rng.choice((0, 1, 2, 50, 1 << 40)),
        "call": lambda v: v.rng.choice((1, 2, 3)),
        "step": lambda v: v.rng.choice(("s", "t")),
        "task": lambda v: v.rng.choice((0, 1)),
        "offset": lambda v: v.rng.choice((0, 0, 3, 1 << 30)),
        "limit": lambda v: v.rng.choice((0, 100, 65536)),
        "wait_s": lambda v: v.rng.choice((0.0, 0.1)),
        "rate": lambda v: v.rng.choice((1.0, 1.0, 1000.0, 0.001)),
        "model_us": lambda v: v.rng.choice((1_700_000_000_000_000, 0)),
        "monotonic_ns": lambda _: time.monotonic_ns(),
        "heartbeat_s": lambda v: v.rng.choice((10.0, 10.0, 0.1)),
        "refused": lambda v: {} if v.chance(0.8) else {"v1": v.word()},
        "retry": lambda v: v.chance(0.9),
        "mem_mib": lambda v: v.rng.choice((0, 0, 50)),
        "max_processes": lambda v: v.rng.choice((0, 100)),
        "max_output_bytes": lambda v: v.rng.choice((0, 0, 100_000)),
    }


def _output(values: Values) -> str:
    """Make up an output path: a file of the test, or one that nothing can be done to."""
    name = values.word() if values.chance(0.8) else values.text(255)
    return values.rng.choice(
        (f"{_WORK}/v.out", f"{_WORK}/{name}", "/dev/null", "/dev/full", "/nonexistent/x", "/")
    )


def _welcome(values: Values) -> Any:
    """Make up a welcome. Most are sound, or nothing of what follows would be heard."""
    sound = Values(values.rng, 0.0, _hints())
    return (sound if values.chance(0.85) else values).of(link.Welcome)


def _binary(messages: list[Any]) -> bytes:
    return websocket.frame(packed(messages), masked=False)


def _frame(values: Values) -> tuple[str, bytes]:
    """Make up a frame. Return what it is called, and its bytes."""
    rng = values.rng
    messages = [values.of(rng.choice(_TO_AGENT)) for _ in range(rng.choice((1, 1, 2, 10)))]
    kind = tag_of(messages[0], "type", _TAGS)
    if values.chance(0.85):
        return kind, _binary(messages)
    payload = packed(messages)
    odd = {
        "bent": websocket.frame(values.bent(payload), masked=False),
        "garbage": websocket.frame(rng.randbytes(30), masked=False),
        "text": websocket.frame(payload, websocket.TEXT, masked=False),
        "masked": websocket.frame(payload),
        "compressed": websocket.frame(payload, bits=websocket.COMPRESSED, masked=False),
        "cut": websocket.frame(payload, masked=False)[: rng.randint(0, len(payload))],
        "reserved": websocket.frame(payload, rng.choice((3, 7, 11, 15)), masked=False),
        "empty": websocket.frame(b"", masked=False),
        "ping": websocket.frame(b"x" * 125, websocket.PING, masked=False),
        "close": websocket.frame(rng.choice((b"", b"x", b"\3\xe8bye", b"\0\0")), websocket.CLOSE,
                                 masked=False),
        "no text": websocket.frame(packed(messages).replace(b"v1", b"\xff\xfe"), masked=False),
    }  # fmt: skip
    name = rng.choice(list(odd))
    return name, odd[name]
