"""Transcripts of the core: what comes in, and what is decided, as text.

A transcript is a file in `transcripts/`, in a folder by subject. A transcript says first what it
shows, then the recipe and the machine. `slip=2` lets reservations slip by up to 2 s. Then come the
inputs of the core, instant by instant. The core's answer stands under each instant: its decisions
in their order (`=>`), its wake time, and the phases of the jobs that it changed (`--`). A person
writes what comes in, and this program writes the answers:

    python -m tests.core.transcript          write the answers of all transcripts anew
    git diff tests/core/transcripts          look at what has changed

`test_transcripts.py` compares them exactly. Times are seconds.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.conditions import NO_CONDITIONS
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Unfolding, Waiting
from rmsd_core.jobs.request import Component, Piece, Request
from rmsd_core.lifecycle.core import CapacityKind, Core
from rmsd_core.lifecycle.effects import Effects
from rmsd_core.lifecycle.inputs import (
    AddReservation,
    AskReboot,
    AwaitAgain,
    Cancel,
    CancelReboot,
    DeleteReservation,
    Drain,
    Exited,
    Found,
    Hold,
    Input,
    Launched,
    NodeDead,
    NodeGone,
    NodeLeaving,
    NodeSuspect,
    NodeUp,
    Overtaken,
    PutBack,
    Refused,
    Release,
    Restart,
    Resume,
    SetMember,
    SetPartitions,
    Submit,
    Suspend,
    Unsuspend,
    Update,
)
from rmsd_core.model_time import UNLIMITED_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import NORMAL_QOS, Cause, Fault, HeldBy
from rmsd_daemon.store.records import Row
from tests.core.told import check_told, told_rows
from tests.core.transcript_inputs import (
    Values,
    array_of,
    conditions_of,
    first_phase,
    intervals_of,
    micros,
    node_of,
    partition_of,
    policies_of,
    reboot_of,
    reserve_of,
    values_of,
)
from tests.core.transcript_words import seconds, words_of

FOLDER = Path(__file__).parent / "transcripts"
_ANSWER, _PHASES = "=>", "--"


def transcripts() -> list[Path]:
    return sorted(FOLDER.rglob("*.txt"))


@dataclass
class Told:
    """One instant of a transcript.

    inputs, answer: what the core was told, and what it answered. ways: the phases that jobs left
    and entered.
    """

    inputs: list[Input]
    answer: Effects
    ways: list[tuple[type, type]] = field(default_factory=list)


@dataclass
class Transcript:
    """A transcript that has been told to a core. text: the file as it should be."""

    recipe: str
    text: str
    instants: list[Told]


def tell(text: str) -> Transcript:
    """Tell a core what comes in by a transcript, and write down what it answers.

    Raises:
        ValueError: a line is not understood.
    """
    return _Teller().tell(text)


class _Teller:
    def __init__(self) -> None:
        self.core: Core | None = None
        self.recipe = ""
        self.slip_us = 0
        self.counted = False
        self.jobs: dict[int, Job] = {}
        self.phases: dict[int, type] = {}
        self.rows: dict[int, Row] = {}

    def tell(self, text: str) -> Transcript:
        lines: list[str] = []
        instants: list[Told] = []
        now_s, inputs = 0.0, list[Input]()
        waiting = False
        for line in [*text.splitlines(), ""]:
            words = shlex.split(line, comments=True)
            if words and words[0] in (_ANSWER, _PHASES):
                continue
            if waiting and (not words or words[0] == "at"):
                told = self._call(now_s, inputs)
                instants.append(told)
                lines += self._answer(told)
                waiting, inputs = False, []
            lines.append(line)
            if not words:
                continue
            match words[0]:
                case "recipe":
                    self.recipe, *rest = words[1:]
                    more = values_of(rest)
                    self.slip_us = micros(float(more.get("slip", 0)))
                    more.check()
                case "processors" | "nodes":
                    self._machine(words)
                case "at":
                    now_s, waiting = float(words[1]), True
                case "wake":
                    pass  # the time alone
                case _:
                    inputs.append(self._input(words, now_s))
        return Transcript(self.recipe, "\n".join(lines[:-1]) + "\n", instants)

    # ------------------------------------------------------------ what comes in

    def _machine(self, words: list[str]) -> None:
        self.counted = words[0] == "processors"
        kind: CapacityKind = "counted" if self.counted else "nodes"
        self.core = Core(parse_recipe(self.recipe), kind, slip_us=self.slip_us)
        if self.counted:
            self.core.handle(0, [NodeUp("all", int(words[1]), 0)])
        else:
            self.core.handle(0, [node_of(word) for word in words[1:]])

    def _input(self, words: list[str], now_s: float) -> Input:
        kind, subject, *rest = words
        match kind:
            case "partitions":
                named = [] if subject == "none" else words[1:]
                return SetPartitions(tuple([partition_of(word) for word in named]))
            case "qos" | "accounts":
                return policies_of(kind, words[1:])
            case "found":
                return self._found(int(subject), rest)
            case "member":
                more = values_of(rest[1:])
                made: Input = SetMember(subject, rest[0], "left" not in more)
            case _:
                more = values_of(rest)
                made = self._input_of(kind, subject, more, now_s)
        more.check()
        return made

    # long: one case for each input
    def _input_of(self, kind: str, subject: str, more: Values, now_s: float) -> Input:
        match kind:
            case "submit":
                return self._submit(int(subject), now_s, more)
            case "launched":
                return Launched(int(subject), self.jobs[int(subject)].attempt)
            case "exit":
                return self._exit(int(subject), now_s, more)
            case "cancel":
                ranks = intervals_of(more["ranks"]) if "ranks" in more else None
                return Cancel(int(subject), ranks)
            case "hold":
                return Hold(int(subject), HeldBy(more.get("by", "user")))
            case "release":
                return Release(int(subject))
            case "put-back":
                return PutBack(int(subject), HeldBy(more["held"]) if "held" in more else None)
            case "restart":
                # The core makes a job of its own.
                return Restart(self.jobs.pop(int(subject)), conditions_of(more) or NO_CONDITIONS)
            case "await-again":
                return AwaitAgain(int(subject), (conditions_of(more) or NO_CONDITIONS).awaits)
            case "suspend":
                return Suspend(int(subject))
            case "unsuspend":
                return Unsuspend(int(subject))
            case "update":
                return self._update(int(subject), more)
            case "overtaken":
                return self._overtaken(int(subject), now_s, more)
            case "up":
                return node_of(subject)
            case "suspect":
                return NodeSuspect(subject)
            case "dead":
                return NodeDead(subject)
            case "leaving":
                return NodeLeaving(subject)
            case "gone":
                return NodeGone(subject)
            case "drain":
                return Drain(subject, more.get("reason", "repair"))
            case "resume":
                return Resume(subject)
            case "ask-reboot" | "cancel-reboot" | "reboot-failed":
                return reboot_of(kind, subject, more)
            case "reserve":
                return reserve_of(subject, more)
            case "unreserve":
                return DeleteReservation(subject)
        raise ValueError(f"{kind} {subject}: nothing that a core can be told")

    def _submit(self, job_id: int, now_s: float, more: dict[str, str]) -> Submit:
        unlimited = more["estimate"] == "none"
        cores = int(more["cores"])
        units = int(more.get("units", cores if self.counted else 1))
        component = Component(
            units,
            1 if self.counted else cores,
            int(more.get("mem", 0)),
            "spread" in more,
            more.get("feature"),
        )
        partitions = more["in"].split(",") if "in" in more else [None]
        job = Job(
            job_id,
            more.get("user", "ann"),
            micros(now_s),
            Request(tuple([component._replace(partition=name) for name in partitions])),
            UNLIMITED_US if unlimited else micros(float(more["estimate"])),
            requeue="no-requeue" not in more,
            restartable="not-restartable" not in more,
            name=more.get("name", ""),
            deadline_us=micros(float(more["deadline"])) if "deadline" in more else None,
            account=more.get("account", ""),
            qos=more.get("qos", NORMAL_QOS),
            nice=int(more.get("nice", 0)),
            reservation=more.get("reservation", ""),
            array=(array := array_of(more)),
            phase=first_phase(conditions_of(more), array),
        )
        if array is not None:
            self.phases[job_id] = Unfolding
        self.jobs[job_id] = job
        return Submit(job, micros(float(more["runs"])) if "runs" in more else None)

    def _update(self, job_id: int, more: dict[str, str]) -> Update:
        """Read `update 1 estimate=50 cores=2 name=x begin=100 after=afterok:2 any`."""
        request = None
        if "cores" in more or "units" in more:
            [old] = self.jobs[job_id].request.components
            cores, units = more.get("cores", old.cores), more.get("units", old.units)
            request = Request((old._replace(cores=int(cores), units=int(units)),))
        return Update(
            job_id=job_id,
            estimate_us=micros(float(more["estimate"])) if "estimate" in more else None,
            request=request,
            name=more.get("name"),
            reservation=more.get("reservation"),
            begin_us=micros(float(more["begin"])) if "begin" in more else None,
            deadline_us=micros(float(more["deadline"])) if "deadline" in more else None,
            awaits=conditions_of(more).awaits if "after" in more else None,
            nice=int(more["nice"]) if "nice" in more else None,
        )

    def _exit(self, job_id: int, now_s: float, more: dict[str, str]) -> Exited:
        job = self.jobs[job_id]
        cause = Cause(more.get("cause", "exit"))
        fault = Fault(more["fault"]) if "fault" in more else None
        code, message = int(more.get("code", 0)), more.get("message", "")
        outcome = Outcome(cause, code, message=message, fault=fault)
        attempt = int(more.get("attempt", job.attempt))
        node = more.get("node") or job.allocation[0].node
        return Exited(job_id, attempt, node, micros(float(more.get("ended", now_s))), outcome)

    def _overtaken(self, job_id: int, now_s: float, more: dict[str, str]) -> Overtaken:
        outcome = Outcome(Cause(more.get("cause", "unknown")))
        end_us = micros(float(more.get("ended", now_s)))
        attempt = int(more.get("attempt", self.jobs[job_id].attempt))
        return Overtaken(job_id, attempt, end_us, outcome)

    @staticmethod
    def _found(job_id: int, rest: list[str]) -> Found:
        """Read `found 1 attempt=2 began=50 on n1:4 n2:4`."""
        at = rest.index("on")
        more = values_of(rest[:at])
        pieces = [word.split(":") for word in rest[at + 1 :]]
        allocation = tuple(Piece(node, int(cores), 0) for node, cores in pieces)
        found = Found(job_id, int(more["attempt"]), micros(float(more["began"])), allocation)
        more.check()
        return found

    # ------------------------------------------------------------ what is decided

    def _call(self, now_s: float, inputs: list[Input]) -> Told:
        assert self.core is not None, "a transcript names a recipe and a machine first"
        answer = self.core.handle(micros(now_s), inputs)
        self.core.sanity_check()
        self.rows |= told_rows(self.core, answer)
        check_told(self.core, self.rows)
        return Told(inputs, answer)

    def _answer(self, told: Told) -> Iterator[str]:
        assert self.core is not None
        for decision in told.answer.decisions:
            yield f"    {_ANSWER} {words_of(decision)}"
        for refused in told.answer.refused:
            yield f"    {_ANSWER} refuse to {_words_of_refused(refused)}"
        if told.answer.wake_us is not None:
            yield f"    {_ANSWER} call again at {seconds(told.answer.wake_us)}"
        changed = []
        for job_id in sorted(told.answer.changed):
            job = self.jobs.setdefault(job_id, self.core.job(job_id))
            phase = job.phase
            before, after = self.phases.get(job_id, Waiting), type(phase)
            if before is not after:
                told.ways.append((before, after))
            self.phases[job_id] = after
            changed.append(f"{job_id} {after.__name__}")
        if changed:
            yield f"    {_PHASES} {', '.join(changed)}"


def _words_of_refused(refused: Refused) -> str:
    match refused:
        case NodeGone():
            return f"forget {refused.name}"
        case AskReboot() | CancelReboot():
            what = "reboot" if isinstance(refused, AskReboot) else "cancel the reboot of"
            return f"{what} {refused.name}"
        case Restart():
            return f"restart {refused.job.id}"
        case AddReservation():
            return f"reserve {refused.reservation.name}"
        case SetMember():
            return f"make {refused.user} a member of {refused.name}"
        case DeleteReservation():
            return f"unreserve {refused.name}"
    return "update"


def main() -> None:
    for path in transcripts():
        before = path.read_text()
        after = tell(before).text
        if after != before:
            path.write_text(after)
            print(path.relative_to(FOLDER))


if __name__ == "__main__":
    main()
