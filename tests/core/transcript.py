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
from typing import cast

from rmsd_core.jobs.accounts import JobLimits, Policies, QosPolicy
from rmsd_core.jobs.array import Array, Counterpart, Indices
from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.conditions import Conditions, Dependency
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import UNFOLDING, WAITING, Ineligible, Phase, Unfolding, Waiting
from rmsd_core.jobs.ranks import Interval
from rmsd_core.jobs.request import Allocation, Component, Piece, Request
from rmsd_core.lifecycle import effects
from rmsd_core.lifecycle.core import CapacityKind, Core
from rmsd_core.lifecycle.effects import Decision, Effects
from rmsd_core.lifecycle.inputs import (
    Cancel,
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
    Release,
    Resume,
    SetPartitions,
    SetPolicies,
    Submit,
    Suspend,
    Unsuspend,
    Update,
)
from rmsd_core.machine.partitions import Partition, PartitionState
from rmsd_core.model_time import SECOND_US, UNLIMITED_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import NORMAL_QOS, Cause, Fault, HeldBy, Relation
from rmsd_daemon.store.records import Row
from rmsd_wire.arrays import parse_indices
from tests.core.told import check_told, told_rows

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
                    self.slip_us = _us(float(_more(rest).get("slip", 0)))
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
            self.core.handle(0, [_node(word) for word in words[1:]])

    def _input(self, words: list[str], now_s: float) -> Input:
        kind, subject, *rest = words
        more = _more(rest)
        match kind:
            case "submit":
                return self._submit(int(subject), now_s, more)
            case "launched":
                return Launched(int(subject), self.jobs[int(subject)].attempt)
            case "exit":
                return self._exit(int(subject), now_s, more)
            case "cancel":
                return Cancel(int(subject), _intervals(more["ranks"]) if "ranks" in more else None)
            case "hold":
                return Hold(int(subject), HeldBy(more.get("by", "user")))
            case "release":
                return Release(int(subject))
            case "put-back":
                return PutBack(int(subject))
            case "suspend":
                return Suspend(int(subject))
            case "unsuspend":
                return Unsuspend(int(subject))
            case "update":
                return self._update(int(subject), more)
            case "overtaken":
                return self._overtaken(int(subject), now_s, more)
            case "found":
                return self._found(int(subject), rest)
            case "up":
                return _node(subject)
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
            case "partitions":
                return SetPartitions(tuple([_partition(word) for word in words[1:]]))
            case "qos":
                return SetPolicies(Policies((), tuple([_qos(word) for word in words[1:]])))
        raise ValueError(f"{' '.join(words)}: nothing that a core can be told")

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
            _us(now_s),
            Request(tuple([component._replace(partition=name) for name in partitions])),
            UNLIMITED_US if unlimited else _us(float(more["estimate"])),
            requeue="no-requeue" not in more,
            restartable="not-restartable" not in more,
            name=more.get("name", ""),
            deadline_us=_us(float(more["deadline"])) if "deadline" in more else None,
            qos=more.get("qos", NORMAL_QOS),
            array=(array := _array(more)),
            phase=_first_phase(_conditions(more), array),
        )
        if array is not None:
            self.phases[job_id] = Unfolding
        self.jobs[job_id] = job
        return Submit(job, _us(float(more["runs"])) if "runs" in more else None)

    def _update(self, job_id: int, more: dict[str, str]) -> Update:
        """`update 1 estimate=50 cores=2 name=x begin=100 after=afterok:2 any`"""
        request = None
        if "cores" in more or "units" in more:
            [old] = self.jobs[job_id].request.components
            cores, units = more.get("cores", old.cores), more.get("units", old.units)
            request = Request((old._replace(cores=int(cores), units=int(units)),))
        return Update(
            job_id=job_id,
            estimate_us=_us(float(more["estimate"])) if "estimate" in more else None,
            request=request,
            name=more.get("name"),
            begin_us=_us(float(more["begin"])) if "begin" in more else None,
            deadline_us=_us(float(more["deadline"])) if "deadline" in more else None,
            awaits=_conditions(more).awaits if "after" in more else None,
        )

    def _exit(self, job_id: int, now_s: float, more: dict[str, str]) -> Exited:
        job = self.jobs[job_id]
        cause = Cause(more.get("cause", "exit"))
        fault = Fault(more["fault"]) if "fault" in more else None
        code, message = int(more.get("code", 0)), more.get("message", "")
        outcome = Outcome(cause, code, message=message, fault=fault)
        attempt = int(more.get("attempt", job.attempt))
        node = more.get("node") or job.allocation[0].node
        return Exited(job_id, attempt, node, _us(float(more.get("ended", now_s))), outcome)

    def _overtaken(self, job_id: int, now_s: float, more: dict[str, str]) -> Overtaken:
        outcome = Outcome(Cause(more.get("cause", "unknown")))
        end_us = _us(float(more.get("ended", now_s)))
        attempt = int(more.get("attempt", self.jobs[job_id].attempt))
        return Overtaken(job_id, attempt, end_us, outcome)

    @staticmethod
    def _found(job_id: int, rest: list[str]) -> Found:
        """`found 1 attempt=2 began=50 on n1:4 n2:4`"""
        more = _more(rest)
        pieces = [word.split(":") for word in rest[rest.index("on") + 1 :]]
        allocation = tuple(Piece(node, int(cores), 0) for node, cores in pieces)
        return Found(job_id, int(more["attempt"]), _us(float(more["began"])), allocation)

    # ------------------------------------------------------------ what is decided

    def _call(self, now_s: float, inputs: list[Input]) -> Told:
        assert self.core is not None, "a transcript names a recipe and a machine first"
        answer = self.core.handle(_us(now_s), inputs)
        self.core.sanity_check()
        self.rows |= told_rows(self.core, answer)
        check_told(self.core, self.rows)
        return Told(inputs, answer)

    def _answer(self, told: Told) -> Iterator[str]:
        assert self.core is not None
        for decision in told.answer.decisions:
            yield f"    {_ANSWER} {_words_of(decision)}"
        for refused in told.answer.refused:
            what = f"forget {refused.name}" if isinstance(refused, NodeGone) else "update"
            yield f"    {_ANSWER} refuse to {what}"
        if told.answer.wake_us is not None:
            yield f"    {_ANSWER} call again at {_s(told.answer.wake_us)}"
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


