"""The way from a submitted spec to a job: validation, the core's request, and what the core
ignores."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NoReturn

import msgspec

from rmsd_core.jobs.conditions import Awaits, Conditions
from rmsd_core.jobs.gres import Amounts, written
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import UNFOLDING, WAITING, Ineligible, Phase
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import CapacityKind
from rmsd_core.model_time import duration_us
from rmsd_core.vocabulary import EMULATED, NORMAL_QOS, Relation
from rmsd_daemon.domain import texts
from rmsd_daemon.domain.accounts import ANY_ACCOUNT, AccountRules
from rmsd_daemon.domain.arrays import ArrayDetails, Span, array_details
from rmsd_daemon.domain.conditions import MOST_S, conditions_of, instant_us
from rmsd_daemon.domain.deadlines import check_deadline
from rmsd_daemon.domain.errors import Malformed
from rmsd_daemon.domain.licenses import checked_licenses
from rmsd_daemon.domain.mail import Mail, checked_mail
from rmsd_daemon.domain.memory import asked_mem_mib
from rmsd_daemon.domain.needs import asked_devices, needs_of
from rmsd_daemon.domain.nice import checked_nice
from rmsd_daemon.domain.notify import checked_notify
from rmsd_daemon.domain.partitions import UNDIVIDED, Partitions, within_limits
from rmsd_daemon.domain.parts import bytes_of_parts, checked_parts
from rmsd_daemon.domain.places import (
    bytes_of_names,
    checked_features,
    placed,
    with_nodes,
)
from rmsd_daemon.domain.ranges import within
from rmsd_daemon.domain.rlimits import checked_rlimits
from rmsd_daemon.domain.texts import check_paths, check_script, checked_pattern
from rmsd_daemon.setup.partitions import PartitionSettings
from rmsd_wire.api.submission import EmulateSpec, JobPart, SubmitSpec
from rmsd_wire.api.updates import JobChange
from rmsd_wire.durations import MAX_WARN_S
from rmsd_wire.link import WarnSignal
from rmsd_wire.link_values import MAX_SIGNAL
from rmsd_wire.rlimits import RLIMITS

TOKEN = "RMSD_TOKEN"
"""The variable with the token of a job. The token of its submitter is not kept."""
_MAX_CPUS = 1 << 24
_DEPENDENCY_BYTES = 4 << 10
"""The bytes that a dependency counts as, though it takes 200 in memory. Each end of a job has the
core look at all dependencies of the jobs that wait for it. All that a user may have are 65,536, and
take a tenth of a second."""


class Details(msgspec.Struct, frozen=True, omit_defaults=True):
    """The facts in a job's record beside the core's `Job`. `array` is set for an array, and `span`
    for its tasks."""

    name: str
    tasks: int = 1
    cpus_per_task: int = 1
    nodes: int | None = None
    mem_mib: int = 0
    mem_per_cpu_mib: int = 0  # the memory that was asked for by processor; `mem_mib` follows
    constraint: str | None = None
    nodelist: str = ""
    exclude: str = ""
    exclusive: bool = False
    all_mem: bool = False
    gres: Amounts = ()
    gres_per_task: Amounts = ()
    workdir: str = "/"
    stdout: str = ""
    stderr: str = ""
    comment: str = ""
    account: str = ""
    qos: str = NORMAL_QOS
    nice: int = 0
    licenses: Amounts = ()
    reservation: str = ""
    stdin: str = ""
    append: bool = False
    submit_host: str = ""
    command: str = ""
    warn_signal: WarnSignal | None = None
    notify: str = ""
    mail: Mail | None = None
    emulate: EmulateSpec | None = None
    cpus_asked: bool = False  # the submitter said how many processors each task needs
    conditions: Conditions | None = None  # the conditions at the submit
    array: ArrayDetails | None = None
    span: Span | None = None
    parts: tuple[JobPart, ...] = ()  # in the order of the allocation's nodes
    relimited: bool = False  # the limit was changed after the submit
    changes: tuple[JobChange, ...] = ()  # made since the submit, the latest last

    @property
    def limited(self) -> bool:
        """Return whether the job is killed at its estimate."""
        return self.emulate is None or self.emulate.limited

    @property
    def first_phase(self) -> Phase:
        """Return the phase in which the job comes to the core."""
        if self.conditions is not None:
            return Ineligible(self.conditions)
        return WAITING if self.array is None else UNFOLDING

    @property
    def count(self) -> int:
        """Return how many jobs a submit with these details makes: an array as many as its tasks."""
        return 1 if self.array is None else self.array.count

    def of_task(self) -> Details:
        """Return the details of the tasks of this array. They are alike, and one value is for all.
        The array alone tells of its end."""
        assert self.array is not None
        mail = self.mail and self.mail.of_task()
        return msgspec.structs.replace(
            self, conditions=None, array=None, notify="", mail=mail, span=self.array.span
        )

    @property
    def text_bytes(self) -> int:
        """Return an upper bound of the bytes of the texts, without the overhead of each string."""
        if self.span is not None:
            return 0  # the array has them
        amounts = self.gres + self.gres_per_task + self.licenses
        told = (
            self.name, self.constraint or "", self.workdir, self.stdout, self.stderr,
            self.comment, self.account, self.stdin, self.submit_host, self.notify,
            self.nodelist, self.exclude, written(amounts) if amounts else "",
            "" if self.array is None else self.array.tasks, self.mail.to if self.mail else "",
            "" if self.qos == NORMAL_QOS else self.qos, self.reservation, self.command,
        )  # fmt: skip
        awaited = self.conditions.dependencies if self.conditions is not None else ()
        changed = sum([texts.WIDEST_BYTES * len(one.before + one.after) for one in self.changes])
        named = bytes_of_names(self.nodelist, self.exclude) if self.nodelist or self.exclude else 0
        parts = bytes_of_parts(self.parts) if self.parts else 0
        return texts.bytes_of(told) + changed + named + parts + len(awaited) * _DEPENDENCY_BYTES


class Payload(msgspec.Struct, frozen=True, omit_defaults=True):
    """The script, its arguments, its environment, its resource limits and its umask; needed at the
    launch alone."""

    script: str = ""
    args: list[str] = []
    env: dict[str, str] = {}
    submit_dir: str = ""
    rlimits: dict[str, int | None] = {}
    umask: int | None = None


@dataclass(slots=True)
class NewJob:
    """A job that the core has not seen yet. It gets its id when it is certain to be submitted."""

    job: Job
    details: Details
    payload: Payload


def awaited_ids(new: Iterable[NewJob]) -> list[int]:
    """Return the numbers of the jobs that the new ones depend on, each once."""
    given = [job.details.conditions for job in new if job.details.conditions is not None]
    return list(dict.fromkeys(job_id for one in given for job_id in awaited_in(one)))


def awaited_in(conditions: Conditions | Awaits) -> list[int]:
    """Return the numbers of the jobs that the conditions await."""
    return [
        one.job_id
        for one in conditions.dependencies
        if one.relation is not Relation.SINGLETON and one.due_us is None
    ]


@dataclass(slots=True, frozen=True)
class Rules:
    """The rules that a submit is checked against.

    `default_time_limit_s`: the limit of a job that asks for none (None: no limit).
    `restartable`: whether jobs that do not say so may be restarted after a trial run.
    `default_mem_mib`: memory on each node of a script that asks for none (None: not limited).
    `partitions`, `accounts`: those of the cluster, which may change. `propagate_limits`: the
    resource limits that jobs take over from submitters who do not say which. `sends_mail`: without
    it the mails that a submit asks for are forgotten."""

    capacity: CapacityKind
    default_time_limit_s: float | None
    max_script_bytes: int
    home: str
    restartable: bool = True
    default_mem_mib: int | None = None
    partitions: Partitions = UNDIVIDED
    propagate_limits: tuple[str, ...] = RLIMITS
    accounts: AccountRules = ANY_ACCOUNT
    sends_mail: bool = False


def new_job(spec: SubmitSpec, user: str, now_us: int, rules: Rules) -> NewJob:
    """Return the job that `spec` describes.

    Raises:
        DaemonError: a field has no usable value; the message names the field.
    """
    if (spec.script is None) == (spec.emulate is None):
        raise Malformed("exactly one of 'script' and 'emulate' must be given")
    if spec.emulate is not None and spec.warn_signal is not None:
        raise Malformed("'warn_signal' is given with 'emulate': there is no script to be told")
    rlimits = checked_rlimits(spec, rules.propagate_limits)
    texts.check_texts(spec)
    spec = with_nodes(spec)
    if spec.script is not None:
        check_script(spec.script, rules.max_script_bytes)
    partitions = rules.partitions.named(spec.partition, user)
    first = partitions[0] if partitions else None
    details = _details(spec, user, now_us, rules, first)
    check_paths(
        details.name,
        user,
        details.workdir,
        {"stdin": details.stdin, "stdout": details.stdout, "stderr": details.stderr},
    )
    estimate_us = _estimate_us(spec, _default_time_limit_s(rules, first, details))
    deadline_us = instant_us("deadline", spec.deadline_us, spec.deadline_in_s, now_us)
    begin_us = None if details.conditions is None else details.conditions.begin_us
    check_deadline(deadline_us, estimate_us, begin_us, now_us)
    request = request_in(partitions, details, estimate_us, rules.capacity)
    rules.accounts.check_job(details.account, details.qos, request.size, estimate_us)
    job = Job(
        id=0,
        user=user,
        submit_us=now_us,
        request=request,
        estimate_us=estimate_us,
        requeue=spec.requeue,
        restartable=_restartable(spec, rules),
        name=details.name,
        deadline_us=deadline_us,
        account=details.account,
        qos=details.qos,
        nice=details.nice,
        licenses=details.licenses,
        reservation=details.reservation,
        array=None if details.array is None else details.array.made(),
        phase=details.first_phase,
    )
    env = {name: value for name, value in spec.env.items() if name != TOKEN}
    payload = Payload(spec.script or "", spec.args, env, spec.submit_dir, rlimits, spec.umask)
    return NewJob(job, details, payload)


def _details(
    spec: SubmitSpec, user: str, now_us: int, rules: Rules, partition: PartitionSettings | None
) -> Details:
    gres, per_task = asked_devices(spec)
    account = rules.accounts.account_of(spec.account, user)
    return Details(
        name=spec.name or ("emulated" if spec.emulate else "job"),
        tasks=tasks_of(spec.tasks, spec.nodes),
        cpus_per_task=cpus_per_task_of(spec.cpus_per_task),
        nodes=spec.nodes,
        mem_mib=_mem_mib(spec, rules, partition),
        mem_per_cpu_mib=spec.mem_per_cpu_mib,
        constraint=checked_features(spec.constraint),
        nodelist=spec.nodelist,
        exclude=spec.exclude,
        exclusive=spec.exclusive,
        all_mem=spec.all_mem or spec.exclusive,
        gres=gres,
        gres_per_task=per_task,
        workdir=_workdir(spec, rules),
        stdout=checked_pattern("stdout", spec.stdout) or _default_output(spec),
        stderr=checked_pattern("stderr", spec.stderr),
        comment=spec.comment,
        account=account,
        qos=rules.accounts.qos_of(spec.qos, account, user),
        nice=checked_nice(spec.nice),
        licenses=checked_licenses(spec.licenses, rules.accounts.licenses),
        reservation=spec.reservation,
        stdin=checked_pattern("stdin", spec.stdin),
        append=spec.append,
        submit_host=spec.submit_host,
        command=spec.command,
        warn_signal=_warn_signal(spec.warn_signal),
        notify=checked_notify(spec.notify),
        mail=checked_mail(spec.mail_types, spec.mail_user, user, are_sent=rules.sends_mail),
        emulate=spec.emulate,
        cpus_asked=spec.cpus_per_task is not None,
        conditions=conditions_of(spec.conditions, now_us),
        array=array_details(spec.array, spec.conditions),
        parts=checked_parts(spec),
    )


def _default_output(spec: SubmitSpec) -> str:
    if not spec.script:
        return "/dev/null"
    return "rms-%A_%a.out" if spec.array else "rms-%j.out"


def _restartable(spec: SubmitSpec, rules: Rules) -> bool:
    """Return whether the job may be restarted after a trial run. A job that must not be requeued
    may be only if it asks for that."""
    return rules.restartable and spec.requeue if spec.restartable is None else spec.restartable


def _mem_mib(spec: SubmitSpec, rules: Rules, partition: PartitionSettings | None) -> int:
    asked_mib = asked_mem_mib(spec)
    if spec.all_mem or spec.exclusive:
        return asked_mib
    default_mib = rules.default_mem_mib
    if partition is not None and partition.default_mem_mib is not None:
        default_mib = partition.default_mem_mib
    return asked_mib or (default_mib if spec.emulate is None else None) or 0


def _default_time_limit_s(
    rules: Rules, partition: PartitionSettings | None, details: Details
) -> float | None:
    """Return the limit of a job that asks for none: the partition's, which keeps its max_time, or
    the cluster's; but no longer one than the account and the QOS allow."""
    default_s = rules.default_time_limit_s
    if partition is not None and partition.default_time_s is not None:
        default_s = partition.default_time_s
    longest_s = rules.accounts.longest_s(details.account, details.qos)
    if default_s is None or longest_s is None:
        return longest_s if default_s is None else default_s
    return min(default_s, longest_s)


