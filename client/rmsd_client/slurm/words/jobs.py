"""Jobs in Slurm's words: their states, reasons, ids, and which of them are meant.

A job is a `JobView` of `rmsd_wire.api` as a dictionary.
"""

from __future__ import annotations

import contextlib
import os
import time
from functools import lru_cache

from rmsd_client.errors import ApiError
from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_client.slurm.command_lines.site import DEFAULT_PARTITION, MIN_JOB_AGE_S
from rmsd_core.vocabulary import TERMINAL_STATES
from rmsd_wire.arrays import ArrayError, parse_tasks, split_names
from rmsd_wire.hostlist import compress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from rmsd_client.api import Client

    Job = dict[str, Any]

STATES = {
    "PENDING": "PD", "RUNNING": "R", "SUSPENDED": "S", "COMPLETED": "CD", "CANCELLED": "CA",
    "FAILED": "F", "TIMEOUT": "TO", "NODE_FAIL": "NF", "PREEMPTED": "PR", "BOOT_FAIL": "BF",
    "DEADLINE": "DL", "OUT_OF_MEMORY": "OOM", "COMPLETING": "CG", "CONFIGURING": "CF",
    "RESIZING": "RS", "RESV_DEL_HOLD": "RD", "REQUEUED": "RQ", "REQUEUE_FED": "RF",
    "REQUEUE_HOLD": "RH", "REVOKED": "RV", "SIGNALING": "SI", "SPECIAL_EXIT": "SE",
    "STAGE_OUT": "SO", "STOPPED": "ST",
}  # fmt: skip
"""Slurm's states with their short forms. rmsd's own states are some of these."""

_REASONS = {
    "Claimed": "Resources",
    "NodeDown": "NodeDown",
    "TimeLimit": "TimeLimit",
    "OutOfMemory": "NonZeroExitCode",
    "Trial": "None",
    "TrialExpired": "None",
    "Speculation": "None",
    "ReservedForMaintenance": "ReqNodeNotAvail,_Reserved_for_maintenance",
    "ReservedForOthers": "ReqNodeNotAvail,_May_be_reserved_for_other_job",
}
"""Slurm's names of reasons that have another one here. Slurm's clients know no `OutOfMemory`."""

_WITH_REASON = frozenset(("PENDING", "TIMEOUT", "OUT_OF_MEMORY", "DEADLINE", "FAILED"))
"""The states that squeue shows with their reason in place of the nodes."""

_FAILED = frozenset(("FAILED", "DEADLINE", "PREEMPTED", "BOOT_FAIL"))


def text_id(job: Job) -> str:
    """Return the job's number: `12_3` for a task of an array, `12_[4-15%2]` for those that wait,
    `12+1` for a component of a heterogeneous job."""
    if "part" in job:
        return f"{job['job_id']}+{job['part']}"
    if job.get("array_task_id") is not None:
        return f"{job['array_job_id']}_{job['array_task_id']}"
    if waiting := job.get("array_task_str"):
        return f"{job['job_id']}_[{waiting}]"
    return str(job["job_id"])


def array_job_id(job: Job) -> int:
    """Return the number of the array, else the job's own."""
    return int(job.get("array_job_id") or job["job_id"])


def array_task_id(job: Job) -> str:
    """Return the index in the array, or those that wait; N/A if the job is in none."""
    if job.get("array_task_id") is not None:
        return str(job["array_task_id"])
    return str(job.get("array_task_str") or "N/A")


_BEHIND_ALL = 1 << 62
_MOST_PART_DIGITS = 8


def array_rank(job: Job) -> int:
    """Return the place among the tasks of an array, where those that wait are behind the others, or
    among the components of a job."""
    if "part" in job:
        return int(job["part"])
    index = job.get("array_task_id")
    return _BEHIND_ALL if index is None and job.get("array_task_str") else int(index or 0)


def partition(job: Job) -> str:
    """Return the partition's name."""
    return str(job.get("partition") or DEFAULT_PARTITION)


