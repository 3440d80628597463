"""`qstat`: the jobs that wait, run, or have ended; the queues; the server."""

from __future__ import annotations

import sys

from rmsd_client.api import Client
from rmsd_client.console.cli import printable, tell
from rmsd_client.pbs import attributes as of
from rmsd_client.pbs.command_line import (
    IGNORED,
    PbsOption,
    PbsTable,
    asks_for_help,
    asks_for_version,
)
from rmsd_client.pbs.ending import JOB_FINISHED, UNKNOWN_JOB, UNKNOWN_QUEUE, PbsError, run
from rmsd_client.pbs.full_output import flat, print_attributes, print_json
from rmsd_client.pbs.job_ids import is_array, parse_id, text_id
from rmsd_wire.pbs_names import SERVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from rmsd_client.pbs.job_ids import JobId

    Job = dict[str, Any]
    Options = dict[str, str]

QSTAT = PbsTable(
    "qstat",
    "[job_id... | queue...]",
    (
        PbsOption("a"),
        PbsOption("B"),
        PbsOption("E", "", IGNORED),
        PbsOption("f"),
        PbsOption("F", "json|dsv"),
        PbsOption("G", "", IGNORED),
        PbsOption("H"),
        PbsOption("i"),
        PbsOption("J"),
        PbsOption("M", "", IGNORED),
        PbsOption("n"),
        PbsOption("p", "", IGNORED),
        PbsOption("q"),
        PbsOption("Q"),
        PbsOption("r"),
        PbsOption("s"),
        PbsOption("t"),
        PbsOption("u", "users"),
        PbsOption("w"),
        PbsOption("x"),
        PbsOption("1"),
    ),
)

_HISTORY_S = 14 * 86400
"""The seconds for which OpenPBS by default lists jobs that are over."""

_HEAD = (
    "Job id            Name             User              Time Use S Queue",
    "----------------  ---------------- ----------------  -------- - -----",
)
_WIDE_HEAD = (
    "",
    f"{SERVER}: ",
    "                                                            Req'd  Req'd   Elap",
    "Job ID          Username Queue    Jobname    SessID NDS TSK Memory Time  S Time",
    "--------------- -------- -------- ---------- ------ --- --- ------ ----- - -----",
)


def main() -> int:
    return run("qstat", qstat)


def qstat(argv: Sequence[str]) -> int:
    """Show jobs, queues or the server; returns the exit code."""
    if asks_for_version(argv) or asks_for_help(QSTAT, argv):
        return 0
    found, words = QSTAT.read(argv, permute=True)
    options: Options = dict(found)
    if options.get("F", "json").lower() not in ("json", "dsv"):
        raise QSTAT.misused("illegal -F value")
    with Client() as client:
        if "B" in options or "Q" in options or "q" in options:
            from rmsd_client.pbs.queues import show_queues, show_server

            return (
                show_server(client, options)
                if "B" in options
                else show_queues(client, options, words)
            )
        jobs, code = _chosen(client, options, words)
    if "f" in options or "F" in options:
        _print_full(jobs, options)
    elif jobs:
        wide = any(letter in options for letter in "aiHnrsu")
        lines = _wide_lines(jobs, options) if wide else [*_HEAD, *map(_line, jobs)]
        sys.stdout.write("".join(f"{printable(line)}\n" for line in lines))
    return code


# ---------------------------------------------------------------- which jobs


def _chosen(client: Client, options: Options, words: Sequence[str]) -> tuple[list[Job], int]:
    ids = [parse_id("qstat", word) for word in words if word[:1].isdigit()]
    queues = {word.partition("@")[0] for word in words if not word[:1].isdigit()} - {""}
    code = 0
    if ids:
        jobs, code = _named(client, ids, options)
    else:
        _check_queues(client, queues)
        users = options.get("u", "").replace(" ", "")
        past = "x" in options or "H" in options
        since_us = now_us(client) - _HISTORY_S * 1_000_000 if past else None
        jobs = client.jobs(
            states="all" if past else None,
            user=",".join(word.partition("@")[0] for word in users.split(",")) or None,
            ended_since_us=since_us,
            apart="t" in options,
        )
        jobs = of.arrays_as_one(jobs, expand="t" in options)
    return [job for job in jobs if _fits(job, options, queues)], code


