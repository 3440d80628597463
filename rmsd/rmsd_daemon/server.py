"""The daemon's process: it connects all parts, opens the sockets, handles signals, and stops."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import structlog
from aiohttp import web

from rmsd_core.model_time import duration_us
from rmsd_core.recipes.prediction import runs_needed
from rmsd_daemon.agents.links import AgentLinks
from rmsd_daemon.agents.local_agent import LocalAgent, end_earlier
from rmsd_daemon.application import DaemonParts, application, http_runner, set_up
from rmsd_daemon.callers.auth import Accounts
from rmsd_daemon.callers.job_tokens import JobTokens, read_key
from rmsd_daemon.callers.sockets import PublicSocket, SocketError, private_socket
from rmsd_daemon.callers.tokens import Grant, Tokens
from rmsd_daemon.domain.accounts import AccountRules
from rmsd_daemon.domain.partitions import Partitions
from rmsd_daemon.front import read_ahead
from rmsd_daemon.front.connections import Connections
from rmsd_daemon.front.tls import Tls, TlsError
from rmsd_daemon.front.tls_site import TlsSite
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.notices.mailer import mailer_of
from rmsd_daemon.notices.notify import Notifier
from rmsd_daemon.queries.history import JobHistory
from rmsd_daemon.rules import job_rules
from rmsd_daemon.setup import garbage
from rmsd_daemon.setup.clock import make_clock
from rmsd_daemon.setup.config import Config
from rmsd_daemon.setup.open_files import MOST_HANDSHAKES, most_connections
from rmsd_daemon.setup.priority import low_priority
from rmsd_daemon.setup.reloading import Configuration
from rmsd_daemon.setup.signals import Signals
from rmsd_daemon.setup.state_dir import StateDir, StateDirError, make_private
from rmsd_daemon.setup.third_party import recipe_of
from rmsd_daemon.store.failures import StoreError
from rmsd_daemon.store.retention import KeptFor
from rmsd_daemon.store.snapshot import Snapshot
from rmsd_daemon.store.store import Store
from rmsd_process import logs
from rmsd_process.open_files import raise_open_files
from rmsd_process.service_manager import READY, STOPPING, ServiceManager

log = structlog.get_logger()

_JOB_TOKENS_KEY = "job-tokens.key"
_SWITCH_S = 0.0005
"""The time for which the writer thread may keep the event loop waiting (Python's own: 5 ms)."""
_NODES_WITHIN_S = 30.0


class StartError(Exception):
    """The daemon cannot start; the message says why."""


def serve(
    config: Config,
    ready: Callable[[str | None], None],
    read_again: Callable[[], Config] | None = None,
) -> None:
    """Run the daemon until SIGTERM, SIGINT, the end of its terminal or a shutdown request.

    `ready` is called once, when the API answers and the local agent's nodes are up. Its argument is
    None, or a text about what is still amiss.

    Raises:
        StartError: something that is needed is not available.
    """
    try:
        state_dir = StateDir(config.state_dir, passable=config.has_users_jobs)
    except StateDirError as error:
        raise StartError(str(error)) from error
    sys.setswitchinterval(_SWITCH_S)
    read_ahead.read_one_ahead()
    raise_open_files()
    try:
        tls = Tls(*config.certificate) if config.listen else None
        _make_private(config)
        store = Store(config.database_path)
        try:
            with garbage.short_pauses():
                asyncio.run(Daemon(config, store, tls, read_again).be_the_process(ready))
        finally:
            store.close()
    except (TlsError, StoreError) as error:
        raise StartError(str(error)) from error
    except (FileExistsError, NotADirectoryError, IsADirectoryError, PermissionError) as error:
        raise StartError(f"{error.filename}: {error.strerror}") from error
    finally:
        state_dir.close()


def _make_private(config: Config) -> None:
    """Make the daemon's files private, and have a known key of job tokens made anew."""
    database, key = config.database_path, config.state_dir / _JOB_TOKENS_KEY
    beside = [database.with_name(f"{database.name}-{part}") for part in ("wal", "shm")]
    exposed = make_private(database, *beside, key)
    for path in exposed:
        log.warning("made-private", file=str(path))
    # Job numbers begin at 1 again if there is no database: tokens of old jobs must not hold.
    if key in exposed or not database.exists():
        key.unlink(missing_ok=True)


class Daemon:
    def __init__(
        self,
        config: Config,
        store: Store,
        tls: Tls | None,
        read_again: Callable[[], Config] | None = None,
    ) -> None:
        self._config = config
        self._configuration = Configuration(config, read_again)
        self._accounts = Accounts(config.operators, config.admins)
        self._partitions = Partitions(self._accounts.is_listed, config.partitions)
        self._account_rules = AccountRules(
            self._accounts.is_listed, config.accounts, config.qos, config.licenses
        )
        self._running: Scheduler | None = None
        self._agent: LocalAgent | None = None
        self._store = store
        self._tls = tls
        self._stop = asyncio.Event()
        self._public: PublicSocket | None = None
        self._manager = ServiceManager()

    async def be_the_process(self, ready: Callable[[str | None], None]) -> None:
        """Call `run`, and handle the signals of the process."""
        signals = self._heed_signals()
        try:
            await self.run(ready)
        finally:
            signals.ignore()

    async def run(self, ready: Callable[[str | None], None]) -> None:
        """Run until the daemon is to stop, or one of its tasks has ended."""
        config = self._config
        loop = asyncio.get_running_loop()
        job_tokens, parts = self._parts()
        runner = http_runner(application(parts))
        await set_up(runner, parts.connections)
        agent = self._agent = LocalAgent(config)
        helpers = [loop.create_task(work) for work in self._helpers(parts)]
        tasks: list[asyncio.Task[None]] = []

        def spawn(work: Coroutine[Any, Any, None]) -> None:
            task = loop.create_task(work)
            task.add_done_callback(lambda _: self._stop.set())
            tasks.append(task)

        try:
            await self._listen(runner)
            self._manager.tell(READY)
            spawn(parts.scheduler.run(parts.links, job_rules(config, job_tokens)))
            if config.local_node or config.emulate or agent.has_jobs:
                spawn(agent.run())
            else:
                await end_earlier(config.state_dir / "agent")
            watcher = loop.create_task(self._report_ready(ready, parts.scheduler, agent.nodes))
            await self._stop.wait()
            watcher.cancel()
            log.info("stopping")
            self._manager.tell(STOPPING)
        finally:
            await self._end(parts, runner, helpers, tasks[:1], agent)
        for task in tasks:
            await task

    def _parts(self) -> tuple[JobTokens, DaemonParts]:
        """Read the state, and make the parts of the daemon from it."""
        config = self._config
        with garbage.none_yet():
            snapshot = self._store.load(runs_needed(recipe_of(config.recipe)))
            scheduler = self._running = self._scheduler(snapshot)
        key = read_key(config.state_dir / _JOB_TOKENS_KEY)
        job_tokens = JobTokens(key, scheduler.live_job, scheduler.check_caught_up)
        return job_tokens, DaemonParts(
            config,
            self._configuration,
            self._accounts,
            self._partitions,
            self._account_rules,
            self._tls,
            scheduler,
            AgentLinks(scheduler, config.node_dead_s, config.reboot_timeout_s),
            JobHistory(scheduler),
            Connections(config.max_connections, most_connections()),
            Tokens(map(Grant.of, snapshot.tokens), job_tokens),
            self._stop.set,
        )

    def _helpers(self, parts: DaemonParts) -> tuple[Coroutine[Any, Any, None], ...]:
        """Return the work that is given up when the daemon stops."""
        return (
            self._notifier(parts.scheduler, parts.history).run(),
            parts.connections.watch(),
            garbage.collect_all(),
            self._check_pages(parts.scheduler),
        )

    async def _end(
        self,
        parts: DaemonParts,
        runner: web.AppRunner,
        helpers: Sequence[asyncio.Task[None]],
        writers: Sequence[asyncio.Task[None]],
        agent: LocalAgent,
    ) -> None:
        """Answer nobody any more, and end all parts, what they have to store first. `writers`: the
        task of the scheduler, if that has begun."""
        for site in list(runner.sites):
            await site.stop()
        for helper in helpers:
            helper.cancel()
        await asyncio.gather(*helpers, return_exceptions=True)
        parts.scheduler.close()
        await asyncio.gather(*writers, return_exceptions=True)
        await parts.links.close()
        await agent.stop()
        await runner.cleanup()
        parts.history.close()
        if self._public is not None:
            self._public.close()
        with contextlib.suppress(IsADirectoryError):  # a directory is not our socket
            self._config.socket_path.unlink(missing_ok=True)

    async def _check_pages(self, scheduler: Scheduler) -> None:
        """Have a thread look for damage in the whole database, and the scheduler mend it."""
        pages, thread = self._store.pages, ThreadPoolExecutor(1, "page-check", low_priority)
        try:
            await asyncio.get_running_loop().run_in_executor(thread, self._store.check_pages)
        finally:
            pages.stop()
            thread.shutdown()
        log.info("database-checked", result=pages.state)
        if self._store.must_mend:
            scheduler.look()

    def _scheduler(self, snapshot: Snapshot) -> Scheduler:
        config = self._config
        recipe = recipe_of(config.recipe)
        clock = make_clock(
            config.rate,
            int(snapshot.meta.get("clock_us", 0)),
            snapshot.meta.get("clock_scaled") == "1",
        )
        log.info(
            "starting",
            state_dir=str(config.state_dir),
            recipe=recipe.name,
            capacity=config.capacity,
            rate=clock.rate,
            jobs=len(snapshot.jobs),
            pid=os.getpid(),
        )
        if clock.scaled and config.rate == 1.0:
            log.warning("clock-ahead", detail="an earlier --rate took this state past UTC")
        return Scheduler(
            self._store,
            snapshot,
            clock,
            recipe,
            config.capacity,
            config.drain_after,
            KeptFor(_us(config.keep_events_s), _us(config.keep_history_s)),
            [one.core for one in config.partitions],
            self._account_rules,
        )

    def _notifier(self, scheduler: Scheduler, history: JobHistory) -> Notifier:
        config = self._config
        return Notifier(
            scheduler,
            history,
            users_commands=config.notify_commands,
            mailer=mailer_of(config),
        )

    async def _listen(self, runner: web.AppRunner) -> None:
        """Open the sockets, the private one last: a client that finds it finds the others, too."""
        config = self._config
        if config.listen and self._tls:
            await self._listen_on_tcp(runner, config.listen, self._tls)
        try:
            if config.socket:
                self._public = PublicSocket(config.socket)
                await web.SockSite(runner, self._public.socket).start()
            await web.SockSite(runner, private_socket(config.socket_path)).start()
        except SocketError as error:
            raise StartError(str(error)) from error

    async def _listen_on_tcp(self, runner: web.AppRunner, address: str, tls: Tls) -> None:
        host, _, port = address.rpartition(":")
        try:
            await TlsSite(runner, host.strip("[]"), int(port), tls, MOST_HANDSHAKES).start()
        except socket.gaierror as error:
            raise StartError(f"cannot listen on {address}: {error.strerror}") from error
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            raise StartError(f"cannot listen on {address}: {reason}") from error

    def _heed_signals(self) -> Signals:
        """Handle the signals. SIGHUP to a daemon that logs to its terminal means that the terminal
        is gone, unless SIGHUP was to be ignored (`trap '' HUP`). To another daemon it means that
        its log was moved away, and that there may be a new certificate or configuration."""
        stop = self._stop.set
        heeded = signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN
        hangup = stop if heeded and sys.stderr.isatty() else self._reload
        return Signals({signal.SIGTERM: stop, signal.SIGINT: stop, signal.SIGHUP: hangup})

    def _reload(self) -> None:
        reopened = logs.reopen()
        if reopened is not None:
            log.info("log-reopened", file=reopened)
        new = self._configuration.reload()
        if new is not None:
            if self._agent is not None:
                self._agent.reconfigure(new)
            # Admins come after the agent that may not run root's jobs because of them.
            self._accounts.set_lists(new.operators, new.admins)
            self._set_accounts(new)
            if new.partitions != self._partitions.in_force and self._running is not None:
                self._partitions.in_force = new.partitions
                self._running.set_partitions([one.core for one in new.partitions])
        if self._tls is not None:
            self._tls.reload()
        elif new is None:
            log.info("nothing-to-reload", listen=None)

    def _set_accounts(self, new: Config) -> None:
        """Take other accounts, QOS and licenses, for submits and for jobs that wait."""
        is_new = self._account_rules.replace(new.accounts, new.qos, new.licenses)
        if is_new and self._running is not None:
            self._running.accounts_changed()

    async def _report_ready(
        self, ready: Callable[[str | None], None], scheduler: Scheduler, expected: int
    ) -> None:
        """Say that the daemon is ready, once the nodes of its own agent are up."""
        config = self._config
        deadline = asyncio.get_running_loop().time() + _NODES_WITHIN_S
        while scheduler.nodes_here < expected:
            if asyncio.get_running_loop().time() > deadline:
                log_path = config.state_dir / "agent.log"
                ready(scheduler.why_no_nodes or f"its nodes are not up; see {log_path}")
                return
            await asyncio.sleep(0.01)
        path = config.socket or config.socket_path
        log.info("ready", socket=str(path), listen=config.listen, nodes=expected)
        ready(None)


def _us(seconds: float | None) -> int | None:
    return None if seconds is None else duration_us(seconds)
