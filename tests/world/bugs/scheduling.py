"""Bugs in what starts, when, and where."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rmsd_core.jobs.array import Array
from rmsd_core.jobs.conditions import Conditions
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Request, avoiding
from rmsd_core.lifecycle import eligibility, ending, late, reboots, refusals, sorting, updates
from rmsd_core.lifecycle.deadlines import Deadlines
from rmsd_core.lifecycle.inputs import NodeUp
from rmsd_core.lifecycle.preemptible import Preemptible
from rmsd_core.lifecycle.preemption_rules import ByQos, ByTier
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.lifecycle.usage import Usage
from rmsd_core.machine.component_nodes import ComponentNodes
from rmsd_core.machine.counted import CountedCapacity
from rmsd_core.machine.node_capacity import NodeCapacity
from rmsd_core.model_time import NEVER_US
from rmsd_core.planning.limits import LimitIndex
from rmsd_core.planning.start_window import StartWindow
from rmsd_core.planning.start_windows import NodeWindows


def _give_processors_twice() -> None:
    for kind in (CountedCapacity, NodeCapacity):
        kind.take = lambda *_: None


def _fail_at_the_first_refusal() -> None:
    """One bad node empties the queue."""
    refusals.goes_on = lambda *_: False


def _send_back_to_who_refused() -> None:
    """Give a job any node that has space, also one that has refused it."""
    for kind in (CountedCapacity, NodeCapacity):
        place = kind.place

        def anywhere(self: Any, request: Request, place: Any = place) -> Any:
            return place(self, avoiding(request, frozenset()))

        kind.place = anywhere


def _pass_limits() -> None:
    """No limit of an account or a QOS holds a job back."""
    LimitIndex.refusal = lambda *_: None


def _reach_into_reservations() -> None:
    """Let jobs of no reservation start on any node at any time."""
    of = NodeWindows.of

    def anywhere(self: NodeWindows, job: Job, not_before_us: int) -> Iterator[StartWindow]:
        if job.reservation:
            return of(self, job, not_before_us)
        return iter([StartWindow(not_before_us, NEVER_US, job.request)])

    request_at = NodeWindows.request_at

    def at_any_time(self: NodeWindows, job: Job, at_us: int) -> Request | None:
        return request_at(self, job, at_us) if job.reservation else job.request

    NodeWindows.of = anywhere
    NodeWindows.request_at = at_any_time


def _reboot_busy_nodes() -> None:
    """Tell a node to reboot at once, whatever runs there."""
    begin = reboots.begin

    def at_once(state: CoreState) -> None:
        on, state.holdings.on = state.holdings.on, lambda _: Usage()
        begin(state)
        state.holdings.on = on

    reboots.begin = at_once


def _take_any_hello_for_a_boot() -> None:
    """Take an agent that comes back for a node that has rebooted."""

    def over(state: CoreState, item: NodeUp) -> None:
        node = state.nodes.by_name[item.name]
        if node.is_rebooting:
            state.nodes.set_reboot(item.name, None)
            state.nodes_changed()

    reboots.came_up = over


def _leave_the_partition() -> None:
    """Every node is in every partition."""
    ComponentNodes.is_member = lambda *_: True


def _start_dependents_early() -> None:
    """Let a dependency on a job be fulfilled, however that job ends."""
    eligibility.fate_after = lambda *_: True


def _start_held_jobs() -> None:
    """Let a hold not keep a job out of the queue."""
    Conditions.stand = property(
        lambda self: bool(self.begin_us is not None or self.dependencies or self.never)
    )


def _forget_begin_times() -> None:
    at = Conditions.at
    Conditions.at = lambda self, now_us: at(self, now_us)._replace(begin_us=None)


def _start_late_jobs() -> None:
    """Let a job wait on though it can no longer end before its deadline."""
    Deadlines.look_at = CoreState.is_late = lambda *_: None


def _leave_late_jobs_in_the_queue() -> None:
    """Let passes meet the late jobs that the next calls of the core end."""
    late.set_aside = lambda *_: None  # type: ignore[attr-defined]


def _look_at_some_jobs() -> None:
    """Look at no waiting jobs but those of the first call, after nodes or partitions have
    changed."""
    sort_some = sorting._sort_some

    def sort_in_the_first_call(state: CoreState) -> None:
        if state.sorting.left:
            state.sorting.left.clear()
        else:
            sort_some(state)

    sorting._sort_some = sort_in_the_first_call


def _lose_tasks() -> None:
    """Forget the task behind each task that becomes a job."""
    take = Array.take

    def more(self: Array[Job], first: int, last: int) -> list[tuple[int, int]]:
        return take(self, first, last + (last - first == 1))

    Array.take = more


def _ignore_the_limit_of_arrays() -> None:
    """Run as many tasks of an array as fit on the free space."""
    Array.may_run_more = property(lambda _: True)


def _lose_updates() -> None:
    """Acknowledge a change of a job, and do nothing in the core."""
    updates.update = lambda *_: None


def _preempt_any() -> None:
    """Let every head preempt jobs of any tier."""
    ByTier.tier_of = lambda *_: 65_536


def _preempt_any_qos() -> None:
    """Let a QOS that preempts any preempt all that some QOS preempts."""
    below = ByQos.below
    ByQos.below = lambda self, head: [*self.by_name.values()] if below(self, head) else []


def _end_preempted_jobs() -> None:
    """End the jobs that are to wait again."""
    Preemptible.mode_of = lambda *_: "cancel"


def _forget_who_preempted() -> None:
    """Let nobody start when the last preempted job has left."""
    ending.confirmed = lambda _, trials, job: trials.confirmed(job)  # type: ignore[attr-defined]


BUGS: dict[str, Callable[[], None]] = {
    "give-processors-twice": _give_processors_twice,
    "fail-at-the-first-refusal": _fail_at_the_first_refusal,
    "send-back-to-who-refused": _send_back_to_who_refused,
    "limit-passed": _pass_limits,
    "reach-into-reservations": _reach_into_reservations,
    "reboot-busy-nodes": _reboot_busy_nodes,
    "take-any-hello-for-a-boot": _take_any_hello_for_a_boot,
    "leave-the-partition": _leave_the_partition,
    "start-dependents-early": _start_dependents_early,
    "start-held-jobs": _start_held_jobs,
    "forget-begin-times": _forget_begin_times,
    "start-late-jobs": _start_late_jobs,
    "leave-late-jobs-in-the-queue": _leave_late_jobs_in_the_queue,
    "look-at-some-jobs": _look_at_some_jobs,
    "lose-tasks": _lose_tasks,
    "ignore-the-limit-of-arrays": _ignore_the_limit_of_arrays,
    "lose-updates": _lose_updates,
    "preempt-any": _preempt_any,
    "preempt-any-qos": _preempt_any_qos,
    "end-preempted-jobs": _end_preempted_jobs,
    "forget-who-preempted": _forget_who_preempted,
}
