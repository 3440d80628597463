"""The ends that srun sets for a step: its time limit (`-t`), and a time after the end of the first
of its tasks (`-W`)."""

from __future__ import annotations

import signal
import threading
import time

from rmsd_client.api import Client
from rmsd_client.console.cli import tell
from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_client.slurm.submit.requests import invalid
from rmsd_client.slurm.words.times import stamp
from rmsd_client.steps.step_limit import StepLimit
from rmsd_client.submit.options import BY_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from rmsd_client.slurm.submit.requests import Values


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


class WaitForOthers:
    """Kills the other tasks of a step some seconds after the first one has ended, as `srun -W`
    does. 0 seconds: they may go on for any time.

    `name`: of the step, as in Slurm. `send` sends a signal to all tasks that are not over.
    """

    def __init__(self, wait_s: int, name: str, send: Callable[[int], None]) -> None:
        self._wait_s = wait_s
        self._name = name
        self._send = send
        self._timer: threading.Timer | None = None

    def task_ended(self) -> None:
        """Count the time from the first end of a task on."""
        if self._wait_s and self._timer is None:
            self._timer = threading.Timer(self._wait_s, self._kill)
            self._timer.daemon = True
            self._timer.start()

    def end(self) -> None:
        """Kill no tasks any more: the step is over."""
        if self._timer is not None:
            self._timer.cancel()

    def _kill(self) -> None:
        tell(f"srun: First task exited {self._wait_s}s ago")
        tell(f"srun: Terminating StepId={self._name}")
        self._send(signal.SIGKILL)


_MOST_WAIT_S = 1_000_000


def wait_s_of(values: Values) -> int:
    """Return the seconds that other tasks may go on after the first one; 0: any time.

    Raises:
        SlurmError: the value is no number of seconds.
    """
    text = values.get("wait", "0")
    if not (text.isascii() and text.isdigit()):
        raise SlurmError(f'srun: error: Invalid numeric value "{text}" for --wait.')
    return min(int(text[:9]), _MOST_WAIT_S)
