"""Jobs in the words of PBS: their states, and the attributes that `qstat -f` shows."""

from __future__ import annotations

import os
import time

from rmsd_client.pbs.job_ids import is_array
from rmsd_client.pbs.mail import points_of
from rmsd_core.vocabulary import RUNNING_STATES, STARTED_STATES, TERMINAL_STATES, UNSTOPPED_STATES
from rmsd_wire.arrays import parse_array
from rmsd_wire.pbs_names import SERVER, job_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Job = dict[str, Any]

DEFAULT_QUEUE = "main"
KILLED = 256 + 9
_KILLED_FOR = {"TIMEOUT": -29, "DEADLINE": -29, "OUT_OF_MEMORY": -27, "NODE_FAIL": -1}
"""The exit statuses that OpenPBS has for jobs that it ended."""

_SUBSTATES = {"Q": 10, "H": 20, "W": 30, "B": 42, "R": 42, "S": 43, "E": 51}

_HOLD_TYPES = {"user": "u", "operator": "o"}


def is_over(job: Job) -> bool:
    return job["state"] in TERMINAL_STATES


def state_of(job: Job) -> str:
    """Return the letter of a job's state: Q, H, W, R, B (an array that has begun), E, F, or X (a
    subjob that is over)."""
    if is_over(job):
        return "X" if job.get("array_task_id") is not None else "F"
    if job.get("begun"):
        return "B"
    if job["state"] in STARTED_STATES:
        if job["state"] in RUNNING_STATES:
            return "R"
        return "S" if job["state"] in UNSTOPPED_STATES else "E"
    conditions = job["conditions"] or {}
    if conditions.get("held_by") or conditions.get("dependencies"):
        return "H"
    return "W" if conditions.get("begin_us") is not None else "Q"


def exit_status(job: Job) -> int:
    """Return the exit status of a job that is over. A job that was deleted has 265, as one that
    PBS has killed, also if it never started."""
    if "exit_status" in job:
        return int(job["exit_status"])
    if job["state"] == "CANCELLED":
        return KILLED
    if job["state"] in _KILLED_FOR:
        return _KILLED_FOR[job["state"]]
    if job["signal"]:
        return 256 + int(job["signal"])
    return int(job["exit_code"] or 0)


def arrays_as_one(jobs: Sequence[Job], *, expand: bool) -> list[Job]:
    """Return jobs with one row for each array, which stands where its first row was. `expand`: its
    subjobs follow it."""
    rows: dict[int, list[Job]] = {}
    for job in jobs:
        rows.setdefault(job.get("array_job_id") or job["job_id"], []).append(job)
    found: list[Job] = []
    for number, some in rows.items():
        if some[0].get("array_job_id") is None and not is_array(some[0]):
            found += some
            continue
        found.append(_array(number, some))
        if expand:
            found += [job for job in some if job.get("array_task_id") is not None]
    return found


def _array(number: int, rows: Sequence[Job]) -> Job:
    """Return the row of an array, made from rows of its subjobs and of those that wait."""
    going_on = [job for job in rows if not is_over(job)]
    whole = next((job for job in rows if is_array(job)), rows[0])
    subjobs = [job for job in rows if job.get("array_task_id") is not None]
    waiting = [job for job in going_on if job["state"] == "PENDING"]
    row: Job = {
        **(going_on or rows)[0],
        **{name: whole[name] for name in ("name", "request", "tasks", "cpus", "mem_mib")},
        "job_id": number,
        "array_job_id": None,
        "array_task_id": None,
        "array_tasks": whole.get("array_tasks") or len(subjobs),
        "array_task_str": whole.get("array_task_str", "") if waiting else "",
        "begun": bool(going_on) and (len(waiting) < len(rows) or _some_are_over(whole, waiting)),
        "nodelist": "",
        "node_cpus": [],
    }
    if not going_on:
        ends = [job["end_us"] or 0 for job in rows]
        failed = any(job["state"] != "COMPLETED" for job in rows)
        cancelled = all(job["state"] == "CANCELLED" for job in rows)
        row["state"] = rows[0]["state"] if len({job["state"] for job in rows}) == 1 else "FAILED"
        row["exit_status"] = KILLED if cancelled else int(failed)
        row["end_us"] = max(ends)
    return row


def _some_are_over(whole: Job, waiting: Sequence[Job]) -> bool:
    """Return whether an array has more subjobs than those that wait in its rows. A list without the
    history has none of those that are over."""
    count = 0
    for job in waiting:
        text = (job.get("array_task_str") or "") if is_array(job) else ""
        if text.endswith("..."):
            return False  # the rows do not tell
        runs = parse_array(text).runs if text else [(0, 0, 1)]
        count += sum(len(range(first, last + 1, step)) for first, last, step in runs)
    return count < (whole.get("array_tasks") or 0)


