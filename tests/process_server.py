"""A process whose children are daemons and agents with all their libraries loaded.

`tests.warm_process` starts it and asks it, one message of a socket for each process. Its last
argument is padding, over which its children write their own command lines.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import platform
import signal
import socket
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import rmsd_agent.main
import rmsd_cli.main
import rmsd_cli.start
import rmsd_daemon.server
import rmsd_daemon.setup.loading  # noqa: F401
from tests.warm_process import ForkedProcess

_MAINS = {"rmsd": rmsd_cli.main.main, "rmsd-agent": rmsd_agent.main.main}
_LARGEST_REQUEST = 1 << 17  # bytes
_CLONE = {"x86_64": 56, "aarch64": 220}.get(platform.machine())
_CLONE_PARENT, _CLONE_CHILD_CLEARTID, _CLONE_CHILD_SETTID = 0x8000, 0x200000, 0x1000000
_PR_GET_TID_ADDRESS = 40
# PyDLL: the interpreter's lock is held over a call, as it is over `os.fork`.
_libc = ctypes.PyDLL(None, use_errno=True)


def serve(channel: socket.socket) -> None:
    """Start a process for each request, and answer with its pid, until the other end is closed.

    Returns in each of the processes as well, when its program has ended.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the tests
    gc.collect()
    gc.freeze()  # a collection in a child would copy every page
    while True:
        data, files, _, _ = socket.recv_fds(channel, _LARGEST_REQUEST, 3)
        if not data:
            return
        pid = fork_sibling()
        if pid == 0:
            channel.close()
            _be(json.loads(data), files)
            return
        for file in files:
            os.close(file)
        channel.send(str(pid or 0).encode())


def fork_sibling() -> int | None:
    """Fork a child of this process's parent, which can so wait for it: fork(2) with CLONE_PARENT.

    No other thread may run. Returns the pid, 0 in the child, or None if this machine cannot do so.
    """
    tid = ctypes.c_void_p()  # the address at which the C library keeps it, and fork(2) renews it
    if _CLONE is None or _libc.prctl(_PR_GET_TID_ADDRESS, ctypes.byref(tid), 0, 0, 0) != 0:
        return None
    flags = _CLONE_PARENT | _CLONE_CHILD_SETTID | _CLONE_CHILD_CLEARTID | signal.SIGCHLD
    ctypes.pythonapi.PyOS_BeforeFork()
    # The address is the fourth or the fifth argument, by architecture; the other is ignored.
    arguments = [ctypes.c_long(number) for number in (_CLONE, flags, 0, 0)]
    pid = int(_libc.syscall(*arguments, tid, tid))
    if pid == 0:
        ctypes.pythonapi.PyOS_AfterFork_Child()
    else:
        ctypes.pythonapi.PyOS_AfterFork_Parent()
    return None if pid < 0 else pid


def _be(request: dict[str, Any], files: list[int]) -> None:
    """Be the process that was asked for, until its program ends."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if request["start_new_session"]:
        os.setsid()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    sys.stdin = sys.__stdin__ = _text(0, sys.stdin)  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = _text(1, sys.stdout)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = _text(2, sys.stderr)  # type: ignore[misc]
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    time.tzset()
    if os.environ.get("PYTHONWARNINGS") == "default":
        warnings.simplefilter("default")
    sys.argv = request["args"]
    _show(request.get("shown") or [sys.executable, *sys.argv])
    name = Path(sys.argv[0]).name
    if name == "rmsd" and ("--no-local-node" not in sys.argv or "--emulate" in sys.argv):
        _lend_agent()
    _MAINS[name]()


def _text(number: int, like: Any) -> Any:
    """Open a standard stream as the interpreter does."""
    return open(
        number,
        like.mode,
        buffering=1 if like.line_buffering else -1,
        encoding=like.encoding,
        errors=like.errors,
        closefd=False,
    )


def _show(command: list[str]) -> None:
    """Give this process the name and the command line that other processes see."""
    Path("/proc/self/comm").write_text(Path(sys.argv[0]).name)
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    begin, end = int(fields[45]), int(fields[46])
    line = "".join(f"{word}\0" for word in command).encode()
    if len(line) < end - begin:
        ctypes.memset(begin, 0, end - begin)
        ctypes.memmove(begin, line, len(line))


def _lend_agent() -> None:
    """Fork the first agent that this daemon will start. It waits for its command line.

    The daemon starts further agents from their files. Returns in the daemon alone.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pid = os.fork()
    if pid == 0:
        ours.close()
        data, files, _, _ = socket.recv_fds(theirs, _LARGEST_REQUEST, 3)
        theirs.close()
        if not data:
            os._exit(0)  # the daemon has ended, and started no agent
        _be(json.loads(data), files)
        sys.exit()
    theirs.close()

    class LentAgent(ForkedProcess):
        """The agent, or any other child of the daemon, which is started from its files."""

        def ask(self, request: dict[str, Any], files: list[int]) -> int | None:
            args = request["args"]
            if args[5:8] != ["-P", "-m", "rmsd_agent.main"] or ours.fileno() == -1:
                return None
            # The first four set the limit of open files, which the fork has.
            request |= {"shown": args[4:], "args": ["rmsd-agent", *args[8:]]}
            with ours:
                socket.send_fds(ours, [json.dumps(request).encode()], files)
            return pid

    subprocess.Popen = LentAgent  # type: ignore[assignment,misc]


if __name__ == "__main__":
    del sys.path[0]  # the root of the project, which `rmsd` does not have there
    serve(socket.socket(fileno=int(sys.argv[1])))