def request_in(
    partitions: list[PartitionSettings],
    details: Details,
    estimate_us: int,
    capacity: CapacityKind,
) -> Request:
    """Return the request of a job with these details, in those of the partitions whose limits it
    keeps.

    Raises:
        DaemonError: it cannot be made of them here, or is larger than any machine.
    """
    request = _request(details, capacity)
    if partitions:
        component = request.components[0]
        taking = within_limits(partitions, component, estimate_us)
        request = Request(tuple([component._replace(partition=one.name) for one in taking]))
    if request.size > _MAX_CPUS:
        raise Malformed(f"'tasks' x 'cpus_per_task' is {request.size}, more than {_MAX_CPUS}")
    return request


def _request(details: Details, capacity: CapacityKind) -> Request:
    tasks, cores, nodes = details.tasks, details.cpus_per_task, details.nodes
    if capacity == "counted":
        nodewise = nodes is not None or details.mem_mib or details.nodelist or details.exclude
        if nodewise or needs_of(details) or details.constraint not in (None, EMULATED):
            _refuse_counted()
        return Request((Component(tasks * cores),))
    feature = details.constraint
    if details.emulate is not None:
        if feature not in (None, EMULATED):
            raise Malformed(f"'constraint' is '{feature}': an emulated job needs emulated nodes")
        feature = EMULATED
    if nodes is None:
        mem_mib = details.mem_per_cpu_mib * cores or details.mem_mib
        component = Component(tasks, cores, mem_mib, False, feature)
    else:
        per_node = math.ceil(tasks / nodes) * cores
        component = Component(nodes, per_node, details.mem_mib, True, feature)
    component = component._replace(needs=needs_of(details))
    return Request((placed(component, details.nodelist, details.exclude),))


