"""Verification: the logged inputs are fed to the core again, and its decisions compared with the
log.

The events have all that the core was ever told. They are its inputs with the instant of each call,
and every restart with recipe, capacity and planner memory. Restarts are repeated from the tables
that the events make, as the daemon makes them from the tables it stored; both are compared.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, zip_longest
from typing import Any

import msgspec

from rmsd_core.jobs.array import id_of
from rmsd_core.jobs.ranks import Ranks
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.ending import TELLS_RUN_TIME
from rmsd_core.lifecycle.inputs import Input, NodeUp
from rmsd_core.planning.planner_memory import PlannerMemory
from rmsd_core.vocabulary import Cause
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.offline.differences import DifferenceFound, as_stored, compare, compare_events
from rmsd_daemon.offline.reader import ReadingError, rows
from rmsd_daemon.offline.started import started_core
from rmsd_daemon.store.changes import Changes, changes_of
from rmsd_daemon.store.logged_inputs import input_of
from rmsd_daemon.store.nodes import node_of
from rmsd_daemon.store.records import (
    EXTERNAL_CHANGE,
    PRUNED,
    RESTART,
    RESTORED,
    SNAPSHOT,
    Row,
    job_of,
)
from rmsd_daemon.store.reservations import reservation_of
from rmsd_daemon.store.retention import EVENTS_FROM
from rmsd_daemon.store.tables import EVENT_VERSION


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference from the log. `job_id` is None if it concerns no job."""

    batch: int
    model_us: int
    job_id: int | None
    what: str


@dataclass(slots=True)
class Verdict:
    """The amounts that were compared, and the result. versions: of the daemons that decided."""

    batches: int = 0
    inputs: int = 0
    decisions: int = 0
    starts: int = 0
    jobs: int = 0
    versions: list[str] = field(default_factory=list)
    difference: Difference | None = None


def verify(database: sqlite3.Connection, progress: Callable[[int], None]) -> Verdict:
    """Repeat all decisions that `database` has logged, up to the first difference.

    `progress` is called with the id of the present event.

    Raises:
        ReadingError: events are of a version that does not have all inputs, or are damaged.
        RecipeError: a recipe that the daemon ran under is not known here.
        sqlite3.Error, MsgspecError: the database cannot be read.
    """
    verdict = Verdict()
    again = _Again(database, verdict)
    at: Row = {"batch": 0, "model_us": 0}
    try:
        for _, group in groupby(_events(database), key=lambda event: int(event["batch"])):
            events = list(group)
            at = events[0]
            again.follow(events)
            progress(at["id"])
        again.compare_what_is_live()
    except DifferenceFound as found:
        verdict.difference = Difference(at["batch"], at["model_us"], found.job_id, str(found))
    return verdict


def _events(database: sqlite3.Connection) -> Iterator[Row]:
    """Yield the events, beginning with the first one from which on all inputs are there."""
    [known] = database.execute(_FIRST, (EVENT_VERSION, EXTERNAL_CHANGE, SNAPSHOT)).fetchone()
    [kept] = database.execute(_KEPT, (EVENTS_FROM,)).fetchone()
    first = max(known or 0, int(kept or 0))
    for event in rows(database, "SELECT * FROM event WHERE id >= ? ORDER BY id", first):
        if event["version"] != EVENT_VERSION:
            raise ReadingError(
                f"event {event['id']} has version {event['version']}, this rmsd verifies "
                f"{EVENT_VERSION}: what an older one logged is not all that it decided by"
            )
        yield event


_FIRST = """SELECT min(id) FROM event
    WHERE id > (SELECT max(id) FROM event WHERE version != ?) AND kind IN (?, ?)"""
_KEPT = "SELECT max(value) FROM meta WHERE key = ?"
"""Events before this one are being deleted."""


_Run = tuple[str, int, int, int, int]
"""A terminated job as predictions need it: user, arrival number, run time, estimate, size."""