def named_nodes(job: Job, how: str) -> str:
    """Return the nodes that the job must have ("require") or must not ("exclude")."""
    request = job["request"]
    return compress(request[0].get(how, ())) if request else ""


def min_memory_mib(job: Job) -> int:
    """Return the memory that a job asks for: for each processor, or on each node."""
    return int(job.get("mem_per_cpu_mib") or job["mem_mib"])  # older daemons do not tell the first


def asked_memory_mib(job: Job) -> int:
    """Return the memory that a job asks for on all of its nodes."""
    if per_cpu_mib := job.get("mem_per_cpu_mib"):
        return int(per_cpu_mib * job["cpus"])
    return int(job["mem_mib"] * (job["nodes"] or 1))


def held_memory_mib(job: Job) -> int:
    """Return the memory that a job has on all of its nodes; 0 if it has none yet."""
    return sum(node_memory_mib(job)) if job["nodelist"] else 0


def node_memory_mib(job: Job) -> list[int]:
    """Return the memory that a job has on each of its nodes."""
    return job.get("node_mem_mib") or [job["mem_mib"]] * len(job["node_cpus"])


def account(job: Job) -> str:
    """Return the account that the submitter named; "" if there is none."""
    return str(job.get("account") or "")


def qos(job: Job) -> str:
    """Return the name of the job's QOS."""
    return str(job.get("qos") or "normal")


def is_held(job: Job) -> bool:
    """Return whether the job is held, or is to be if it waits again."""
    return bool((job["conditions"] or {}).get("held_by") or job.get("requeue_hold"))


def nice(job: Job) -> str:
    """Return the points that the job's priority is lowered by."""
    return str(job.get("nice", 0))  # older daemons do not tell it


def licenses(job: Job) -> str:
    """Return the licenses that the job has or asks for."""
    return str(job.get("licenses") or "(null)")  # older daemons do not tell them


def reservation(job: Job) -> str:
    """Return the name of the job's reservation; "" if it has none."""
    return str(job.get("reservation") or "")


def short_state(job: Job) -> str:
    """Return the state's short form."""
    return STATES.get(job["state"]) or str(job.get("state_code", job["state"]))


def reason(job: Job) -> str:
    """Return why a job waits, or why it failed, by a name of Slurm's."""
    found = str(job["reason"]) or "None"
    if found.startswith("RaisedSignal"):
        return "NonZeroExitCode"
    if job["state"] in _FAILED and found in ("None", ""):
        return "NonZeroExitCode"
    return _REASONS.get(found, found.split()[0].rstrip(":;,"))


def nodelist_or_reason(job: Job) -> str:
    """Return the nodes, or in parentheses why there are none, or why the job failed."""
    if job["state"] in _WITH_REASON or not job["nodelist"]:
        why = reason(job).replace("_", " ")
        return f"({why})" if job["state"] in _WITH_REASON or why != "None" else ""
    return str(job["nodelist"])


def requeues(job: Job) -> int:
    """Return 1 if the job may run again, else 0."""
    return int(bool(job.get("requeue", True)))  # brief lists do not tell it


def stdin(job: Job) -> str:
    """Return the file that the script reads."""
    return str(job.get("stdin") or "/dev/null")


def restarts(job: Job) -> int:
    """Return how often the job has been put back."""
    return int(job["attempt"] if job["state"] == "PENDING" else max(0, job["attempt"] - 1))


_LAUNCH_FAILED, _OUT_OF_MEMORY = 53, 125
"""The signals that Slurm shows of jobs that could not be launched, or took too much memory."""


def exit_and_signal(job: Job) -> tuple[int, int]:
    """Return the exit code and the signal of a job as Slurm shows them."""
    if job["state"] == "OUT_OF_MEMORY":
        return 0, _OUT_OF_MEMORY
    if job["reason"] == "JobLaunchFailure":
        return 0, _LAUNCH_FAILED
    return int(job["exit_code"] or 0), int(job["signal"] or 0)


def exit_status(job: Job) -> int:
    """Return how the job has ended as a number, as wait(2) does."""
    code, signal = exit_and_signal(job)
    return code << 8 | signal


