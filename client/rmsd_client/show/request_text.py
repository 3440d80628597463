"""The resources that a job asks for, in words."""

from __future__ import annotations

from rmsd_client.console.cli import plural
from rmsd_wire.hostlist import compress
from rmsd_wire.sizes import format_mem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rmsd_client.show.job_fields import Job


def request_text(job: Job) -> str:
    """Return what a job (a `JobView`) asks for."""
    first = f"{job['tasks']} x {plural(job['cpus_per_task'], 'cpu')}"
    return ", ".join([first, *beside_cpus(job)])


def beside_cpus(job: Job) -> list[str]:
    """Return what a job asks for beside its processors: memory, devices and certain nodes."""
    # The components are alternatives in several partitions, and alike in all that is told here.
    part = (job.get("request") or [{}])[0]
    texts = []
    if part.get("all_mem") and not part.get("exclusive"):
        texts.append("all memory of its nodes")
    elif part.get("unit_mem"):
        texts.append(f"{format_mem(part['mem_mib'])} of memory a task")
    elif job["mem_mib"]:
        per_cpu_mib = job.get("mem_per_cpu_mib")  # older daemons do not tell it
        by_cpu = f" ({format_mem(per_cpu_mib)} for each processor)" if per_cpu_mib else ""
        texts.append(f"{format_mem(job['mem_mib'])} of memory a node{by_cpu}")
    if gres := part.get("gres"):
        texts.append(f"{gres} a node")
    if gres := part.get("gres_per_unit"):
        texts.append(f"{gres} a task")
    if part.get("exclusive"):
        texts.append("whole nodes")
    if job.get("constraint"):
        texts.append(f"on nodes with {job['constraint']}")
    if require := part.get("require"):
        texts.append(f"on {compress(require)}")
    if exclude := part.get("exclude"):
        texts.append(f"not on {compress(exclude)}")
    return texts
