"""The time limit of a step as `srun -t` has it."""

from __future__ import annotations

import time

from rmsd_client.api import Client
from rmsd_client.cli import tell
from rmsd_client.options import BY_NAME
from rmsd_client.slurm.requests import invalid
from rmsd_client.slurm.times import stamp
from rmsd_client.step_limit import StepLimit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from rmsd_client.slurm.requests import Values


def limit_s_of(values: Values) -> float | None:
    """Return the limit of a step in seconds; None: it has none but its job's.

    Raises:
        SlurmError: the value is no time.
    """
    if "time" not in values:
        return None
    try:
        found = BY_NAME["time"].parse(values["time"])
    except ValueError as error:
        raise invalid("srun", "time", str(error)) from None
    return float(found) if isinstance(found, (int, float)) else None


def step_limit(
    limit_s: float | None, name: str, node: str, send: Callable[[int], None]
) -> StepLimit:
    """Return the limit of a step, which is told as Slurm tells it."""

    def say() -> None:
        tell(
            f"slurmstepd-{node}: error: *** STEP {name} ON {node} CANCELLED AT "
            f"{stamp(time.time_ns() // 1000)} DUE TO TIME LIMIT ***"
        )

    return StepLimit(limit_s, Client, say, send)
