"""The views of jobs and nodes in the API."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from rmsd_core.jobs.gres import Demands, Shares, written
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation, Component
from rmsd_core.lifecycle.tasks import CANCELLED, LATE, UNFULFILLED
from rmsd_core.lifecycle.usage import Usage
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.nodes import Node as CoreNode
from rmsd_core.model_time import SECOND_US, duration_s
from rmsd_core.vocabulary import CODES, NOTHING_USED, STATES, Cause, JobState
from rmsd_daemon.domain.arrays import runs_of
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.loop.launch import devices_by_node, output_path, time_limit_s
from rmsd_daemon.queries.condition_views import conditions_view
from rmsd_daemon.queries.filters import listed_state
from rmsd_daemon.store.nodes import gres_of
from rmsd_daemon.store.records import Row
from rmsd_wire.api.jobs import (
    AttemptView,
    ComponentView,
    JobView,
)
from rmsd_wire.api.nodes import DevicesView, NodeView
from rmsd_wire.api.submission import Submitted
from rmsd_wire.arrays import waiting_text
from rmsd_wire.hostlist import compress

_AWAY = {
    "leaving": "its agent no longer hosts it",
    "suspect": "its agent is not heard",
    "down": "its agent was not heard for too long",
}
_AWAITS_OTHERS = "nothing starts there until all nodes of the backup are heard (`rmsd status`)"


def job_view(job: Job, details: Details, waits_for: str, now_us: int) -> JobView:
    """Return the view of a job. `waits_for` is the core's reason for a waiting job."""
    view = _job_view(job, details, waits_for, now_us)
    if job.array is not None:
        array, limit = job.array, job.array.limit
        stands_for = array.cancelled if job.state.terminal else array.waiting_ranks()
        return msgspec.structs.replace(
            view,
            array_job_id=job.id,
            array_task_str=waiting_text(runs_of(array.indices, stands_for), limit),
            array_tasks=array.count,
            array_max_tasks=limit,
        )
    if job.task is not None:
        array_id, index = job.task
        return msgspec.structs.replace(view, array_job_id=array_id, array_task_id=index)
    return view


def waits_in_array(job: Job) -> bool:
    """Return whether the job is a waiting task of an array."""
    return job.task is not None and job.state is JobState.PENDING


class TaskViews:
    """Views of waiting tasks of arrays, in a list. Tasks of one array differ in little, so a view
    is made from that of the task before, at a third of the time."""

    def __init__(self) -> None:
        self._alike: tuple[object, ...] = ()
        self._latest: JobView | None = None

    def view(self, job: Job, details: Details, waits_for: str, now_us: int) -> JobView:
        """Return `job_view` of a task that waits and is no job of its own."""
        assert job.task is not None
        alike = (
            job.task.array_id, details, waits_for, job.phase, job.request, job.estimate_us,
            job.prediction_us, job.eligible_us, job.restartable, job.requeue, job.deadline_us,
            job.nice,
        )  # fmt: skip
        latest = self._latest if alike == self._alike else None
        if latest is None:
            view = job_view(job, details, waits_for, now_us)
        else:
            view = msgspec.structs.replace(
                latest,
                job_id=job.id,
                array_task_id=job.task.array_index,
                wait_s=_waited_us(job, now_us) / SECOND_US,
                **_paths(job, details),
            )
        self._alike, self._latest = alike, view
        return view


def in_list(view: JobView, job: Job) -> JobView:
    """Return the view as it is in lists, where an array that is over stands for the tasks that were
    cancelled before they were jobs."""
    if job.array is None or view.end_us is None:
        return view
    cancelled, unfulfilled = job.array.cancelled, job.array.unfulfilled
    why = UNFULFILLED if unfulfilled and unfulfilled == cancelled else CANCELLED
    state = listed_state(job)
    if state is JobState.DEADLINE:
        why = LATE
    return msgspec.structs.replace(
        view,
        state=state.value,
        state_code=CODES[state],
        reason=STATES[state].reason or "None",
        cause=why.cause.value,
        exit_code=None,
        message=why.message,
    )


