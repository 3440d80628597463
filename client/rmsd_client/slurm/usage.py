"""`sstat` and `seff`: what jobs use, and how well they use what they have."""

from __future__ import annotations

import sys

from rmsd_client.api import Client
from rmsd_client.console.cli import tell
from rmsd_client.errors import ApiError
from rmsd_client.slurm.command_lines.command_line import (
    IGNORED,
    NO,
    REFUSED,
    YES,
    Opt,
    Table,
    check_supported,
    help_of,
)
from rmsd_client.slurm.command_lines.ending import SlurmError, run
from rmsd_client.slurm.command_lines.site import CLUSTER, VERSION
from rmsd_client.slurm.fields.account_fields import BY_NAME
from rmsd_client.slurm.sacct import columns_of, print_rows
from rmsd_client.slurm.words import jobs as of
from rmsd_client.slurm.words.account_row import Row
from rmsd_client.slurm.words.job_steps import JobSteps, use_of_one
from rmsd_client.slurm.words.times import long_duration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Job = dict[str, Any]

SSTAT = Table(
    "sstat",
    (
        Opt("a", "allsteps", NO),
        Opt("o", "format", YES),
        Opt("", "fields", YES),
        Opt("e", "helpformat", NO),
        Opt("h", "help", NO),
        Opt("i", "pidformat", NO, REFUSED, "the processes of jobs are not listed"),
        Opt("j", "jobs", YES),
        Opt("", "noconvert", NO),
        Opt("n", "noheader", NO),
        Opt("p", "parsable", NO),
        Opt("P", "parsable2", NO),
        Opt("", "usage", NO),
        Opt("v", "verbose", NO, IGNORED),
        Opt("V", "version", NO),
    ),
)

_DEFAULT = (
    "jobid,maxvmsize,maxvmsizenode,maxvmsizetask,avevmsize,maxrss,maxrssnode,maxrsstask,averss,"
    "maxpages,maxpagesnode,maxpagestask,avepages,mincpu,mincpunode,mincputask,avecpu,ntasks,"
    "avecpufreq,reqcpufreqmin,reqcpufreqmax,reqcpufreqgov,consumedenergy,maxdiskread,"
    "maxdiskreadnode,maxdiskreadtask,avediskread,maxdiskwrite,maxdiskwritenode,maxdiskwritetask,"
    "avediskwrite,tresusageinave,tresusageinmax,tresusageinmaxnode,tresusageinmaxtask,"
    "tresusageinmin,tresusageinminnode,tresusageinmintask,tresusageintot,tresusageoutave,"
    "tresusageoutmax,tresusageoutmaxnode,tresusageoutmaxtask,tresusageoutmin,tresusageoutminnode,"
    "tresusageoutmintask,tresusageouttot"
)
_GIB = 1024


def main_sstat() -> int:
    return run("sstat", sstat, "sstat: error")


def sstat(argv: Sequence[str]) -> int:
    """Show the steps of running jobs, with what their jobs use now."""
    found, words = SSTAT.read(argv, permute=True)
    check_supported(SSTAT, found)
    options = {option.long: value or "" for option, value in found}
    if "help" in options or "usage" in options:
        print(help_of(SSTAT, "sstat [<OPTION>] -j <job(.step)>"))
        return 0
    if "version" in options:
        print(f"slurm {VERSION}")
        return 0
    if "helpformat" in options:
        print("\n".join(field.name for field in BY_NAME.values()))
        return 0
    ids = ",".join(filter(None, [options.get("jobs", ""), *words]))
    if not ids:
        raise SlurmError("sstat: error: You didn't give me any jobs to stat.")
    wanted = of.parse_ids(ids, "sstat")
    columns = columns_of(options.get("format") or options.get("fields") or _DEFAULT, "sstat")
    with Client() as client:
        jobs = of.find(client, wanted)
        remembered = JobSteps(client, jobs)
        rows: list[Row] = []
        for job in jobs:
            if job["state"] not in ("RUNNING", "COMPLETING"):
                continue
            steps = {one.step for one in wanted if one.is_job(job)}
            own = [
                row for row in remembered.rows(job)
                if row.step in steps or "allsteps" in options
                or ("" in steps and row.step != "batch")
            ]  # fmt: skip
            if own:
                _add_use(client, job, own, is_alone=remembered.is_alone(job))
            rows += own
    print_rows(columns, rows, options)
    for one in wanted:
        if not any(one.is_job(row.job) for row in rows):
            tell(f"sstat: error: couldn't get steps for job {one.name}")
    return 0


