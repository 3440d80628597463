"""The tools that submit, hold and release jobs, and the one that tells of a submit before it."""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import Context
from pydantic import Field

from rmsd_client.rsub import spec_of
from rmsd_client.show.job_fields import local_time
from rmsd_client.show.tested import why_unknown
from rmsd_client.submit.script import wrap
from rmsd_mcp import bounded
from rmsd_mcp.caller import ToolCaller, caller_of
from rmsd_mcp.reading import JobName, Short, one_job
from rmsd_mcp.views import Json, job_row

Script = Annotated[
    str,
    Field(
        min_length=1,
        max_length=1 << 20,
        description="batch script that begins with #! (its #RSUB and #SBATCH lines count), or "
        "shell commands without that line",
    ),
]
Name = Annotated[Short, Field(description="name of the job")]
TimeLimit = Annotated[
    Short, Field(description="run time after which the job is killed: 90s, 30m, 1.5h, 2d, H:M:S")
]
Tasks = Annotated[int | None, Field(ge=1, description="number of tasks; default 1")]
Cpus = Annotated[int | None, Field(ge=1, description="processors for each task; default 1")]
Memory = Annotated[Short, Field(description="memory on each node, as 512M or 4G")]
Partition = Annotated[Short, Field(description="partition; default the cluster's")]
Directory = Annotated[
    Annotated[str, Field(max_length=4096)],
    Field(description="absolute working directory; default that of this server"),
]
Options = Annotated[
    list[Annotated[str, Field(max_length=4096)]],
    Field(max_length=50, description="more options of rsub, as --array=0-9 or --gres=gpu:1"),
]


def _spec(
    script: str,
    name: str,
    workdir: str,
    options: list[str],
    given: dict[str, str | int | None],
) -> Json:
    """Return the job to submit. Raises UsageError for a wrong value."""
    text = script if script.startswith("#!") else wrap(script)
    own = {"--job-name": name, "--chdir": workdir, **given}
    flags = [f"{flag}={one}" for flag, one in own.items() if one not in ("", None)]
    return spec_of("mcp", text, [*flags, *options])


def preview(
    ctx: Context[ToolCaller],
    script: Script,
    name: Name = "",
    time_limit: TimeLimit = "",
    tasks: Tasks = None,
    cpus_per_task: Cpus = None,
    memory: Memory = "",
    partition: Partition = "",
    workdir: Directory = "",
    options: Options = [],  # noqa: B006 -- it is only read, and the schema shows it
) -> dict[str, Any]:
    """Tell when and where a job would start if it were submitted now. Nothing is submitted. The
    arguments are those of `submit`."""
    with caller_of(ctx).client() as client:
        given = _given(time_limit, tasks, cpus_per_task, memory, partition)
        told = client.test_submit(_spec(script, name, workdir, options, given))
    if told["start_us"] is None:
        return {"starts": None, "why": why_unknown(told), "cpus": told["cpus"]}
    return {
        "starts": local_time(told["start_us"]),
        "ends_as_predicted": local_time(told["end_us"]),
        "basis": told["basis"],
        "cpus": told["cpus"],
        "nodes": bounded.line(told["nodelist"]),
        "partition": bounded.line(told["partition"]),
    }


def submit(
    ctx: Context[ToolCaller],
    script: Script,
    name: Name = "",
    time_limit: TimeLimit = "",
    tasks: Tasks = None,
    cpus_per_task: Cpus = None,
    memory: Memory = "",
    partition: Partition = "",
    workdir: Directory = "",
    options: Options = [],  # noqa: B006 -- it is only read, and the schema shows it
    key: Annotated[
        str,
        Field(
            pattern=r"^[A-Za-z0-9._-]{0,64}$",
            description="a text of your choice; a repeated call with the same key submits nothing",
        ),
    ] = "",
) -> dict[str, Any]:
    """Submit a batch job as the caller of this server. Answers with its number once the job is on
    the daemon's disk. Time limits are local spellings as 30m; memory is per node."""
    with caller_of(ctx).client() as client:
        given = _given(time_limit, tasks, cpus_per_task, memory, partition)
        [job] = client.submit([_spec(script, name, workdir, options, given)], key or None)
    shown = ("job_id", "cpus", "nodes", "mem_mib", "time_limit_s", "partition", "stdout")
    return {field: bounded.value(job.get(field)) for field in shown}


def _given(
    time_limit: str, tasks: int | None, cpus_per_task: int | None, memory: str, partition: str
) -> dict[str, str | int | None]:
    return {
        "--time": time_limit,
        "--ntasks": tasks,
        "--cpus-per-task": cpus_per_task,
        "--mem": memory,
        "--partition": partition,
    }


def hold(ctx: Context[ToolCaller], job: JobName) -> dict[str, Any]:
    """Hold a waiting job: it does not start before `release`."""
    return _changed(ctx, job, "hold")


def release(ctx: Context[ToolCaller], job: JobName) -> dict[str, Any]:
    """End the hold of a waiting job."""
    return _changed(ctx, job, "release")


def _changed(ctx: Context[ToolCaller], job: str, action: str) -> dict[str, Any]:
    name = one_job(job)
    with caller_of(ctx).client() as client:
        return job_row(client.change(name, action))
