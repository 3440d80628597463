"""The way from a `JobUpdate` to what is changed: in the core, in what is kept beside it, and in the
history of the job."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from rmsd_core.jobs.conditions import NO_CONDITIONS, Awaits, Conditions, Dependency
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Executing
from rmsd_core.jobs.request import Request
from rmsd_core.lifecycle.inputs import Update
from rmsd_core.model_time import SECOND_US, duration_s
from rmsd_daemon.domain.conditions import conditions_of, instant_us
from rmsd_daemon.domain.deadlines import check_deadline
from rmsd_daemon.domain.errors import Malformed
from rmsd_daemon.domain.memory import mem_mib_of, mem_of_cpus_mib, mem_per_cpu_mib_of
from rmsd_daemon.domain.nice import checked_nice
from rmsd_daemon.domain.places import checked_features, named_after, nodes_with
from rmsd_daemon.domain.submission import (
    Details,
    Rules,
    cpus_per_task_of,
    estimate_us_of,
    request_in,
    tasks_of,
)
from rmsd_daemon.domain.texts import MAX_COMMENT, MAX_NAME, check_text
from rmsd_wire.api.submission import ConditionsSpec
from rmsd_wire.api.updates import JobChange, JobUpdate

MOST_CHANGES = 50
"""The changes of a job that are kept: the latest. The audit trail has all of them."""
_LONGEST_TEXT = 200
"""The characters of a value that the history of a job keeps."""


class Amended(NamedTuple):
    """A changed job: its new details, and the input of the core."""

    details: Details
    update: Update


class _Values(NamedTuple):
    """All that an update may change of a job."""

    details: Details
    estimate_us: int
    requeue: bool
    begin_us: int | None
    deadline_us: int | None
    awaits: Awaits
    partition: str  # the names of the partitions, with commas

    def texts(self) -> dict[str, str]:
        """Return each value in words, by its name in the API."""
        details, awaits = self.details, self.awaits
        time_limit_s = duration_s(self.estimate_us)
        return {
            "name": details.name,
            "comment": details.comment,
            "time_limit_s": "none" if time_limit_s is None else f"{time_limit_s:g}",
            "tasks": str(details.tasks),
            "cpus_per_task": str(details.cpus_per_task),
            "nodes": "any" if details.nodes is None else str(details.nodes),
            "mem_mib": "all" if details.all_mem else str(details.mem_mib),
            "mem_per_cpu_mib": str(details.mem_per_cpu_mib or "none"),
            "partition": self.partition,
            "constraint": details.constraint or "none",
            "nodelist": details.nodelist or "none",
            "exclude": details.exclude or "none",
            "nice": str(details.nice),
            "reservation": details.reservation or "none",
            "requeue": "yes" if self.requeue else "no",
            "begin_us": "none" if self.begin_us is None else str(self.begin_us),
            "deadline_us": "none" if self.deadline_us is None else str(self.deadline_us),
            "dependencies": _awaited(awaits) + (", or cancelled" * awaits.ends_if_never),
        }


def conditions_asked(asked: JobUpdate, now_us: int) -> Conditions | None:
    """Return the conditions that an update asks for; None if it asks for none.

    Raises:
        Malformed: they cannot be meant.
    """
    has_begin = isinstance(asked.begin_us, int)
    if has_begin and asked.begin_in_s is not UNSET:
        raise Malformed("the update has both 'begin_us' and 'begin_in_s'; give one of them")
    return conditions_of(
        ConditionsSpec(
            begin_us=asked.begin_us if isinstance(asked.begin_us, int) else None,
            begin_in_s=asked.begin_in_s if isinstance(asked.begin_in_s, float) else None,
            dependencies=[] if asked.dependencies is UNSET else asked.dependencies,
            any_of=asked.any_of,
            end_if_never=asked.end_if_never,
        ),
        now_us,
    )


def amended(
    job: Job,
    details: Details,
    asked: JobUpdate,
    conditions: Conditions | None,
    by: str,
    now_us: int,
    rules: Rules,
) -> Amended | None:
    """Return what becomes of the job; None if that is as it is. `conditions` are those asked for,
    with what is known of jobs that are over.

    Raises:
        Malformed: a value cannot be meant; the message names it.
    """
    conditioned = job.conditions
    before = _Values(
        details,
        job.estimate_us,
        job.requeue,
        conditioned.begin_us,
        job.deadline_us,
        conditioned.awaits,
        ",".join(job.request.partitions),
    )
    after = _after(before, asked, conditions, now_us)
    old, new = before.texts(), after.texts()
    changes = [
        JobChange(now_us, by, field, old[field][:_LONGEST_TEXT], new[field][:_LONGEST_TEXT])
        for field in old
        if old[field] != new[field]
    ]
    if not changes:
        return None
    if not isinstance(job.phase, Executing):
        check_deadline(after.deadline_us, after.estimate_us, after.begin_us, now_us)
    kept = (*details.changes, *changes)[-MOST_CHANGES:]
    update = Update(
        job_id=job.id,
        estimate_us=None if after.estimate_us == before.estimate_us else after.estimate_us,
        request=_request(job, before, after, rules),
        name=None if after.details.name == details.name else after.details.name,
        requeue=None if after.requeue == before.requeue else after.requeue,
        begin_us=_changed_us(before.begin_us, after.begin_us),
        deadline_us=_changed_us(before.deadline_us, after.deadline_us),
        awaits=None if after.awaits == before.awaits else after.awaits,
        nice=None if after.details.nice == details.nice else after.details.nice,
        reservation=_changed(details.reservation, after.details.reservation),
    )
    relimited = details.relimited or update.estimate_us is not None
    amended = msgspec.structs.replace(after.details, changes=kept, relimited=relimited)
    if update.awaits is not None:
        first = details.conditions or NO_CONDITIONS
        asked_for = first._replace(**update.awaits._asdict())
        amended = msgspec.structs.replace(amended, conditions=asked_for)
    return Amended(amended, update)


def _changed(before: str, after: str) -> str | None:
    """Return the text as the core's input has it: None leaves it as it is."""
    return None if after == before else after