def exit_pair(job: Job) -> str:
    """Return `code:signal`."""
    code, signal = exit_and_signal(job)
    return f"{code}:{signal}"


def is_over(job: Job) -> bool:
    return job["state"] in TERMINAL_STATES


class Wanted:
    """A job that a command line names: all of its number, or tasks of an array, or the component
    `part` of a heterogeneous job (None: all of them); and perhaps a step of it. `name` is without
    the step and the component."""

    __slots__ = ("_job_id", "_runs", "name", "part", "step")

    def __init__(self, name: str, step: str, part: int | None = None) -> None:
        self.name = name
        self.step = step
        self.part = part
        self._job_id, self._runs = parse_tasks(name)

    def is_job(self, job: Job) -> bool:
        """Return whether the job is meant. The row of an array stands for those that wait."""
        if self.part is not None and self.part != job.get("part", 0):
            return False
        if self._runs is None:
            return self._job_id in (job["job_id"], job.get("array_job_id"))
        if job.get("array_job_id") != self._job_id:
            return False
        index = job.get("array_task_id")
        return index is None or any(
            first <= index <= last and not (index - first) % step
            for first, last, step in self._runs
        )


def parse_ids(text: str, program: str) -> list[Wanted]:
    """Return the jobs of `12`, `12_3`, `12_[1-3,5]`, `12+1`, `12.batch` and lists of these with
    commas.

    Raises:
        SlurmError: one of them is no job.
    """
    wanted: list[Wanted] = []
    for word in split_names(text.replace(" ", ",")):
        name, _, step = word.partition(".")
        name, plus, part = name.partition("+")
        try:
            if plus and not (part.isascii() and part.isdigit() and len(part) <= _MOST_PART_DIGITS):
                raise ArrayError(word)
            wanted.append(Wanted(_plain(name), step, int(part) if plus else None))
        except ArrayError:
            if program == "sacct":
                raise SlurmError(f"sacct: fatal: Bad job/step specified: {word}") from None
            raise SlurmError(f"{program}: error: Invalid job id: {word}") from None
    return wanted


def _plain(name: str) -> str:
    """Return the name as the daemon takes it: `12_*` is all of array 12."""
    name = name.removesuffix("_*")
    head, bracket, limit = name.partition("%")
    return head + ("]" if bracket and "[" in head and limit.endswith("]") else "")


def find(
    client: Client, wanted: Iterable[Wanted], *, brief: bool = False, apart: bool = False
) -> list[Job]:
    """Return the jobs that are meant, by number. `apart`: each waiting task of an array."""
    names = {one.name for one in wanted}
    return client.jobs(states="all", ids=names, brief=brief, apart=apart)


def is_not_seen(client: Client, name: str) -> bool:
    """Return whether the daemon has given the number of a job that this caller, who is no operator,
    was told is not there. It may be another user's, or deleted: nobody is told which."""
    number = name.partition("_")[0]
    return number.isdigit() and 0 < int(number) <= _last_hidden(client)


@lru_cache(maxsize=1)
def _last_hidden(client: Client) -> int:
    """Return the last number of a job that the caller may not be shown; 0 for operators. A command
    may name hundreds of jobs that are not there, and asks once."""
    status = client.status()
    last = status.get("last_job_id")
    return 0 if last is None or status["you"]["role"] != "user" else int(last)


def now_us(client: Client) -> int:
    """Return the daemon's time, in which the times of jobs are."""
    return int(client.status()["clock"]["model_us"])


def listed(client: Client, jobs: Iterable[Job]) -> list[Job]:
    """Return those of the jobs that the controller of a Slurm would still know of."""
    jobs = list(jobs)
    if not any(map(is_over, jobs)):
        return jobs  # a job with no token but its own may not ask for the time
    since_us = now_us(client) - MIN_JOB_AGE_S * 1_000_000
    return [job for job in jobs if not is_over(job) or (job["end_us"] or 0) >= since_us]


