"""A simulation, and everything its core was told and decided on the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple
from unittest.mock import patch

from rmsd_core.jobs.accounts import Policies
from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Commit, Decision, Effects, End, Start, Stop
from rmsd_core.lifecycle.inputs import Exited, Input, Submit
from rmsd_core.recipes.recipe import Recipe
from rmsd_lab.schedule import Schedule
from rmsd_lab.simulation import simulation
from rmsd_lab.workloads.swf import TraceJob

Kind = Literal["arrive", "leave", "start", "trial", "commit", "kill", "end"]


class Event(NamedTuple):
    """Something the core was told or decided, in the order of that.

    leave: the job holds nothing any more. start: of a run by the base scheduler, trial: of a trial
    run; commit: of a trial that goes on in place; kill: the attempt is to be stopped; end: the job
    is over.
    """

    now_us: int
    kind: Kind
    job_id: int


class Seen(NamedTuple):
    """A job in a pass. end_us: when it is expected to leave, if it runs. planned_us: its start in
    the plan that stands after the pass, or None."""

    id: int
    size: int
    submit_us: int
    prediction_us: int
    end_us: int
    reserved_us: int
    planned_us: int | None


class Pass(NamedTuple):
    """A look of the scheduler at the queue.

    waiting (in arrival order), running: before its decisions. started: by the base scheduler, in
    the order decided. order: of the queue, for these decisions.
    """

    now_us: int
    order: str
    waiting: list[Seen]
    running: list[Seen]
    started: list[int]

    @property
    def left(self) -> list[Seen]:
        """Return the jobs that wait afterwards."""
        return [job for job in self.waiting if job.id not in self.started]


class Recorded(NamedTuple):
    """`passes` do not tell trials from other runs."""

    schedule: Schedule
    events: list[Event]
    passes: list[Pass]


def record(trace: Sequence[TraceJob], processors: int, recipe: Recipe) -> Recorded:
    """Run `simulate`, watched."""
    cores: list[_Watched] = []

    def watched(recipe: Recipe, capacity: Literal["counted"], *, policies: Policies) -> _Watched:
        cores.append(_Watched(recipe, capacity, policies=policies))
        return cores[-1]

    with patch.object(simulation, "Core", watched):
        schedule = simulation.simulate(trace, processors, recipe)
    [core] = cores
    return Recorded(schedule, core.events, core.seen)


class _Watched(Core):
    """Simulations know jobs by their position in the trace."""

    def __init__(self, recipe: Recipe, capacity: Literal["counted"], *, policies: Policies) -> None:
        super().__init__(recipe, capacity, policies=policies)
        self.events: list[Event] = []
        self.seen: list[Pass] = []

    def handle(self, now_us: int, inputs: Sequence[Input]) -> Effects:
        passes = self.passes
        told = list(self._told(now_us, inputs))
        arrived = [item.job for item in inputs if isinstance(item, Submit)]
        gone = {event.job_id for event in told if event.kind == "leave"}
        running = [job for job in self.jobs.values() if job.open_nodes and job.id not in gone]
        waiting = [job for job in self.jobs.values() if not job.open_nodes] + arrived
        effects = super().handle(now_us, inputs)
        self.sanity_check()
        decided = list(_decided(now_us, effects.decisions))
        self.events += told + decided
        if self.passes > passes:
            started = [event.job_id for event in decided if event.kind == "start"]
            self.seen.append(
                Pass(now_us, self.order, self._seen(waiting), self._seen(running), started)
            )
        return effects

    def _seen(self, jobs: list[Job]) -> list[Seen]:
        planned_us = self.memory().planned_us
        return [
            Seen(
                job.id,
                job.size,
                job.submit_us,
                job.prediction_us,
                (-1 if job.start_us is None else job.start_us) + job.prediction_us,
                -1 if job.record.reserved_us is None else job.record.reserved_us,
                planned_us.get(job.id),
            )
            for job in sorted(jobs, key=lambda job: job.seq)
        ]

    def _told(self, now_us: int, inputs: Sequence[Input]) -> Iterator[Event]:
        for item in inputs:
            if isinstance(item, Submit):
                yield Event(now_us, "arrive", item.job.id)
            elif isinstance(item, Exited):
                job = self.jobs.get(item.job_id)
                if job is not None and job.open_nodes and job.attempt == item.attempt:
                    yield Event(now_us, "leave", job.id)


def _decided(now_us: int, decisions: Sequence[Decision]) -> Iterator[Event]:
    for decision in decisions:
        if isinstance(decision, Start):
            kind: Kind = "trial" if decision.trial_end_us is not None else "start"
            yield Event(now_us, kind, decision.job_id)
        elif isinstance(decision, Commit):
            yield Event(now_us, "commit", decision.job_id)
        elif isinstance(decision, Stop):
            yield Event(now_us, "kill", decision.job_id)
        elif isinstance(decision, End):
            yield Event(now_us, "end", decision.job_id)
