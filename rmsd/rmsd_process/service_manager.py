"""Messages to systemd about this process, for units with `Type=notify` (sd_notify(3)).

Standard library only.
"""

from __future__ import annotations

import contextlib
import os
import socket

READY = "READY=1"
STOPPING = "STOPPING=1"


class ServiceManager:
    """The service manager that has started this process, if it wants to be told. The variable with
    its socket is taken out of the environment: jobs and other children have nothing to tell it."""

    def __init__(self) -> None:
        self._path = os.environ.pop("NOTIFY_SOCKET", "")

    def tell(self, state: str, status: str = "") -> None:
        """Send a state, and a line that `systemctl status` shows. A failure is ignored:
        the process does its work anyway."""
        if not self._path:
            return
        address = f"\0{self._path[1:]}" if self._path.startswith("@") else self._path
        text = f"{state}\nSTATUS={' '.join(status.split())}" if status else state
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as sender,
        ):
            sender.sendto(text.encode(), address)