def planned_starts(client: Client) -> dict[int, int]:
    """Return the expected starts of waiting jobs, by number, as the plan has them."""
    return {one["job_id"]: one["start_us"] for one in client.plan()["starts"]}


def expect_starts(client: Client, jobs: Iterable[Job]) -> None:
    """Add to waiting jobs when they are expected to start, as far as the caller may know it."""
    waiting = [job for job in jobs if job["state"] == "PENDING"]
    starts: dict[int, int] = {}
    with contextlib.suppress(ApiError):  # a job with no token but its own may not ask
        if len(waiting) == 1:
            if (start := client.explain(waiting[0]["job_id"])["start"]) is not None:
                starts[waiting[0]["job_id"]] = start["start_us"]
        elif waiting:
            starts = planned_starts(client)
    for job in waiting:
        job["expected_start_us"] = starts.get(job["job_id"])


def parse_states(text: str, program: str) -> set[str] | None:
    """Return the states of a list of names or short forms, in any case; None for `all`.

    Raises:
        SlurmError: one is no state.
    """
    by_word = {word: state for state, code in STATES.items() for word in (code, state)}
    chosen: set[str] = set()
    for word in filter(None, text.split(",")):
        if word.upper() == "ALL":
            return None
        known = by_word.get(word.upper())
        if not known:
            raise no_state(program, word)
        chosen.add(known)
    return chosen


def no_state(program: str, word: str) -> SlurmError:
    """Return the error for a word that is no state."""
    if program == "sacct":
        return SlurmError(f"sacct: fatal: unrecognized job state value '{word}'")
    return SlurmError(
        f"{program}: error: Invalid job state specified: {word}",
        f"{program}: error: Valid job states include: {','.join(STATES)}",
        *([""] if program == "squeue" else []),
    )


def cancelled_by(job: Job) -> str:
    """Return the account that has cancelled a job: its user, where the daemon does not know it."""
    return str(job.get("cancelled_by") or job["user"])


def uid_of(user: str) -> int:
    """Return the number of an account; that of nobody if it has none on this machine."""
    import pwd

    if user.isdigit():
        return int(user)
    try:
        return pwd.getpwnam(user).pw_uid
    except (KeyError, ValueError):
        return 65534


def group_of(user: str) -> tuple[str, int]:
    """Return the name and the number of an account's group."""
    import grp
    import pwd

    try:
        gid = pwd.getpwnam(user).pw_gid
    except (KeyError, ValueError):
        return "nogroup", 65534
    try:
        return grp.getgrgid(gid).gr_name, gid
    except KeyError:
        return str(gid), gid


def users_of(text: str, program: str) -> str:
    """Return user names with commas; a number becomes the name of its account.

    Raises:
        SlurmError: there is no such account.
    """
    import pwd

    names = []
    if program == "scancel" and not text.strip(","):
        raise SlurmError(f"scancel: error: Invalid user name: {text}")
    for word in filter(None, text.split(",")):
        try:
            names.append(pwd.getpwuid(int(word)).pw_name if word.isdigit() else word)
            pwd.getpwnam(names[-1])
        except (KeyError, ValueError, OverflowError):
            what = {"sacct": "user id", "scancel": "user name"}.get(program, "user")
            raise SlurmError(f"{program}: error: Invalid {what}: {word}") from None
    return ",".join(names)


def me(client: Client) -> str:
    return client.user()


def time_left_s(job: Job) -> float | None:
    """Return the seconds left of the limit; None: there is none."""
    if job["time_limit_s"] is None:
        return None
    return float(job["time_limit_s"] - (job["elapsed_s"] or 0))


def end_us(job: Job) -> int | None:
    """Return when the job has ended, or will be ended by its limit; None: not known."""
    if job["end_us"] is not None:
        return int(job["end_us"])
    if job["start_us"] is None or job["time_limit_s"] is None:
        return None
    return int(job["start_us"] + job["time_limit_s"] * 1_000_000)


def wall_us() -> int:
    return time.time_ns() // 1000


def is_root() -> bool:
    return os.getuid() == 0
