"""The launch commands of a job: environment, output paths, time limit."""

from __future__ import annotations

import os.path
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from rmsd_core.jobs.gres import Shares, name_of, serves, written
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation
from rmsd_core.model_time import SECOND_US, duration_s
from rmsd_daemon.domain.submission import TOKEN, Details, Payload
from rmsd_daemon.loop.part_variables import part_variables
from rmsd_wire.device_numbers import write_devices
from rmsd_wire.hostlist import compress, short_counts
from rmsd_wire.job_environment import GPU_VARIABLES
from rmsd_wire.link import Emulation, Launch, SetLimit, SetSuspension
from rmsd_wire.link_values import NO_LIMIT, PACED
from rmsd_wire.node_info import NodeDevices
from rmsd_wire.output_pattern import fill
from rmsd_wire.slurm_names import MEM_PER_CPU, names_slurm, slurm_names, without_het

_DAMAGED = (
    "its script is damaged in the database of the daemon, and cannot be run; submit the job again"
)


_NOT_ALWAYS = frozenset(
    {
        "RMS_ARRAY_JOB_ID", "RMS_ARRAY_TASK_COUNT", "RMS_ARRAY_TASK_ID", "RMS_ARRAY_TASK_MAX",
        "RMS_ARRAY_TASK_MIN", "RMS_ARRAY_TASK_STEP", "RMS_GRES", "RMS_JOB_ACCOUNT", "RMS_JOB_GPUS",
        "RMS_JOB_LICENSES", "RMS_JOB_RESERVATION", "RMS_MEM_PER_CPU", "RMS_MEM_PER_NODE",
        "RMS_TRIAL_END",
    }
)  # fmt: skip
"""The variables of a job that only some jobs have. The environment of a submit has them if another
job has submitted it."""


class JobRules(NamedTuple):
    """The settings that apply to all jobs. `kill_grace_s`: from SIGTERM to SIGKILL, real time;
    `overrun_s`: the time that jobs get beyond their limit; `keep_trial_output`: the output files of
    a killed trial are kept apart instead of being overwritten by the next attempt. `max_processes`
    on one node and `max_output_bytes` of a script's output files end a job (None: no limit).
    `as_users`: jobs run as the accounts of their users, else all as the account of the agents.
    `limit_memory`: a job that takes more memory than it asked for is ended.
    `token` returns the token that an attempt, given by job and number, shows over TCP."""

    kill_grace_s: float
    overrun_s: float = 0.0
    keep_trial_output: bool = False
    max_processes: int | None = None
    max_output_bytes: int | None = None
    as_users: bool = False
    token: Callable[[int, int], str] | None = None
    limit_memory: bool = True


def _memory_of_cpus(env: Mapping[str, str]) -> dict[str, str]:
    """Return Slurm's variable for the memory of a processor, as older clients have set it."""
    return {name: env[name] for name in (MEM_PER_CPU,) if name in env}


class Launches:
    """The commands for the nodes of an attempt, as of now. What all of them tell, as the job's
    environment, is made once. A command is made as it is asked for: each has an environment of its
    own, which may take megabytes, and there may be thousands of nodes."""

    def __init__(
        self, job: Job, details: Details, payload: Payload | None, rate: float, rules: JobRules
    ) -> None:
        """Make what the commands have in common. `payload` None: it is damaged, and the node of the
        script refuses the job, unless it runs there already. An emulated job needs none."""
        assert job.start_us is not None
        refused = _DAMAGED if payload is None and details.emulate is None else ""
        payload = payload or Payload()
        env = _environment(job, details, payload)
        if rules.token is not None:
            env[TOKEN] = rules.token(job.id, job.attempt)
        self._for_slurm = names_slurm(payload.script, payload.env)
        if self._for_slurm:
            env |= _slurm_environment(job, details, env)
        self._details, self._limits_memory = details, rules.limit_memory
        self._batch = job.allocation[0].node
        self._pieces = {
            piece.node: piece for piece in job.allocation if piece.node in job.open_nodes
        }
        keeps_output = rules.keep_trial_output and job.remembered.lost_us
        self._on_others = Launch(
            job_id=job.id,
            attempt=job.attempt,
            node="",
            batch=False,
            model_start_us=job.start_us,
            time_limit_s=real_time_limit_s(job, details, rate),
            overrun_s=_real_s(rules.overrun_s, details, rate),
            kill_grace_s=rules.kill_grace_s,
            trial_end_us=None if job.is_speculation else job.trial_end_us,
            warn_signal=details.warn_signal,
            cores=0,
            script="",
            args=[],
            env=env,
            workdir=details.workdir,
            stdout=output_path(job, details, "stdout"),
            stderr=output_path(job, details, "stderr") if details.stderr else "",
            # On a paced clock all nodes of a job end at the same instant, each by itself.
            emulation=emulation(details) if rate == PACED else None,
            keep_output_of=job.attempt - 1 if keeps_output else 0,
            user=job.user if rules.as_users else "",
            max_processes=rules.max_processes or NO_LIMIT,
            max_output_bytes=rules.max_output_bytes or NO_LIMIT,
            append=details.append,
            rlimits=payload.rlimits,
            umask=payload.umask,
            suspended_since_us=job.suspended_since_us,
            suspended_us=job.suspended_us,
        )
        self._on_batch = replace(
            self._on_others,
            batch=True,
            env=_with_parts(job, details, env),
            script=payload.script,
            args=payload.args,
            emulation=emulation(details),
            refused=refused,
            stdin=output_path(job, details, "stdin") if details.stdin else "",
        )

    @property
    def nodes(self) -> list[str]:
        """Return the nodes that have not confirmed an exit."""
        return [*self._pieces]

    def __iter__(self) -> Iterator[Launch]:
        return map(self.on, self._pieces)

    def on(self, node: str) -> Launch:
        """Return the command for one of the `nodes`."""
        piece, details = self._pieces[node], self._details
        general = self._on_batch if node == self._batch else self._on_others
        node_env = {"RMS_NODENAME": node, "RMS_CPUS_ON_NODE": str(piece.cores)}
        mem_mib = piece.mem_mib or details.mem_mib
        if mem_mib:
            node_env["RMS_MEM_PER_NODE"] = str(mem_mib)
        if details.mem_per_cpu_mib:
            node_env["RMS_MEM_PER_CPU"] = str(details.mem_per_cpu_mib)
        if self._for_slurm:
            node_env |= slurm_names({**node_env, **_memory_of_cpus(general.env)})
        node_env |= device_environment(piece.gres, for_slurm=self._for_slurm)
        return replace(
            general,
            node=node,
            cores=piece.cores,
            env=general.env | node_env,
            mem_mib=mem_mib if self._limits_memory else NO_LIMIT,
            gres=tuple([NodeDevices(share.kind, share.numbers) for share in piece.gres]),
        )