def _job_view(job: Job, details: Details, waits_for: str, now_us: int) -> JobView:
    outcome, conditions = job.outcome, job.conditions
    used = NOTHING_USED if job.open_nodes else job.used  # all of it, or nothing
    end_us = job.end_us if job.state.terminal else None
    over_us = now_us if end_us is None else end_us
    start_us, lasted_us = job.start_us, elapsed_us(job, now_us)
    return JobView(
        job_id=job.id,
        name=details.name,
        user=job.user,
        state=job.state.value,
        state_code=CODES[job.state],
        reason=_reason(job) if job.state.terminal else waits_for,
        submit_us=job.submit_us,
        submit_time=rfc3339(job.submit_us),
        eligible_us=None if conditions.stand else job.eligible_us,
        conditions=conditions_view(job),
        start_us=start_us,
        start_time=_optional_time(start_us),
        end_us=end_us,
        end_time=_optional_time(end_us),
        elapsed_s=None if lasted_us is None else lasted_us / SECOND_US,
        wait_s=_waited_us(job, over_us) / SECOND_US,
        estimate_s=duration_s(job.estimate_us),
        time_limit_s=time_limit_s(job, details),
        prediction_s=duration_s(job.prediction_us),
        corrections=job.remembered.corrections,
        backfilled=job.record.backfilled,
        tasks=details.tasks,
        cpus_per_task=details.cpus_per_task,
        cpus=sum(piece.cores for piece in job.allocation) or job.request.size,
        nodes=len(job.allocation) or details.nodes,
        nodelist=compress([piece.node for piece in job.allocation]),
        node_cpus=[piece.cores for piece in job.allocation],
        mem_mib=job.allocation[0].mem_mib if job.allocation else details.mem_mib,
        constraint=details.constraint,
        partition=job.partition_name,
        request=[_component(component) for component in job.request.components],
        attempt=job.attempt,
        restartable=job.restartable,
        warn_signal=details.warn_signal,
        trial_end_us=None if job.is_speculation else job.trial_end_us,
        lost_s=job.remembered.lost_us / SECOND_US,
        exit_code=outcome.exit_code if outcome else None,
        signal=outcome.signal if outcome else None,
        cause=outcome.cause.value if outcome else None,
        stop_cause=job.stop_cause if job.state is JobState.COMPLETING else None,
        cancelled_by=job.record.cancelled_by,
        message=job.stop_message or (outcome.message if outcome else ""),
        cpu_s=used.cpu_s,
        max_rss_mib=used.max_rss_mib,
        **_chosen(job, details),
        requeue=job.requeue,
        requeue_hold=None if job.state.terminal else job.requeue_hold,
        suspended_s=_suspended_us(job, now_us) / SECOND_US,
        changes=list(details.changes),
        node_mem_mib=_memory_by_node(job.allocation),
        node_gres=devices_by_node(job.allocation),
        mem_per_cpu_mib=details.mem_per_cpu_mib,
    )


def elapsed_us(job: Job, now_us: int) -> int | None:
    """Return how long the latest attempt has run, less its suspensions; None if there is none."""
    if job.start_us is None:
        return None
    over_us = job.end_us if job.state.terminal and job.end_us is not None else now_us
    return max(0, over_us - job.start_us - _suspended_us(job, now_us))


def _memory_by_node(allocation: Allocation) -> list[int]:
    """Return the memory that an allocation has on each node; nothing if it is the same on all."""
    memory = [piece.mem_mib for piece in allocation]
    return memory if len(set(memory)) > 1 else []


def _suspended_us(job: Job, now_us: int) -> int:
    since_us = job.suspended_since_us
    return job.suspended_us + (0 if since_us is None else max(0, now_us - since_us))


def _chosen(job: Job, details: Details) -> dict[str, Any]:
    """Return values of a job that its submitter has chosen."""
    return {
        "workdir": details.workdir,
        **_paths(job, details),
        "comment": details.comment,
        "command": details.command,
        "account": details.account,
        "qos": details.qos,
        "nice": job.nice,
        "deadline_us": job.deadline_us,
        "licenses": written(job.licenses),
        "append": details.append,
        "reservation": details.reservation,
        "notify": details.notify,
        "mail_types": mail_types(details),
        "parts": list(details.parts),
        "mail_user": "" if details.mail is None else details.mail.to,
    }


