"""The time limit of a step: `srun -t` in a job."""

from __future__ import annotations

import signal
import threading
import time

from rmsd_client.api import Client
from rmsd_client.cli import tell
from rmsd_client.errors import ClientError
from rmsd_client.options import BY_NAME
from rmsd_client.slurm.requests import invalid
from rmsd_client.slurm.times import stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from rmsd_client.slurm.requests import Values

_SLICE_S = 1.0
_GRACE_S = 30.0  # if the daemon is away


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


class StepLimit:
    """Ends a step at its limit: with TERM, and after the site's grace with KILL."""

    def __init__(
        self, limit_s: float | None, name: str, node: str, send: Callable[[int], None]
    ) -> None:
        self._limit_s = limit_s
        self._name = name
        self._node = node
        self._send = send
        self._over = threading.Event()
        self.passed = False

    def begin(self) -> None:
        """Count the time from now on."""
        if self._limit_s is not None:
            threading.Thread(target=self._watch, args=(self._limit_s,), daemon=True).start()

    def end(self) -> None:
        """Send no more signals: the step is over."""
        self._over.set()

    def _watch(self, limit_s: float) -> None:
        left_s = limit_s
        while left_s > 0:
            slice_s = min(left_s, _SLICE_S)
            if self._over.wait(slice_s):
                return
            left_s -= slice_s  # while the job is suspended, this process and the limit stand still
        self.passed = True
        tell(
            f"slurmstepd-{self._node}: error: *** STEP {self._name} ON {self._node} CANCELLED AT "
            f"{stamp(time.time_ns() // 1000)} DUE TO TIME LIMIT ***"
        )
        self._send(signal.SIGTERM)
        if not self._over.wait(_grace_s()):
            self._send(signal.SIGKILL)


def _grace_s() -> float:
    try:
        with Client() as client:
            return float(client.status()["settings"]["kill_grace_s"])
    except (ClientError, KeyError):
        return _GRACE_S