class _Again:
    """The core of the daemon, made anew at each of its starts, and the tables that result."""

    def __init__(self, database: sqlite3.Connection, verdict: Verdict) -> None:
        self._database = database
        self._verdict = verdict
        self._core: Core | None = None
        self._jobs: dict[int, Row] = {}  # live jobs
        self._nodes: dict[str, Row] = {}
        self._reservations: dict[str, Row] = {}
        self._registered: dict[str, Row] = {}  # nodes as their agents described them
        self._ended: dict[int, _Run] = {}  # the terminated jobs for predictions, by id
        self._pruned = {row[0] for row in _pruned_after(database, 0)}  # ids that the log deletes
        self._attempts: dict[int, dict[int, Row]] = {}  # the attempts of live jobs, by number
        self._known = 0  # the log has no submits of jobs up to this number
        self._given: set[int] = set()  # jobs that began before the log, or went on without it
        self._submitted: set[int] = set()
        self._at = 0  # the number of the present event
        self._last_restarts: dict[int, int] = dict(database.execute(_LAST_RESTARTS, (RESTART,)))

    # ------------------------------------------------------------ a call of the core

    def follow(self, events: list[Row]) -> None:
        """Apply the events of one call and compare. Raises DifferenceFound."""
        self._at = events[0]["id"]
        if events[0]["kind"] == RESTORED:
            self._start(events[0]["payload"])
            return
        if events[0]["kind"] == EXTERNAL_CHANGE:
            self._take(events)
            return
        if events[0]["kind"] == SNAPSHOT:
            self._take_snapshot(events)
            return
        if events[0]["kind"] == PRUNED:
            self._prune(events[0]["payload"])
            return
        if self._core is None:
            raise DifferenceFound("the start of the daemon is not in the log: events are missing")
        inputs = _inputs(events)
        for item, event in zip(inputs, events, strict=False):
            if isinstance(item, NodeUp):
                self._registered[item.name] = event["payload"]
        now_us = events[0]["model_us"]
        self._begin_again([event for event in events if event["kind"] == RESTART])
        effects = self._core.handle(now_us, inputs)
        changes = changes_of(
            events[0]["batch"],
            now_us,
            inputs,
            effects,
            _details_in(events, "submit"),
            _details_in(events, RESTART),
            _details_in(events, "update"),
            self._core,
            self._registered,
            self._details_of_tasks(events),
        )
        self._verdict.batches += 1
        self._verdict.inputs += len(inputs)
        for stored, decided in zip_longest(events, changes.events):
            compare_events(stored, decided)
        self._verdict.decisions += len(effects.decisions)
        self._apply(changes)

    def _begin_again(self, restarts: Iterable[Row]) -> None:
        """Take up the jobs that were over and are to run again, as they ended."""
        for event in restarts:
            job_id = event["job_id"]
            if job_id not in self._submitted:  # the log may not have its earlier attempts
                self._given.add(job_id)
            self._jobs[job_id] = event["payload"]["ended"]
            self._ended.pop(job_id, None)

    def _details_of_tasks(self, events: Sequence[Row]) -> Callable[[int], Details]:
        """Return what tells the details of the tasks of arrays, also of those that arrive now."""
        new = _details_in(events, "submit")

        def of_tasks(array_id: int) -> Details:
            details = new.get(array_id)
            if details is None:
                details = msgspec.convert(self._jobs[array_id]["details"], Details)
            return details.of_task()

        return of_tasks

    def _apply(self, changes: Changes) -> None:
        """Change the tables as the daemon's commit did."""
        for row in changes.new_jobs:
            self._jobs[row["id"]] = row
            self._submitted.add(row["id"])
        for row in changes.new_attempts:
            self._attempts.setdefault(row["job_id"], {})[row["attempt"]] = {**row}
        for row in changes.attempt_ends:
            begun = self._attempts.get(row["b_job_id"], {}).get(row["b_attempt"])
            if begun is not None:
                begun |= {name: row[name] for name in row if not name.startswith("b_")}
        for row in changes.job_changes:
            self._jobs[row["b_id"]] |= {name: row[name] for name in row if name != "b_id"}
        for row in (*changes.predictions, *changes.updates):
            self._jobs[row["b_id"]] |= {name: row[name] for name in row if name != "b_id"}
        for row in changes.nodes:
            self._nodes[row["name"]] = row
        for row in changes.gone_nodes:
            self._nodes.pop(row["b_name"], None)
            self._registered.pop(row["b_name"], None)
        for row in changes.gone_reservations:
            self._reservations.pop(row["b_name"], None)
        for row in changes.reservations:
            self._reservations[row["name"]] = row
        for row in (*changes.new_jobs, *changes.job_changes):
            job_id = row["id"] if "id" in row else row["b_id"]
            if not row["live"]:
                self._end(self._jobs.pop(job_id))

    def _end(self, row: Row) -> None:
        if _tells_run_time(row):
            self._ended[row["id"]] = _run_of(row)
        self._compare_job(row)

    # ------------------------------------------------------------ what others have made of it

    def _take(self, events: Sequence[Row]) -> None:
        """Take the state of these events, from which the next start of a daemon goes on."""
        self._core = None
        payload = events[0]["payload"]
        before = self._jobs.keys()
        self._jobs = {row["id"]: row for row in _all(events, "jobs")}
        self._given |= before | self._jobs.keys()
        for job_id in self._attempts.keys() & self._given:
            del self._attempts[job_id]
        if not self._submitted:
            self._known = payload["last_id"]
        self._nodes = {row["name"]: row for row in payload["nodes"]}
        # Events of earlier versions have none.
        self._reservations = {row["name"]: row for row in payload.get("reservations", ())}
        later = _waiting_tasks(self._jobs.values())
        # A job that ran again later counts as it had ended before: its row in the table is later.
        over = {row["id"]: row for row in rows(self._database, _OVER, payload["last_id"])}
        over |= _first_ends(self._database, events[0]["id"], payload["last_id"])
        self._ended = {
            job_id: _run_of(row)
            for job_id, row in sorted(over.items())
            if job_id not in self._jobs and job_id not in later and _tells_run_time(row)
        }
        for job_id, *run in _pruned_after(self._database, events[0]["id"]):
            older = job_id <= payload["last_id"] and job_id not in self._jobs | over.keys()
            if older and job_id not in later and run[2] is not None:
                self._ended[job_id] = msgspec.convert(run, _Run)

    def _take_snapshot(self, events: Sequence[Row]) -> None:
        """Compare a snapshot with the tables that the events make; take the first one. Raises
        DifferenceFound."""
        if self._core is None and not self._jobs:
            self._take(events)
            return
        stored = {row["id"]: row for row in _all(events, "jobs")}
        compare(sorted(self._jobs), sorted(stored), "the live jobs of a snapshot")
        for job_id, row in stored.items():
            ours = as_stored(self._jobs[job_id])
            compare(ours, row, "its record in a snapshot", job_id)
        nodes = {row["name"]: row for row in events[0]["payload"]["nodes"]}
        compare(as_stored(self._nodes), nodes, "the nodes of a snapshot")
        reserved = {row["name"]: row for row in events[0]["payload"].get("reservations", ())}
        compare(as_stored(self._reservations), reserved, "the reservations of a snapshot")
        for row in _all(events, "attempts"):
            if row["job_id"] not in self._given:
                ours = as_stored(self._attempts.get(row["job_id"], {}).get(row["attempt"]))
                compare(ours, row, "its attempt in a snapshot", row["job_id"])
        self._core = None

    def _prune(self, payload: Row) -> None:
        """Forget the jobs that were deleted. Raises DifferenceFound."""
        for job_id, *_ in payload["jobs"]:
            if job_id in self._jobs:
                raise DifferenceFound("it was deleted while it was live", job_id)
            self._ended.pop(job_id, None)

    # ------------------------------------------------------------ a start of the daemon

    def _start(self, payload: Row) -> None:
        memory = msgspec.convert(payload["planner"], PlannerMemory, strict=False, str_keys=True)
        if self._core is not None:
            compare(self._core.memory(), memory, "the planner memory of a start")
        if payload["jobs"] != len(self._jobs):
            raise DifferenceFound(
                f"at a start the daemon took up {payload['jobs']} jobs, and {len(self._jobs)} were "
                "live: records were damaged or lost"
            )
        core = started_core(payload)
        core.restore(
            [node_of(as_stored(row)) for row in self._nodes.values()],
            [job_of(as_stored(row))[0] for _, row in sorted(self._jobs.items())],
            self._ended.values(),
            memory,
            reservations=[reservation_of(row) for _, row in sorted(self._reservations.items())],
            of_backup=payload["of_backup"],
        )
        core.pass_over_seqs(payload["next_seq"])
        self._core = core
        self._registered = {name: as_stored(row) for name, row in self._nodes.items()}
        self._verdict.starts += 1
        if payload["version"] not in self._verdict.versions:
            self._verdict.versions.append(payload["version"])

    # ------------------------------------------------------------ the tables

    def compare_what_is_live(self) -> None:
        """Compare the live jobs with their records. Raises DifferenceFound."""
        for row in self._jobs.values():
            self._compare_job(row)
        for row in rows(self._database, "SELECT id FROM job WHERE id > ?", self._known):
            if row["id"] not in self._submitted and row["id"] not in self._given:
                raise DifferenceFound(
                    "the table of jobs has it, and no event submitted it", row["id"]
                )
        stored = {row["name"]: row for row in rows(self._database, "SELECT * FROM node")}
        compare(as_stored(self._nodes), stored, "the table of nodes")
        reserved = {
            row["name"]: reservation_of(row)
            for row in rows(self._database, "SELECT * FROM reservation")
        }
        ours = {name: reservation_of(row) for name, row in self._reservations.items()}
        compare(ours, reserved, "the table of advance reservations")

    def _compare_job(self, row: Row) -> None:
        """Check that the job's record is the result of its decisions. If the job runs again later,
        the record is checked after that."""
        if self._last_restarts.get(row["id"], 0) > self._at:
            return
        found = list(rows(self._database, "SELECT * FROM job WHERE id = ?", row["id"]))
        if not found and row["id"] in self._pruned and not row["live"]:
            self._attempts.pop(row["id"], None)
            return
        if not found:
            raise DifferenceFound("the table of jobs does not have it", row["id"])
        stored = {name: found[0][name] for name in row}
        compare(as_stored(row), stored, "its record in the table of jobs", row["id"])
        self._compare_attempts(row["id"])
        self._verdict.jobs += 1

    def _compare_attempts(self, job_id: int) -> None:
        """Check that the stored attempts are those that were decided. Of a job that went on without
        the log, only the later ones must be."""
        decided = self._attempts.pop(job_id, {})
        query = "SELECT * FROM attempt WHERE job_id = ?"
        stored = {row["attempt"]: row for row in rows(self._database, query, job_id)}
        for number, row in decided.items():
            what = f"attempt {number} in the table of attempts"
            compare(as_stored(row), stored.pop(number, None), what, job_id)
        if stored and job_id not in self._given:
            raise DifferenceFound(f"attempt {min(stored)} is stored and was not decided", job_id)


