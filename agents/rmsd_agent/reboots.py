"""The reboots of this agent's nodes: which boot each of them is on, and the site's program that
reboots this machine.

The program runs once for each reboot that the daemon asks for, and may end this agent: it has a
session of its own, and runs on. An emulated node reboots by being on another boot, a moment later.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import structlog

from rmsd_agent.attempts.site_programs import ProgramPaths, ended_with, program_environment_of
from rmsd_agent.state.files import read_record, replace_record
from rmsd_agent.state.state_dir import AgentStateDir
from rmsd_process.open_files import with_given_open_files
from rmsd_wire.link import RebootNode, RebootProblem
from rmsd_wire.node_info import NodeInfo

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

_EMULATED_S = 1.0
"""The time that an emulated node is away."""
_LOOK_EACH_S = 0.1
_NO_PROGRAM = "its agent has no --reboot-program any more"


class _Begun(msgspec.Struct):
    """The reboot of this machine for which the program was started last, and how often each
    emulated node has rebooted."""

    boot_id: str = ""
    asked_us: int = 0
    emulated: dict[str, int] = {}


class Reboots:
    """Reboots nodes. `holds` says whether a process or a timer of a job is left on a node, `tell`
    tells the daemon of a problem, and `renew` has it hear of the nodes anew."""

    def __init__(
        self,
        state: AgentStateDir,
        programs: ProgramPaths,
        holds: Callable[[str], bool],
        tell: Callable[[RebootProblem], None],
        renew: Callable[[], None],
    ) -> None:
        self._path = state.path / "reboot.json"
        self._boot_id = state.boot_id
        self._programs = programs
        self._begun = read_record(self._path, _Begun) or _Begun()
        self._holds = holds
        self._tell = tell
        self._renew = renew
        self._running: dict[str, asyncio.Task[None]] = {}  # key: node

    def told(self, nodes: Sequence[NodeInfo]) -> list[NodeInfo]:
        """Return the nodes with the boots that they are on, and whether they can be rebooted."""
        return [
            msgspec.structs.replace(
                node, boot_id=self._boot_of(node.name), can_reboot=self._can_reboot(node)
            )
            for node in nodes
        ]

    def begin(self, asked: RebootNode, node: NodeInfo | None) -> None:
        """Reboot a node of this agent, unless that is done or under way."""
        if node is None or asked.boot_id != self._boot_of(node.name) or node.name in self._running:
            return
        reboot = self._reboot if node.kind == "real" else self._emulate
        task = asyncio.get_running_loop().create_task(reboot(asked))
        self._running[node.name] = task
        task.add_done_callback(lambda _: self._running.pop(asked.node, None))

    def close(self) -> None:
        """Leave; a program that runs goes on."""
        for task in self._running.values():
            task.cancel()

    def _boot_of(self, name: str) -> str:
        count = self._begun.emulated.get(name)
        return f"{self._boot_id}.{count}" if count else self._boot_id

    def _can_reboot(self, node: NodeInfo) -> bool:
        return node.kind == "emulated" or self._programs.reboot is not None

    async def _emulate(self, asked: RebootNode) -> None:
        await self._until_empty(asked.node)
        await asyncio.sleep(_EMULATED_S)
        counts = self._begun.emulated
        self._note(emulated=counts | {asked.node: counts.get(asked.node, 0) + 1})
        log.info("node-rebooted", node=asked.node)
        self._renew()

    async def _reboot(self, asked: RebootNode) -> None:
        """Run the program, unless it was run for this reboot: the machine is about to go."""
        if (asked.boot_id, asked.asked_us) == (self._begun.boot_id, self._begun.asked_us):
            return
        if (path := self._programs.reboot) is None:
            problem = _NO_PROGRAM
        else:
            await self._until_empty(asked.node)
            problem = await self._run(path, asked)
        if problem:
            log.error("reboot-failed", node=asked.node, error=problem)
            self._tell(RebootProblem(asked.node, asked.boot_id, problem))

    async def _until_empty(self, name: str) -> None:
        """Wait until no job is left on the node. The daemon knows of none; one that it has lost is
        being ended."""
        while self._holds(name):  # noqa: ASYNC110 - many parts tell of ends
            await asyncio.sleep(_LOOK_EACH_S)

    async def _run(self, path: Path, asked: RebootNode) -> str:
        """Run the program. Return "" or the reason of its failure."""
        try:
            self._note(boot_id=asked.boot_id, asked_us=asked.asked_us)
            env = program_environment_of("reboot", {"RMS_NODENAME": asked.node})
            # A process of asyncio's would be killed when the loop ends.
            process = subprocess.Popen(  # noqa: ASYNC220
                with_given_open_files([str(path)]),
                stdin=subprocess.DEVNULL, stdout=2, cwd="/", env=env, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            return f"{error.filename or path}: {error.strerror}"
        log.info("reboot-program-started", node=asked.node, pid=process.pid)
        try:
            async with asyncio.timeout(self._programs.timeout_s):
                while (code := process.poll()) is None:  # noqa: ASYNC110
                    await asyncio.sleep(_LOOK_EACH_S)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            return f"{path} was not done within {self._programs.timeout_s:g} s"
        return f"{path} {ended_with(code)}" if code else ""

    def _note(
        self, boot_id: str = "", asked_us: int = 0, emulated: dict[str, int] | None = None
    ) -> None:
        """Write down what is begun, so that an agent which comes back does not begin it again."""
        begun = self._begun
        replacement = _Begun(
            boot_id or begun.boot_id,
            asked_us or begun.asked_us,
            begun.emulated if emulated is None else emulated,
        )
        replace_record(self._path, replacement)
        self._begun = replacement
