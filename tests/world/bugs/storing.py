"""Bugs in what is stored, kept, deleted and restored."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import text

from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle import restoring, starting
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.planning.planner_memory import PlannerMemory
from rmsd_daemon.loop import writer
from rmsd_daemon.offline import backups
from rmsd_daemon.queries.filters import Filter
from rmsd_daemon.queries.history import JobHistory
from rmsd_daemon.store import external_changes, records, retention
from rmsd_daemon.store.idempotency import IdempotencyKeys
from rmsd_daemon.store.store import Store


def _acknowledge_before_commit() -> None:
    """Store each batch only with the next one."""
    commit = Store.commit
    held: list[Any] = []

    def late(self: Store, changes: Any) -> None:
        held.append(changes)
        if len(held) > 1:
            commit(self, held.pop(0))

    Store.commit = late


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
    """Put into a job's record what no event says."""
    commit = Store.commit

    def more(self: Store, changes: Any) -> None:
        for row in changes.job_changes:
            row["corrections"] += not row["live"]
        commit(self, changes)

    Store.commit = more


def _decide_by_chance() -> None:
    start = starting.start_trials

    def now_and_then(*args: Any) -> None:
        if random.random() < 0.5:
            start(*args)

    starting.start_trials = now_and_then


def _forget_keys() -> None:
    """Take a submit that is repeated after a restart for another one."""
    IdempotencyKeys.reload = lambda *_: None


def _lose_a_job() -> None:
    """Let a start not find the newest job that is live."""
    load = Store.load

    def short(self: Store, *args: Any) -> Any:
        snapshot = load(self, *args)
        del snapshot.jobs[-1:]
        return snapshot

    Store.load = short


def _give_numbers_again() -> None:
    """Let a restore not look at what was there before."""
    mark = backups.mark
    backups.mark = lambda new, held, _: mark(new, held, held)


def _ask_nobody() -> None:
    """Let a restored database not say that it is one."""
    mark = backups.mark

    def silent(new: Path, *rest: Any) -> None:
        mark(new, *rest)
        with closing(sqlite3.connect(new)) as database, database:
            database.execute("DELETE FROM meta WHERE key = ?", (records.RESTORED_KEY,))

    backups.mark = silent


def _tell_of_ends_too_early() -> None:
    """Take a job off the list of live jobs before its end is stored."""

    may_be = JobHistory._may_be

    def may_be_live(self: JobHistory, job_id: int, wanted: Filter) -> bool:
        return job_id in self._scheduler.core.jobs and may_be(self, job_id, wanted)

    JobHistory._may_be = may_be_live


def _forget_ends() -> None:
    """Let a start not know how jobs have ended that others await."""
    restore = restoring.restore

    def without(state: CoreState, jobs: Any, memory: PlannerMemory) -> list[Job]:
        return restore(state, jobs, replace(memory, unsettled={}))

    restoring.restore = without


def _delete_too_early() -> None:
    """Delete a job a short time after its end."""
    prune = retention.prune

    def early(connection: Any, kept: retention.KeptFor, *rest: Any) -> Any:
        history_us = kept.history_us and kept.history_us // 10
        return prune(connection, retention.KeptFor(kept.events_us, history_us), *rest)

    writer.prune = early  # type: ignore[attr-defined]


def _delete_live_jobs() -> None:
    """Delete a job that was submitted long ago, and is not over."""
    query = str(retention.OLD_JOBS).replace(" AND NOT live", "")
    query = query.replace("end_us IS NOT NULL AND end_us < ", "submit_us < ")
    retention.OLD_JOBS = text(query.replace("INDEXED BY job_end", ""))


def _delete_a_needed_event() -> None:
    """Delete the snapshot with the events before it."""
    add = retention.add_snapshot

    def late(connection: Any, event: int, at_us: int) -> None:
        add(connection, event + 1, at_us)

    external_changes.add_snapshot = late  # type: ignore[attr-defined]


BUGS: dict[str, Callable[[], None]] = {
    "acknowledge-before-commit": _acknowledge_before_commit,
    "forget-an-event": _forget_an_event,
    "end-twice": _end_twice,
    "change-a-table-alone": _change_a_table_alone,
    "decide-by-chance": _decide_by_chance,
    "forget-keys": _forget_keys,
    "lose-a-job": _lose_a_job,
    "give-numbers-again": _give_numbers_again,
    "ask-nobody": _ask_nobody,
    "tell-of-ends-too-early": _tell_of_ends_too_early,
    "forget-ends": _forget_ends,
    "delete-too-early": _delete_too_early,
    "delete-live-jobs": _delete_live_jobs,
    "delete-a-needed-event": _delete_a_needed_event,
}
