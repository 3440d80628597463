"""The time limit of a step: `rrun -t`, and `srun -t` in a job."""

from __future__ import annotations

import signal
import threading

from rmsd_client.errors import ClientError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from rmsd_client.api import Client

_SLICE_S = 1.0
_GRACE_S = 30.0  # if the daemon is away
_MOST_ASKED_S = 1.0
"""The longest wait for a daemon that is away when it is asked for the grace."""


class StepLimit:
    """Ends a step at its limit: with TERM, and after the site's grace with KILL. `say` tells the
    user of the limit, and `send` sends the signals. None: there is no limit but that of the job."""

    def __init__(
        self,
        limit_s: float | None,
        connect: Callable[[], Client],
        say: Callable[[], None],
        send: Callable[[int], None],
    ) -> None:
        self._limit_s = limit_s
        self._connect = connect
        self._say = say
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
        self._say()
        self._send(signal.SIGTERM)
        if not self._over.wait(self._grace_s()):
            self._send(signal.SIGKILL)

    def _grace_s(self) -> float:
        try:
            with self._connect() as client:
                client.retry_for_s = _MOST_ASKED_S
                return float(client.status()["settings"]["kill_grace_s"])
        except (ClientError, KeyError):
            return _GRACE_S