_LAST_RESTARTS = "SELECT job_id, max(id) FROM event WHERE kind = ? GROUP BY job_id"
_OVER = """SELECT id, user, seq, start_us, end_us, estimate_us, size, cause FROM job
    WHERE NOT live AND start_us IS NOT NULL AND id <= ? ORDER BY id"""


def _waiting_tasks(jobs: Iterable[Row]) -> Ranks:
    """Return the numbers of the tasks of live arrays that are no jobs of their own yet."""
    return Ranks(
        (id_of(row["id"], first), id_of(row["id"], last))
        for row in jobs
        if row["array"]
        for waiting in ("rest", "blocked", "never")
        for first, last in row["array"][waiting]
    )


def _tells_run_time(row: Row) -> bool:
    return row["start_us"] is not None and Cause(row["cause"]) in TELLS_RUN_TIME


def _run_of(row: Row) -> _Run:
    """Return what predictions need of a job that is over."""
    run_us = row["end_us"] - row["start_us"]
    return row["user"], row["seq"], run_us, row["estimate_us"], row["size"]


def _first_ends(database: sqlite3.Connection, event: int, last_id: int) -> dict[int, Row]:
    """Return the jobs up to `last_id` that were restarted after `event`, as they had ended before
    the first of these restarts, by id."""
    query = """SELECT job_id, payload FROM event
        WHERE kind = ? AND id > ? AND job_id <= ? ORDER BY id DESC"""
    found = rows(database, query, RESTART, event, last_id)
    return {row["job_id"]: row["payload"]["ended"] for row in found}


