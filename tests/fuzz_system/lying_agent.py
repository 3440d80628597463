"""Agents that join and then lie: sound messages about what is not so, nearly sound messages, and
bytes that are no messages."""

from __future__ import annotations

import json
import random
import time
from typing import Any

from rmsd_wire import PROTOCOL, link
from rmsd_wire.frames import messages_in
from rmsd_wire.link_calls import ReadEnded, ReadFile, Reply, StartTask, StopTask
from tests.fuzz_system import websocket
from tests.fuzz_system.judge import Judge
from tests.fuzz_system.requests import Known
from tests.fuzz_system.system import LIARS, System, placeholder
from tests.fuzz_system.transcript import Act
from tests.fuzz_system.values import Hints, Values, packed, tag_of
from tests.fuzz_system.websocket import BINARY, Peer, WebSocketError

_WITHIN_S = 60.0
_MOST_NODES = 3
_FLOOD = 5000
_HUGE_BYTES = 65 << 20  # one MiB more than a daemon takes
_LISTEN_S = 0.02
_TAGS = ("hello", "launched", "exited", "reply")
_TO_DAEMON = (link.LaunchedReport, link.ExitedReport, link.ExitedReport, Reply, link.Hello)


class LyingAgent:
    """A party of which each act is a session of a link, from its Hello to its end."""

    def __init__(self, system: System, judge: Judge, known: Known) -> None:
        self.name = "lying agent"
        self._system = system
        self._judge = judge
        self._known = known
        for liar in LIARS:  # before a caller has an agent of this name join
            self._join(liar)

    def act(self, number: int, rng: random.Random) -> Act:
        liar = rng.choice(LIARS)
        values = Values(rng, rng.choice((0.0, 0.02, 0.2)), _hints(self._known, liar))
        said = [_hello(values)] if values.chance(0.9) else []
        kind = "Hello"
        for _ in range(rng.choice((0, 1, 3, 10))):
            kind, wire = _frame(values)
            said.append(wire)
        return Act(self.name, number, kind, _manner(values), liar, said)

    def perform(self, act: Act) -> str:
        """Hold a session, and return how it ended."""
        try:
            peer = self._dialed(act.to)
        except (OSError, ValueError) as error:
            self._judge.unanswered(act, f"no link: {type(error).__name__}: {error}")
            return "no link"
        try:
            return self._tell(peer, act)
        except WebSocketError:
            return "closed"
        except OSError as error:
            return type(error).__name__
        finally:
            peer.close()

    def close(self) -> None:
        """Do nothing: there is nothing to give back."""

    # ------------------------------------------------------------ inside

    def _dialed(self, liar: str) -> Peer:
        sock = self._system.connect(liar)
        try:
            token = self._system.filled(placeholder(liar)).decode()
            headers = f"Authorization: Bearer {token}\r\n"
            return websocket.dial(sock, "/v1/link", headers, _WITHIN_S)
        except BaseException:
            sock.close()
            raise

    def _join(self, liar: str) -> None:
        token = self._system.tokens[liar]
        body = json.dumps({"id": token.id, "digest": token.digest, "agent_id": liar}).encode()
        with self._system.connect("joiner") as sock:
            sock.settimeout(_WITHIN_S)
            shown = self._system.filled(placeholder("joiner"))
            head = b"POST /v1/join HTTP/1.1\r\nHost: rmsd\r\nAuthorization: Bearer " + shown
            sock.sendall(head + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            if b" 200 " not in (answer := sock.recv(65536)).split(b"\r\n")[0]:
                raise ValueError(f"{liar} cannot join: {answer!r}")

    def _tell(self, peer: Peer, act: Act) -> str:
        heard: list[Any] = []
        for wire in act.said:
            peer.send(self._system.filled(wire), _WITHIN_S)
            heard += _heard(peer)
        if act.how == "answer-what-comes":
            rng = random.Random(act.number)
            for message in heard:
                peer.send(_reaction(message, rng), _WITHIN_S)
            heard += _heard(peer)
        if act.how == "stay":
            time.sleep(0.3)
            heard += _heard(peer)
        if any(isinstance(message, link.Goodbye) for message in heard):
            return "goodbye"
        return "welcome" if heard else "silence"


def _heard(peer: Peer) -> list[Any]:
    """Return the messages that have come until now."""
    found: list[Any] = []
    while (frame := peer.receive(_LISTEN_S)) is not None:
        kind, payload = frame
        if kind == websocket.CLOSE:
            raise WebSocketError("closed")
        if kind == websocket.PING:
            peer.send(websocket.frame(payload, websocket.PONG), _WITHIN_S)
        elif kind == BINARY:
            found += messages_in(payload, link.to_agent.decode)
    return found


def _reaction(message: Any, rng: random.Random) -> bytes:
    """Make up what an agent might answer to a message."""
    values = Values(rng, 0.05)
    match message:
        case link.Launch() | link.StopAttempt():
            key = {"job_id": message.job_id, "attempt": message.attempt, "node": message.node}
            kind = rng.choice((link.LaunchedReport, link.ExitedReport))
            made = values.of(kind)
            return _binary([made | key if isinstance(made, dict) else made])
        case StartTask() | StopTask() | ReadFile() | ReadEnded():
            made = values.of(Reply)
            return _binary([made | {"call": message.call} if isinstance(made, dict) else made])
        case _:
            return _binary([])


def _binary(messages: list[Any]) -> bytes:
    return websocket.frame(packed(messages))


# ---------------------------------------------------------------- what is said


def _hints(known: Known, liar: str) -> Hints:
    def node(values: Values) -> str:
        return _node(values, liar)

    return {
        "protocol": lambda v: PROTOCOL if v.chance(0.97) else v.whole(),
        "agent_id": lambda _: liar,
        "job_id": lambda v: v.rng.choice((*known.jobs, *known.honest, 1, 1 << 40)),
        "attempt": lambda v: v.rng.choice((1, 1, 2, 7)),
        "node": node,
        "name": node,
        "kind": lambda v: v.rng.choice(("emulated", "emulated", "real")),
        "cores": lambda v: v.rng.choice((0, 1, 2)),
        "mem_mib": lambda v: v.rng.choice((0, 1, 32)),
        "leaving": lambda v: [node(v) for _ in range(v.rng.randint(0, 2))],
        "call": lambda v: v.rng.choice((1, 2, 3)),
        "ago_s": lambda v: v.rng.choice((0.0, 1.5, -5.0, 1e6)),
        "data": lambda v: v.rng.randbytes(v.rng.choice((0, 10, 5000))),
    }


def _node(values: Values, liar: str) -> str:
    own = (f"{liar}-a", f"{liar}-a", f"{liar}-b", f"{liar}-c")
    others = (f"{LIARS[0]}-a", "e1", "x1", "r1", "b1", "liar,[1-3]", " ")
    return values.rng.choice(own + others)


def _hello(values: Values) -> bytes:
    hello = values.of(link.Hello)
    if isinstance(hello, dict):
        nodes = hello.get("nodes")
        if isinstance(nodes, list):
            hello["nodes"] = nodes[:_MOST_NODES]
        hello.setdefault("remembers", values.chance(0.5))
    return _binary([hello])


def _frame(values: Values) -> tuple[str, bytes]:
    """Make up a frame. Return what it is called, and its bytes."""
    rng = values.rng
    messages = [values.of(rng.choice(_TO_DAEMON)) for _ in range(rng.choice((1, 1, 2, 20)))]
    kind = tag_of(messages[0], "type", _TAGS)
    payload = packed(messages)
    if values.chance(0.6):
        return kind, websocket.frame(payload)
    odd = rng.choice((_bent, _garbage, _fragmented, _other_kind, _wrong_length, _unmasked, _many,
                      _compressed, _huge, _repeated))  # fmt: skip
    return odd.__name__.strip("_"), odd(values, payload)


def _bent(values: Values, payload: bytes) -> bytes:
    return websocket.frame(values.bent(payload))


def _garbage(values: Values, _: bytes) -> bytes:
    data = values.rng.choice(
        (b"", b"\xc1", b"\xdd\xff\xff\xff\xff", b"\x91" * 100_000, values.rng.randbytes(50),
         b"\x91\x82\xa4type\xa6exited\xa1x" + b"\x91" * 50_000 + b"\xc0")
    )  # fmt: skip
    return websocket.frame(data)


def _fragmented(values: Values, payload: bytes) -> bytes:
    cut = values.rng.randint(0, len(payload))
    parts = [websocket.frame(payload[:cut], final=False)]
    if values.chance(0.3):
        parts.append(websocket.frame(b"x", websocket.PING))
    if values.chance(0.8):
        kind = websocket.CONTINUATION if values.chance(0.8) else BINARY
        parts.append(websocket.frame(payload[cut:], kind))
    return b"".join(parts)


def _other_kind(values: Values, payload: bytes) -> bytes:
    kind = values.rng.choice(
        (websocket.TEXT, websocket.CLOSE, websocket.PING, websocket.PONG, 3, 11, 15)
    )
    return websocket.frame(payload, kind)


def _wrong_length(values: Values, payload: bytes) -> bytes:
    length = values.rng.choice((len(payload) + 1, 0, 1 << 16, 1 << 31, 1 << 62, (1 << 64) - 1))
    return websocket.frame(payload, length=length)


def _unmasked(_: Values, payload: bytes) -> bytes:
    return websocket.frame(payload, masked=False)


def _compressed(_: Values, payload: bytes) -> bytes:
    return websocket.frame(payload, bits=websocket.COMPRESSED)


def _many(values: Values, payload: bytes) -> bytes:
    """Make up thousands of messages, in one frame or each in its own."""
    count = values.rng.choice((50, _FLOOD))
    if values.chance(0.5):
        return websocket.frame(payload) * (count // 10)
    return _binary([values.of(link.ExitedReport)] * count)


def _huge(values: Values, _: bytes) -> bytes:
    if values.chance(0.9):
        return _binary([{"type": "reply", "call": 1, "data": b"x" * (1 << 20)}])
    return websocket.frame(b"\xc0" * _HUGE_BYTES)


def _repeated(_: Values, payload: bytes) -> bytes:
    return websocket.frame(payload) * 3


def _manner(values: Values) -> str:
    return values.rng.choice(("leave", "leave", "answer-what-comes", "stay"))
