"""Hostile callers over HTTP, of every role: they send what `requests` makes."""

from __future__ import annotations

import json
import random
import socket
import ssl
import time
from collections import deque
from contextlib import suppress
from typing import NamedTuple

from tests.fuzz_system.judge import Judge
from tests.fuzz_system.requests import Known, request
from tests.fuzz_system.system import System
from tests.fuzz_system.transcript import Act
from tests.fuzz_system.values import Values

_ANSWER_S = 90.0
_LENIENT_S = 0.3
"""Time for the answer to a request that is none, or is never complete."""
_MUST_BE_ANSWERED = frozenset({"whole", "pieces", "pipelined"})
_TIMES = {"pipelined": 4, "unread": 20}
_UNREAD = 12
"""Connections that are kept with answers that nobody reads."""
_MOST_SENT_HEAD_BYTES = 8000


class Answer(NamedTuple):
    status: int
    body: bytes


class Unanswered(Exception):
    """No whole answer came. The message says what did."""


class Callers:
    """A party that sends requests one after the other."""

    def __init__(self, name: str, system: System, judge: Judge, known: Known) -> None:
        self.name = name
        self._system = system
        self._judge = judge
        self._known = known
        self._kept: dict[str, socket.socket] = {}
        self._unread: deque[socket.socket] = deque()

    def act(self, number: int, rng: random.Random) -> Act:
        made = request(number, Values(rng), self._known)
        made.party = self.name
        return made

    def perform(self, act: Act) -> str:
        """Send a request, and return the status of the answer, or another word."""
        said = self._system.filled(b"".join(act.said))
        was_kept = act.to in self._kept
        try:
            return self._sent(act, said)
        except (OSError, Unanswered) as error:
            self._forget(act.to)
            if was_kept:  # the daemon may have closed it just before
                return self.perform(act)
            if _must_be_answered(act):
                self._judge.unanswered(act, f"{type(error).__name__}: {error}")
            return "no answer"

    def close(self) -> None:
        for sock in (*self._kept.values(), *self._unread):
            sock.close()

    # ------------------------------------------------------------ inside

    def _sent(self, act: Act, said: bytes) -> str:
        sock = self._connection(act)
        sock.settimeout(_LENIENT_S if act.how == "unread" else _ANSWER_S)
        if act.how == "broken-off":
            sock.sendall(said[: len(said) // 2])
            self._forget(act.to)
            return "broken off"
        # A daemon that has refused a request may close its end before all of it is sent.
        # One whose answers nobody takes stops listening.
        with suppress(ConnectionError, ssl.SSLError, TimeoutError):
            if act.how == "pieces":
                _send_slowly(sock, said)
            else:
                for _ in range(_TIMES.get(act.how, 1)):
                    sock.sendall(said)
        if act.how == "hang-up":
            self._forget(act.to)
            return "hung up"
        if act.how == "unread":
            self._kept.pop(act.to, None)
            self._leave_unread(sock)
            return "not read"
        sock.settimeout(_ANSWER_S if _must_be_answered(act) else _LENIENT_S)
        answer = Answer(0, b"")
        reader = _Reader(sock)
        for _ in range(_TIMES.get(act.how, 1)):
            answer = reader.answer(is_head=act.kind.startswith("HEAD") or said[:4] == b"HEAD")
            self._judge.answered(act, answer.status, answer.body)
            if answer.status >= 400 and act.how == "pipelined":
                break  # the request may have been the last on this connection
        if not _must_be_answered(act) or answer.status >= 400:
            self._forget(act.to)
        self._learn(act, answer)
        return str(answer.status)

    def _connection(self, act: Act) -> socket.socket:
        if act.to not in self._kept:
            self._kept[act.to] = self._system.connect(act.to)
        return self._kept[act.to]

    def _forget(self, to: str) -> None:
        if (sock := self._kept.pop(to, None)) is not None:
            sock.close()

    def _leave_unread(self, sock: socket.socket) -> None:
        self._unread.append(sock)
        if len(self._unread) > _UNREAD:
            self._unread.popleft().close()

    def _learn(self, act: Act, answer: Answer) -> None:
        if act.kind == "POST /v1/jobs" and answer.status == 201:
            jobs = json.loads(answer.body)["jobs"]
            self._known.add_jobs([job["job_id"] for job in jobs])


def _must_be_answered(act: Act) -> bool:
    """Return whether an act is a request as HTTP knows it, with a head that is not longer than the
    daemon reads."""
    known = act.said[0].startswith(act.kind.split()[0].encode() + b" ")
    return known and act.how in _MUST_BE_ANSWERED and len(act.said[0]) < _MOST_SENT_HEAD_BYTES


def _send_slowly(sock: socket.socket, said: bytes) -> None:
    step = max(1, len(said) // 5)
    for at in range(0, len(said), step):
        sock.sendall(said[at : at + step])
        time.sleep(0.02)


class _Reader:
    """A reader of one answer after the other from a connection."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._heard = b""

    def answer(self, *, is_head: bool) -> Answer:
        """Return the next answer. Raises Unanswered, OSError."""
        status = 0
        while status < 200:
            while b"\r\n\r\n" not in self._heard:
                self._more()
            head, _, self._heard = self._heard.partition(b"\r\n\r\n")
            status = int(head[9:12])
        if is_head or status == 204:
            return Answer(status, b"")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        if fields.get(b"transfer-encoding") == b"chunked":
            return Answer(status, self._chunks())
        if b"content-length" not in fields:
            raise Unanswered(f"an answer without a length: {head[:200]!r}")
        return Answer(status, self._take(int(fields[b"content-length"])))

    def _chunks(self) -> bytes:
        body = b""
        while size := int(self._line(), 16):
            body += self._take(size)
            self._take(2)
        self._line()
        return body

    def _line(self) -> bytes:
        while b"\r\n" not in self._heard:
            self._more()
        line, _, self._heard = self._heard.partition(b"\r\n")
        return line

    def _take(self, size: int) -> bytes:
        while len(self._heard) < size:
            self._more()
        taken, self._heard = self._heard[:size], self._heard[size:]
        return taken

    def _more(self) -> None:
        data = self._sock.recv(1 << 18)
        if not data:
            raise Unanswered(f"the connection was closed behind {self._heard[:100]!r}")
        self._heard += data