def _paths(job: Job, details: Details) -> dict[str, Any]:
    """Return the files that the job reads and writes."""
    stdout = output_path(job, details, "stdout")
    return {
        "stdin": output_path(job, details, "stdin") if details.stdin else "",
        "stdout": stdout,
        "stderr": output_path(job, details, "stderr") if details.stderr else stdout,
    }


def _component(component: Component) -> ComponentView:
    return ComponentView(
        component.units,
        component.cores,
        component.mem_mib,
        component.spread,
        component.feature,
        component.partition,
        list(component.require),
        list(component.exclude),
        *_needs(component.needs or Demands()),
    )


def _needs(needs: Demands) -> tuple[bool, bool, str, str, bool]:
    exclusive, all_mem, per_node, per_unit, unit_mem = needs
    return exclusive, all_mem, written(per_node), written(per_unit), unit_mem


def _waited_us(job: Job, over_us: int) -> int:
    """Return how long the job has waited for resources: not while its conditions stand."""
    if job.conditions.stand:
        return 0
    return max(0, (over_us if job.start_us is None else job.start_us) - job.eligible_us)


def attempt_view(row: Row) -> AttemptView:
    """Return the view of `row`, which is of the attempt table."""
    return AttemptView(
        attempt=row["attempt"],
        start_us=row["start_us"],
        end_us=row["end_us"],
        nodelist=compress([node for node, *_ in row["allocation"]]),
        node_cpus=[cores for _, cores, *_ in row["allocation"]],
        cause=row["cause"],
        exit_code=row["exit_code"],
        signal=row["signal"],
        message=row["message"],
    )


def submitted(job: Job, details: Details, *, has_points: bool) -> Submitted:
    """Return the answer to a submit: the request as it was understood. `has_points`: the order of
    the queue has them."""
    needs = job.request.components[0].needs or Demands()
    return Submitted(
        job_id=job.id,
        name=details.name,
        tasks=details.tasks,
        cpus=job.request.size,
        nodes=details.nodes,
        mem_mib=details.mem_mib,
        time_limit_s=time_limit_s(job, details),
        stdout=output_path(job, details, "stdout"),
        array_tasks=None if job.array is None else job.array.count,
        exclusive=needs.exclusive,
        all_mem=needs.all_mem,
        gres=written(needs.node_gres),
        gres_per_task=written(needs.unit_gres),
        mail_types=mail_types(details),
        nice=job.nice if has_points else 0,
        mem_per_cpu_mib=details.mem_per_cpu_mib,
    )


def mail_types(details: Details) -> list[str]:
    """Return the events of which mail is sent."""
    return [] if details.mail is None else list(details.mail.types)


def how_it_ended(job: Job) -> str:
    """Return in words, for people, how a job ended."""
    state = job.state.value
    outcome = job.outcome
    if outcome is None or outcome.cause is not Cause.EXIT:
        return state
    if outcome.signal:
        return f"{state}, by signal {_signal_name(outcome.signal)}"
    return f"{state}, with exit code {outcome.exit_code}"


def node_view(
    node: CoreNode,
    usage: Usage,
    row: Row,
    partitions: list[str],
    reserved: AdvanceReservation | None,
    awaited: Sequence[str],
    device_limit: str,
) -> NodeView:
    """Return the view of a node. `awaited`: the nodes that must be heard after a restore."""
    return NodeView(
        name=node.name,
        kind=row["kind"],
        state=node_state(node, usage),
        reason=node_reason(node, awaited),
        cores=node.cores,
        cores_used=usage.cores,
        mem_mib=node.mem_mib,
        mem_used_mib=usage.mem_mib,
        jobs=usage.job_ids,
        features=list(node.features),
        partitions=partitions,
        hostname=row["hostname"],
        os=row["os"],
        cpu_model=row["cpu_model"],
        agent_version=row["agent_version"],
        memory_limit=row["memory_limit"],
        device_limit=device_limit,
        devices=_devices(gres_of(row), usage),
        is_drained=node.drain_reason is not None,
        drain_by=node.drain_by,
        drain_us=node.drain_us,
        reservation="" if reserved is None else reserved.name,
        is_in_maintenance=reserved is not None and reserved.is_maintenance,
        reboot=_reboot_state(node),
        reboot_by="" if node.reboot is None else node.reboot.by,
        reboot_us=None if node.reboot is None else node.reboot.asked_us,
    )