def _first_phase(conditions: Conditions, array: Array[Job] | None) -> Phase:
    if conditions.stand:
        return Ineligible(conditions)
    return WAITING if array is None else UNFOLDING


def _array(more: dict[str, str]) -> Array[Job] | None:
    """`array=0-4 limit=2`, with `corresponds=10` to an array of the same indices."""
    if "array" not in more:
        return None
    indices = Indices(parse_indices(more["array"]))
    limit = int(more["limit"]) if "limit" in more else None
    if "corresponds" not in more:
        return Array(indices, limit)
    met, never = _intervals(more.get("met", "")), _intervals(more.get("never", ""))
    ends = "ends-if-never" in more
    return Array(indices, limit, Counterpart(int(more["corresponds"]), indices, met, never, ends))


def _intervals(text: str) -> tuple[Interval, ...]:
    """`0-2,5`"""
    return tuple((first, last + 1) for first, last, _ in parse_indices(text)) if text else ()


def _more(words: list[str]) -> dict[str, str]:
    """Return the values of `name=value`; a name alone has none."""
    return dict(word.partition("=")[::2] for word in words)


def _node(word: str) -> NodeUp:
    """`n1:4`, `n1:4:1000` with memory, `n1:4:1000:fast,emulated` with features."""
    name, cores, mem_mib, features = [*word.split(":"), "", ""][:4]
    return NodeUp(
        name, int(cores), int(mem_mib or 0), tuple(features.split(",")) if features else ("real",)
    )


def _qos(word: str) -> QosPolicy:
    """`night:running=2:user_cpus=4`"""
    name, *limits = word.split(":")
    return QosPolicy(name, JobLimits(**{key: int(most) for key, most in _more(limits).items()}))


def _partition(word: str) -> Partition:
    """`short:n1,n2`, `short:n1,n2:time=60:nodes=1:cpus=4:tier=2:state=down`; `*` are all nodes."""
    name, nodes, *rest = word.split(":")
    more = _more(rest)
    return Partition(
        name,
        None if nodes == "*" else tuple(nodes.split(",")),
        cast("PartitionState", more.get("state", "up")),
        _us(float(more["time"])) if "time" in more else None,
        int(more["nodes"]) if "nodes" in more else None,
        int(more["cpus"]) if "cpus" in more else None,
        int(more.get("tier", 1)),
    )


def _ranks(intervals: tuple[Interval, ...]) -> str:
    return ", ".join(f"{first}-{last - 1}" for first, last in intervals)


