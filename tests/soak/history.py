"""The history of a soak, as known from outside: requests, the jobs' own records, observations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any


class Answer(Enum):
    """The result of a submit."""

    TAKEN = "acknowledged"
    REFUSED = "refused"  # the daemon said that nothing was stored
    NONE = "unanswered"  # then it may have been taken


@dataclass(slots=True)
class Asked:
    """A submit: the job's `tag`, which is its name, and what it is to do.

    `cores`: on every node. `cancel_answered`: the daemon said that the job, which was not over, is
    cancelled.
    """

    tag: str
    kind: str
    cores: int = 1
    answer: Answer = Answer.NONE
    job_id: int | None = None
    cancel_asked: bool = False
    cancel_answered: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line that a job wrote: "begin", "end" with its code, "overlap" when another attempt of the
    job was alive, "task" with its number. `value`: the code, the number, or the uptime in s."""

    what: str
    attempt: int
    value: str


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault: its kind, its victim and its time (UTC, s). `tags`: of the jobs below a shepherd.
    `until_s`: the end of a fault that lasts."""

    at_s: float
    what: str
    victim: str
    agent: str = ""
    tags: tuple[str, ...] = ()
    until_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Start:
    """A start of the daemon, and when it first answered (UTC, s; None: it was killed before)."""

    pid: int
    at_s: float
    answered_s: float | None


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that must not be: which judgement it fails, and the jobs that it is about."""

    judgement: str
    text: str
    tags: tuple[str, ...] = ()


@dataclass(slots=True)
class History:
    """The record of a run, for the judge.

    jobs: `JobView`s of all jobs as the database has them at the end. attempts: `AttemptView`s of
    those that were started more than once. lines: by tag. agents: node to agent. seen: what
    was found while it went on. excused: the jobs that data was lost of, by our doing, where the
    daemon has told so. booted_s: when this machine booted, UTC.
    """

    asked: list[Asked] = field(default_factory=list)
    jobs: list[dict[str, Any]] = field(default_factory=list)
    attempts: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    lines: dict[str, list[Line]] = field(default_factory=dict)
    agents: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    starts: list[Start] = field(default_factory=list)
    seen: list[Finding] = field(default_factory=list)
    excused: set[str] = field(default_factory=set)
    samples: int = 0
    booted_s: float = 0.0


def read_lines(directory: Path) -> dict[str, list[Line]]:
    """Return what all jobs wrote, by tag."""
    return {path.name: list(_lines(path)) for path in sorted(directory.iterdir())}


def _lines(path: Path) -> Iterator[Line]:
    for text in path.read_text().splitlines():
        what, attempt, value = text.split()
        yield Line(what, int(attempt), value)
