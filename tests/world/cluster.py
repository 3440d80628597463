"""The processes of a cluster, as they are started and killed here."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import time
import uuid
from collections.abc import Callable, Coroutine, Sequence
from contextlib import closing, suppress
from contextvars import Context, copy_context
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
from aiohttp import web
from sqlalchemy import Engine

import rmsd_agent.agent
import rmsd_agent.attempts.cleaner
import rmsd_agent.attempts.timers
import rmsd_daemon.loop.cluster_state
import rmsd_daemon.notices.notify
import rmsd_daemon.server
import rmsd_daemon.store.opening
from rmsd_agent.agent import Agent
from rmsd_agent.attempts.cleaner import Cleaner
from rmsd_agent.attempts.timers import Timers
from rmsd_agent.link.link import Link, Server
from rmsd_agent.machine.inventory import emulated_nodes
from rmsd_agent.reports import Key
from rmsd_agent.state.delete_trees import delete_tree
from rmsd_agent.state.records import status_now
from rmsd_agent.state.state_dir import AgentStateDir
from rmsd_agent.units.nursery import Nursery
from rmsd_core.vocabulary import Cause, Fault
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.offline import backups
from rmsd_daemon.offline.backups import BackupError
from rmsd_daemon.setup.config import Config
from rmsd_daemon.setup.state_dir import StateDir
from rmsd_daemon.store.failures import StoreError
from rmsd_daemon.store.store import Store
from rmsd_process.tls_content import client_context
from rmsd_wire.link import EndedAttempt, Launch
from tests.world.loop import PROCESS, Process, VirtualLoop
from tests.world.network import PORT, Network

_UTC_S = 1_800_000_000.0
_PAGES = 1 << 30


@dataclass(slots=True)
class Machine:
    """The machine of an agent: a number of nodes, each with a number of cores.

    hosted: how many of the nodes it hosts. present: how many cores each of them has at present.
    unable: why no job can be started on them at present; "" if one can.
    """

    nodes: int
    cores: int
    hosted: int = field(init=False)
    present: int = field(init=False)
    unable: str = ""

    def __post_init__(self) -> None:
        self.hosted, self.present = self.nodes, self.cores


class Disk:
    """The disk that commits go to. `failing`: the chance that one is refused, or not known to be
    done; `full`: the database cannot grow; `refusing`: every commit is refused."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self.failing = 0.0
        self.full = False
        self.refusing = False

    @property
    def bad(self) -> bool:
        return self.full or self.refusing or self.failing > 0

    def heal(self) -> None:
        self.failing, self.full, self.refusing = 0.0, False, False

    def under(self, store: Store) -> None:
        """Let the store's writes go through here."""
        write = store.transact

        def faulty(change: Callable[[Any], object]) -> None:
            if self.refusing:
                raise StoreError("the disk takes nothing")
            if self._rng.random() < self.failing:
                if self._rng.random() < 0.5:
                    write(change)  # stored, and the daemon is not told
                raise StoreError("disk I/O error")
            write(partial(self._within_bounds, change))

        store.transact = faulty

    def _within_bounds(self, change: Callable[[Any], object], connection: Any) -> object:
        """Let SQLite itself refuse to grow the file: SQLITE_FULL."""
        most = 1 if self.full else _PAGES
        connection.connection.execute(f"PRAGMA max_page_count = {most}")  # no less than there are
        return change(connection)