def _with_parts(job: Job, details: Details, env: dict[str, str]) -> dict[str, str]:
    """Return the environment of a script: that of all nodes, and in a job that expects Slurm's
    variables what tells of its parts. Tasks on other nodes have the latter from the script."""
    if not (details.parts and "SLURM_JOB_ID" in env):
        return env
    return env | part_variables(job, details, env | _memory(details))


def _memory(details: Details) -> dict[str, str]:
    """Return Slurm's variable for the memory that a job asks for."""
    if details.mem_per_cpu_mib:
        return {MEM_PER_CPU: str(details.mem_per_cpu_mib)}
    return {"SLURM_MEM_PER_NODE": str(details.mem_mib)} if details.mem_mib else {}


def device_environment(gres: Shares, *, for_slurm: bool) -> dict[str, str]:
    """Return the variables that tell an attempt its devices on a node. The runtimes of GPUs show a
    job those that the first three name, and no others."""
    numbers = sorted(at for share in gres if name_of(share.kind) == "gpu" for at in share.numbers)
    if not gres:
        return {}
    env = {"RMS_GRES": _written(gres)}
    if not numbers:
        return env
    listed = ",".join(map(str, numbers))
    env |= dict.fromkeys(GPU_VARIABLES, listed) | {"RMS_JOB_GPUS": listed}
    if for_slurm:
        env |= {"SLURM_JOB_GPUS": listed, "SLURM_GPUS_ON_NODE": str(len(numbers))}
    return env


def _written(gres: Shares) -> str:
    return write_devices((share.kind, share.numbers) for share in gres)


def devices_by_node(allocation: Allocation) -> list[str]:
    """Return the devices of an allocation on each of its nodes; none at all if it has none."""
    has_some = any(piece.gres for piece in allocation)
    return [_written(piece.gres) for piece in allocation] if has_some else []


def new_limit(job: Job, details: Details, node: str, rate: float) -> SetLimit:
    """Return the command that gives a running attempt the job's present limit."""
    return SetLimit(job.id, job.attempt, node, real_time_limit_s(job, details, rate))


def suspension(job: Job, node: str) -> SetSuspension:
    """Return the command that suspends an attempt or lets it go on, as is decided."""
    return SetSuspension(job.id, job.attempt, node, job.suspended_since_us, job.suspended_us)


def emulation(details: Details) -> Emulation | None:
    if details.emulate is None:
        return None
    return Emulation(round(details.emulate.run_s * SECOND_US), details.emulate.exec)


def time_limit_s(job: Job, details: Details) -> float | None:
    """Return the time limit in the job's own seconds; None is no limit."""
    return duration_s(job.estimate_us) if details.limited else None


def real_time_limit_s(job: Job, details: Details, rate: float) -> float | None:
    """Return the time limit of an attempt in real seconds; None is no limit."""
    seconds = time_limit_s(job, details)
    return None if seconds is None else _real_s(seconds, details, rate)


def _real_s(seconds: float, details: Details, rate: float) -> float:
    """Return real seconds. Limits of scripts are in real time, those of emulated jobs in model
    time, and the agents of a paced clock take model time as well."""
    return seconds if details.emulate is None or rate == PACED else seconds / rate