def _refuse_counted() -> NoReturn:
    raise Malformed(
        "this cluster counts processors (capacity 'counted'): "
        "'nodes', 'mem_mib', 'constraint', 'nodelist', 'exclude', 'exclusive', 'all_mem' and "
        "'gres' cannot be asked for"
    )


def tasks_of(asked: int | None, nodes: int | None) -> int:
    """Return the number of tasks of a job that asks for so many tasks and nodes.

    Raises:
        Malformed: it cannot be meant.
    """
    if nodes is not None:
        within("nodes", nodes, 1, 1 << 20)
    if asked is None:
        return nodes or 1
    tasks = within("tasks", asked, 1, _MAX_CPUS)
    if nodes is not None and tasks < nodes:
        raise Malformed(f"'tasks' is {tasks}, fewer than the {nodes} 'nodes' asked for")
    return tasks


def cpus_per_task_of(asked: int | None) -> int:
    return within("cpus_per_task", 1 if asked is None else asked, 1, _MAX_CPUS)


def _estimate_us(spec: SubmitSpec, default_time_limit_s: float | None) -> int:
    time_limit_s = default_time_limit_s if spec.time_limit_s is None else spec.time_limit_s
    if spec.emulate is not None and not 0 <= spec.emulate.run_s <= MOST_S:
        raise Malformed(f"'emulate.run_s' is {spec.emulate.run_s}; it must be 0 to {MOST_S}")
    return estimate_us_of(time_limit_s)


def estimate_us_of(time_limit_s: float | None) -> int:
    """Return the core's number for a time limit; 0 and None are no limit.

    Raises:
        Malformed: it is no time.
    """
    if time_limit_s == 0:  # a submit that wants no limit says 0
        time_limit_s = None
    if time_limit_s is not None and not 0 < time_limit_s <= MOST_S:
        raise Malformed(f"'time_limit_s' is {time_limit_s}; it must be 0 (no limit) to {MOST_S}")
    return max(1, duration_us(time_limit_s))


def _warn_signal(warn: WarnSignal | None) -> WarnSignal | None:
    if warn is not None:
        within("warn_signal.number", warn.number, 1, MAX_SIGNAL)
        if not 0 <= warn.before_s <= MAX_WARN_S:
            raise Malformed(
                f"'warn_signal.before_s' is {warn.before_s}; it must be 0 to {MAX_WARN_S}"
            )
    return warn


def _workdir(spec: SubmitSpec, rules: Rules) -> str:
    if spec.emulate is not None:
        return spec.workdir or "/"
    if spec.workdir and not spec.workdir.startswith("/"):
        raise Malformed(f"'workdir' is '{spec.workdir}'; it must be an absolute path")
    return spec.workdir or rules.home
