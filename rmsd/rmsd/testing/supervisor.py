"""The process over a private cluster: it starts the daemon and the nodes, and ends when its owner
does. Then it leaves no process and no file.

It is a child subreaper, so that all processes of the cluster stay below it, however they detach
themselves. The owner holds the other end of its standard input. A guard, the process that the owner
has started, is above it: either of the two clears up if the other one is killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import psutil

import rmsd_agent.main
import rmsd_daemon.server
from rmsd.testing.control import ENDS, read_line
from rmsd.testing.node import TestNode
from rmsd.testing.settings import MIB_PER_CORE, Files, Settings
from rmsd_agent.shepherd.standalone.signals import end_with_parent
from rmsd_client.api import Client
from rmsd_client.errors import ClientError
from rmsd_daemon.setup.loading import load
from rmsd_process import logs

_PR_SET_CHILD_SUBREAPER = 36
_READY_S = 60.0
_LOOK_EVERY_S = 0.01
_REAP_EVERY_S = 0.5
_DOWN_EVERY_S = 0.1
_REQUEST_S = 5.0
_LONGEST_FOLDER = 60
_END_S = 30.0


class NotUp(Exception):
    """The cluster does not come up; the message says why."""


class Supervisor:
    """The daemon and the agents of one cluster, each a process that was forked from this one."""

    def __init__(self, settings: Settings, files: Files) -> None:
        self._settings = settings
        self._files = files
        self._daemon = 0
        self._agents: dict[str, tuple[int, int]] = {}  # (pid, pipe for orders)
        self._orders: list[tuple[Path, bytes]] = []  # (claim, order)
        self._timers: list[tuple[float, str]] = []  # (when, which node comes back)
        self._listener = socket.socket(socket.AF_UNIX)

    def start(self) -> None:
        """Start everything, and return once all nodes are up.

        Raises:
            NotUp: something does not come up.
        """
        files = self._files
        for folder in (files.bin, files.faults, files.orders):
            folder.mkdir()
        files.settings.write_text(self._settings.to_json())
        files.config.write_text(self._settings.daemon_toml(files.state))
        files.config.chmod(0o600)  # the umask does not matter
        self._listener.bind(str(files.control))
        self._listener.listen(64)
        ready, told = os.pipe()
        self._daemon = self._fork(partial(self._serve, told), ready)
        os.close(told)
        if not select.select([ready], [], [], _READY_S)[0] or not os.read(ready, 1):
            raise NotUp(f"the daemon does not come up:\n{self._end_of_log()}")
        os.close(ready)
        for name in self._settings.node_names:
            self._begin_node(name)
        self._await_nodes()

    def _serve(self, told: int) -> None:
        def ready(_trouble: str | None) -> None:
            os.write(told, b"1")

        rmsd_daemon.server.serve(load({}, str(self._files.config)), ready)

    def _begin_node(self, name: str) -> None:
        orders, ours = os.pipe()
        arguments = [
            *("--server", self._files.server, "--state-dir", str(self._files.node(name))),
            *("--name", name, "--cores", str(self._settings.cores)),
            *("--mem", f"{self._settings.mem_mib or MIB_PER_CORE * self._settings.cores}M"),
            *("--cgroup", "none", "--no-bind-processors"),
            *(["--allow-root-jobs"] if os.geteuid() == 0 else []),
        ]
        kind = partial(TestNode, orders, self._files.server)
        pid = self._fork(lambda: sys.exit(rmsd_agent.main.run(arguments, kind)), ours)
        os.close(orders)
        self._agents[name] = pid, ours
        self._orders = [one for one in self._orders if one[0].exists()]
        for _, order in self._orders:
            os.write(ours, order)

    def _fork(self, work: Callable[[], None], *ours: int) -> int:
        """Start a process that does this work, without these descriptors, and dies with us."""
        supervisor = os.getpid()
        if pid := os.fork():
            return pid
        try:
            os.setsid()
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            _be_subreaper()
            end_with_parent(True)
            if os.getppid() != supervisor:
                os._exit(1)
            self._listener.close()
            for descriptor in (*ours, *(theirs for _, theirs in self._agents.values())):
                os.close(descriptor)
            with open(self._files.log, "ab") as log, open(os.devnull, "rb") as nothing:
                os.dup2(nothing.fileno(), 0)
                os.dup2(log.fileno(), 1)
                os.dup2(log.fileno(), 2)
            os.chdir("/")
            logs.configure("info")
            work()
        except SystemExit:
            pass
        except BaseException:
            traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)

    def _await_nodes(self) -> None:
        deadline = time.monotonic() + _READY_S
        with Client(self._files.server, retry_for_s=_READY_S) as client:
            while time.monotonic() < deadline:
                with contextlib.suppress(ClientError):
                    states = [node["state"] for node in client.nodes()]
                    if states.count("idle") == self._settings.nodes:
                        return
                if os.waitpid(self._daemon, os.WNOHANG)[0]:
                    break
                time.sleep(_LOOK_EVERY_S)
        raise NotUp(f"the nodes do not come up:\n{self._end_of_log()}")

    def _end_of_log(self) -> str:
        with contextlib.suppress(OSError):
            return self._files.log.read_text(errors="replace")[-2000:]
        return "(no log)"

    # ------------------------------------------------------------ its life

    def serve(self, owner: int | None) -> None:
        """Do what is asked, until the owner is gone: its pipe, or its process (`owner`)."""
        asked = self._listener.fileno()
        watched = [0, asked, *filter(None, [owner])]
        while True:
            now = time.monotonic()
            for due in [one for one in self._timers if one[0] <= now]:
                self._bring_back_after(due, now)
            pause_s = min([_REAP_EVERY_S, *(at - now for at, _ in self._timers)])
            readable = select.select(watched, [], [], max(0.0, pause_s))[0]
            if 0 in readable or (owner is not None and owner in readable):
                return
            if asked in readable:
                self._answer()
            if self._daemon in _reaped():
                return

    def _answer(self) -> None:
        connected, _ = self._listener.accept()
        with connected, contextlib.suppress(OSError):
            connected.settimeout(_REQUEST_S)
            try:
                self._obey(json.loads(read_line(connected)))
                error = ""
            except (ValueError, KeyError, TypeError) as wrong:
                error = str(wrong) or type(wrong).__name__
            connected.sendall(json.dumps({"error": error}).encode() + b"\n")

    def _obey(self, request: dict[str, Any]) -> None:
        match request["act"]:
            case "fail-node":
                self._fail_node(self._known(request["node"]), request.get("back_after_s"))
            case "bring-back":
                self._bring_back(self._known(request["node"]))
            case "end-job" if request["how"] in ENDS:
                self._order_end(int(request["job"]), request["how"])
            case act:
                raise ValueError(f"no act {act}")

    def _order_end(self, job: int, how: str) -> None:
        """Tell all nodes how a job shall end: the one that runs its script takes the file."""
        claim = self._files.orders / str(time.monotonic_ns())
        claim.touch()
        order = json.dumps({"job": job, "how": how, "claim": str(claim)}).encode() + b"\n"
        self._orders.append((claim, order))
        for _, orders in self._agents.values():
            os.write(orders, order)

    def _known(self, name: str) -> str:
        if name not in self._settings.node_names:
            raise ValueError(f"there is no node {name}: {', '.join(self._settings.node_names)}")
        return name

    def _fail_node(self, name: str, back_after_s: float | None) -> None:
        """Kill the agent of a node, so that it reports nothing, and all that runs there."""
        if name in self._agents:
            pid, orders = self._agents.pop(name)
            doomed = _below(pid)
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            os.close(orders)
            while doomed:
                _kill(doomed)
                _reaped()
                doomed = self._strays()
        if back_after_s is not None:
            self._timers.append((time.monotonic() + back_after_s, name))

    def _bring_back_after(self, due: tuple[float, str], now: float) -> None:
        """Bring a node back whose time has come, or look again soon: first it has to be down."""
        with contextlib.suppress(ClientError), Client(self._files.server) as client:
            if any(one["name"] == due[1] and one["state"] == "down" for one in client.nodes()):
                self._bring_back(due[1])
                return
        self._timers.remove(due)
        self._timers.append((now + _DOWN_EVERY_S, due[1]))

    def _bring_back(self, name: str) -> None:
        self._timers = [one for one in self._timers if one[1] != name]
        if name not in self._agents:
            shutil.rmtree(self._files.node(name) / "jobs", ignore_errors=True)
            self._begin_node(name)

    def _strays(self) -> list[psutil.Process]:
        """Return our processes that belong neither to the daemon nor to a node that is up."""
        kept = {self._daemon, *(pid for pid, _ in self._agents.values())}
        kept |= {process.pid for pid in kept for process in _below(pid)}
        return [process for process in _below(os.getpid()) if process.pid not in kept]

    def close(self) -> None:
        """Leave no process and no file."""
        self._listener.close()
        # Agents first: they would report the ends of jobs, and start more.
        _kill([psutil.Process(pid) for pid, _ in self._agents.values() if psutil.pid_exists(pid)])
        _clear_up(self._files)


def _clear_up(files: Files) -> None:
    """Kill all processes below this one, and delete the cluster's folder."""
    deadline = time.monotonic() + _END_S
    while (left := _below(os.getpid())) and time.monotonic() < deadline:
        _kill(left)
        _reaped()
        time.sleep(_LOOK_EVERY_S)
    shutil.rmtree(files.folder, ignore_errors=True)


