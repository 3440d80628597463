"""The machine and its time: "Time" and "Trial runs" of the simulation rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import NamedTuple

from rmsd_core.recipes.recipe import Recipe
from rmsd_lab.workloads.swf import TraceJob
from tests.core.oracle.easy import easy
from tests.core.oracle.job import Job, Phase
from tests.core.oracle.order import sorted_by, switched
from tests.core.oracle.plans import everyone, first, starved
from tests.core.oracle.prediction import correct, predict
from tests.core.oracle.usage import forget
from tests.core.oracle.virtual import Virtual, mark_urgent

_BASES = {"nobody": easy, "head": easy, "first": first, "everyone": everyone, "starved": starved}


class Attempt(NamedTuple):
    """Processors held over [start, end) by the job at `seq` in arrival order."""

    seq: int
    start: int
    end: int
    killed: bool


def schedule(trace: list[TraceJob], processors: int, recipe: Recipe) -> list[tuple[int, int]]:
    """Return (start of the last attempt, end) of every job in whole seconds, in arrival order."""
    return Machine(trace, processors, recipe).run()


class Machine:
    """The state of a simulation.

    queue: what the base scheduler has not started, in arrival order (a job in its trial, or past
        it, included). untried: the jobs that have had no trial. terminated: in the order in which
        they ended, and by user. promoted: those of the queue, in the order of promotion.
        forgotten: the users whose usage was forgotten, and when (`half_life_end`, if latest).
    """

    def __init__(
        self,
        trace: list[TraceJob],
        processors: int,
        recipe: Recipe,
        restart_cost: int = 0,
        not_restartable: Collection[int] = (),
    ) -> None:
        """Make a machine on which a job that starts anew runs `restart_cost` longer; the jobs with
        the numbers in `not_restartable` have no trials."""
        self.trace = trace
        self.processors = processors
        self.recipe = recipe
        self.restart_cost = restart_cost
        self.not_restartable = not_restartable
        self.trial = recipe.trial_us // 1_000_000
        self.order = "arrival" if recipe.order == "dynp" else recipe.order
        self.now = -1
        self.jobs: list[Job] = []
        self.queue: list[Job] = []
        self.untried: list[Job] = []
        self.running: list[Job] = []
        self.terminated: list[Job] = []
        self.terminated_of: defaultdict[str, list[Job]] = defaultdict(list)
        self.promoted: list[Job] = []
        self.attempts: list[Attempt] = []
        self.orders: list[tuple[int, str]] = []
        self.forgotten: dict[str, int] = {}
        self.half_life_end = 0
        self.virtual = Virtual(processors)
        self.killed: list[tuple[Job, int]] = []

    def run(self) -> list[tuple[int, int]]:
        while len(self.terminated) < len(self.trace):
            self.now = max(self.now, min(self._events()))
            self.virtual.advance(self.now)
            self._apply()
            self.virtual.settle(self.now, self.jobs)
            self._pass()
        return [(job.start, job.end) for job in self.jobs]

    # -- events

    def _events(self) -> Iterator[int]:
        """Yield every instant at which something happens; one that is past is due at once."""
        if len(self.jobs) < len(self.trace):
            yield self.trace[len(self.jobs)].submit_s
        for job in self.running:
            yield job.exit
            if job.phase is Phase.TRIAL:
                yield job.start + self.trial
            if job.phase is Phase.COMMITTED and self.recipe.corrects:
                yield job.start + job.prediction
        yield from (job.reserved for job in self.queue if job.reserved is not None)

    def _apply(self) -> None:
        """Handle the events of this instant: exits, ends of trials, corrections, arrivals."""
        for job in sorted(self.running, key=lambda job: job.seq):
            if job.exit == self.now:
                self._exit(job)
        for job in self.running:
            if job.phase is Phase.TRIAL and job.start + self.trial == self.now:
                job.phase, job.expired = Phase.EXPIRED, self.now
                self._survived(job, self.trial)
            elif (
                self.recipe.corrects
                and job.phase is Phase.COMMITTED
                and job.start + job.prediction <= self.now
            ):
                correct(job, self.now, self.recipe)
        while len(self.jobs) < len(self.trace) and self.trace[len(self.jobs)].submit_s == self.now:
            arrival = self.trace[len(self.jobs)]
            job = Job(len(self.jobs), arrival, 0)
            job.prediction = self._predicted(job)
            self.jobs.append(job)
            self.queue.append(job)
            if arrival.number not in self.not_restartable:
                self.untried.append(job)

    def _exit(self, job: Job) -> None:
        self.running.remove(job)
        self.terminated.append(job)
        self.terminated_of[job.trace.user].append(job)
        if job in self.queue:
            self.queue.remove(job)
        job.phase = Phase.DONE
        job.end = self.now
        self.attempts.append(Attempt(job.seq, job.start, self.now, killed=False))
        if self.recipe.learns and self.recipe.history.propagate:
            for other in self.queue:
                if other.trace.user == job.trace.user and other.phase is not Phase.TRIAL:
                    self._predict_again(other)

    def _predicted(self, job: Job) -> int:
        return predict(job, self.terminated_of[job.trace.user], self.recipe)

    def _predict_again(self, job: Job) -> None:
        before, job.prediction = job.prediction, self._predicted(job)
        if job.prediction != before:
            job.reserved = None

    def _survived(self, job: Job, run: int) -> None:
        """Note what a job is known to have survived."""
        job.survived = max(job.survived, run)
        if self.recipe.predict == "matched" and self.recipe.history.survived:
            self._predict_again(job)

    # -- decisions

    def _pass(self) -> None:
        if self.order == "priority":
            forget(self)
        if self.recipe.starve == "virtual-easy":
            mark_urgent(self.queue, self.recipe.urgency, self.virtual, self.now)
        if self.trial:
            for job in list(self.untried):
                if job.size <= self.free and not job.urgent:
                    self._run(job, Phase.TRIAL)
            self._note_killed()
        if self.recipe.order == "dynp":
            order = switched(self.order, self.queue, self.recipe.switching)
            if order != self.order:
                self.orders.append((self.now, order))
            self.order = order
        _BASES[self.recipe.reserve](self)
        self._note_killed()
        if self.recipe.speculates:
            self._speculate()

    def _speculate(self) -> None:
        """Run jobs that may be killed at any time on processors that would idle."""
        for job in sorted_by(self, self.queue, self.order):
            exempt = job.trace.number in self.not_restartable
            if job.phase is Phase.WAITING and job.size <= self._idle and not exempt:
                self._run(job, Phase.EXPIRED)
                job.expired = self.now

    def remaining(self, job: Job) -> int:
        """Return how long the job still runs, by its prediction."""
        if self.recipe.remaining and job.phase is Phase.EXPIRED:
            return max(1, job.prediction - (self.now - job.start))
        return job.prediction

    def _note_killed(self) -> None:
        """Predict the jobs anew whose trials were killed, when their pass has gone on."""
        for job, run in self.killed:
            self._survived(job, run)
        self.killed = []

    def start(self, job: Job) -> None:
        """Start a job for the base scheduler: in a new run, or in its expired trial from now on."""
        self.queue.remove(job)
        if job.phase is Phase.EXPIRED:
            job.phase = Phase.COMMITTED
        else:
            self._run(job, Phase.COMMITTED)

    def _run(self, job: Job, phase: Phase) -> None:
        """Begin an attempt, for which expired trials are killed: the longest expired first, or the
        one that has run for the shortest time."""
        expired = [other for other in self.running if other.phase is Phase.EXPIRED]
        youngest = self.recipe.kill == "least-elapsed"
        expired.sort(key=lambda other: (-other.start if youngest else other.expired, other.seq))
        for other in expired:
            if self._idle >= job.size:
                break
            self.running.remove(other)
            other.phase = Phase.WAITING
            self.attempts.append(Attempt(other.seq, other.start, self.now, killed=True))
            self.killed.append((other, self.now - other.start))
            self.virtual.killed(other, self.now)
        assert job.phase is Phase.WAITING
        assert job.size <= self._idle
        if job in self.untried:
            self.untried.remove(job)
        job.phase = phase
        job.run = job.trace.run_s + (self.restart_cost if job.start >= 0 else 0)
        job.start = self.now
        self.running.append(job)

    # -- what the base scheduler sees

    @property
    def _idle(self) -> int:
        return self.processors - sum(job.size for job in self.running)

    @property
    def free(self) -> int:
        """Return the processors that the base scheduler, or a trial, may have now."""
        return self._idle + sum(job.size for job in self.running if job.phase is Phase.EXPIRED)

    def ready(self, job: Job) -> int:
        """Return the time before which the base scheduler cannot start a waiting job."""
        return job.start + self.trial if job.phase is Phase.TRIAL else self.now

    def releases(self, careful: bool = False) -> Iterator[tuple[int, int]]:
        """Yield when busy processors are expected to be free, and how many; the time may be past.
        `careful`: not before the jobs' estimates, for an urgent head."""
        for job in sorted(self.running, key=lambda job: job.seq):
            if job.phase is Phase.TRIAL:
                yield job.start + min(self.trial, job.prediction), job.size
            elif job.phase is Phase.COMMITTED:
                longer = max(job.prediction, job.trace.estimate_s)
                yield job.start + (longer if careful else job.prediction), job.size
