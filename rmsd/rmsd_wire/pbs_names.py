"""The names that PBS has for a job and for its variables. Standard library only.

A job that `qsub` submits carries PBS_ENVIRONMENT. Its node adds the variables that PBS sets, and
writes the file that PBS_NODEFILE names.
"""

from __future__ import annotations

from rmsd_wire.hostlist import expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SERVER = "rmsd"
"""The name of the server, which is a part of the name of each job."""

PROCESSES = "PBS_MPIPROCS"
"""The variable with the lines of each chunk in the file of nodes: `mpiprocs` of `-l select`."""

_MOST_LINES = 1_000_000
"""The most lines of a file of nodes. A job that asks for more has one line for each chunk."""

_NAMES = {
    "RMS_JOB_NAME": ("PBS_JOBNAME",),
    "RMS_JOB_PARTITION": ("PBS_QUEUE",),
    "RMS_ARRAY_TASK_ID": ("PBS_ARRAY_INDEX", "PBS_ARRAYID"),
    "RMS_NNODES": ("PBS_NUM_NODES",),
    "RMS_NODEID": ("PBS_NODENUM",),
}
"""PBS's names for the same value."""


def job_name(job_id: int | str, index: int | str | None = None) -> str:
    """Return the name of a job; with an index that of a subjob of an array, with "" that of the
    array."""
    return f"{job_id}.{SERVER}" if index is None else f"{job_id}[{index}].{SERVER}"


def names_pbs(env: Mapping[str, str]) -> bool:
    """Return whether a job expects the variables of PBS."""
    return "PBS_ENVIRONMENT" in env


def pbs_names(env: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of PBS for the `RMS_*` variables in `env`."""
    named = {pbs: env[ours] for ours, names in _NAMES.items() if ours in env for pbs in names}
    array = env.get("RMS_ARRAY_JOB_ID")
    if array is None:
        named["PBS_JOBID"] = job_name(env["RMS_JOB_ID"])
    else:
        named["PBS_JOBID"] = job_name(array, env["RMS_ARRAY_TASK_ID"])
        named["PBS_ARRAY_ID"] = job_name(array, "")
    named.setdefault("PBS_NODENUM", "0")
    named["PBS_TASKNUM"] = str(int(env.get("RMS_PROCID", "0")) + 1)
    return named


def node_file(env: Mapping[str, str]) -> str:
    """Return the file of nodes: for each task the name of its node. In a job of PBS a task is a
    chunk, whose node is there as often as the chunk has processes."""
    nodes, chunks = expand(env["RMS_NODELIST"]), _counts(env["RMS_TASKS_PER_NODE"])
    text = env.get(PROCESSES, "")
    each = int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 1
    if each * sum(chunks) > _MOST_LINES:
        each = 1
    return "".join(f"{node}\n" * (each * count) for node, count in zip(nodes, chunks, strict=True))


def _counts(text: str) -> list[int]:
    """Return the counts of `2(x3),1`: three times 2, and 1."""
    counts: list[int] = []
    for item in text.split(","):
        count, _, times = item.partition("(x")
        counts += [int(count)] * int(times.rstrip(")") or 1)
    return counts