# long: one case for each decision
def _words_of(decision: Decision) -> str:
    match decision:
        case effects.Start(job_id, attempt, start_us, allocation, trial_end_us):
            trial = "" if trial_end_us is None else f", on trial until {_s(trial_end_us)}"
            if trial_end_us == start_us:
                trial = ", as a speculation"
            return f"start {job_id}.{attempt} on {_place(allocation)}{trial}"
        case effects.Defer(job_id, conditions):
            return f"defer {job_id} until {_words_of_conditions(conditions)}"
        case effects.Admit(job_id, seq):
            return f"admit {job_id} as number {seq}"
        case effects.Detach(job_id, array_id, index, seq):
            return f"detach {job_id}, task {array_id}_{index}, as number {seq}"
        case effects.Drop(job_id, dropped, cause):
            return f"drop tasks of {job_id} at {_ranks(dropped)}: {cause}"
        case effects.Strand(job_id, stranded):
            return f"strand tasks of {job_id} at {_ranks(stranded)}"
        case effects.Adopt(job_id, attempt, start_us, allocation):
            return (
                f"adopt {job_id}.{attempt} on {_place(allocation)}, which began at {_s(start_us)}"
            )
        case effects.Stop(job_id, attempt, nodes, cause):
            return f"stop {job_id}.{attempt} on {' '.join(nodes)}: {cause}"
        case effects.Commit(job_id):
            return f"commit {job_id}"
        case effects.Claim(job_id, place, awaits):
            return f"claim {_place(place)} for {job_id}, which awaits {_ids(awaits)}"
        case effects.Await(job_id, awaits):
            return f"await {_ids(awaits)} for {job_id}"
        case effects.Unclaim(job_id):
            return f"unclaim the place of {job_id}"
        case effects.Promise(job_id, reserved_us, promoted_us):
            start = "" if reserved_us is None else f" a start at {_s(reserved_us)}"
            starved = "" if promoted_us is None else f", starved since {_s(promoted_us)}"
            return f"promise {job_id}{start}{starved}"
        case effects.Correct(job_id, prediction_us, end_us):
            return f"correct {job_id} to {_s(prediction_us)} s, until {_s(end_us)}"
        case effects.Repredict(job_id, prediction_us):
            return f"predict {_s(prediction_us)} s for {job_id}"
        case effects.Limit(job_id, attempt, nodes):
            return f"tell {' '.join(nodes)} the new limit of {job_id}.{attempt}"
        case effects.Avoid(job_id, nodes):
            where = f"to other nodes than {' '.join(sorted(nodes))}" if nodes else "to any node"
            return f"send {job_id} {where}"
        case effects.Failures(node, failures, reason):
            count = f"{len(failures)} failed launches on {node}"
            return count if reason is None else f"{count}, which is drained: {reason}"
        case effects.Freeze(job_id, attempt, nodes):
            return f"freeze {job_id}.{attempt} on {' '.join(nodes)}"
        case effects.Thaw(job_id, attempt, nodes):
            return f"thaw {job_id}.{attempt} on {' '.join(nodes)}"
        case effects.Switch(order):
            return f"switch to {order}"
        case effects.Requeue(job_id, attempt, outcome):
            said = (
                f" ({outcome.message})" if outcome.cause is Cause.TRIAL and outcome.message else ""
            )
            return f"requeue {job_id} after {job_id}.{attempt}: {outcome.cause}{said}"
        case effects.End(job_id, attempt, state, outcome, start_us, end_us):
            ran = "" if start_us is None else f" {_s(start_us)}-{_s(end_us)}"
            said = f" ({outcome.message})" if outcome.message else ""
            return f"end {job_id}.{attempt} {state}{ran}{said}"


def _conditions(more: dict[str, str]) -> Conditions:
    """`held=user begin=100 after=afterok:1,after:2+60 any ends-if-never`"""
    dependencies = []
    for text in filter(None, more.get("after", "").split(",")):
        relation, _, rest = text.partition(":")
        job_id, _, delay_s = rest.partition("+")
        delay_us = _us(float(delay_s or 0))
        dependencies.append(Dependency(Relation(relation), int(job_id or 0), delay_us))
    return Conditions(
        HeldBy(more["held"]) if "held" in more else None,
        _us(float(more["begin"])) if "begin" in more else None,
        tuple(dependencies),
        any_of="any" in more,
        ends_if_never="ends-if-never" in more,
    )


def _words_of_conditions(conditions: Conditions) -> str:
    words = [f"{conditions.held_by} releases it"] if conditions.held_by else []
    if conditions.begin_us is not None:
        words.append(_s(conditions.begin_us))
    for one in conditions.dependencies:
        other = f" {one.job_id}" if one.job_id else ""
        due = "" if one.due_us is None else f" at {_s(one.due_us)}"
        words.append(f"{one.relation}{other}{due}")
    link = " or " if conditions.any_of else ", "
    return "never" if conditions.never else link.join(words)


def _place(allocation: Allocation) -> str:
    return " ".join(
        f"{piece.node}:{piece.cores}" + (f":{piece.mem_mib}" if piece.mem_mib else "")
        for piece in allocation
    )


def _ids(ids: frozenset[int]) -> str:
    return " ".join(map(str, sorted(ids))) or "nobody"


def _us(time_s: float) -> int:
    return round(time_s * SECOND_US)


def _s(time_us: int) -> str:
    return f"{time_us / SECOND_US:g}" if time_us % SECOND_US else str(time_us // SECOND_US)


def main() -> None:
    for path in transcripts():
        before = path.read_text()
        after = tell(before).text
        if after != before:
            path.write_text(after)
            print(path.relative_to(FOLDER))


if __name__ == "__main__":
    main()
