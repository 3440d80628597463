"""The parts of a job, which are the components of a heterogeneous job of Slurm."""

from __future__ import annotations

from collections.abc import Sequence

from rmsd_daemon.domain.errors import Malformed
from rmsd_daemon.domain.ranges import within
from rmsd_daemon.domain.texts import MAX_NAME, check_text
from rmsd_wire.api.submission import JobPart, SubmitSpec

MOST_PARTS = 128
"""The most parts of a job, as in Slurm. A part adds some thirty variables to the job's
environment."""
_PART_BYTES = 256
"""The bytes that a part counts as beside its name."""


def checked_parts(spec: SubmitSpec) -> tuple[JobPart, ...]:
    """Return the parts of a job.

    Raises:
        Malformed: they do not make up the job, or need other numbers of processors on a node.
    """
    if not spec.parts:
        return ()
    within("parts", len(spec.parts), 2, MOST_PARTS)
    for other in ("array", "nodelist"):
        if getattr(spec, other):
            raise Malformed(f"'{other}' is given with 'parts': a job in parts cannot have it")
    for part in spec.parts:
        check_text("parts.name", part.name, MAX_NAME)
        if not part.name:
            raise Malformed("a name in 'parts' is empty; each part has a name")
        within("parts.nodes", part.nodes, 1, 1 << 20)
        within("parts.tasks", part.tasks, part.nodes, 1 << 24)
        within("parts.cpus_per_task", part.cpus_per_task, 0, 1 << 24)
    own_cpus = any(part.cpus_per_task for part in spec.parts)
    if own_cpus and spec.gres_per_task:
        raise Malformed("'gres_per_task' is given with 'cpus_per_task' of 'parts'; give 'gres'")
    for field in ("nodes",) if own_cpus else ("nodes", "tasks"):
        count = sum([getattr(part, field) for part in spec.parts])
        if getattr(spec, field) != count:
            asked = getattr(spec, field)
            raise Malformed(f"'{field}' is {asked}, and the 'parts' have {count} together")
    cpus = spec.cpus_per_task or 1
    wanted = _cpus_on_node(spec.tasks or spec.nodes or 1, spec.nodes or 1, cpus)
    for part in spec.parts:
        own = _cpus_on_node(part.tasks, part.nodes, part.cpus_per_task or cpus)
        if own != wanted:
            raise Malformed(
                f"part '{part.name}' needs {own} processors on a node, and the job "
                f"{wanted}: all parts need as many"
            )
    return tuple(spec.parts)


def _cpus_on_node(tasks: int, nodes: int, cpus: int) -> int:
    """Return how many processors so many tasks, with `cpus` each, need on a node."""
    return -(-tasks // nodes) * cpus


def bytes_of_parts(parts: Sequence[JobPart]) -> int:
    """Return how many bytes the parts of a job take in memory at most."""
    return sum([_PART_BYTES + 4 * len(part.name) for part in parts])