def _changed_us(before_us: int | None, after_us: int | None) -> int | None:
    """Return the time as the core's input has it: None leaves it as it is, and 0 is none."""
    return None if after_us == before_us else after_us or 0


_SIZE = ("tasks", "cpus_per_task", "nodes", "mem_mib", "mem_per_cpu_mib", "constraint")
_NODES = ("nodelist", "exclude")
_SIZES = (*_SIZE, *_NODES, "all_mem")


def _request(job: Job, before: _Values, after: _Values, rules: Rules) -> Request | None:
    """Return the request of a waiting job after the change; None if it is as it was.

    Raises:
        DaemonError: no partition of the job takes it then, or no machine.
    """
    sizes = [[getattr(one.details, name) for name in _SIZES] for one in (before, after)]
    has_limit = before.estimate_us == after.estimate_us or isinstance(job.phase, Executing)
    if sizes[0] == sizes[1] and before.partition == after.partition and has_limit:
        return None
    partitions = rules.partitions.named(after.partition, job.user)
    details, estimate_us = after.details, after.estimate_us
    request = request_in(partitions, details, estimate_us, rules.capacity)
    rules.accounts.check_job(details.account, details.qos, request.size, estimate_us)
    asked = tuple([one.asked for one in request.components])
    return None if asked == tuple([one.asked for one in job.request.components]) else request


def _after(
    before: _Values, asked: JobUpdate, conditions: Conditions | None, now_us: int
) -> _Values:
    has_begin = asked.begin_us is not UNSET or asked.begin_in_s is not UNSET
    wanted = Conditions() if conditions is None else conditions
    return _Values(
        _details(before.details, asked),
        before.estimate_us if asked.time_limit_s is UNSET else estimate_us_of(asked.time_limit_s),
        before.requeue if asked.requeue is UNSET else asked.requeue,
        wanted.begin_us if has_begin else before.begin_us,
        _deadline_us(before, asked, now_us),
        before.awaits if asked.dependencies is UNSET else _awaits(wanted),
        before.partition if asked.partition is UNSET else _names(asked.partition),
    )


def _deadline_us(before: _Values, asked: JobUpdate, now_us: int) -> int | None:
    if asked.deadline_us is UNSET and asked.deadline_in_s is UNSET:
        return before.deadline_us
    at_us = asked.deadline_us if isinstance(asked.deadline_us, int) else None
    in_s = asked.deadline_in_s if isinstance(asked.deadline_in_s, float) else None
    return instant_us("deadline", at_us, in_s, now_us)