def _fits(job: Job, options: Options, queues: set[str]) -> bool:
    state = of.state_of(job)
    if "J" in options and not (is_array(job) or job.get("array_task_id") is not None):
        return False
    if "H" in options and state not in "FX":
        return False
    if "r" in options and "i" not in options and state not in "RBE":
        return False
    if "i" in options and "r" not in options and state not in "QHW":
        return False
    return not queues or (job["partition"] or of.DEFAULT_QUEUE) in queues


def _check_queues(client: Client, queues: set[str]) -> None:
    if unknown := sorted(queues - {one["name"] for one in client.partitions()} if queues else ()):
        raise PbsError(f"qstat: Unknown queue {unknown[0]}", code=UNKNOWN_QUEUE)


def _named(client: Client, ids: Sequence[JobId], options: Options) -> tuple[list[Job], int]:
    """Return the jobs of these names in their order, and the exit code: that of the last problem.
    Jobs that are over are shown with -x and -H alone."""
    names = list(dict.fromkeys(one.name for one in ids))
    rows = client.jobs(states="all", ids=names, apart="t" in options)
    shown: list[Job] = []
    code = 0
    for one in ids:
        found = _rows_of(one, rows, options)
        if not found:
            tell(f"qstat: Unknown Job Id {one.text}")
            code = UNKNOWN_JOB
        elif all(map(of.is_over, found)) and not {"x", "H"} & options.keys():
            tell(
                f"qstat: {one.text} Job has finished, use -x or -H to obtain historical job "
                "information"
            )
            code = JOB_FINISHED
        else:
            shown += found
    return shown, code


def _rows_of(one: JobId, rows: Iterable[Job], options: Options) -> list[Job]:
    if one.indices:
        from rmsd_wire.arrays import parse_tasks

        _, runs = parse_tasks(one.name)
        return [
            job
            for job in rows
            if job.get("array_job_id") == one.job_id
            and job.get("array_task_id") is not None
            and any(
                first <= job["array_task_id"] <= last and not (job["array_task_id"] - first) % step
                for first, last, step in runs or ()
            )
        ]
    mine = [job for job in rows if one.job_id in (job["job_id"], job.get("array_job_id"))]
    return of.arrays_as_one(mine, expand="t" in options)


def now_us(client: Client) -> int:
    """Return the daemon's time, in which the times of jobs are."""
    return int(client.status()["clock"]["model_us"])


# ---------------------------------------------------------------- how they are shown


def _line(job: Job) -> str:
    used = of.clock(job["cpu_s"] or 0) if job["start_us"] is not None else "0"
    queue = job["partition"] or of.DEFAULT_QUEUE
    name, user = job["name"][:16], job["user"][:16]
    return f"{text_id(job):<17} {name:<16} {user:<16}  {used:>8} {of.state_of(job)} {queue:<16}"


def _wide_lines(jobs: Iterable[Job], options: Options) -> list[str]:
    lines = list(_WIDE_HEAD)
    for job in jobs:
        memory = f"{job['mem_mib']}mb" if job["mem_mib"] else "--"
        asked = "--" if job["time_limit_s"] is None else of.clock(job["time_limit_s"])[:-3]
        elapsed = "--" if job["start_us"] is None else of.clock(job["elapsed_s"] or 0)[:-3]
        queue = job["partition"] or of.DEFAULT_QUEUE
        lines.append(
            f"{text_id(job):<15} {job['user'][:8]:<8} {queue[:8]:<8} {job['name'][:10]:<10} "
            f"{'--':>6} {job['nodes'] or 1:>3} {job['cpus']:>3} {memory:>6} {asked:>5} "
            f"{of.state_of(job)} {elapsed:>5}"
        )
        where = of.attributes(job).get("exec_host", "--")
        if "n" in options and "1" in options:
            lines[-1] += f" {where}"
        elif "n" in options:
            lines.append(f"   {where}")
        if "s" in options:
            lines.append(f"   {of.comment(job, of.state_of(job))}")
    return lines


def _print_full(jobs: Sequence[Job], options: Options) -> None:
    named = {text_id(job): of.attributes(job) for job in jobs}
    if options.get("F", "").lower() == "json":
        print_json("Jobs", named)
        return
    for name, shown in named.items():
        if "F" in options:
            pairs = [f"Job Id: {printable(name)}"]
            pairs += [f"{key}={value}" for key, value in flat(shown)]
            print("|".join(pairs))
        else:
            print_attributes(f"Job Id: {name}", shown, wide="w" in options)