def _reboot_state(node: CoreNode) -> str:
    if node.reboot is None:
        return ""
    if node.is_rebooting:
        return "issued"
    return "asap" if node.reboot.asap else "requested"


def _reboot_reason(node: CoreNode) -> str:
    """Return in words which reboot is asked for or under way, with its reason; "" for none."""
    if node.reboot is None:
        return ""
    begun = "rebooting" if node.is_rebooting else "to be rebooted when idle"
    return f"{node.reboot.reason}: {begun}" if node.reboot.reason else begun


def _devices(present: Shares, usage: Usage) -> list[DevicesView]:
    """Return the devices of a node by kind, those that have vanished and are still held too."""
    used: dict[str, list[int]] = {}
    for kind, number in sorted(usage.devices):
        used.setdefault(kind, []).append(number)
    told = {kind: list(numbers) for kind, _, numbers in present}
    return [
        DevicesView(kind, told.get(kind, []), used.get(kind, [])) for kind in sorted({*told, *used})
    ]


def node_reason(node: CoreNode, awaited: Sequence[str]) -> str:
    """Return why nothing starts on the node, and what else is the matter with it: as its operator
    and its agent say, with its agent, and with the latest launches there. `awaited`: the nodes that
    must be heard after a restore."""
    failed = len(node.failures) if node.drain_reason is None else 0
    launches = f"{'a launch' if failed == 1 else f'{failed} launches'} failed there last"
    unable = node.unable if node.link == "up" else ""  # else the news are old
    away = None if node.is_rebooting else _AWAY.get(node.link)
    if awaited and node.link == "suspect" and node.name not in awaited:
        away = _AWAITS_OTHERS
    reasons = (node.drain_reason, _reboot_reason(node), away, unable, launches if failed else "")
    return "; ".join(filter(None, reasons))


def drained_for_failures(nodes: Iterable[CoreNode]) -> list[str]:
    """Return the nodes that are drained since launches have failed there."""
    return sorted(one.name for one in nodes if one.failures and one.drain_reason is not None)


def unable_nodes(nodes: Iterable[CoreNode]) -> list[str]:
    """Return the linked nodes whose agents can start no job now."""
    return sorted(one.name for one in nodes if one.unable and one.link == "up")


def node_state(node: CoreNode, usage: Usage) -> str:
    if node.is_rebooting:
        return "rebooting"
    if node.link in ("suspect", "down"):
        return node.link
    if not node.available:
        return "draining" if usage.job_ids else "drained"
    if not usage.job_ids:
        return "idle"
    return "allocated" if usage.cores >= node.cores else "mixed"


def _reason(job: Job) -> str:
    if reason := STATES[job.state].reason:
        return reason
    outcome = job.outcome
    if outcome is None or outcome.cause is Cause.UNKNOWN:
        return "None"
    if outcome.cause is Cause.LAUNCH:
        return "JobLaunchFailure"
    if outcome.signal:
        return f"RaisedSignal:{outcome.signal}({_signal_name(outcome.signal)})"
    return "NonZeroExitCode"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _optional_time(us: int | None) -> str | None:
    return None if us is None else rfc3339(us)


def rfc3339(us: int) -> str:
    """Return the time in UTC, with milliseconds."""
    seconds, rest = divmod(us, SECOND_US)
    return f"{datetime.fromtimestamp(seconds, UTC).isoformat()[:19]}.{rest // 1000:03d}Z"
