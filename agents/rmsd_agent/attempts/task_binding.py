"""The processors of its attempt to which a task is bound."""

from __future__ import annotations

import os
from collections.abc import Sequence

from rmsd_agent.attempts.errors import UnusableRequest
from rmsd_agent.machine.processors import PhysicalCores, spelled, usable_processors
from rmsd_wire.link_values import TaskBind

_ACTIONS = {"none": "NONE", "rank": "RANK", "map": "MAP "}


def bound_to(
    bind: TaskBind | None, own: Sequence[int], cores: PhysicalCores | None = None
) -> list[int]:
    """Return the processors of a task; none: all that its attempt may use. `own`: those of the
    attempt; none if it shares all of the machine. Tasks of such an attempt have no places to be
    bound by; only processors that are named bind them.

    Raises:
        UnusableRequest: a processor that is named is not the attempt's.
    """
    if bind is None or bind.how == "none":
        return []
    if bind.how in ("map", "mask"):
        allowed = set(own) or os.sched_getaffinity(0)
        if outside := sorted(set(bind.processors) - allowed):
            raise UnusableRequest(
                f"--cpu-bind: {spelled(outside)} is outside of the processors of the job on this "
                f"node, {spelled(allowed)}"
            )
        return sorted(set(bind.processors))
    if not own:
        return []
    chosen = {
        own[place % len(own)] for place in bind.processors[: 1 if bind.how == "rank" else None]
    }
    if bind.how == "cores":
        cores = usable_processors() if cores is None else cores
        chosen = {
            one for core in cores if chosen & set(core) for one in core if one in own
        } or chosen
    return sorted(chosen)


def told_of(bind: TaskBind | None, node: str, rank: int) -> str:
    """Return the beginning of the line that tells a task's binding, as Slurm writes it; "": none is
    asked for. The process and its processors follow."""
    if bind is None or not bind.verbose:
        return ""
    action = _ACTIONS.get(bind.how, "MASK")
    return f"cpu-bind={action} - {node}, task {rank:2} {bind.local_rank:2}"
