"""Launches that fail by the fault of a node: the job goes elsewhere, and a faulty node is drained.

A job is not sent again to a node that has refused it, while another known node could take it. A
node is drained after some failures in a row. A failure counts if it is surely the node's. Of the
others, one counts for each user, so that no user can drain nodes by failing on purpose.
"""

from __future__ import annotations

from rmsd_core.jobs.attempt import Refusal
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import avoiding
from rmsd_core.lifecycle import effects
from rmsd_core.lifecycle.inputs import Exited
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.machine.nodes import Failure, Node
from rmsd_core.vocabulary import Cause, Fault, failed_by_node

DRAIN_AFTER = 3
"""The failed launches in a row after which a node is drained, if the site does not say otherwise.
None never drains one."""
MOST_UNSURE = 3
"""The nodes that are tried with a job while its launches fail and the fault may be its own."""
MOST_REFUSALS = 32
"""The launches of a job that fail at most, so that no job is launched for ever."""
_RAN = frozenset({Cause.EXIT, Cause.LIMIT, Cause.MEMORY, Cause.QUOTA})
"""The ends of scripts that were started."""


def heard(state: CoreState, job: Job, item: Exited) -> bool:
    """Note what the end of the script's part says about its node: that it can start scripts, or
    that it could not start this one. Return whether the node is drained for that now."""
    outcome = item.outcome
    if failed_by_node(outcome.cause, outcome.fault):
        assert outcome.fault is not None
        job.refusals += (Refusal(job.attempt, item.node, outcome.fault),)
        state.refused_by[item.node][job.id] = job
        _avoid_refusing_nodes(state, job)
        return _count_failure(state, job, item)
    if outcome.cause in _RAN:
        launched_on(state, item.node)
    return False


def goes_on(state: CoreState, job: Job) -> bool:
    """Return whether the job, whose latest launch was refused, waits for another one."""
    if len(job.refusals) >= MOST_REFUSALS:
        return False
    if sum(one.fault is Fault.UNKNOWN for one in job.refusals) >= MOST_UNSURE:
        return False
    # The job avoids no node now: all known nodes have refused it. It is tried again until they
    # are drained, and waits then.
    return bool(job.request.avoid) or (
        job.refusals[-1].fault is Fault.NODE and state.drain_after is not None
    )


def launched_on(state: CoreState, name: str) -> None:
    """Note that a launch on the node has not failed."""
    node = state.nodes.by_name.get(name)
    if node is not None and node.failures:
        _set_failures(state, node, ())


def forgive(state: CoreState, name: str) -> None:
    """Let all jobs be sent to the node again: an operator has resumed or forgotten it. A job whose
    refused attempt is still ending on other nodes keeps the refusal, which says what becomes of
    it."""
    node = state.nodes.by_name.get(name)
    if node is not None and node.failures:
        _set_failures(state, node, ())
    # In the order of their ids: a restored core does not know in which order they were refused.
    for _, job in sorted(state.refused_by.pop(name, {}).items()):
        if job.open_nodes and job.refusals[-1].attempt == job.attempt:
            state.refused_by[name][job.id] = job
            continue
        job.refusals = tuple([one for one in job.refusals if one.node != name])
        _avoid(state, job, job.request.avoid - {name})
        state.planner.base.look_at_all()
        state.disturbed = True


def forget(state: CoreState, job: Job) -> None:
    """Note that the job is over, and that no node's resume concerns it any more."""
    for refusal in job.refusals:
        if jobs := state.refused_by.get(refusal.node):
            jobs.pop(job.id, None)


def restore(state: CoreState, job: Job) -> None:
    """Take up the refusals of a job of an earlier core."""
    for refusal in job.refusals:
        state.refused_by[refusal.node][job.id] = job


def relent(state: CoreState, job: Job) -> None:
    """Avoid no node any more if no other known node could hold the job: nodes may be gone."""
    if job.request.avoid and state.capacity.never_fits(job.request):
        _avoid(state, job, frozenset())


def tell_drain(state: CoreState, name: str) -> None:
    """Let the decisions of this call about a node's failures tell the drain that holds now. The
    record has them after the words of operators, whenever these were heard."""
    node = state.nodes.by_name.get(name)
    if node is None:
        return
    for at, decision in enumerate(state.decisions):
        if isinstance(decision, effects.Failures) and decision.node == name:
            state.decisions[at] = _failures(node)._replace(failures=decision.failures)


def untell(state: CoreState, name: str) -> None:
    """Take back what this call has decided about the failures of a node that is forgotten."""
    state.take_back(lambda one: isinstance(one, effects.Failures) and one.node == name)


def _avoid_refusing_nodes(state: CoreState, job: Job) -> None:
    nodes = frozenset([one.node for one in job.refusals])
    elsewhere = avoiding(job.request, nodes)
    _avoid(state, job, frozenset() if state.capacity.never_fits(elsewhere) else nodes)


def _avoid(state: CoreState, job: Job, nodes: frozenset[str]) -> None:
    job.request = avoiding(job.request, nodes)
    state.changed(job)
    state.decide(effects.Avoid(job.id, nodes))


def _count_failure(state: CoreState, job: Job, item: Exited) -> bool:
    """Count the failure for its node, and drain the node if there are too many in a row. Return
    whether it is drained now."""
    node = state.nodes.by_name.get(item.node)
    fault = item.outcome.fault
    if node is None or fault is None:
        return False
    failure = Failure(job.user, fault)
    if fault is not Fault.NODE and failure in node.failures:
        return False
    failures = (*node.failures, failure)[-MOST_REFUSALS:]
    most = state.drain_after
    drains = node.drain_reason is None and most is not None and len(failures) >= most
    if drains:
        state.nodes.set_drain(node.name, _reason(len(failures), item), "", state.now_us)
        state.nodes_changed()
    _set_failures(state, node, failures)
    return drains


def _reason(count: int, item: Exited) -> str:
    """Return why the node is drained. A message that may be about a user's files is not shown to
    all: the log of the daemon has it."""
    surely = item.outcome.fault is Fault.NODE and item.outcome.message
    what = item.outcome.message[:200] if surely else f"the last of job {item.job_id}"
    times = "a launch failed" if count == 1 else f"{count} launches failed in a row"
    return f"{times}: {what}"


def _set_failures(state: CoreState, node: Node, failures: tuple[Failure, ...]) -> None:
    node.failures = failures
    state.decide(_failures(node))


def _failures(node: Node) -> effects.Failures:
    drain = (node.drain_reason, node.drain_by, node.drain_us)
    return effects.Failures(node.name, node.failures, *drain)
