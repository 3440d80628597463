"""The agent's end of a task's terminal: what is typed, on its way to the terminal's keeper."""

from __future__ import annotations

import contextlib
import socket
import struct
from pathlib import Path

from rmsd_agent.shepherd.standalone.feeding import short_path
from rmsd_agent.shepherd.standalone.terminal import ALIVE, END, SIZE, SIZE_FORMAT, TYPED
from rmsd_wire.link_calls import WriteInput

TERMINAL = "terminal"
"""The name of the socket of a terminal's keeper in its task's directory."""


class TerminalLine:
    """The connection to the keeper of a terminal (`shepherd.standalone.terminal`), which is made
    when it is needed: a keeper outlives agents."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / TERMINAL
        self._connected: socket.socket | None = None

    def pass_on(self, call: WriteInput) -> bool:
        """Tell the keeper the size, and what is typed; False if there is no keeper any more.

        Raises:
            BlockingIOError: the keeper takes nothing now. Nothing of what is typed was passed on.
            FileNotFoundError: there is no keeper yet.
        """
        try:
            if self._connected is None:
                self._connected = _connect(self._path)
            if call.rows and call.cols:
                self._connected.send(SIZE + struct.pack(SIZE_FORMAT, call.rows, call.cols))
            kind = END if call.eof else TYPED if call.data else ALIVE
            # The socket takes a message as a whole, or nothing of it.
            self._connected.send(kind + call.data)
        except ConnectionError:
            self.close()
            return False
        return True

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._connected is not None:
            self._connected.close()
            self._connected = None


def is_there(directory: Path) -> bool:
    """Return whether a task has a terminal."""
    return (directory / TERMINAL).exists()


def _connect(path: Path) -> socket.socket:
    connected = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        connected.setblocking(False)
        with short_path(path) as address:
            connected.connect(address)
        with contextlib.suppress(OSError):
            connected.shutdown(socket.SHUT_RD)  # nothing of a user's gathers here
    except OSError:
        connected.close()
        raise
    return connected
