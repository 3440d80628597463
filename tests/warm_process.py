"""Daemons and agents whose libraries are loaded: each is a process, forked from one that has them.

The libraries take a daemon nearly a second of processor time, and an agent a third of one; tests
start hundreds. `tests/conftest.py` says which tests fork them. The others, and all programs that
are no tests, start them from their files.
"""

from __future__ import annotations

import atexit
import functools
import inspect
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parent.parent
_lock = threading.Lock()
_environment: dict[str, str] = {}
_forks = False


def fork_programs(on: bool) -> None:
    """Make `start_program` fork what it starts from now on, or start it from its files.

    The first call comes before any test has changed the environment.
    """
    global _environment, _forks
    _environment = _environment or dict(os.environ)
    _forks = on


def start_program(command: Sequence[str | Path], **options: Any) -> subprocess.Popen[bytes]:
    """Start `rmsd` or `rmsd-agent`, by the path of the program."""
    return (WarmProcess if _forks else subprocess.Popen)(command, **options)


class ForkedProcess(subprocess.Popen[bytes]):
    """`subprocess.Popen` of a program that another process forks, as a child of this one."""

    def ask(self, request: dict[str, Any], files: list[int]) -> int | None:
        """Return the pid of a process as requested, with these standard streams, or None if it is
        to be started from its files."""
        raise NotImplementedError

    def _execute_child(self, *passed: Any) -> None:
        """Start the child. `subprocess` starts each here, and keeps its side of the pipes."""
        given = inspect.signature(super()._execute_child).bind(*passed).arguments  # type: ignore[misc]
        env = given["env"]
        request = {
            "args": [os.fspath(word) for word in given["args"]],
            "cwd": os.fspath(given["cwd"] or os.getcwd()),
            "env": dict(os.environ if env is None else env),
            "start_new_session": given["start_new_session"],
        }
        ends = [given[name] for name in ("p2cread", "c2pwrite", "errwrite")]
        files = [number if end == -1 else end for number, end in enumerate(ends)]
        pid = self.ask(request, files)
        if pid is None:
            super()._execute_child(*passed)  # type: ignore[misc]
            return
        self.pid = pid
        self._child_created = True
        pipes = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        self._close_pipe_fds(*(given[name] for name in pipes))  # type: ignore[attr-defined]


class WarmProcess(ForkedProcess):
    """`subprocess.Popen` of `rmsd` or `rmsd-agent`, by the path of the program. Of the options of
    `Popen` it takes those that are in the request. Another program, or one for which Python is set
    up otherwise than for the server, is started from its files."""

    def ask(self, request: dict[str, Any], files: list[int]) -> int | None:
        if Path(request["args"][0]).name not in ("rmsd", "rmsd-agent"):
            return None
        if _of_python(request["env"]) != _of_python(_environment):
            return None
        with _lock:
            channel = _server()
            socket.send_fds(channel, [json.dumps(request).encode()], files)
            answer = channel.recv(64)
        assert answer, "the process that starts daemons and agents has ended"
        return int(answer) or None


def _of_python(environment: dict[str, str]) -> dict[str, str]:
    """Return what Python reads when it starts, without the warnings, which the server sets anew."""
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(("PYTHON", "LANG", "LC_")) and name != "PYTHONWARNINGS"
    }


@functools.cache
def _server() -> socket.socket:
    """Start the server. It ends with this process, which alone holds the other end."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.process_server", str(theirs.fileno()), "-" * 4096],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            cwd=_ROOT,
            env=_environment,
        )

    @atexit.register
    def end() -> None:
        ours.close()
        process.kill()
        process.wait()

    return ours