def _all(events: Iterable[Row], what: str) -> list[Row]:
    """Return the rows that the events of a snapshot have together."""
    return [row for event in events for row in event["payload"][what]]


def _pruned_after(database: sqlite3.Connection, event: int) -> Iterator[list[Any]]:
    """Yield what `pruned` events after `event` tell of the jobs that were deleted: id, user,
    arrival number, run time if predictions look at it, estimate and size."""
    query = "SELECT payload FROM event WHERE kind = ? AND id > ? ORDER BY id"
    for row in rows(database, query, PRUNED, event):
        yield from row["payload"]["jobs"]


def _inputs(events: Iterable[Row]) -> list[Input]:
    inputs = []
    for event in events:
        try:
            item = input_of(event["kind"], event["job_id"], event["payload"])
        except (ValueError, KeyError, TypeError) as error:
            raise ReadingError(f"event {event['id']} is damaged: {error!r}") from error
        if item is None:  # decisions follow inputs
            break
        inputs.append(item)
    return inputs


def _details_in(events: Iterable[Row], kind: str) -> dict[int, Details]:
    """Return the details that the events of one kind in a batch have of jobs, by id."""
    return {
        event["job_id"]: msgspec.convert(
            event["payload"].get("ended", event["payload"])["details"], Details
        )
        for event in events
        if event["kind"] == kind
    }
