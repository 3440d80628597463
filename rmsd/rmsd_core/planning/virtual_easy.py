"""The virtual EASY: the same arrivals under plain EASY, as a yardstick for how long jobs wait.

Rule: each job that takes its place in the queue arrives in a second, virtual queue as well. There,
EASY with the users' estimates schedules on counted processors, as many as the known nodes have
together; a larger job counts as one of all processors. A virtual job that has started ends after
its real run time if the job is really over. Before, it ends after the largest of the prediction,
the time for which the job is known to have survived and a second more, and, while the job really
runs, the time that it has run so far and a second more. This is looked at when the time comes, and
when the job really ends or is stopped; no virtual job ends before the present.

Reason: a threshold in hours suits one machine and one load. What jobs wait under EASY here and now
is a measure that users know and that needs no number. No real job is ever moved by the virtual
queue.

Source: rmsd's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from heapq import heappop, heappush

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Active, Done, Ineligible
from rmsd_core.jobs.request import Allocation, Piece, processors
from rmsd_core.machine.counted import CountedCapacity
from rmsd_core.model_time import NEVER_US, SECOND_US
from rmsd_core.planning.easy import EasyPass
from rmsd_core.planning.planner_memory import VirtualJob
from rmsd_core.planning.planner_state import PlannerState
from rmsd_core.recipes.presets import PRESETS

_MACHINE = "machine"


class _Entry:
    """A job in the virtual queue, or on the virtual machine.

    job: as the virtual queue sees it. real: the job itself, until it is over; then `run_us` is its
    run time. start_us: since when it runs virtually. look_us: when to see whether it ends; None:
    not before something happens to the real job.
    """

    __slots__ = ("job", "look_us", "real", "run_us", "start_us")

    def __init__(self, job: Job, real: Job | None) -> None:
        self.job = job
        self.real = real
        self.run_us: int | None = None
        self.start_us: int | None = None
        self.look_us: int | None = None


class VirtualEasy:
    """The virtual queue and machine.

    cores: returns how many processors the known nodes have together.
    facts: what is known of the virtual jobs, by id. changed: the ids of those whose facts have
        changed since it was emptied last.
    """

    def __init__(self, cores: Callable[[], int], most_starts: int) -> None:
        self._cores = cores
        self._processors = 0
        self._capacity = CountedCapacity()
        self._state = PlannerState(PRESETS["easy"], self._capacity, 0, most_starts)
        self._pass = EasyPass(self._state)
        self._entries: dict[int, _Entry] = {}
        self._looks: list[tuple[int, int, int]] = []  # (time, arrival number, job id)
        self._now_us = 0
        self._disturbed = self._is_cut = False
        self._longest_us = 0
        self.facts: dict[int, VirtualJob] = {}
        self.changed: dict[int, None] = {}

    def owned(self) -> list[object]:
        """Return the many objects of this virtual EASY, in any order."""
        return [*self._entries.values(), *self.facts.values()]

    # ------------------------------------------------------------ what happens really

    def arrive(self, real: Job) -> None:
        """Let a job that takes its place in the queue wait virtually."""
        entry = self._entries[real.id] = _Entry(self._virtual(real), real)
        self._state.enqueue(entry.job)
        self._change(entry)
        self._disturbed = True

    def changed_request(self, real: Job) -> None:
        """Let a job that waits virtually ask for what it really asks for now."""
        entry = self._entries.get(real.id)
        if entry is not None and entry.start_us is None:
            self._state.dequeue(entry.job)
            self.arrive(real)

    def moved(self, real: Job, now_us: int) -> None:
        """Note that the phase of a job has changed."""
        entry = self._entries.get(real.id)
        if entry is None:
            return
        phase = real.phase
        if type(phase) is Ineligible or (type(phase) is Done and phase.attempt is None):
            self._leave(entry)
            return
        if type(phase) is Done and phase.attempt is not None:
            entry.real, entry.run_us = None, max(0, phase.end_us - phase.attempt.start_us)
            self._change(entry)
        elif entry.look_us is not None:
            return
        if entry.start_us is not None:
            self._look(entry, now_us)

    def _leave(self, entry: _Entry) -> None:
        """Withdraw a job that neither waits nor runs any more, and has not run to its end."""
        if entry.start_us is None:
            self._state.dequeue(entry.job)
        else:
            self._release(entry)
        self._disturbed = True
        del self._entries[entry.job.id]
        self._change(entry)

    # ------------------------------------------------------------ virtual time

    def advance(self, now_us: int) -> None:
        """Let happen what happens before `now_us`, by what is known now."""
        while self._looks and self._looks[0][0] < now_us:
            self._now_us = max(self._now_us, self._looks[0][0])
            self._end_due()
        self._now_us = now_us

    def settle(self) -> None:
        """Let happen what happens at the present, after all inputs of this instant."""
        processors_now = self._cores()
        if processors_now != self._processors:
            self._resize(processors_now)
        self._end_due(is_cut=True)

    @property
    def is_cut(self) -> bool:
        """Return whether `settle` has left virtual starts for the next call."""
        return self._is_cut

    def longest_us(self) -> int:
        """Return the longest virtual wait so far. The first of the queue still waits."""
        head = self._state.queue.first(self._now_us)
        if head is None:
            return self._longest_us
        return max(self._longest_us, self._now_us - head.eligible_us)

    def _end_due(self, *, is_cut: bool = False) -> None:
        """End the virtual jobs that are due, and start others, until none is due any more. is_cut:
        start no more than a pass may, and leave the others to the next call."""
        self._is_cut = False
        while True:
            while self._looks and self._looks[0][0] <= self._now_us:
                look_us, _, job_id = heappop(self._looks)
                entry = self._entries.get(job_id)
                if entry is not None and entry.look_us == look_us:
                    self._see(entry)
            if not self._disturbed or not self._processors:
                return
            self._state.begin_pass()
            if not is_cut:
                self._state.starts_left = NEVER_US
            self._pass.run(self._now_us, self._start, undisturbed=False)
            self._disturbed = self._is_cut = self._state.is_cut
            self._state.promised.clear()
            if self._is_cut:
                return

    def _see(self, entry: _Entry) -> None:
        """End the virtual run, or look again when it may end."""
        end_us = self._end_us(entry)
        if end_us is not None and end_us <= self._now_us:
            self._release(entry)
            del self._entries[entry.job.id]
            self._disturbed = True
            self._change(entry)
        else:
            self._look(entry, end_us)

    def _end_us(self, entry: _Entry) -> int | None:
        """Return when the virtual run ends by what is known now; None: not before something happens
        to the real job, which has run for as long, or longer, and runs."""
        real, start_us = entry.real, entry.start_us
        assert start_us is not None
        if real is None:
            return start_us + (entry.run_us or 0)
        length_us = max(real.prediction_us, real.remembered.survived_us + SECOND_US)
        phase = real.phase
        if isinstance(phase, Active):
            began_us = phase.attempt.start_us
            elapsed_us = self._now_us - began_us + SECOND_US
            if start_us + SECOND_US > began_us and elapsed_us >= length_us:
                return None
            length_us = max(length_us, elapsed_us)
        return start_us + length_us

    def _start(self, job: Job, place: Allocation, behind: Job | None) -> None:  # noqa: ARG002
        """Start a virtual job, as the virtual pass has decided."""
        now_us = self._now_us
        self._longest_us = max(self._longest_us, now_us - job.eligible_us)
        entry = self._entries[job.id]
        self._state.spend_start()
        self._put(entry, now_us)
        self._look(entry, self._end_us(entry))

    def _put(self, entry: _Entry, start_us: int) -> None:
        """Put a virtual job onto the machine."""
        entry.start_us = start_us
        self._capacity.take((Piece(_MACHINE, entry.job.size),))
        entry.job.expected_end_us = start_us + entry.job.prediction_us
        self._state.expect(entry.job)

    def _release(self, entry: _Entry) -> None:
        self._state.forget(entry.job)
        self._capacity.give(Piece(_MACHINE, entry.job.size))

    def _look(self, entry: _Entry, at_us: int | None) -> None:
        """Look at a virtual run at `at_us`, or now if that is past."""
        if at_us is not None:
            at_us = max(at_us, self._now_us)
            heappush(self._looks, (at_us, entry.job.seq, entry.job.id))
        entry.look_us = at_us
        self._change(entry)

    # ------------------------------------------------------------ the machine

    def _set_size(self, processors_now: int) -> None:
        self._processors = processors_now
        self._capacity.set_node(_MACHINE, processors_now, 0, ())
        self._capacity.set_available(_MACHINE, True)

    def _resize(self, processors_now: int) -> None:
        self._set_size(processors_now)
        self._disturbed = True
        others = [
            entry.real
            for entry in self._entries.values()
            if entry.start_us is None
            and entry.real is not None
            and entry.job.size != self._size_of(entry.real)
        ]
        for real in others:
            self.changed_request(real)

    def _size_of(self, real: Job) -> int:
        return min(real.size, self._processors) if self._processors else real.size

    def _virtual(self, real: Job) -> Job:
        size, estimate_us = self._size_of(real), real.estimate_us
        return _job(real.id, real.seq, real.eligible_us, size, estimate_us)

    # ------------------------------------------------------------ over a restart

    @property
    def ended_longest_us(self) -> int:
        """Return the longest wait of the virtual jobs that have started."""
        return self._longest_us

    def _change(self, entry: _Entry) -> None:
        job = entry.job
        self.changed[job.id] = None
        if self._entries.get(job.id) is not entry:
            self.facts.pop(job.id, None)
            return
        self.facts[job.id] = VirtualJob(
            job.seq,
            job.eligible_us,
            job.size,
            job.estimate_us,
            entry.start_us,
            entry.run_us,
            entry.look_us,
        )

    def restore(
        self, facts: Mapping[int, VirtualJob], longest_us: int, jobs: Mapping[int, Job]
    ) -> None:
        """Continue from the facts of the virtual jobs; `jobs` are the live ones, by id. The known
        nodes are those of before: a virtual pass for their sake could start a job too early."""
        self._set_size(self._cores())
        self._longest_us = longest_us
        for job_id, one in facts.items():
            job = _job(job_id, one.seq, one.eligible_us, one.size, one.estimate_us)
            entry = self._entries[job_id] = _Entry(job, jobs.get(job_id))
            entry.run_us = one.run_us
            if one.start_us is None:
                self._state.enqueue(job)
            else:
                self._put(entry, one.start_us)
                entry.look_us = one.look_us
                if one.look_us is not None:
                    heappush(self._looks, (one.look_us, job.seq, job_id))
        self.facts = dict(facts)

    def begin_with(self, jobs: Iterable[Job]) -> None:
        """Begin with live jobs: those that run, run virtually since the same time."""
        for real in jobs:
            self.arrive(real)
            attempt = real.phase.attempt
            if attempt is not None:
                entry = self._entries[real.id]
                self._state.dequeue(entry.job)
                self._put(entry, attempt.start_us)
                self._look(entry, attempt.start_us)


def _job(job_id: int, seq: int, eligible_us: int, size: int, estimate_us: int) -> Job:
    prediction_us = max(SECOND_US, estimate_us)
    request = processors(size)
    return Job(job_id, "", eligible_us, request, estimate_us, seq=seq, prediction_us=prediction_us)