def _below(pid: int) -> list[psutil.Process]:
    with contextlib.suppress(psutil.Error):
        return psutil.Process(pid).children(recursive=True)
    return []


def _kill(processes: list[psutil.Process]) -> None:
    for process in processes:
        with contextlib.suppress(psutil.Error):
            process.kill()


def _reaped() -> set[int]:
    """Return the processes that have ended, ours and those that were left to us."""
    ended: set[int] = set()
    with contextlib.suppress(ChildProcessError):
        while pid := os.waitpid(-1, os.WNOHANG)[0]:
            ended.add(pid)
    return ended


def _be_subreaper() -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def _owner() -> int | None:
    """Return a descriptor that tells of the owner's end, where the kernel has one: forked children
    of the owner may keep its pipe open."""
    with contextlib.suppress(OSError, AttributeError):
        return os.pidfd_open(os.getppid())
    return None


def _folder() -> Path:
    base = tempfile.gettempdir()
    return Path(tempfile.mkdtemp("", "slurm-", base if len(base) <= _LONGEST_FOLDER else "/tmp"))


def _tell(answer: dict[str, Any]) -> None:
    with contextlib.suppress(BrokenPipeError):
        os.write(1, json.dumps(answer).encode() + b"\n")


def _supervise(files: Files, owner: int | None, guard: int) -> NoReturn:
    """Run the cluster until its owner is gone, or the guard."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    supervisor = Supervisor(Settings.from_json(sys.argv[1]), files)
    try:
        end_with_parent(True, signal.SIGTERM)
        if os.getppid() == guard:
            _be_subreaper()
            supervisor.start()
            _tell({"folder": str(files.folder)})
            supervisor.serve(owner)
    except (NotUp, OSError) as error:
        _tell({"error": str(error)})
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        supervisor.close()
    sys.exit(0)


def main() -> NoReturn:
    """Run a cluster for the owner, with the settings of the command line, and clear up what the
    supervisor leaves if it is killed."""
    owner = _owner()
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    _be_subreaper()
    files = Files(_folder())
    guard = os.getpid()
    if not (supervisor := os.fork()):
        _supervise(files, owner, guard)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(supervisor, signal.SIGTERM))
    os.waitpid(supervisor, 0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _clear_up(files)
    sys.exit(0)


if __name__ == "__main__":
    main()