class Alarm:
    """A timerfd on virtual time."""

    def __init__(self) -> None:
        self.fd = self
        self.ring: Callable[[], None] = lambda: None
        self._handle: asyncio.TimerHandle | None = None

    def set(self, monotonic_ns: int | None) -> None:
        self.close()
        if monotonic_ns is not None:
            loop = asyncio.get_running_loop()
            self._handle = loop.call_at(max(loop.time(), monotonic_ns / 1e9), self._go_off)

    def _go_off(self) -> None:
        self.ring()

    def clear(self) -> None: ...

    def close(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None


class Port(web.BaseSite):
    """Stands in for the daemon's TCP port, without TLS."""

    def __init__(self, runner: web.AppRunner, *_: Any) -> None:
        super().__init__(runner)

    @property
    def name(self) -> str:
        return PORT

    async def start(self) -> None:
        await super().start()
        server = self._runner.server
        assert server is not None
        self._server = await asyncio.get_running_loop().create_unix_server(server, PORT)


class Cluster:
    """A daemon and its agents. What is killed starts again by itself after `restart_s`.

    bad: the nodes that can launch nothing now, and whose fault they say that is.
    strangers: what further processes do, by their names; those of an agent that lies.
    """

    def __init__(
        self, loop: VirtualLoop, rng: random.Random, config: Config, machines: list[Machine]
    ) -> None:
        self.loop, self._rng, self.config = loop, rng, config
        self._context: Context = copy_context()  # the world's
        self.network = Network(loop, rng)
        self.disk = Disk(rng)
        self.machines = machines  # the agents' machines
        self.bad: dict[str, Fault] = {}
        self.scheduler: Scheduler | None = None
        self.agents: dict[Process, Agent] = {}
        self.processes: dict[str, Process] = {}
        self.strangers: dict[str, Callable[[], Coroutine[Any, Any, None]]] = {}
        self.kills = 0
        self.after_ends: Callable[[Sequence[EndedAttempt]], None] = lambda _: None  # acknowledged
        self.restart_s: Callable[[], float] = lambda: rng.random() * rng.choice([0.5, 5, 20])
        loop.kill = self.kill
        self._take_over_the_world()

    def start(self) -> None:
        self._start("daemon")
        for number in range(len(self.machines)):
            self._start(f"agent{number}")
        for name in self.strangers:
            self._start(name)

    @property
    def rate(self) -> float:
        return self.config.rate

    @property
    def kept_us(self) -> int | None:
        """Return how long jobs are kept that are over [us], or None if they are kept for ever."""
        kept_s = self.config.keep_history_s
        return None if kept_s is None else round(kept_s * 1_000_000)

    @property
    def most_jobs(self) -> int:
        """Return the most live jobs of one user."""
        return self.config.max_jobs_per_user

    @property
    def socket_path(self) -> str:
        return str(self.config.socket_path)

    def node_names(self) -> list[str]:
        return [
            f"agent{number}-e{node}"
            for number, machine in enumerate(self.machines)
            for node in range(1, machine.nodes + 1)
        ]

    def host(
        self, number: int, nodes: int | None = None, cores: int | None = None, unable: str = ""
    ) -> None:
        """Give the agent so many nodes of so many cores from its next start on, which is soon.

        None stands for all of them. `unable`: why it can start no job on them.
        """
        machine = self.machines[number]
        before = machine.hosted, machine.present, machine.unable
        machine.hosted = machine.nodes if nodes is None else nodes
        machine.present = machine.cores if cores is None else cores
        machine.unable = unable
        if before != (machine.hosted, machine.present, machine.unable):
            self.kill(self.processes[f"agent{number}"])

    def restart_refused(self) -> None:
        """Restart agents to which the daemon refuses a node, after the liar had taken its name.

        An agent that has other nodes does not ask again by itself.
        """
        for process, agent in list(self.agents.items()):
            if agent.refused:
                self.kill(process)

    def dismiss(self, name: str) -> None:
        """End a stranger's process for good."""
        del self.strangers[name]
        self._gone(self.processes.pop(name))

    def _start(self, name: str) -> None:
        process = self.processes[name] = Process(name)
        main = self.strangers.get(name, self._daemon if name == "daemon" else self._agent)
        task = self.loop.spawn(process, main)
        task.add_done_callback(partial(self._ended, process), context=self._context)

    def _ended(self, process: Process, task: asyncio.Task[None]) -> None:
        """Note that a process has ended by itself: it was told to stop, or cannot go on."""
        error = None if task.cancelled() else task.exception()
        if error is not None and not (isinstance(error, StoreError) and self.disk.bad):
            self.loop.call_exception_handler({"message": f"{process} ended", "exception": error})
        self._gone(process)

    def kill(self, process: Process) -> None:
        """Kill the process (SIGKILL)."""
        if not process.dead:
            self.kills += 1
            self._gone(process)

    def _gone(self, process: Process) -> None:
        if process.dead:
            return
        process.dead = True
        self.network.death(process)
        if process.name == "daemon":
            self.scheduler = None
        self.agents.pop(process, None)
        for release in process.at_death:
            release()
        if self.processes.get(process.name) is process:
            again_s = self.restart_s()
            self.loop.call_later(again_s, self._start_again, process.name, context=self._context)

    def _start_again(self, name: str) -> None:
        """Start it, unless it was dismissed while it was away."""
        if name in self.processes:
            self._start(name)

    def back_up(self, file: Path) -> set[int] | None:
        """Return the ids of the jobs in the backup, or None if there is nothing to back up yet."""
        try:
            backups.backup(self.config.database_path, file, lambda *_: None)
        except BackupError:
            return None
        with closing(sqlite3.connect(file)) as database:
            return {job_id for (job_id,) in database.execute("SELECT id FROM job")}

    def restore(self, file: Path) -> None:
        """Give the daemon's next life the state of the backup."""
        self.kill(self.processes["daemon"])
        self.network.drop("daemon")
        backups.restore(file, self.config.state_dir, lambda *_: None)

    # ------------------------------------------------------------ what runs in them

    async def _daemon(self) -> None:
        process = PROCESS.get()
        assert process is not None
        state_dir = StateDir(self.config.state_dir)
        process.at_death.append(state_dir.close)
        store = Store(self.config.database_path)
        process.at_death.append(store.close)
        self.disk.under(store)
        tls: Any = SimpleNamespace(refused="") if self.config.listen else None
        await rmsd_daemon.server.Daemon(self.config, store, tls).run(lambda _: None)

    async def _agent(self) -> None:
        process = PROCESS.get()
        assert process is not None
        state = AgentStateDir(self.config.state_dir.parent / process.name)
        process.at_death.append(state.close)
        link = Link(Server(f"unix:{self.config.socket_path}"), now_s=self.loop.time)
        machine = self.machines[int(process.name.removeprefix("agent"))]
        nodes = [
            msgspec.structs.replace(node, unable=machine.unable)
            for node in emulated_nodes(machine.hosted, machine.present, 2048, f"{process.name}-e")
        ]
        agent = self.agents[process] = Agent(state, nodes, link, {})
        note = agent.journal.add

        def noted(ended: Sequence[EndedAttempt]) -> None:
            note(ended)
            self.after_ends(ended)

        agent.journal.add = noted
        await agent.open()
        await link.run(agent)

    # ------------------------------------------------------------ what they find around them

    def _take_over_the_world(self) -> None:
        """Replace what a process has of the world. Every seed has a process of its own, so nothing
        is put back."""
        loop, rng = self.loop, self._rng
        cluster = self

        def monotonic() -> float:
            return loop.time()

        def now() -> float:
            process = PROCESS.get()
            return _UTC_S + loop.time() + (process.clock_ahead_s if process else 0.0)

        time.monotonic, time.time = monotonic, now
        time.monotonic_ns = lambda: round(loop.time() * 1e9)
        time.time_ns = lambda: round(now() * 1e9)
        random.seed(rng.random())
        uuid.uuid4 = lambda: uuid.UUID(int=rng.getrandbits(128))
        rmsd_agent.attempts.timers.Alarm = Alarm
        self._let_bad_nodes_refuse()
        loop.add_reader = _listen_to_alarm
        loop.remove_reader = lambda _: True
        Nursery.ask = lambda _: False

        class Watched(Scheduler):
            def __init__(self, *args: Any) -> None:
                super().__init__(*args)
                cluster.scheduler = self

        rmsd_daemon.server.Scheduler = Watched  # type: ignore[attr-defined]
        rmsd_daemon.server.TlsSite = Port  # type: ignore[attr-defined]

    def _let_bad_nodes_refuse(self) -> None:
        """Have the nodes in `bad` report that they cannot launch what they are told to, and keep
        such an attempt as one that is over until the daemon has noted this, as agents do."""
        launch, bad = Timers.launch, self.bad

        def launch_or_refuse(self: Timers, key: Key, message: Launch) -> None:
            fault = bad.get(message.node)
            if fault is None or not message.batch or key in self:
                launch(self, key, message)
            else:
                over = replace(self._make(message), end_us=None, cause=Cause.LAUNCH, over=True)
                self._timers[key] = over
                self._reports.exited(key, status_now(Cause.LAUNCH, "bad", fault=fault))

        Timers.launch = launch_or_refuse


def remember_what_is_the_same() -> None:
    """Let every process find out but once what all of them find out: compiled SQL, the installed
    version, and the system's authorities. Deletions need no process: here nothing hangs."""
    make = rmsd_daemon.store.opening.engine_of
    first: list[Engine] = []

    def engine(path: Path) -> Engine:
        made = make(path)
        if first:  # compiled SQL is kept by engine, under the name of the dialect
            made.dialect, made._compiled_cache = first[0].dialect, first[0]._compiled_cache
        else:
            first.append(made)
        return made

    rmsd_daemon.store.opening.engine_of = engine
    known = cache(version)
    rmsd_agent.agent.version = known  # type: ignore[attr-defined]
    rmsd_daemon.loop.cluster_state.version = known  # type: ignore[attr-defined]
    rmsd_daemon.notices.notify.client_context = cache(client_context)  # type: ignore[attr-defined]
    rmsd_agent.attempts.cleaner.Cleaner.remove = _remove


def _remove(_: Cleaner, directories: list[Path]) -> None:
    for directory in directories:
        with suppress(OSError):
            delete_tree(str(directory))


def _listen_to_alarm(alarm: Any, callback: Callable[[], None]) -> None:
    alarm.ring = callback


def make_config(state_dir: Path, rng: random.Random) -> Config:
    """Return the configuration of a daemon without a node of its own."""
    recipe = rng.choice(
        [
            "easy++",
            "easy",
            "conservative",
            "timed-easy,trial=60",
            "timed-easy++,trial=60",
            "timed-conservative,trial=60",
            "selective,threshold=2",
            "dynp,bounds=100/200,min-queue=3",
            "rmsd-gentle,fraction=0.3,floor=30s",
            "timed-rmsd-gentle,trial=60,floor=1m",
            "rmsd,trial=60,fraction=0.3,floor=30s",
            "easy,speculate=yes",
        ]
    )
    return Config(
        state_dir=state_dir,
        local_node=False,
        rate=rng.choice([1.0, 10.0, 100.0]),
        recipe=recipe,
        capacity=rng.choice(["nodes", "counted"]),
        node_dead_s=rng.choice([5.0, 60.0]),
    )
