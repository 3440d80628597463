"""Folding the events: the tables as the events alone tell them.

Written from the meaning of the events, not from the code that writes the tables.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rmsd_core.jobs.accounts import NO_POLICIES
from rmsd_daemon.store.tables import EVENT_VERSION
from tests.daemon.fold_arrays import (
    count_ends,
    detached,
    forget_tasks,
    is_task,
    new_array,
    note_earlier_ends,
)
from tests.daemon.fold_reboots import note_reboot
from tests.live import Daemon

Row = dict[str, Any]
Tables = dict[str, dict[Any, Row]]

_OUTCOME = ("cause", "exit_code", "signal", "cpu_s", "max_rss_mib", "message")
_USED: dict[str, Callable[[list[float]], float]] = {
    "cpu_s": lambda times_s: round(sum(times_s), 6),
    "max_rss_mib": max,
}
_LINKS = {"node-suspect": "suspect", "node-dead": "down", "node-leaving": "leaving"}
_UNDECIDED = {**dict.fromkeys(_OUTCOME), "message": ""}
_NEW_JOB: Row = {
    "live": True,
    "state": "PENDING",
    "array": {},
    "requeue_hold": None,
    "attempt": 0,
    "corrections": 0,
    "overruns": 0,
    "rank": None,
    "backfilled": False,
    "behind": None,
    "cancelled_by": None,
    "reserved_at_us": None,
    "reserved_rank": None,
    "reserved_us": None,
    "promoted_us": None,
    "tried": False,
    "refusals": [],
    "avoids": [],
    "trial_end_us": None,
    "lost_us": 0,
    "survived_us": 0,
    "start_us": None,
    "suspended_us": 0,
    "suspended_since_us": None,
    "expected_end_us": None,
    "end_us": None,
    "allocation": [],
    "open_nodes": [],
    "claim": [],
    "awaits": [],
    "draining": False,
    "stop_cause": None,
    **_UNDECIDED,
}


def stored(database: Path) -> Tables:
    """Return the tables as they are in the database."""
    with sqlite3.connect(database) as connection:
        jobs = {row["id"]: row for row in _rows(connection, "job")}
        attempts = {(row["job_id"], row["attempt"]): row for row in _rows(connection, "attempt")}
        nodes = {row["name"]: row for row in _rows(connection, "node")}
        reserved = {row["name"]: row for row in _rows(connection, "reservation")}
    connection.close()
    for row in reserved.values():
        row["is_maintenance"] = bool(row["is_maintenance"])
    for row in jobs.values():
        for name in ("live", "backfilled", "requeue", "restartable", "tried", "draining"):
            row[name] = bool(row[name])
    return {"job": jobs, "attempt": attempts, "node": nodes, "reservation": reserved}


def events(database: Path) -> list[Row]:
    """Return all events, in order."""
    with sqlite3.connect(database) as connection:
        found = list(_rows(connection, "event"))
    connection.close()
    return found


def first_kept(database: Path) -> int:
    """Return the first event that is kept; those before it are being deleted."""
    with sqlite3.connect(database) as connection:
        query = "SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM meta WHERE key = ?"
        [(first,)] = connection.execute(query, ("events_from",)).fetchall()
    connection.close()
    return int(first)


def without_the_untold(database: Path, kept: Tables, told: Tables) -> Tables:
    """Return the stored tables without the jobs that were over before the first event that is
    kept."""
    if not (first := first_kept(database)):
        return kept
    [began_us] = [event["model_us"] for event in events(database) if event["id"] == first]

    def is_told(job_id: int) -> bool:
        row = kept["job"].get(job_id)
        return job_id in told["job"] or row is None or row["live"] or row["end_us"] > began_us

    return {
        "job": {key: row for key, row in kept["job"].items() if is_told(key)},
        "attempt": {key: row for key, row in kept["attempt"].items() if is_told(key[0])},
        "node": kept["node"],
        "reservation": kept["reservation"],
    }


def folded(database: Path) -> Tables:
    """Return the tables as the events tell them."""
    tables: Tables = {"job": {}, "attempt": {}, "node": {}, "array": {}, "reservation": {}}
    first = first_kept(database)
    for event in events(database):
        if event["id"] < first:
            continue
        assert event["version"] == EVENT_VERSION
        payload = event["payload"]
        if event["kind"] in ("drain", "resume"):
            payload = payload | {"drain_us": event["model_us"]}
        if event["kind"] in ("node-up", "ask-reboot", "reboot-failed"):
            note_reboot(tables["node"], event["kind"], payload, event["model_us"])
        _fold(tables, event["kind"], event["job_id"], payload)
    count_ends(tables)
    return tables


def batches(database: Path) -> list[tuple[int, int]]:
    """Return (batch, model_us) of every event, in order."""
    with sqlite3.connect(database) as connection:
        found = list(connection.execute("SELECT batch, model_us FROM event ORDER BY id"))
    connection.close()
    return found


def _rows(connection: sqlite3.Connection, table: str) -> Iterator[Row]:
    cursor = connection.execute(f"SELECT * FROM {table} ORDER BY 1")
    names = [column[0] for column in cursor.description]
    pieces = {"allocation", "open_nodes", "claim", "awaits", "conditions", "array"}
    refused = {"refusals", "avoids", "failures"}
    names_of = {"nodes", "users", "groups", "members", "accounts", "reboot"}
    is_json = {"request", "details", "payload", "features", "gres"} | pieces | refused | names_of
    for values in cursor:
        yield {
            name: json.loads(value) if name in is_json else value
            for name, value in zip(names, values, strict=True)
        }


_ASKED_WITH = ("ignores_jobs", "replaces")


# long: one case for each kind of event
def _fold(tables: Tables, kind: str, job_id: int | None, payload: Row) -> None:
    match kind:
        case "submit":
            first = {
                "eligible_us": payload["submit_us"],
                "conditions": payload["details"].get("conditions", []),
                "partition": _partition_of(payload["request"]),
            }
            tables["job"][job_id] = _NEW_JOB | payload | first
            if "array" in payload["details"]:
                tables["job"][job_id]["array"] = new_array(payload)
        case "detach":
            assert job_id is not None
            parent = tables["job"][payload["array_id"]]
            tables["job"][job_id] = _NEW_JOB | detached(parent, job_id, payload)
        case "launched":
            row = tables["job"][job_id]
            if row["attempt"] == payload["attempt"] and row["state"] == "CONFIGURING":
                row["state"] = "RUNNING"
        case "exited":
            _exited(tables["job"][job_id], payload)
        case "cancel":
            row = tables["job"].get(job_id, {})
            ends = row and row["open_nodes"]  # else it has ended in this very batch
            if ends and row["stop_cause"] in ("node", "trial", "requeue"):
                if row["claim"]:
                    row.update({"claim": [], "awaits": [], "expected_end_us": None})
                row["stop_cause"] = "user"
                row["cancelled_by"] = payload.get("by")
        case "restart":
            assert job_id not in tables["job"] or not tables["job"][job_id]["live"]
            row = payload["ended"]
            kept = {"attempt": row["attempt"], "partition": _partition_of(row["request"])}
            tables["job"][job_id] = row | _NEW_JOB | kept
        case "await":
            row = tables["job"][job_id]
            row["awaits"] = [one for one in row["awaits"] if one not in payload["left"]]
        case "hold" | "release" | "put-back" | "await-again" | "suspend" | "unsuspend":
            assert job_id in tables["job"] or is_task(tables, job_id)  # decisions say what became
        case "update":
            changed = {name: value for name, value in payload.items() if name != "asked"}
            tables["job"][job_id].update(changed)
        case "node-up":
            never: Row = {
                "drain_reason": None,
                "drain_by": "",
                "drain_us": None,
                "failures": [],
                "reboot": [],
            }
            known = tables["node"].get(payload["name"], never)
            drained = {name: known[name] for name in never}
            tables["node"][payload["name"]] = payload | {"link": "up"} | drained
        case "node-gone":
            tables["node"].pop(payload["name"], None)
        case "node-suspect" | "node-dead" | "node-leaving" | "drain" | "resume":
            row = tables["node"].get(payload["name"], {})  # one that is gone has no news
            if kind in _LINKS:
                row["link"] = _LINKS[kind]
            else:
                row["drain_reason"] = payload.get("drain_reason")
                row.update({name: payload[name] for name in ("drain_by", "drain_us")})
        case "ask-reboot" | "reboot-failed":
            assert payload["name"]  # `note_reboot` has done it
        case "cancel-reboot":
            tables["node"][payload["name"]]["reboot"] = []
        case "reboot":
            tables["node"][payload["name"]]["reboot"] = payload["reboot"]
        case "external-change" | "snapshot":
            if "nodes" in payload:
                tables["node"] = {row["name"]: row for row in payload["nodes"]}
                reserved = payload["reservations"]
                tables["reservation"] = {row["name"]: row for row in reserved}
            tables["job"].update({row["id"]: row for row in payload["jobs"]})
            note_earlier_ends(tables, payload["jobs"])
            for row in payload["attempts"]:
                tables["attempt"][row["job_id"], row["attempt"]] = row
        case "pruned":
            ids = {job_id for job_id, *_ in payload["jobs"]}
            assert not any(tables["job"][job_id]["live"] for job_id in ids & tables["job"].keys())
            forget_tasks(tables, ids)
            for table, key_of in (("job", int), ("attempt", _job_of)):
                kept = {key: row for key, row in tables[table].items() if key_of(key) not in ids}
                tables[table] = kept
        case "partitions":
            assert "partitions" in payload  # the decisions say what becomes of jobs
        case "reserve":
            row = {name: payload[name] for name in payload if name not in _ASKED_WITH}
            tables["reservation"][row["name"]] = row
        case "set-member":
            row = tables["reservation"][payload["name"]]
            others = [user for user in row["members"] if user != payload["user"]]
            row["members"] = others + [payload["user"]] * payload["is_member"]
        case "repeat":
            tables["reservation"][payload["name"]] |= payload
        case "unreserve" | "lapse":
            del tables["reservation"][payload["name"]]
        case "policies":
            assert len(payload["policies"]) == len(NO_POLICIES)
        case "restored":
            assert payload["recipe"]
        case "overtaken" | "found":
            assert job_id in tables["job"] or is_task(tables, job_id)  # decisions say what became
        case "no-op":
            assert payload == {}
        case "switch":
            assert payload["order"]
        case "failures":
            if payload["name"] in tables["node"]:
                tables["node"][payload["name"]].update(payload)
        case _:
            _decided(tables, kind, job_id, payload)


def _partition_of(request: list[list[Any]]) -> str:
    """Return the partitions that a request names, in the order of its components."""
    named = [component[5] for component in request if component[5] is not None]
    return ",".join(dict.fromkeys(named)) or "main"


def _job_of(attempt: tuple[int, int]) -> int:
    return attempt[0]


def _exited(row: Row, payload: Row) -> None:
    if row["attempt"] != payload["attempt"] or payload["node"] not in row["open_nodes"]:
        return
    row["open_nodes"] = [node for node in row["open_nodes"] if node != payload["node"]]
    if payload["node"] == row["allocation"][0][0]:
        said = row["message"] if row["stop_cause"] in ("memory", "quota") else ""
        ended = [name for name in ("end_us", *_OUTCOME) if name not in _USED]
        row.update({name: payload[name] for name in ended})
        row["message"] = said or row["message"]
    for name, of_all in _USED.items():
        known = [one for one in (row[name], payload[name]) if one is not None]
        row[name] = of_all(known) if known else None


def _decided(tables: Tables, kind: str, job_id: int | None, payload: Row) -> None:
    row = tables["job"][job_id]
    row.update(payload["job"])
    attempts = tables["attempt"]
    if kind == "start":
        attempts[job_id, row["attempt"]] = {
            "job_id": job_id,
            "attempt": row["attempt"],
            "start_us": row["start_us"],
            "end_us": None,
            "allocation": row["allocation"],
            **_UNDECIDED,
        }
    elif kind == "adopt":
        attempts[job_id, payload["began"]["attempt"]] = payload["began"]
    elif kind == "requeue":
        lost = payload["lost"]
        ended = {name: lost[name] for name in ("end_us", *_OUTCOME)}
        attempts[job_id, lost["b_attempt"]].update(ended)
    elif kind == "end" and row["start_us"] is not None:
        attempts[job_id, row["attempt"]].update({name: row[name] for name in ("end_us", *_OUTCOME)})


def assert_events_fold_to_tables(daemon: Daemon) -> None:
    """Assert that the daemon, which has stopped, has stored what its events amount to, in their
    order."""
    database = daemon.state / "rmsd.db"
    tables = folded(database)
    for table, rows in without_the_untold(database, stored(database), tables).items():
        assert tables[table] == rows
    assert_counters_are_true(database)
    order = batches(database)
    assert order == sorted(order)


def assert_counters_are_true(database: Path) -> None:
    """Assert that the counters that starts go by are what a look at all jobs gives."""
    with sqlite3.connect(database) as connection:
        [(live, last)] = connection.execute("SELECT sum(live), max(seq) FROM job").fetchall()
        meta = dict(connection.execute("SELECT key, value FROM meta"))
    connection.close()
    assert int(meta.get("live", 0)) == (live or 0)
    assert int(meta.get("next_seq", 0)) > (-1 if last is None else last)