def _add_use(client: Client, job: Job, rows: Sequence[Row], *, is_alone: bool) -> None:
    """Add what a job uses now to the rows of its steps that run. A script that has begun no steps
    uses it all. Otherwise it is known how much memory all steps together have had on a node at
    most, and not what each uses."""
    try:
        nodes = client.use(job["job_id"])["nodes"]
    except ApiError:  # the job is emulated, or has just ended
        return
    peaks = [(mib, one["node"]) for one in nodes if (mib := _peak_mib(one)) is not None]
    peak_mib, node = max(peaks) if len(peaks) == len(nodes) and peaks else (None, "")
    times_s = [one["cpu_s"] for one in nodes]
    cpu_s = None if None in times_s else sum(times_s)
    for row in rows:
        if row.values.get("state", "RUNNING") != "RUNNING":
            continue
        if is_alone:
            row.values.update(use_of_one(cpu_s, peak_mib, node))
        elif peak_mib is not None:
            row.values.update(max_rss_mib=peak_mib, figures={"max_rss_node": node})


def _peak_mib(use: Job) -> int | None:
    """Return the most memory that a job is known to have had on a node."""
    sizes = [one for one in (use["mem_mib"], use["max_rss_mib"]) if one is not None]
    return max(sizes, default=None)


def main_seff() -> int:
    return run("seff", seff, "seff: error")


def seff(argv: Sequence[str]) -> int:
    """Show how well a job has used its processors and its memory."""
    words = [word for word in argv if not word.startswith("-")]
    if "-h" in argv or "--help" in argv or not words:
        print("Usage: seff [Options] <Jobid>")
        return 0 if argv else 1
    with Client() as client:
        found = of.find(client, of.parse_ids(words[0], "seff"))
    if not found:
        raise SlurmError("Job not found.")
    sys.stdout.write("".join(f"{line}\n" for line in _efficiency(found[0])))
    return 0


def _efficiency(job: Job) -> list[str]:
    elapsed_s = float(job["elapsed_s"] or 0)
    cpus, nodes = job["cpus"], job["nodes"] or 1
    group, _ = of.group_of(job["user"])
    used_s = float(job["cpu_s"] or 0)
    walltime_s = elapsed_s * cpus
    lines = [f"Job ID: {job['job_id']}"]
    if job.get("array_job_id") is not None:
        lines.append(f"Array Job ID: {of.text_id(job)}")
    lines += [
        f"Cluster: {CLUSTER}",
        f"User/Group: {job['user']}/{group}",
        f"State: {job['state']} (exit code {job['exit_code'] or 0})",
    ]
    if nodes > 1:
        lines.append(f"Nodes: {nodes}")
    lines.append(f"Cores per node: {max(1, cpus // nodes)}" if cpus > 1 else "Cores: 1")
    share = 100 * used_s / walltime_s if walltime_s else 0.0
    lines += [
        f"CPU Utilized: {long_duration(used_s)}",
        f"CPU Efficiency: {share:.2f}% of {long_duration(walltime_s)} core-walltime",
        f"Job Wall-clock time: {long_duration(elapsed_s)}",
    ]
    # The memory is known of the node where the job used most; Slurm, too, estimates the sum.
    peak, asked = int(job["max_rss_mib"] or 0) * nodes, of.held_memory_mib(job)
    each = f"{_size(of.min_memory_mib(job))}/{'core' if job.get('mem_per_cpu_mib') else 'node'}"
    share = 100 * peak / asked if asked else 0.0
    estimated = " (estimated maximum)" if nodes > 1 else ""
    lines += [
        f"Memory Utilized: {_size(peak)}{estimated}",
        f"Memory Efficiency: {share:.2f}% of {_size(asked)} ({each})",
    ]
    if not of.is_over(job):
        lines.append("WARNING: Efficiency statistics can only be obtained after the job has ended.")
    return lines


def _size(mib: int) -> str:
    return f"{mib / _GIB:.2f} GB" if mib >= _GIB else f"{mib:.2f} MB"
