"""The agent on the daemon's own machine. The daemon starts it, and restarts it when it dies.

The agent has a session (setsid) of its own, and so outlives a daemon that is killed; the next
daemon replaces it. Jobs live under their shepherds and notice neither.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import fcntl
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import structlog

from rmsd_daemon.setup.config import Config
from rmsd_daemon.setup.state_dir import private
from rmsd_process.open_files import with_given_open_files
from rmsd_process.processes import end

log = structlog.get_logger()

_PAUSE_S = (0.2, 10.0)
_TERM_S = 5.0
_POLL_S = 0.02
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT


class LocalAgent:
    """`run` keeps an agent running until `stop`."""

    def __init__(self, config: Config) -> None:
        self._state = config.state_dir / "agent"
        self._log_path = config.state_dir / "agent.log"
        self._arguments = _arguments(config, self._state)
        self._config = config
        self._process: asyncio.subprocess.Process | None = None
        self._stopping = False
        self._replacing: asyncio.Task[None] | None = None

    @property
    def has_jobs(self) -> bool:
        """Return whether an earlier agent left jobs that must be taken care of."""
        try:
            return any((self._state / "jobs").iterdir())
        except FileNotFoundError:
            return False

    @property
    def nodes(self) -> int:
        """Return how many nodes the agent hosts."""
        emulated = self._config.emulate
        return int(self._config.local_node) + (int(emulated.partition("x")[0]) if emulated else 0)

    def reconfigure(self, config: Config) -> None:
        """Replace an agent that runs by one with the size and the features of this configuration.
        Jobs go on.

        An agent that may run root's jobs, and must not any more, is killed before this returns.
        """
        before = self._config
        self._config = dataclasses.replace(
            before,
            cores=config.cores,
            mem_mib=config.mem_mib,
            gres=config.gres,
            features=config.features,
            admins=config.admins,
        )
        arguments = _arguments(self._config, self._state)
        if arguments == self._arguments:
            return
        self._arguments = arguments
        if self._process is not None and self._process.returncode is None and not self._stopping:
            if before.allows_root_jobs and not self._config.allows_root_jobs:
                self._process.kill()
            self._replacing = asyncio.get_running_loop().create_task(end(self._process, _TERM_S))

    async def run(self) -> None:
        await end_earlier(self._state)
        pause_s = _PAUSE_S[0]
        while not self._stopping:
            started = asyncio.get_running_loop().time()
            try:
                code: int | str = await self._run_once()
            except OSError as error:  # no space for its log, or no further process
                code = str(error)
            if self._stopping:
                return
            if self._replacing is not None:
                self._replacing = None
                continue
            if asyncio.get_running_loop().time() - started > _PAUSE_S[1]:
                pause_s = _PAUSE_S[0]
            log.error("agent-ended", code=code, again_in_s=pause_s, log=str(self._log_path))
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, _PAUSE_S[1])

    async def _run_once(self) -> int:
        arguments = self._arguments
        with os.fdopen(private(self._log_path, _APPEND), "ab") as out:
            self._process = await asyncio.create_subprocess_exec(
                *with_given_open_files(arguments),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
                cwd="/",
            )
        log.info("agent-started", pid=self._process.pid)
        # `stop` or `reconfigure` came during the start, when there was no process yet.
        if self._stopping or arguments is not self._arguments:
            await end(self._process, _TERM_S)
        return await self._process.wait()

    async def stop(self) -> None:
        self._stopping = True
        if self._process is not None:
            await end(self._process, _TERM_S)


def _arguments(config: Config, state: Path) -> Sequence[str]:
    arguments = [sys.executable, "-P", "-m", "rmsd_agent.main"]
    arguments += [
        "--server",
        f"unix:{config.socket or config.socket_path}",
        "--state-dir",
        str(state),
    ]
    arguments += ["--log-level", config.log_level]
    arguments += ["--local-node" if config.local_node else "--no-local-node"]
    if os.geteuid() == 0 and config.allows_root_jobs:
        arguments.append("--allow-root-jobs")
    if not config.bind_processors:
        arguments.append("--no-bind-processors")
    if not config.constrain_devices:
        arguments.append("--no-constrain-devices")
    if config.prolog:
        arguments += ["--prolog", str(config.prolog)]
    if config.epilog:
        arguments += ["--epilog", str(config.epilog)]
    if config.health_check:
        arguments += ["--health-check", str(config.health_check)]
        arguments += ["--health-check-interval", f"{config.health_check_interval_s}s"]
    if config.reboot_program:
        arguments += ["--reboot-program", str(config.reboot_program)]
    if config.prolog or config.epilog or config.health_check or config.reboot_program:
        arguments += ["--program-timeout", f"{config.program_timeout_s}s"]
    if config.cores:
        arguments += ["--cores", str(config.cores)]
    if config.mem_mib:
        arguments += ["--mem", f"{config.mem_mib}M"]
    if config.local_node and config.gres != "auto":
        arguments += ["--gres", config.gres]
    if config.features:
        arguments += ["--features", config.features]
    if config.emulate:
        arguments += ["--emulate", config.emulate]
    if config.emulate and config.emulate_gres:
        arguments += ["--emulate-gres", config.emulate_gres]
    return arguments


async def end_earlier(state: Path) -> None:
    """End the agent that an earlier daemon left, if there is one."""
    if (pid := _holder(state / "agent.lock")) is None:
        return
    log.info("agent-replaced", pid=pid)
    if not await end_agent(state):
        log.error("agent-stays", pid=pid)


async def end_agent(state: Path) -> bool:
    """End the agent of this state directory, if there is one. Returns False if it does not end."""
    lock = state / "agent.lock"
    for number in (signal.SIGTERM, signal.SIGKILL):
        if (pid := _holder(lock)) is None:
            return True
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
        deadline = asyncio.get_running_loop().time() + _TERM_S
        while asyncio.get_running_loop().time() < deadline:
            if _holder(lock) is None:
                return True
            await asyncio.sleep(_POLL_S)
    return False


def _holder(lock: Path) -> int | None:
    """Return the pid of the process that holds the lock file; None if no process does."""
    try:
        with lock.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return int(file.read())
    except (FileNotFoundError, ValueError):
        return None
    return None