def output_path(job: Job, details: Details, stream: str, place: Allocation | None = None) -> str:
    """Return the absolute path of an output file, or of the input ("stdin"), with its letters
    filled in as far as they are known. `place`: where the output is, if not on the job's own
    allocation."""
    place = job.allocation if place is None else place
    patterns = {"stderr": details.stderr or details.stdout, "stdin": details.stdin}
    pattern = patterns.get(stream, details.stdout)
    values = {
        "j": str(job.id),
        "A": str(job.id if job.task is None else job.task.array_id),
        "a": _index_letter(job),
        "x": details.name.replace("/", "_"),
        "u": job.user,
        "N": place[0].node if place else "%N",
        "n": "0",
        "t": "0",
        "s": "batch",
        "r": str(job.attempt) if job.attempt else "%r",
        "%": "%",
    }
    path = fill(pattern, values)
    return path if path.startswith("/") else os.path.join(details.workdir, path)


def _index_letter(job: Job) -> str:
    """Return what %a stands for. The letter stays in the name for all tasks of an array."""
    if job.task is not None:
        return str(job.task.array_index)
    return "0" if job.array is None else "%a"


def tasks_per_node(job: Job, details: Details) -> list[int]:
    """Return how many of the job's tasks belong to each piece of its allocation, in its order."""
    pieces = len(job.allocation)
    if details.nodes is not None:
        each, more = divmod(details.tasks, pieces)
        return [each + (i < more) for i in range(pieces)]
    counts, left = [], details.tasks
    for piece in job.allocation:
        most = piece.cores // details.cpus_per_task
        for kind, each in details.gres_per_task:
            held = sum([share.amount for share in piece.gres if serves(share.kind, kind)])
            most = min(most, held // each)
        counts.append(min(most, left))
        left -= counts[-1]
    return counts


def _environment(job: Job, details: Details, payload: Payload) -> dict[str, str]:
    """Return the job's own environment and the variables that describe the job. The prolog and the
    epilog of a site go by these, so that none is left as the user has set it."""
    own = {name: text for name, text in payload.env.items() if name not in _NOT_ALWAYS}
    return without_het(own) | {
        "RMS_JOB_ID": str(job.id),
        "RMS_JOB_NAME": details.name,
        "RMS_JOB_PARTITION": job.partition_name,
        "RMS_JOB_USER": job.user,
        **({"RMS_JOB_ACCOUNT": details.account} if details.account else {}),
        **({"RMS_JOB_LICENSES": written(details.licenses)} if details.licenses else {}),
        "RMS_JOB_QOS": details.qos,
        **({"RMS_JOB_RESERVATION": job.reservation} if job.reservation else {}),
        "RMS_NODELIST": compress([piece.node for piece in job.allocation]),
        "RMS_NNODES": str(len(job.allocation)),
        "RMS_NTASKS": str(details.tasks),
        "RMS_TASKS_PER_NODE": short_counts(tasks_per_node(job, details)),
        "RMS_CPUS_PER_TASK": str(details.cpus_per_task),
        "RMS_SUBMIT_DIR": payload.submit_dir or details.workdir,
        "RMS_SUBMIT_HOST": details.submit_host,
        "RMS_ATTEMPT": str(job.attempt),
        "RMS_RESTART_COUNT": str(job.attempt - 1),
        **_array(job, details),
        **_trial(job),
    }


def _array(job: Job, details: Details) -> dict[str, str]:
    """Return the variables that tell a task of its array."""
    if job.task is None or details.span is None:
        return {}
    return {
        "RMS_ARRAY_JOB_ID": str(job.task.array_id),
        "RMS_ARRAY_TASK_ID": str(job.task.array_index),
        "RMS_ARRAY_TASK_COUNT": str(details.span.count),
        "RMS_ARRAY_TASK_MIN": str(details.span.low),
        "RMS_ARRAY_TASK_MAX": str(details.span.high),
        "RMS_ARRAY_TASK_STEP": str(details.span.step),
    }


def _slurm_environment(job: Job, details: Details, env: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that Slurm would set on all nodes. It sets SLURM_CPUS_PER_TASK only if
    that was asked for."""
    cpus = {"SLURM_CPUS_PER_TASK": str(details.cpus_per_task)} if details.cpus_asked else {}
    per_node = short_counts([piece.cores for piece in job.allocation])
    return {**slurm_names(env), "SLURM_JOB_CPUS_PER_NODE": per_node, **cpus}


def _trial(job: Job) -> dict[str, str]:
    """Return the variables that say whether this attempt is a trial run, and until when it cannot
    be killed; a speculation may be killed at any time.

    That instant is model time, for agents of the previous version; newer agents replace it by real
    time.
    """
    if job.trial_end_us is None:
        return {"RMS_TRIAL": "0"}
    if job.is_speculation:
        return {"RMS_TRIAL": "1"}
    return {"RMS_TRIAL": "1", "RMS_TRIAL_END": str(job.trial_end_us // SECOND_US)}
