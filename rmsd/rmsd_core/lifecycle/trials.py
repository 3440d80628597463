"""Trial runs over any base scheduler: which jobs get one, which are killed for others, and for
which.

Timed, section 2; simulation rules, "Trial runs". The base plans over a view of the capacity in
which expired trials have given back what they hold: the capacity itself is that view. The
processors that they hold all the same are counted here for each node, or for the pool: those of
expired trials that may still be killed, and those of draining trials. A job that takes more than is
really free has trials killed for it, and claims what they leave until their ends are confirmed.

An example, on a pool of 10 processors: a job runs on 4, and an expired trial on 4 others.

                                         free in the view   expired   draining   free in truth
    before                                      6              4          0            2
    a job of 5 takes its place                  1              4          0           -3
    the trial is killed; the job claims         1              0          4           -3
    the trial has released its 4                1              0          0            1

What is expired is more than what is free in the view (4 > 1), so the trial is killed. What is
draining is still more (4 > 1), so the job claims the 5 processors, of which 3 are held in truth. It
starts when the end of the trial is confirmed.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterator, Mapping
from heapq import heappop, heappush

from rmsd_core.jobs.attempt import Attempt
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import ClaimedPlace, Expired, OnTrial
from rmsd_core.jobs.request import Allocation, Piece
from rmsd_core.lifecycle.held_amounts import CORES, amounts, left
from rmsd_core.machine.capacity import Capacity
from rmsd_core.model_time import NEVER_US
from rmsd_core.planning.bounds import Bounds
from rmsd_core.planning.queue import WaitingIndex, by_arrival
from rmsd_core.planning.start_windows import Windows, longest_in, may_place_in
from rmsd_core.recipes.recipe import Recipe


class _TrialHoldings:
    """The cores, the memory and the devices that trials hold, by node or pool."""

    def __init__(self, capacity: Capacity) -> None:
        self._capacity = capacity
        self._held: dict[str, dict[str, int]] = {}

    def add(self, piece: Piece, sign: int) -> None:
        where = self._capacity.node_or_pool(piece.node)
        held = self._held.setdefault(where, {})
        for what, count in amounts(piece):
            held[what] = held.get(what, 0) + sign * count
        if not any(held.values()):  # keep no entry: the node may be forgotten
            del self._held[where]

    def at(self, where: str) -> Mapping[str, int]:
        """Return what is held there, by its name."""
        return self._held.get(where, _NOTHING)


_NOTHING: Mapping[str, int] = {}


class Trials:
    """The trials and speculations of one cluster. Allocations of expired ones are free in
    `capacity`. A speculation is a trial that has expired at its start.

    expired_cores: how many cores the expired ones hold.
    """

    def __init__(self, capacity: Capacity, recipe: Recipe) -> None:
        self._capacity = capacity
        self._kills_youngest = recipe.kill == "least-elapsed"
        self._gives = recipe.trial_us > 0
        self._knows_urgent = recipe.has_urgent
        self.expired_cores = 0
        self._untried = WaitingIndex(by_arrival)
        self._inside: list[tuple[int, int, Job]] = []  # (end of the trial, arrival number, job)
        # (rank, arrival number, job); the first is killed first.
        self._expired: list[tuple[int, int, Job]] = []
        self._expired_on: dict[str, list[tuple[int, int, Job]]] = {}  # the same by node or pool
        self._expired_hold = _TrialHoldings(capacity)
        self._draining_hold = _TrialHoldings(capacity)
        self._draining: dict[int, Job] = {}
        # The draining jobs by node or pool; some may have released what they held there.
        self._draining_on: dict[str, dict[int, Job]] = {}
        self._drains_on: dict[int, tuple[str, ...]] = {}  # where each of them is in that
        self._claims: dict[Job, None] = {}
        # The claimants that await a job, by its id, in the order of their claims.
        self._claimants_of: dict[int, dict[Job, None]] = {}
        # The jobs that have left and that a claimant still awaits by its claim; until `take_left`.
        self._left_since: dict[Job, set[int]] = {}

    # ------------------------------------------------------------ before a trial

    def gives(self, job: Job) -> bool:
        """Return whether the job, which waits, gets a trial. Urgent jobs get none: they precede all
        others anyway."""
        if not self._gives or not job.restartable or job.tried:
            return False
        return not self._knows_urgent or job.remembered.promoted_us is None

    def wait(self, job: Job) -> None:
        """Note that the job waits; it gets a trial if it may be restarted and has had none."""
        if self.gives(job):
            self._untried.add(job)

    def leave(self, job: Job) -> None:
        """Note that the job waits for no trial any more: the base has started it, or it is gone."""
        if self.gives(job):
            self._untried.remove(job)

    def tried(self, jobs: list[Job]) -> None:
        """Note that the jobs have been given their only trial."""
        for job in jobs:
            self.leave(job)
            note_tried(job)

    def candidates(self, windows: Windows | None, now_us: int) -> Iterator[Job]:
        """Yield the jobs without a trial that may fit within their windows, in arrival order; the
        list is walked once."""
        if not len(self._untried):
            return
        free = self._capacity.free
        longest = longest_in(windows, self._capacity, now_us)
        bounds = Bounds(
            free, NEVER_US, free, longest_in=longest, may_place=may_place_in(self._capacity)
        )
        for job in self._untried.candidates(bounds, now_us):
            yield job
            bounds.free = self._capacity.free

    def untried(self) -> Iterator[Job]:
        """Yield all jobs that wait for a trial, in arrival order."""
        return self._untried.jobs()

    # ------------------------------------------------------------ during it

    def begin(self, job: Job, trial: OnTrial) -> None:
        """Note that the job has been started on its trial."""
        heappush(self._inside, (trial.end_us, job.seq, job))

    @property
    def next_end_us(self) -> int | None:
        """Return when the next trial run ends; perhaps an earlier time, of one that is over
        already."""
        return self._inside[0][0] if self._inside else None

    def ending(self, now_us: int) -> Iterator[tuple[Job, OnTrial]]:
        """Yield the jobs whose trial run ends by now, and that run on."""
        while self._inside and self._inside[0][0] <= now_us:
            end_us, _, job = heappop(self._inside)
            if type(trial := job.phase) is OnTrial and trial.end_us == end_us:
                yield job, trial

    def expire(self, job: Job, trial: Expired) -> None:
        """Note that the job's trial is over and the job runs on: what it holds is free in the
        view."""
        entry = self._rank(trial), job.seq, job
        insort(self._expired, entry)
        for where in self._wheres(trial.attempt.allocation):
            insort(self._expired_on.setdefault(where, []), entry)
        for piece in trial.attempt.keeping():
            self.expired_cores += piece.cores
            self._capacity.give(piece)
            self._expired_hold.add(piece, 1)

    # ------------------------------------------------------------ after it

    def commit(self, job: Job, trial: Expired) -> None:
        """Note that the base goes on with an expired trial in place: the job holds what it held."""
        self._unlist(job, trial)
        self._capacity.take(trial.attempt.keeping())

    def drain(self, job: Job, trial: Expired) -> None:
        """Note that an expired trial is being killed. Its processors stay free in the view, and are
        not free in truth until it releases them."""
        self._unlist(job, trial)
        self._drain(job, trial.attempt)

    def drain_running(self, job: Job, attempt: Attempt) -> None:
        """Note that a job that ran for good is being ended for others: what it holds is free in the
        view from now on."""
        for piece in attempt.keeping():
            self._capacity.give(piece)
        self._drain(job, attempt)

    def _drain(self, job: Job, attempt: Attempt) -> None:
        self._draining[job.id] = job
        holding = attempt.keeping()
        for piece in holding:
            self._draining_hold.add(piece, 1)
        wheres = self._drains_on[job.id] = tuple(self._wheres(holding))
        for where in wheres:
            self._draining_on.setdefault(where, {})[job.id] = job

    def _unlist(self, job: Job, trial: Expired) -> None:
        entry = self._rank(trial), job.seq
        del self._expired[bisect_left(self._expired, entry)]
        for where in self._wheres(trial.attempt.allocation):
            there = self._expired_on[where]
            del there[bisect_left(there, entry)]
            if not there:
                del self._expired_on[where]
        for piece in trial.attempt.keeping():
            self.expired_cores -= piece.cores
            self._expired_hold.add(piece, -1)

    def _rank(self, trial: Expired) -> int:
        """Return what the order of kills is by, the smallest first: the longest expired trial (the
        simulation rules), or the one that has run for the shortest time (`kill=least-elapsed`)."""
        return -trial.attempt.start_us if self._kills_youngest else trial.end_us

    def released(self, piece: Piece) -> None:
        """Note that a draining job has released `piece`: its node has confirmed."""
        self._draining_hold.add(piece, -1)

    def resized(self, job: Job, before: Piece, now: Piece) -> None:
        """Note that a node that an expired trial or a draining job keeps has another size."""
        holdings = self._draining_hold
        if type(job.phase) is Expired:
            self.expired_cores += now.cores - before.cores
            holdings = self._expired_hold
        holdings.add(before, -1)
        holdings.add(now, 1)

    def victims_on(self, allocation: Allocation) -> Iterator[Job]:
        """Yield the expired trials to kill for a job that has taken more than is free in truth,
        each to be drained before the next is asked for: of the trials that hold what is short on a
        node, the first in the order of the recipe's `kill`."""
        if not self._expired:
            return
        for where in self._wheres(allocation):
            while short := self._shortages(where, self._expired_hold):
                there = self._expired_on.get(where, ())
                victims = (job for _, _, job in there if self._touches(job, where, short[0]))
                if (victim := next(victims, None)) is None:
                    return
                yield victim

    def _wheres(self, allocation: Allocation) -> list[str]:
        """Return the nodes or pools of an allocation, each once."""
        where = self._capacity.node_or_pool
        return list(dict.fromkeys([where(piece.node) for piece in allocation]))

    def _shortages(self, where: str, *holdings: _TrialHoldings) -> list[str]:
        """Return the names of what is short there: jobs have taken some of what `holdings` hold. A
        kind of which these hold nothing is not short, though less than nothing of it may be free:
        a node may have told of fewer devices than jobs hold."""
        held: Counter[str] = Counter()
        for one in holdings:
            held.update(one.at(where))
        return [
            what
            for what, count in held.items()
            if count and count > left(self._capacity, where, what)
        ]

    def _touches(self, job: Job, where: str, what: str = CORES) -> bool:
        """Return whether the job holds some of this there."""
        return any(
            self._capacity.node_or_pool(piece.node) == where
            and any(held == what and count > 0 for held, count in amounts(piece))
            for piece in job.keeping()
        )

    # ------------------------------------------------------------ claims

    def claim(self, job: Job, allocation: Allocation) -> frozenset[int]:
        """Return the jobs that have still to leave before the job can start on `allocation`, which
        it has taken. If there are any, the job claims the place, and `confirmed` tells when it may
        start."""
        if not self._draining:
            return frozenset()
        taken = {self._capacity.node_or_pool(piece.node) for piece in allocation}
        both = self._expired_hold, self._draining_hold
        short = {where for where in taken if self._shortages(where, *both)}
        return self._awaits(job, short)

    def awaited(self, job: Job, allocation: Allocation) -> frozenset[int]:
        """Return what `claim` does, while what expired trials hold does not count as free."""
        if not self._draining:
            return frozenset()
        taken = {self._capacity.node_or_pool(piece.node) for piece in allocation}
        return self._awaits(
            job, {where for where in taken if self._shortages(where, self._draining_hold)}
        )

    def _awaits(self, job: Job, short: set[str]) -> frozenset[int]:
        """Note a claim on the places that are short, if any is, and return the jobs that have to
        leave."""
        awaits = frozenset(
            draining.id
            for where in short
            for draining in self._draining_on.get(where, {}).values()
            if self._touches(draining, where)
        )
        if job.id in self._draining:
            awaits |= {job.id}
        if awaits:
            self._note_claim(job, awaits)
        return awaits

    def _note_claim(self, job: Job, awaits: frozenset[int]) -> None:
        self._claims[job] = None
        for job_id in awaits:
            self._claimants_of.setdefault(job_id, {})[job] = None

    def drop_claim(self, job: Job) -> None:
        """Forget the claim that the job has."""
        self._claims.pop(job, None)
        self._left_since.pop(job, None)
        for job_id in job.awaits:
            claimants = self._claimants_of.get(job_id, {})
            claimants.pop(job, None)
            if not claimants:
                self._claimants_of.pop(job_id, None)

    def confirmed(self, job: Job) -> list[Job]:
        """Note that all nodes have confirmed the end of `job`. Return the jobs that awaited it
        alone, in the order of their claims; they are no claimants here any more. Those that await
        others as well are told by `take_left`."""
        if self._draining.pop(job.id, None) is not None:
            self._forget_draining(job)
        ready = []
        for claimant in self._claimants_of.pop(job.id, ()):
            left = self._left_since.setdefault(claimant, set())
            left.add(job.id)
            if len(left) == len(claimant.awaits):
                del self._claims[claimant], self._left_since[claimant]
                ready.append(claimant)
        return ready

    def take_left(self) -> dict[Job, set[int]]:
        """Return the claimants with the jobs that they await no more since the last call of this. A
        claim may await thousands, of which hundreds leave at once: it is changed once for all."""
        left, self._left_since = self._left_since, {}
        return left

    def _forget_draining(self, job: Job) -> None:
        for where in self._drains_on.pop(job.id):
            del self._draining_on[where][job.id]
            if not self._draining_on[where]:
                del self._draining_on[where]

    # ------------------------------------------------------------ what is known here

    def expired(self) -> list[Job]:
        """Return the jobs whose trials have expired, the first to be killed first."""
        return [job for _, _, job in self._expired]

    def draining(self) -> list[Job]:
        """Return the draining jobs."""
        return list(self._draining.values())

    def claiming(self) -> list[Job]:
        """Return the jobs that have a claim, in the order of their claims."""
        return list(self._claims)

    # ------------------------------------------------------------ over a restart

    def restore(self, job: Job) -> None:
        """Restore the job's trial, what it holds while it drains, and its claim."""
        if job.draining:
            self._drain(job, _attempt_of(job))
        elif type(job.phase) is OnTrial:
            self.begin(job, job.phase)
        if job.claim is not None:
            self._note_claim(job, job.awaits)


def note_tried(job: Job) -> None:
    """Note that the job, which awaits no trial now, gets none any more."""
    job.tried = True


def take_trial_back(job: Job, claim: ClaimedPlace) -> None:
    """Let the job still await its trial if it was to begin on this claim, which is dropped."""
    if claim.kind == "trial":
        job.tried = False


def _attempt_of(job: Job) -> Attempt:
    attempt = job.phase.attempt
    assert attempt is not None
    return attempt
