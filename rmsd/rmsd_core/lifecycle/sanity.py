"""The invariants of a core between two calls. Tests check them after every step."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from rmsd_core.jobs.gres import Amounts, name_of
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import (
    Claiming,
    Done,
    Expired,
    Ineligible,
    OnTrial,
    Preempted,
    Running,
    Stopping,
    Suspended,
    Waiting,
)
from rmsd_core.lifecycle.predicted_jobs import PredictedJobs
from rmsd_core.lifecycle.preemptible import Preemptible
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.lifecycle.usage import Usage
from rmsd_core.machine.node_releases import NodeReleases
from rmsd_core.machine.nodes import Node
from rmsd_core.planning.limits import LimitIndex
from rmsd_core.vocabulary import Relation


class Insane(AssertionError):
    """A core contradicts itself; the message says how."""


def check(state: CoreState, nodes: Iterable[Node]) -> None:
    """Check that all parts of the state agree on each job.

    Raises:
        Insane: they do not.
    """
    for job_id, job in state.jobs.items():
        if job.id != job_id or isinstance(job.phase, Done):
            raise Insane(f"job {job.id} is kept as {job_id}, in {job.phase}")
    _check_queue(state)
    _check_limits(state)
    _check_releases(state)
    _check_kept_releases(state)
    _check_partitions(state)
    _check_capacity(state, nodes)
    _check_holdings(state)
    _check_reboots(state)
    _check_preemptible(state)
    _check_predicted(state)
    if state.trials is not None:
        _same(state.trials.expired(), _in(state, Expired), "have expired trials")
        draining = [job for job in _all(state) if job.draining]
        _same(state.trials.draining(), draining, "are draining")
        claiming = [job for job in _all(state) if job.claim is not None]
        _same(state.trials.claiming(), claiming, "have a claim")
        leaving = {job.id for job in draining}
        for job in claiming:
            if not job.awaits or not leaving.issuperset(job.awaits):
                raise Insane(f"job {job.id} awaits {sorted(job.awaits)}, not all of which leave")
        untried = [job for job in state.planner.waiting(state.now_us) if state.trials.gives(job)]
        _same(state.trials.untried(), untried, "wait for a trial")


def _check_queue(state: CoreState) -> None:
    """Check that each job that waits for the base scheduler is in its queue, or set aside."""
    queue = state.planner.waiting(state.now_us)
    waiting = [job for job in _all(state) if _waits(job)]
    held = state.planner.limits.held()
    _same(
        [*queue, *state.set_aside.values(), *held], waiting, "are in the queue, set aside or held"
    )
    if not state.deadlines.is_due(state.now_us):
        for job in [*queue, *held]:
            if isinstance(job.phase, Waiting | Preempted) and state.is_late(job):
                raise Insane(f"job {job.id} may start, and is too late for its deadline")
    _same(state.dependents.jobs(), _in(state, Ineligible), "are ineligible")
    for job in state.dependents.jobs():
        if not job.conditions.stand:
            raise Insane(f"job {job.id} is ineligible, and has no condition left")
        for one in job.conditions.dependencies:
            awaited = one.relation is not Relation.SINGLETON and one.due_us is None
            is_live = one.job_id in state.jobs or state.arrays.waiting(one.job_id) is not None
            if awaited and not is_live and one.job_id not in state.dependents.unsettled:
                raise Insane(f"job {job.id} waits for job {one.job_id}, which is over")


def _check_preemptible(state: CoreState) -> None:
    """Check that the running jobs that may be preempted are those that the rules name."""
    if state.preemptible is None:
        return
    fresh = Preemptible(state.preemptible.rules, state.partitions)
    for job in _all(state):
        fresh.moved(job)
    if state.preemptible.known() != fresh.known():
        raise Insane(f"{state.preemptible.known()} may be preempted, by the jobs {fresh.known()}")


def _check_predicted(state: CoreState) -> None:
    """Check that predictions follow for all jobs that wait, and for no others."""
    if state.predictions.following is None:
        return
    fresh = PredictedJobs()
    for job in _all(state):
        fresh.moved(job)
    if state.predictions.following.known() != fresh.known():
        raise Insane(f"predictions follow for {state.predictions.following.known()}")


def _check_limits(state: CoreState) -> None:
    """Check that meters count what jobs hold, and that no job is held back that would pass no limit
    while none that is alike waits in the queue, unless it is to join the queue with a next call."""
    limits = state.planner.limits
    fresh = LimitIndex(limits.make_queue)
    fresh.set_policies(limits.policies, state.jobs.values())
    if limits.counts() != fresh.counts():
        raise Insane(f"meters count {limits.counts()}, and by the jobs {fresh.counts()}")
    queue = {_alike(job) for job in state.planner.waiting(state.now_us)}
    for job in limits.held():
        if limits.refusal(job) is None and _alike(job) not in queue and not limits.is_eased:
            raise Insane(f"job {job.id} is held back, and would pass no limit")


def _alike(job: Job) -> tuple[str, str, str, Amounts, int]:
    return job.qos, job.account, job.user, job.licenses, job.size


def _waits(job: Job) -> bool:
    phase = job.phase
    if isinstance(phase, Preempted | Claiming):  # claims for good have left the queue
        return phase.claim is None or phase.claim.kind != "for good"
    return isinstance(phase, Waiting | OnTrial | Expired)


def _check_releases(state: CoreState) -> None:
    """Check that the planner expects the end of all that is held or claimed, but not of what counts
    as free."""
    releases = [(job.expected_end_us, job.seq) for job in _all(state) if _is_expected(job)]
    known = [(end_us, seq) for end_us, seq, _ in state.planner.releases()]
    if sorted(known) != sorted((end_us or 0, seq) for end_us, seq in releases):
        raise Insane(f"the planner expects {known}, and the jobs {releases}")


def _check_kept_releases(state: CoreState) -> None:
    """Check that the releases that are kept for the shadows of heads are those that a look at all
    running jobs finds."""
    kept = state.planner.kept_releases()
    if not isinstance(kept, NodeReleases):
        return
    fresh = state.capacity.gathered(state.planner.releases())
    assert isinstance(fresh, NodeReleases)
    for count in range(len(list(fresh)) + 1):
        found, right = kept.after(count), fresh.after(count)
        if (found.cores, found.mem_mib, found.gres) != (right.cores, right.mem_mib, right.gres):
            raise Insane(f"after {count} releases {found.cores} are free, or {right.cores}")


def _check_reboots(state: CoreState) -> None:
    """Check that no node reboots while it holds something, and that none is forgotten."""
    asked = set()
    for node in state.nodes.by_name.values():
        if node.is_rebooting and (jobs := state.holdings.on(node.name).jobs):
            raise Insane(f"node {node.name} reboots, and holds jobs {sorted(jobs)}")
        if node.reboot is not None and not node.is_rebooting:
            asked.add(node.name)
            if node.link == "up" and not state.holdings.on(node.name).jobs:
                raise Insane(f"node {node.name} is idle, and has not begun its reboot")
    if asked != state.nodes.to_reboot:
        raise Insane(f"{state.nodes.to_reboot} are to reboot, and by the nodes {asked}")


def _check_holdings(state: CoreState) -> None:
    """Check that what is counted on each node is what the attempts there hold, and that no device
    is given twice."""
    walked: dict[str, Usage] = {}
    given: defaultdict[tuple[str, str], set[int]] = defaultdict(set)  # numbers, by node and name
    for job in _all(state):
        for piece in job.holding():
            usage = walked.setdefault(piece.node, Usage())
            usage.cores += piece.cores
            usage.mem_mib += piece.mem_mib
            for kind, count, numbers in piece.gres:
                if len(numbers) != count:
                    raise Insane(f"{kind} of {piece.node}: {count} are held, and {numbers} known")
                usage.devices.update((kind, number) for number in numbers)
                if twice := given[piece.node, name_of(kind)].intersection(numbers):
                    raise Insane(f"{kind} {min(twice)} of {piece.node} is given twice")
                given[piece.node, name_of(kind)].update(numbers)
            usage.jobs.add(job.id)
    counted = {node: state.holdings.on(node) for node in state.holdings.nodes()}
    if counted != walked:
        raise Insane(f"the nodes have given out {counted}, and by their jobs {walked}")


def _is_expected(job: Job) -> bool:
    phase = job.phase
    if isinstance(phase, Stopping):
        return not phase.draining
    return job.claim is not None or isinstance(phase, OnTrial | Running | Suspended)


def _check_capacity(state: CoreState, nodes: Iterable[Node]) -> None:
    """Check that all that is not free has been given to a job."""
    cores: Counter[str] = Counter()
    for node in nodes:
        where = state.capacity.node_or_pool(node.name)
        if where == node.name or node.available:  # the pool has only the nodes that take work
            cores[where] += node.cores
    for job in _all(state):
        if _is_expected(job):
            for piece in job.releasing():
                cores[state.capacity.node_or_pool(piece.node)] -= piece.cores
    for where, left in cores.items():
        if state.capacity.left(where)[0] != left:
            found = state.capacity.left(where)[0]
            raise Insane(f"{where} has {found} cores left, and by its jobs {left}")


def _check_partitions(state: CoreState) -> None:
    """Check that each job that has started since the partitions were set runs in one that it names,
    on no other nodes."""
    for job in _all(state) if state.partitions else ():
        name = job.partition
        if name is None or not job.open_nodes or (job.start_us or 0) < state.divided_us:
            continue
        if name not in job.request.partitions:
            raise Insane(f"job {job.id} runs in partition {name}, which it does not name")
        partition = state.partitions.get(name)
        if partition is None or not partition.has([piece.node for piece in job.allocation]):
            raise Insane(f"job {job.id} runs outside its partition {name}: {job.allocation}")


def _all(state: CoreState) -> list[Job]:
    return list(state.jobs.values())


def _in(state: CoreState, phase: type) -> list[Job]:
    return [job for job in _all(state) if type(job.phase) is phase]


def _same(found: Iterable[Job], expected: Iterable[Job], what: str) -> None:
    numbers = sorted(job.id for job in found)
    if numbers != (right := sorted(job.id for job in expected)):
        raise Insane(f"jobs {numbers} {what}, and by their phases jobs {right}")