def _names(partitions: str) -> str:
    return ",".join(dict.fromkeys(filter(None, map(str.strip, partitions.split(",")))))


def _awaits(wanted: Conditions) -> Awaits:
    """Return the dependencies, or none: how they count does not matter then."""
    return wanted.awaits if wanted.dependencies or wanted.never else Awaits()


def _details(details: Details, asked: JobUpdate) -> Details:
    """Return the details with the values that are asked for, all of which are checked."""
    values = {
        field: value
        for field in ("name", "comment", "nice", "reservation", *_SIZE, *_NODES)
        if (value := getattr(asked, field)) is not UNSET
    }
    texts = {"name": MAX_NAME, "comment": MAX_COMMENT, "constraint": MAX_NAME}
    for field, most in (texts | {"reservation": MAX_NAME}).items():
        check_text(field, values.get(field) or "", most)
    checked_nice(values.get("nice", 0))
    if values.get("name") == "":
        raise Malformed("'name' is empty; a job has a name")
    after = msgspec.structs.replace(details, **values)
    if "name" in values and details.parts:  # the first part is called as its job
        first = msgspec.structs.replace(details.parts[0], name=after.name)
        after = msgspec.structs.replace(after, parts=(first, *details.parts[1:]))
    if "constraint" in values:
        after = msgspec.structs.replace(after, constraint=checked_features(after.constraint))
    if "nodelist" in values and "nodes" not in values:
        nodes = named_after(details.nodelist, after.nodelist, details.nodes)
        after = msgspec.structs.replace(after, nodes=nodes)
    after = msgspec.structs.replace(after, nodes=nodes_with(after.nodelist, after.nodes))
    if after.tasks != details.tasks or after.nodes != details.nodes:
        nodes_alone = "tasks" not in values and details.tasks == details.nodes
        tasks = None if nodes_alone else after.tasks  # one task a node, as at the submit
        after = msgspec.structs.replace(after, tasks=tasks_of(tasks, after.nodes))
    if "cpus_per_task" in values:
        after = msgspec.structs.replace(after, cpus_asked=True)
    sizes = [(one.tasks, one.nodes, one.cpus_per_task) for one in (details, after)]
    if details.parts and sizes[0] != sizes[1]:
        what = "'tasks', 'cpus_per_task' and 'nodes'"
        raise Malformed(f"{what} cannot be changed: the job has 'parts'")
    if details.parts and after.nodelist:
        raise Malformed("'nodelist' cannot be given: the job has 'parts'")
    cpus_per_task_of(after.cpus_per_task)
    return _with_memory(details, after, values)


def _with_memory(details: Details, after: Details, values: Mapping[str, Any]) -> Details:
    """Return the details with the memory that is asked for. Memory for each processor stands until
    other memory is asked for: that on each node follows from it and from the tasks."""
    changed = [name for name in ("mem_mib", "mem_per_cpu_mib") if name in values]
    if changed and details.exclusive:
        raise Malformed(f"'{changed[0]}' cannot be changed: the job has whole nodes ('exclusive')")
    if changed:
        mem_mib = mem_mib_of(values.get("mem_mib", 0))
        per_cpu_mib = mem_per_cpu_mib_of(values.get("mem_per_cpu_mib", 0), mem_mib)
        after = msgspec.structs.replace(
            after, mem_mib=mem_mib, mem_per_cpu_mib=per_cpu_mib, all_mem=False
        )
    if not after.mem_per_cpu_mib:
        return after
    request = after.tasks, after.cpus_per_task, after.nodes
    return msgspec.structs.replace(after, mem_mib=mem_of_cpus_mib(after.mem_per_cpu_mib, *request))


def _awaited(awaits: Awaits) -> str:
    """Return the dependencies in words. Those that can never come true are dependencies still."""
    unmet = [f"{one.relation}:{one.job_id}" for one in awaits.unmet] if awaits.never else []
    told = [*unmet, *map(_dependency, awaits.dependencies)]
    return (" or " if awaits.any_of else ", ").join(told) or ("never" if awaits.never else "none")


def _dependency(one: Dependency) -> str:
    delay = f"+{math.ceil(one.delay_us / SECOND_US)}s" if one.delay_us else ""
    return f"{one.relation}:{one.job_id}{delay}" if one.job_id else one.relation.value
