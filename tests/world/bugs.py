"""Bugs to plant: each breaks one promise, and the stories must find it."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from rmsd_agent.emulated import Timers
from rmsd_agent.reports import Key
from rmsd_core.core import Core
from rmsd_core.counted import CountedCapacity
from rmsd_core.node_capacity import NodeCapacity
from rmsd_daemon import backups, records
from rmsd_daemon.history import History
from rmsd_daemon.keys import Keys
from rmsd_daemon.store import Store
from rmsd_wire.link import Launch, Stop


def _acknowledge_before_commit() -> None:
    """A batch is stored with the next one."""
    commit = Store.commit
    held: list[Any] = []

    def late(self: Store, changes: Any) -> None:
        held.append(changes)
        if len(held) > 1:
            commit(self, held.pop(0))

    Store.commit = late


def _give_processors_twice() -> None:
    for kind in (CountedCapacity, NodeCapacity):
        kind.take = lambda *_: None


def _confirm_before_the_kill() -> None:
    """An agent says at once that what it is told to end has ended; it runs on."""

    def stop(self: Timers, stop: Stop, key: Key) -> None:
        timer = self._timers[key]
        if timer.end_us is not None:
            timer.end_us, timer.cause = None, stop.cause
            self._reports.exited(key, timer.status(), None)

    Timers.stop = stop
    Timers.forget = lambda *_: None


def _forget_an_event() -> None:
    events = records.events

    def without(batch: int, now_us: int, inputs: Sequence[Any], *rest: Any) -> list[Any]:
        return [row for row in events(batch, now_us, inputs, *rest) if row["kind"] != "launched"]

    records.events = without


def _end_twice() -> None:
    events = records.events

    def more(*args: Any) -> list[Any]:
        return [row for row in events(*args) for _ in range(1 + (row["kind"] == "end"))]

    records.events = more


def _change_a_table_alone() -> None:
    """A job's record gets what no event says."""
    commit = Store.commit

    def more(self: Store, changes: Any) -> None:
        for row in changes.job_changes:
            row["corrections"] += not row["live"]
        commit(self, changes)

    Store.commit = more


def _ignore_the_limit() -> None:
    make = Timers._make

    def unlimited(self: Timers, launch: Launch) -> Any:
        made = make(self, launch)
        if made.end_us is not None and launch.emulation is not None:
            made.end_us = launch.model_start_us + launch.emulation.run_us
        return made

    Timers._make = unlimited


def _decide_by_chance() -> None:
    start = Core._try

    def now_and_then(self: Core, *args: Any) -> bool:
        return random.random() < 0.5 and start(self, *args)

    Core._try = now_and_then


def _forget_keys() -> None:
    """A submit that is repeated after a restart is another one."""
    Keys.reload = lambda *_: None


def _lose_a_job() -> None:
    """A start does not find the newest job that is live."""
    load = Store.load

    def short(self: Store, *args: Any) -> Any:
        snapshot = load(self, *args)
        del snapshot.jobs[-1:]
        return snapshot

    Store.load = short


def _never_stop() -> None:
    """What is told to end never does."""

    def stop(self: Timers, stop: Stop, key: Key) -> None:  # noqa: ARG001
        self._timers[key].end_us = None

    Timers.stop = stop


def _give_numbers_again() -> None:
    """A restore does not look at what was there before."""
    mark = backups._mark
    backups._mark = lambda new, held, _: mark(new, held, held)


def _ask_nobody() -> None:
    """A restored database does not say that it is one."""
    mark = backups._mark

    def silent(new: Path, *rest: Any) -> None:
        mark(new, *rest)
        with closing(sqlite3.connect(new)) as database, database:
            database.execute("DELETE FROM meta WHERE key = ?", (backups.RESTORED_KEY,))

    backups._mark = silent


def _tell_of_ends_too_early() -> None:
    """A job leaves the list of live jobs before its end is stored."""

    async def nothing(*_: Any) -> list[Any]:
        return []

    History._ending = nothing


BUGS: dict[str, Callable[[], None]] = {
    "acknowledge-before-commit": _acknowledge_before_commit,
    "give-processors-twice": _give_processors_twice,
    "confirm-before-the-kill": _confirm_before_the_kill,
    "forget-an-event": _forget_an_event,
    "end-twice": _end_twice,
    "change-a-table-alone": _change_a_table_alone,
    "ignore-the-limit": _ignore_the_limit,
    "decide-by-chance": _decide_by_chance,
    "forget-keys": _forget_keys,
    "lose-a-job": _lose_a_job,
    "never-stop": _never_stop,
    "give-numbers-again": _give_numbers_again,
    "ask-nobody": _ask_nobody,
    "tell-of-ends-too-early": _tell_of_ends_too_early,
}
