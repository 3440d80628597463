"""The limits of accounts and QOS, and licenses: what jobs hold by them, and the jobs that they hold
back.

A *meter* counts the jobs that hold processors, of a QOS, of an account with those below it, or of
one user within either; that of a license counts how many of it such jobs have. A waiting job that
would pass a limit is *held back*: it is in no queue. Jobs of one QOS, account and user with the
same licenses have the same meters, so those of one size are refused or taken together. When a meter
counts less, as many of them join the queue as it allows now, and a few more, in the order of the
recipe. If a limit holds back jobs of many users and sizes, the calls of the core look at some of
them each, without a pass, until all are looked at: a pass would start others before them. Then
those whose first jobs come first join with this call, and the others with the next calls, as far as
the limits still allow them. In the passes between, no job starts that would count on a meter of
those others and comes after the first of them: such a job is held back, and joins with the others
in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from heapq import heapify, heappop, heappush
from operator import itemgetter
from typing import Any

from rmsd_core.jobs.accounts import (
    NO_LIMITS,
    AccountPolicy,
    JobLimits,
    Policies,
    QosPolicy,
    chain,
)
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import HOLDING
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.planning.meters import JobKind, KindKey, LicenseMeter, LicenseShare, Meter
from rmsd_core.planning.queue import Queue

_MeterKey = tuple[str, str, str]
"""The subject of a meter: a QOS, an account or a license, its name, and a user within it."""
_AHEAD = 10
"""The jobs that join the queue beyond those that a meter allows. One that waits for its nodes
keeps no other of its size from starting then, and the order of the recipe decides among more."""
MOST_JOINING = 100
"""The kinds and sizes of jobs that join the queue with one call of the core."""
MOST_LOOKED_AT = 2000
"""The kinds and sizes of jobs that a call of the core looks at: those that may join the queue. Each
takes some microseconds, and users can ask for any number of different licenses."""
_LEAST_KINDS = 1000
"""The kinds that are kept, whether there are jobs of them or not."""


def _held_cpus(job: Job) -> int:
    """Return how many processors the job holds, or has claimed."""
    if type(job.phase) not in HOLDING:
        return 0
    return job.processors_of(job.allocation if job.claim is None else job.claim.place)


class LimitIndex:
    """The meters of a cluster. `make_queue` makes a queue in the order of the recipe.

    in_force: whether there is a limit, or a license. policies: the accounts, QOS and licenses.
    """

    def __init__(self, make_queue: Callable[[], Queue]) -> None:
        self.make_queue = make_queue
        self.in_force = False
        self.policies = Policies()
        self._accounts: dict[str, AccountPolicy] = {}
        self._qos: dict[str, QosPolicy] = {}
        self._meters: dict[_MeterKey, Meter] = {}
        self._licenses: dict[str, LicenseMeter] = {}
        self._kinds: dict[KindKey, JobKind] = {}
        # The jobs that hold processors: the kind and the processors with which they count.
        self._counted: dict[int, tuple[JobKind, int]] = {}
        # A job that is too long, whatever ends, has no kind here.
        self._held: dict[int, tuple[Job, JobKind | None]] = {}
        self._too_long: dict[int, Job] = {}
        self._eased: dict[Meter | LicenseShare, None] = {}
        # The kinds that are still to be looked at, the last one first; those that may join, with
        # their sizes; and then a heap of these. They are ranked unless all can join with one call.
        self._looking: list[KindKey] = []
        self._found: list[_Ranked] = []
        self._joining: list[_Ranked] = []
        # The kinds and sizes of jobs that were held back for the order's sake, to join with these.
        self._behind: dict[tuple[KindKey, int], None] = {}
        self._number = 0  # the number of the latest of these; they are negative
        self._are_many = False
        self._ahead = 0
        self._most_kinds = _LEAST_KINDS

    # ------------------------------------------------------------ what is in force

    def set_policies(self, policies: Policies, jobs: Iterable[Job]) -> list[Job]:
        """Replace the policies, and count the live `jobs` anew. Return the jobs that were held
        back: they are to wait anew."""
        held = self.held()
        self.policies = policies
        self._accounts = {one.name: one for one in policies.accounts}
        self._qos = {one.name: one for one in policies.qos}
        limits = [one.limits for one in policies.accounts] + [one.limits for one in policies.qos]
        self.in_force = bool(policies.licenses) or any(one != NO_LIMITS for one in limits)
        self._meters, self._kinds = {}, {}
        self._licenses = {one.name: LicenseMeter(one.total) for one in policies.licenses}
        self._counted, self._held, self._eased, self._too_long = {}, {}, {}, {}
        self._looking, self._found, self._joining = [], [], []
        self._behind = {}
        self._most_kinds = _LEAST_KINDS
        for job in jobs:
            self.moved(job)
        return held

    def _of(self, job: Job) -> JobKind:
        # A name that is not configured limits nothing: all jobs with such names are alike.
        qos = job.qos if job.qos in self._qos else ""
        account = job.account if job.account in self._accounts else ""
        key = qos, account, job.user, job.licenses
        found = self._kinds.get(key)
        if found is None:
            if len(self._kinds) >= self._most_kinds:
                self._forget_kinds()
            found = self._kinds[key] = self._made(job, key)
        return found

    def _forget_kinds(self) -> None:
        """Forget the kinds of which no job counts or is held back: over time users ask for any
        number of different licenses."""
        counted = {kind.key for kind, _ in self._counted.values()}
        kinds = self._kinds.items()
        self._kinds = {key: kind for key, kind in kinds if kind.held or key in counted}
        self._most_kinds = max(_LEAST_KINDS, 2 * len(self._kinds))

    def _made(self, job: Job, key: KindKey) -> JobKind:
        made = JobKind(key)
        if (qos := self._qos.get(job.qos)) is not None:
            self._add(made, "QOS", qos.name, qos.limits, job.user)
        for account in chain(self._accounts, job.account):
            self._add(made, "Assoc", account.name, account.limits, job.user)
        for name, each in job.licenses:
            if (meter := self._licenses.get(name)) is not None:
                made.meters.append(LicenseShare(meter, each))
        return made

    def _add(self, made: JobKind, kind: str, name: str, limits: JobLimits, user: str) -> None:
        """Add the meters for these limits of a QOS or an account. Slurm's words for an account are
        those of an association."""
        most = f"{kind}MaxJobsPerUserLimit" if kind == "QOS" else f"{kind}MaxJobsLimit"
        most_cpus = f"{kind}MaxCpuPerUserLimit" if kind == "QOS" else f"{kind}GrpCpuLimit"
        if limits.max_running_per_user is not None or limits.max_cpus_per_user is not None:
            meter = Meter(limits.max_running_per_user, limits.max_cpus_per_user, most, most_cpus)
            made.meters.append(self._meters.setdefault((kind, name, user), meter))
        if limits.max_running is not None or limits.max_cpus is not None:
            words = f"{kind}GrpJobsLimit", f"{kind}GrpCpuLimit"
            meter = Meter(limits.max_running, limits.max_cpus, *words)
            made.meters.append(self._meters.setdefault((kind, name, ""), meter))
        if limits.max_time_us is not None:
            made.longest.append((limits.max_time_us, f"{kind}MaxWallDurationPerJobLimit"))

    # ------------------------------------------------------------ what jobs hold

    def moved(self, job: Job) -> None:
        """Note that the phase of the job has changed."""
        if not self.in_force:
            return
        cpus = _held_cpus(job)
        counted = self._counted.get(job.id)
        if cpus == (counted[1] if counted is not None else 0):
            return
        if counted is not None:
            kind, before = self._counted.pop(job.id)
            for meter in kind.meters:
                meter.count(-1, before)
            self._look_at(kind)
        if cpus:
            kind = self._of(job)
            self._counted[job.id] = kind, cpus
            for meter in kind.meters:
                meter.count(1, cpus)

    def left(self, job: Job) -> None:
        """Note that the job has left the queue without a start: others may take its place."""
        if self.in_force:
            self._look_at(self._of(job))

    def _look_at(self, kind: JobKind) -> None:
        for meter in kind.meters:
            if meter.waiting:
                self._eased[meter] = None

    def refusal(self, job: Job) -> str | None:
        """Return Slurm's word for the limit that keeps the job from starting; None if none does. A
        job that holds processors already may be started with these."""
        if not self.in_force or job.id in self._counted:
            return None
        kind = self._of(job)
        for most_us, reason in kind.longest:
            if job.estimate_us > most_us:
                return reason
        return kind.refusal(job.size)

    def comes_too_early(self, job: Job, queue: Queue, now_us: int) -> bool:
        """Return whether the job could take what others wait for that come before it in the order
        of the queue, and are still to join it."""
        if not self._joining or not self._are_many or job.id in self._counted:
            return False
        if not any(meter.joining for meter in self._of(job).meters):
            return False
        return bool(self._joining[0][0] < queue.rank(job, now_us))

    def admits(self, reservation: AdvanceReservation, job: Job) -> bool:
        """Return whether the job may run inside the advance reservation: by its user, its account
        or one above that."""
        above = [one.name for one in chain(self._accounts, job.account)]
        return reservation.admits(job.user, [job.account, *above])

    def counts(self) -> dict[tuple[str, str, str], tuple[int, int]]:
        """Return the jobs that each meter counts, and the processors or licenses of these, without
        the meters that count none."""
        meters = self._meters.items()
        counted = {key: (one.running, one.cpus) for key, one in meters if one.running}
        for name, one in self._licenses.items():
            if one.running:
                counted["License", name, ""] = one.running, one.used
        return counted

    def licenses_of(self, job: Job) -> list[tuple[str, int, int]]:
        """Return the licenses that the job asks for: the name, how many jobs have, and how many
        there are."""
        meters = [(name, self._licenses.get(name)) for name, _ in job.licenses]
        return [(name, one.used, one.total) for name, one in meters if one is not None]

    # ------------------------------------------------------------ jobs that are held back

    def held(self) -> list[Job]:
        """Return the jobs that are held back."""
        return [job for job, _ in self._held.values()]

    def __contains__(self, job: Job) -> bool:
        return job.id in self._held

    def hold_back(self, job: Job) -> None:
        """Hold back a job that waits, is in no queue, and is refused."""
        kind = self._of(job)
        if any(job.estimate_us > most_us for most_us, _ in kind.longest):
            self._held[job.id] = job, None
            self._too_long[job.id] = job
            return
        self._held[job.id] = job, kind
        queue = kind.held.get(job.size)
        if queue is None:
            queue = kind.held[job.size] = self.make_queue()
        queue.add(job)
        for meter in kind.meters:
            meter.waiting[kind.key] = None
        if self._joining and self._are_many and kind.spare(job.size):
            self._behind[kind.key, job.size] = None

    def let_go(self, job: Job) -> bool:
        """Hold back the job no longer. Return whether it was held back."""
        if job.id not in self._held:
            return False
        _, kind = self._held.pop(job.id)
        self._too_long.pop(job.id, None)
        if kind is not None:
            queue = kind.held[job.size]
            queue.remove(job)
            if not len(queue):
                del kind.held[job.size]
            if not kind.held:
                for meter in kind.meters:
                    del meter.waiting[kind.key]
        return True

    @property
    def kinds(self) -> int:
        """Return how many kinds of jobs are kept."""
        return len(self._kinds)

    @property
    def is_eased(self) -> bool:
        """Return whether a meter counts less, or a job has left the queue, since the latest call of
        `to_join`, or that call has left some for the next one."""
        return bool(self._eased or self.is_joining)

    @property
    def is_looking(self) -> bool:
        """Return whether kinds are still to be looked at. Until all are, a pass could give what was
        given back to jobs that come later."""
        return bool(self._looking)

    @property
    def is_joining(self) -> bool:
        """Return whether `to_join` has left some for its next call."""
        return bool(self._looking or self._joining)

    def to_join(
        self, rank: Callable[[Job], Any], now_us: int
    ) -> Iterator[tuple[JobKind, int, int]]:
        """Yield kinds and sizes of jobs that are held back and may start now, with how many of them
        may join the queue. `rank`: what the order of the queue is by."""
        if self._eased and not self._looking:
            self._begin_looking()
        if self._looking:
            self._look(rank, now_us)
        left, looks, joining = MOST_JOINING, MOST_LOOKED_AT, self._joining
        self._rank_behind(rank, now_us)
        while joining and left and looks:
            looks -= 1
            _, _, kind, size = heappop(joining)
            _count_joining(kind, -1)
            if size in kind.held and (allowed := kind.spare(size)) > 0:
                left -= 1
                yield kind, size, allowed + self._ahead

    def rank_anew(self, rank: Callable[[Job], Any], now_us: int) -> None:
        """Rank what is still to join by another order of the queue."""
        if self._are_many:
            self._found = list(_ranked_anew(self._found, rank, now_us))
            self._joining = list(_ranked_anew(self._joining, rank, now_us))
            heapify(self._joining)

    def _begin_looking(self) -> None:
        """Find what may join, since meters count less, and what was still to join."""
        eased, self._eased = self._eased, {}
        kinds = {key: None for meter in eased for key in meter.waiting}
        self._ahead = _AHEAD // len(kinds) if kinds else 0
        for _, _, kind, _ in sorted(self._joining, key=itemgetter(0, 1)):
            if kind.held:
                kinds[kind.key] = None
            _count_joining(kind, -1)
        behind, self._behind = self._behind, {}
        kinds.update({key: None for key, size in behind if self._holds(key, size)})
        self._looking = list(reversed(kinds))
        self._found, self._joining = [], []
        few = self._looking[: MOST_JOINING + 1]
        self._are_many = sum([len(self._kinds[key].held) for key in few]) > MOST_JOINING

    def _look(self, rank: Callable[[Job], Any], now_us: int) -> None:
        """Look at kinds until all are looked at, or as many are as a call may."""
        looking, found, looks = self._looking, self._found, MOST_LOOKED_AT
        while looking and looks > 0:
            kind = self._kinds.get(looking.pop())
            looks -= 1 if kind is None else 1 + len(kind.held)
            if kind is None:  # all of its jobs have gone
                continue
            for size in [one for one in kind.held if kind.spare(one)]:
                first = kind.held[size].first(now_us)
                assert first is not None
                at = len(found)
                found.append((rank(first) if self._are_many else at, at, kind, size))
                _count_joining(kind, 1)
        if not looking:
            heapify(found)
            self._found, self._joining = [], found

    def _rank_behind(self, rank: Callable[[Job], Any], now_us: int) -> None:
        """Let those join with the others that were held back for the order's sake."""
        behind, self._behind = self._behind, {}
        for key, size in behind:
            if self._holds(key, size):
                kind = self._kinds[key]
                first = kind.held[size].first(now_us)
                assert first is not None
                self._number -= 1
                heappush(self._joining, (rank(first), self._number, kind, size))
                _count_joining(kind, 1)

    def _holds(self, key: KindKey, size: int) -> bool:
        """Return whether jobs of this kind and size are held back."""
        kind = self._kinds.get(key)
        return kind is not None and size in kind.held


def _ranked_anew(
    ranked: Iterable[_Ranked], rank: Callable[[Job], Any], now_us: int
) -> Iterator[_Ranked]:
    """Yield these with the ranks of another order, without those of which no job waits any more."""
    for _, number, kind, size in ranked:
        if size not in kind.held:
            _count_joining(kind, -1)
            continue
        first = kind.held[size].first(now_us)
        assert first is not None
        yield rank(first), number, kind, size


def _count_joining(kind: JobKind, more: int) -> None:
    for meter in kind.meters:
        meter.count_joining(more)


_Ranked = tuple[Any, int, JobKind, int]
"""The rank of the first job of a kind and a size, a number by which ties are broken, and these."""