def attributes(job: Job) -> dict[str, Any]:
    """Return what `qstat -f` shows of a job, in its order."""
    state = state_of(job)
    started = job["start_us"] is not None
    shown: dict[str, Any] = {
        "Job_Name": job["name"],
        "Job_Owner": f"{job['user']}@{os.uname().nodename}",
    }
    if started and not is_array(job):
        shown["resources_used"] = _used(job)
    shown |= {"job_state": state, "queue": job["partition"] or DEFAULT_QUEUE, "server": SERVER}
    if job["account"]:
        shown["Account_Name"] = job["account"]
    shown |= {"Checkpoint": "u", "ctime": stamp(job["submit_us"])}
    conditions = job["conditions"] or {}
    if depend := _depend(conditions):
        shown["depend"] = depend
    shown["Error_Path"] = _path(job, job["stderr"] or job["stdout"])
    if conditions.get("begin_us") is not None:
        shown["Execution_Time"] = stamp(conditions["begin_us"])
    if job["node_cpus"]:
        shown |= _places(job)
    shown |= {
        "Hold_Types": _HOLD_TYPES.get(conditions.get("held_by") or job["requeue_hold"], "n"),
        "Join_Path": "oe" if job["stderr"] in ("", job["stdout"]) else "n",
        "Keep_Files": "n",
        "Mail_Points": points_of(job),
        **({"Mail_Users": job["mail_user"]} if job.get("mail_user") else {}),
        "mtime": stamp(job["end_us"] or job["start_us"] or job["submit_us"]),
        "Output_Path": _path(job, job["stdout"]),
        "Priority": 0,
        "qtime": stamp(job["submit_us"]),
        "Rerunable": "True" if job["requeue"] else "False",
        "Resource_List": _asked(job),
    }
    return {**shown, **_life(job, state)}


def _life(job: Job, state: str) -> dict[str, Any]:
    """Return the attributes that tell where in its life a job is."""
    shown: dict[str, Any] = {}
    if job["start_us"] is not None:
        shown |= {"stime": stamp(job["start_us"]), "jobdir": job["workdir"]}
        shown["run_count"] = job["attempt"]
    shown["substate"] = _SUBSTATES.get(state, 92)
    if is_over(job):
        status = exit_status(job)
        shown["substate"] = 91 if job["state"] == "CANCELLED" else 93 if status else 92
        shown["Exit_status"] = status
        shown["history_timestamp"] = (job["end_us"] or 0) // 1_000_000
        shown["obittime"] = stamp(job["end_us"])
    shown["comment"] = comment(job, state)
    if is_array(job):
        shown |= {"array": "True", "array_indices_remaining": job["array_task_str"] or "-"}
    elif job.get("array_task_id") is not None:
        shown["array_id"] = job_name(job["array_job_id"], "")
        shown["array_index"] = job["array_task_id"]
    if job["eligible_us"] is not None:
        shown["etime"] = stamp(job["eligible_us"])
    return shown


def comment(job: Job, state: str) -> str:
    """Return why a job waits, or where it ran and how it ended."""
    if job["start_us"] is None:
        if state in "FX":
            return "Not Running: the job was deleted"
        return f"Not Running: {job['reason'] or 'the job waits for resources'}"
    begun = f"Job run at {stamp(job['start_us'])}"
    where = _places(job)["exec_vnode"] if job["node_cpus"] else ""
    how = ""
    if state in "FX":
        how = " and finished" if not exit_status(job) else " and failed"
    message = f": {job['message']}" if how and job["message"] else ""
    return f"{begun}{f' on {where}' if where else ''}{how}{message}"


def _used(job: Job) -> dict[str, Any]:
    elapsed_s = job["elapsed_s"] or 0
    cpu_s = job["cpu_s"] or 0
    return {
        "cpupercent": round(100 * cpu_s / elapsed_s) if elapsed_s else 0,
        "cput": clock(cpu_s),
        "mem": f"{(job['max_rss_mib'] or 0) << 10}kb",
        "ncpus": job["cpus"],
        "walltime": clock(elapsed_s),
    }


def _asked(job: Job) -> dict[str, Any]:
    tasks, ncpus = job["tasks"], job["cpus_per_task"]
    chunk = f"{tasks}:ncpus={ncpus}"
    asked: dict[str, Any] = {}
    if job["mem_mib"]:
        asked["mem"] = f"{job['mem_mib'] * (job['nodes'] or 1)}mb"
        if job["nodes"] == tasks:
            chunk += f":mem={job['mem_mib']}mb"
    asked |= {"ncpus": tasks * ncpus, "nodect": tasks, "select": chunk}
    request = job["request"]
    alone = bool(request) and bool(request[0].get("exclusive"))
    asked["place"] = "scatter" if job["nodes"] == tasks > 1 else "free"
    if alone:
        asked["place"] += ":exclhost"
    if job["time_limit_s"] is not None:
        asked["walltime"] = clock(job["time_limit_s"])
    return asked


def _places(job: Job) -> dict[str, str]:
    from rmsd_wire.hostlist import expand

    pairs = list(zip(expand(job["nodelist"]), job["node_cpus"], strict=True))
    return {
        "exec_host": "+".join(f"{node}/0*{cpus}" for node, cpus in pairs),
        "exec_vnode": "+".join(f"({node}:ncpus={cpus})" for node, cpus in pairs),
    }


def _depend(conditions: dict[str, Any]) -> str:
    names = []
    for one in conditions.get("dependencies") or ():
        if one.get("job_id") is not None:
            names.append(f"{one['relation']}:{job_name(one['job_id'])}@{SERVER}")
    return ",".join(names)


def _path(job: Job, path: str) -> str:
    return f"{os.uname().nodename}:{os.path.join(job['workdir'], path)}"


def clock(seconds: float) -> str:
    """Return `HH:MM:SS`; hours may have more digits."""
    whole = int(seconds)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def stamp(us: int | None) -> str:
    """Return a time as ctime(3) prints it."""
    return time.strftime("%a %b %e %H:%M:%S %Y", time.localtime((us or 0) // 1_000_000))
