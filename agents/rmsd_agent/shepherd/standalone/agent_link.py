"""The shepherd's link to an agent: dialing it for ever, and lines in both directions."""

from __future__ import annotations

import socket
import time

from .lines import line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_REDIAL_S = (0.2, 1.0)  # first and longest pause between two attempts to reach an agent


class AgentLink:
    """The link to the agent that listens on the socket `path`, while there is one (`sock`)."""

    def __init__(self, path: str) -> None:
        self.sock: socket.socket | None = None
        self.redial_at_s = 0.0
        # the later of the loss of the link and the end of the last unit
        self.alone_since_s = time.monotonic()
        self._path = path
        self._heard = b""
        self._redial_pause_s = _REDIAL_S[0]

    def dial(self) -> bool:
        """Reach for an agent if it is time to; return True if one is there now."""
        if time.monotonic() < self.redial_at_s:
            return False
        try:
            self.sock = _connected(self._path)
        except OSError:
            self.redial_at_s = time.monotonic() + self._redial_pause_s
            self._redial_pause_s = min(self._redial_pause_s * 2, _REDIAL_S[1])
            return False
        self._redial_pause_s = _REDIAL_S[0]
        return True

    def tell(self, **message: Any) -> bool:
        """Send a message; return False if there is no agent to have it."""
        if self.sock is None:
            return False
        try:
            self.sock.sendall(line(message))
        except OSError:
            self._lose()
            return False
        return True

    def hear(self) -> list[bytes]:
        """Return the lines that have come, none if the agent has gone."""
        assert self.sock is not None
        try:
            chunk = self.sock.recv(1 << 18)
        except OSError:
            chunk = b""
        if not chunk:
            self._lose()
            return []
        *lines, self._heard = (self._heard + chunk).split(b"\n")
        return lines

    def _lose(self) -> None:
        if self.sock is not None:
            self.sock.close()
        self.sock = None
        self._heard = b""
        self.redial_at_s = self.alone_since_s = time.monotonic()


def _connected(path: str) -> socket.socket:
    agent = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        agent.settimeout(5)
        agent.connect(path)
    except OSError:
        agent.close()
        raise
    return agent
