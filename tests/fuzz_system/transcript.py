"""The acts of all parties, on disk and counted, so that they can be performed again."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

_LAST = 3  # acts of a party that a finding shows
_SHOWN_BYTES = 200

ROOT = b"/tmp/rt@@ROOT@@"
"""The placeholder for the directory of the system, whose name has the same length."""


class Act(msgspec.Struct):
    """One thing that a party does: saying `said`, in the manner `how`, as or to `to`.

    `kind` is what is counted: a route, a kind of message. Bytes may have placeholders, which
    `System.filled` replaces, so that another system can be told the same.
    """

    party: str
    number: int
    kind: str
    how: str = ""
    to: str = ""
    said: list[bytes] = []
    at_s: float = 0.0

    def __str__(self) -> str:
        size = sum(map(len, self.said))
        begin = b" ".join(self.said)[:_SHOWN_BYTES]
        return f"{self.party} {self.number}: {self.kind} ({self.how}) {self.to} {size}: {begin!r}"


class Transcript:
    """A file of acts, which all threads may add to."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb", buffering=0)
        self._lock = threading.Lock()
        self._last: dict[str, deque[Act]] = defaultdict(lambda: deque(maxlen=_LAST))
        self._counts: dict[str, dict[str, Counter[str]]] = {}

    def add(self, act: Act) -> None:
        """Keep an act before it is done."""
        act.at_s = time.time()
        with self._lock:
            self._last[act.party].append(act)
            self._file.write(msgspec.json.encode(act) + b"\n")

    def count(self, act: Act, outcome: str) -> None:
        """Note what became of an act."""
        with self._lock:
            kinds = self._counts.setdefault(act.party, {})
            kinds.setdefault(act.kind, Counter())[outcome] += 1

    def last(self, parties: Sequence[str] = ()) -> list[Act]:
        """Return the latest acts of these parties (of all, if none is named), the latest last."""
        with self._lock:
            acts = [act for name in parties or list(self._last) for act in self._last[name]]
        return sorted(acts, key=lambda act: act.at_s)

    def counts(self) -> dict[str, dict[str, Counter[str]]]:
        """Return how often each party did which kind of act with which outcome."""
        with self._lock:
            return {
                party: {kind: Counter(outcomes) for kind, outcomes in kinds.items()}
                for party, kinds in self._counts.items()
            }

    def close(self) -> None:
        self._file.close()


def read(path: Path) -> Iterator[Act]:
    """Return the acts of a transcript, in their order."""
    decoder = msgspec.json.Decoder(Act)
    with path.open("rb") as file:
        for line in file:
            yield decoder.decode(line)


def filled(said: bytes, values: Mapping[bytes, bytes]) -> bytes:
    """Return what is really sent: `said` with its placeholders replaced."""
    for name, value in values.items():
        if name in said:
            said = said.replace(name, value)
    return said
