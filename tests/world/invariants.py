"""The invariants that must hold after every step, and in the end."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import chain, combinations
from pathlib import Path

from rmsd_core.jobs.request import Piece
from rmsd_core.lifecycle.core import Core
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.vocabulary import Cause
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_wire.link import EndedAttempt
from tests.core.limits import passed_limits
from tests.core.reserved import violated
from tests.world.arrays import too_many_at_once
from tests.world.at_rest import AtRest
from tests.world.cluster import Cluster
from tests.world.ledger import MOST_ID, Ledger, Violation
from tests.world.loop import Process
from tests.world.preemption import wrong_preemption
from tests.world.reboots import BootLog
from tests.world.strangers import LIAR

_Run = tuple[int, int, str, int]
"""(job_id, attempt, node, start): what an agent runs."""
_MOST_LEAVING = 8
"""The most killed trials of which all orders of leaving are looked at."""


class Invariants(Ledger):
    """The invariants of one cluster, and the ledger that they are held against."""

    def __init__(self, cluster: Cluster, database: Path, claimed: Collection[int]) -> None:
        super().__init__(database, claimed)
        self._cluster = cluster
        self._owners: dict[str, str] = {}  # the nodes' owners at the last look
        cluster.after_ends = self._after_ends
        # key: job; the attempts that ran to their end, as the daemon knows
        self._over: dict[int, EndedAttempt] = {}
        self._dead: set[str] = set()
        self.attempts: Counter[str] = Counter()  # key: how the attempts ended, in the end
        self._core: Core | None = None
        self._restoring = False
        self._boots = BootLog()
        self._reserved: dict[str, AdvanceReservation] = {}  # at the last look
        self._reserved_before: dict[str, AdvanceReservation] = {}  # at the one before
        self._batch = -1
        self._cores_allowed = 0  # the cores of the machine for which the present claims were made
        self._given: set[tuple[int, int]] = set()  # the attempts that have processors
        self._alive: dict[Process, frozenset[_Run]] = {}

    def after_step(self, process: Process) -> None:
        if process.name == "daemon":
            self._after_daemon()
        else:
            self._after_agent(process)

    def _after_daemon(self) -> None:
        scheduler = self._cluster.scheduler
        if scheduler is None:
            return
        core, rebuilt = scheduler.core, scheduler.core is not self._core
        if scheduler.cluster.next_batch == self._batch and not rebuilt:
            return
        self._core, self._batch = core, scheduler.cluster.next_batch
        self._reserved_before, self._reserved = self._reserved, dict(core.reservations)
        catches_up, self._restoring = self._restoring, scheduler.restoring
        core.sanity_check()
        _look_at_the_index(scheduler)
        if scheduler.cluster.next_id > MOST_ID:
            raise Violation("an agent has used up the numbers")
        self._look_at_what_is_deleted(scheduler)
        self._look_at_owners(scheduler, rebuilt=rebuilt)
        self._look_at_shares(scheduler)
        if (wrong := self._boots.look(core, rebuilt=rebuilt)) and not self.was_restored:
            raise Violation(wrong)
        if (wrong := too_many_at_once(core)) and not self.was_restored:
            raise Violation(wrong)
        if wrong := wrong_preemption(core):
            raise Violation(wrong)
        if not self.was_restored:
            self._look_at_refusals(core)
        pieces = [
            ((job.id, job.attempt), piece)
            for job in core.jobs.values()
            for piece in job.allocation
            if piece.node in job.open_nodes
        ]
        before, self._given = self._given, {attempt for attempt, _ in pieces}
        allowed_before = self._cores_allowed
        size = sum(node.cores for node in core.nodes.values())
        # A claim is honoured on a machine that has got smaller since it was made.
        smaller = _most_given(core) > size
        self._cores_allowed = max(self._cores_allowed, size) if smaller else size
        if rebuilt or catches_up or self._given <= before:
            # No place is given anew: the machine may have got smaller meanwhile. A job that runs
            # since a backup may be known before the end of the job that ran there.
            return
        used: Counter[str] = Counter()
        for _, piece in pieces:
            used[piece.node] += piece.cores
        self._look_at_partitions(scheduler, self._given - before)
        if not self.was_restored:  # a restore may adopt more than limits allow
            self._look_at_limits(scheduler)
            counted = scheduler.cluster.capacity == "counted"
            given, reserved = self._given - before, self._reserved_before
            if wrong_starts := violated(core, given, reserved, counted=counted):
                raise Violation(f"reservations are violated: {wrong_starts}")
        if scheduler.cluster.capacity == "counted":
            if used.total() > max(size, allowed_before):
                raise Violation(f"{used.total()} of {size} processors are given to jobs")
            return
        for name in {piece.node for attempt, piece in pieces if attempt not in before}:
            if used[name] > core.nodes[name].cores:
                raise Violation(
                    f"{used[name]} of {core.nodes[name].cores} cores of {name} are given to jobs"
                )

    def _look_at_partitions(self, scheduler: Scheduler, given: Collection[tuple[int, int]]) -> None:
        """Check that what is given anew lies in one of the partitions that the job names."""
        partitions = scheduler.core.partitions
        for job_id, _ in given:
            job = scheduler.core.jobs[job_id]
            nodes = {piece.node for piece in job.allocation}
            if partitions and not any(
                one.partition is None or partitions[one.partition].has(nodes)
                for one in job.request.components
                if one.partition is None or one.partition in partitions
            ):
                raise Violation(f"job {job_id} is on {sorted(nodes)}, outside its partitions")

    def _look_at_limits(self, scheduler: Scheduler) -> None:
        """Check that no limit of an account or a QOS is passed, and jobs have no more licenses than
        there are."""
        jobs = scheduler.core.jobs.values()
        if found := passed_limits(scheduler.cluster.accounts.policies, jobs):
            raise Violation(f"the limits of {found} are passed")

    def _look_at_what_is_deleted(self, scheduler: Scheduler) -> None:
        """Check that no job is deleted that is live, or that ended a short time ago."""
        if (kept_us := self._cluster.kept_us) is None:
            return
        found = {
            job_id: (bool(live), end_us)
            for job_id, live, end_us in self.query("SELECT id, live, end_us FROM job")
        }
        for job_id in self._stored.keys() - found.keys():
            live, end_us = self._stored[job_id]
            early = not live and end_us is not None and end_us > scheduler.cluster.now_us - kept_us
            if early or job_id in scheduler.details:
                raise Violation(f"job {job_id} was deleted, which was over at {end_us}")
            self.pruned.add(job_id)
        self._stored = found

    def _look_at_owners(self, scheduler: Scheduler, *, rebuilt: bool) -> None:
        """Check that the liar has taken no name of a node that is not forgotten."""
        before = {} if rebuilt else self._owners
        rows = scheduler.node_rows
        self._owners = {name: rows[name]["agent_id"] for name in scheduler.core.nodes}
        for name, owner in self._owners.items():
            if owner == LIAR:
                self._liars_nodes.add(name)
                if before.get(name, LIAR) != LIAR:
                    raise Violation(f"node {name} of agent {before[name]} is the liar's")

    def _look_at_shares(self, scheduler: Scheduler) -> None:
        most = self._cluster.most_jobs
        counts: Counter[str] = Counter()
        for job in scheduler.core.jobs.values():
            counts[job.user] += 1 if job.array is None else job.array.waiting
        for user, count in counts.items():
            if count > most:
                raise Violation(f"{user} has {count} live jobs, and may have {most}")

    def _after_agent(self, process: Process) -> None:
        agent = self._cluster.agents.get(process)
        timers = agent.timers if agent is not None else None
        running: frozenset[_Run] = frozenset()
        if timers is not None and timers.clock is not None:
            if wrong := list(timers.ended_while_suspended()):
                raise Violation(f"{wrong} are suspended, and have come to their ends")
            running = frozenset((*key, launch.model_start_us) for key, launch in timers.running())
        if running == self._alive.get(process):
            return
        self._alive = {
            other: keys for other, keys in self._alive.items() if other in self._cluster.agents
        }
        self._alive[process] = running
        runs: dict[int, _Run] = {}
        for theirs in self._alive.values():
            for run in theirs:
                other = runs.setdefault(run[0], run)
                one, two = sorted((other, run), key=_started)
                if self._is_claimed(run[0]):
                    continue
                if _started(one) != _started(two) and not self._given_up(one, two):
                    raise Violation(f"job {run[0]} runs at once as {one[1:]} and {two[1:]}")
                over = self._over.get(run[0])
                if over is not None and not self._may_run_again(over, run):
                    raise Violation(f"job {run[0]} has ended as {over}, and runs as {run[1:]}")

    def _after_ends(self, ended: Sequence[EndedAttempt]) -> None:
        """Note that attempts have ended, and that the daemon has acknowledged it."""
        for one in ended:
            if one.batch and one.cause in (Cause.EXIT, Cause.LIMIT):
                self._over[one.job_id] = one

    def _may_run_again(self, over: EndedAttempt, run: _Run) -> bool:
        """Return whether an attempt may run again after its end, or is the same run. The script of
        a killed trial may end by itself, seeing its other nodes being killed; this does not
        count."""
        if (over.attempt, over.start_us) == _started(run):
            return True
        if self.is_asked("requeue", over.job_id):
            return True  # the script ended by itself while it was being ended
        stored = self.query("SELECT request FROM job WHERE id = ?", over.job_id)
        if not stored:
            return True  # no restored backup has it: nobody has started it now
        [(request,)] = stored
        spread = over.cores < sum(part[0] * part[1] for part in json.loads(request))
        ended: _Run = (over.job_id, over.attempt, over.node, over.start_us)
        return spread or self._given_up(*sorted((ended, run), key=_started))

    def _given_up(self, earlier: _Run, later: _Run) -> bool:
        """Return whether a node was silent for so long that it was taken to be dead. A node that
        comes back after all is told to end the attempt."""
        if self.was_restored:  # the database may not know of it any more
            return not self._dead.isdisjoint((earlier[2], later[2]))
        if earlier[0] in self.pruned:
            return True
        query = "SELECT cause FROM attempt WHERE job_id = ? AND attempt = ?"
        return self.query(query, *earlier[:2]) == [("node",)]

    def node_lost(self, name: str) -> None:
        """Note that the daemon takes the node to be dead, or that it is withdrawn."""
        self._dead.add(name)

    def _look_at_refusals(self, core: Core) -> None:
        """Check that no job is with a node again that has refused it, and that it avoids since."""
        for job in core.jobs.values():
            if not job.refusals or job.refusals[-1].attempt == job.attempt:
                continue
            if again := job.request.avoid.intersection(piece.node for piece in job.allocation):
                raise Violation(f"job {job.id} was sent again to {sorted(again)}, which refused it")

    def at_rest(self, *, complete: bool) -> None:
        """Check the end: nothing runs any more, and nobody submits. `complete`: people have got
        every answer."""
        if (scheduler := self._cluster.scheduler) is not None:
            self._look_at_what_is_deleted(scheduler)  # also since the last batch
        causes = self.query("SELECT cause, count(*) FROM attempt GROUP BY cause")
        self.attempts.update(dict(causes))
        AtRest(self).check(complete=complete)


def _look_at_the_index(scheduler: Scheduler) -> None:
    """Check that the live jobs alone are in the index. The core may be ahead of the last commit."""
    known, details = scheduler.cluster.index.known, scheduler.details.keys()
    if wrong := (known - details) | ((details - known) & scheduler.core.jobs.keys()):
        raise Violation(f"jobs {sorted(wrong)} are in the index, or live, but not both")


def _most_given(core: Core) -> int:
    """Return the most cores that can come to be given at once. The killed trials leave one after
    the other, in some order, and the jobs that claim their places are started."""
    jobs = core.jobs.values()
    given = sum(piece.cores for job in jobs for piece in job.holding())
    claims = [(claim.awaits, _cores(claim.place)) for job in jobs if (claim := job.claim)]
    leaving = {job.id: _cores(job.holding()) for job in jobs if job.draining}
    if not claims or len(leaving) > _MOST_LEAVING:
        return given + sum(cores for _, cores in claims)
    subsets = chain.from_iterable(combinations(leaving, n) for n in range(len(leaving) + 1))
    return max(
        given
        - sum(leaving[job_id] for job_id in gone)
        + sum(cores for awaits, cores in claims if awaits <= set(gone))
        for gone in subsets
    )


def _cores(pieces: Iterable[Piece]) -> int:
    return sum(piece.cores for piece in pieces)


def _started(run: _Run) -> tuple[int, int]:
    """Return the start that all parts of an attempt have in common."""
    return run[1], run[3]
