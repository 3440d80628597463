"""Folding the events of arrays: what they tell of the records of arrays and of their tasks."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import msgspec

from rmsd_core.jobs.ranks import Ranks
from rmsd_daemon.domain.submission import Details

Row = dict[str, Any]
Tables = dict[str, dict[Any, Row]]

_SETS = ("rest", "blocked", "never")
_COUNTS = ("failed", "ended_cancelled", "ended_late", "exit_code")


def as_stored(details: Details) -> dict[str, Any]:
    """Return details as they come out of a row: with lists for tuples."""
    stored: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(details))
    return stored


def new_array(payload: Row) -> Row:
    """Return the record of an array as it is after its submit."""
    array = msgspec.convert(payload["details"], Details).array
    assert array is not None
    return array.made().kept()


def is_task(tables: Tables, job_id: int | None) -> bool:
    """Return whether a number is of a task that is no job yet."""
    assert job_id is not None
    for array_id, row in tables["job"].items():
        if row["array"]:
            rest = (*row["array"]["rest"], *row["array"]["blocked"])
            if any(first <= job_id - array_id - 1 < last for first, last in rest):
                return True
    return False


def detached(parent: Row, job_id: int, payload: Row) -> Row:
    """Return the row of a task that becomes a job, and take the task out of the array's record."""
    rank = job_id - parent["id"] - 1
    for name in _SETS:
        ranks = Ranks([(first, last) for first, last in parent["array"][name]])
        ranks.take(rank, rank + 1)
        parent["array"] = parent["array"] | {name: [list(one) for one in ranks.intervals()]}
    given = (
        *("user", "name", "submit_us", "estimate_us", "deadline_us", "requeue", "restartable"),
        *("request", "size", "eligible_us", "prediction_us", "partition"),
    )
    return {
        "id": job_id,
        **{name: parent[name] for name in given},
        **payload,
        "details": as_stored(msgspec.convert(parent["details"], Details).of_task()),
    }


def count_ends(tables: Tables) -> None:
    """Write into the records of arrays how their tasks have ended."""
    for row in tables["job"].values():
        if row["array"]:
            known = tables["array"].get(row["id"], dict.fromkeys(_COUNTS, 0))
            row["array"] = row["array"] | _sum(known, _ends(tables, row))


def note_earlier_ends(tables: Tables, rows: Iterable[Row]) -> None:
    """Note how tasks have ended of which the events do not tell, as a snapshot has it."""
    for row in rows:
        if row["array"]:
            told = _ends(tables, row)
            counts = {name: row["array"][name] - told[name] for name in _COUNTS[:3]}
            tables["array"][row["id"]] = counts | {"exit_code": row["array"]["exit_code"]}


def forget_tasks(tables: Tables, ids: Collection[int]) -> None:
    """Note how the tasks among these jobs have ended, which are deleted."""
    for job_id in ids & tables["job"].keys():
        row = tables["job"][job_id]
        if row["array_index"] is not None:
            known = tables["array"].get(row["array_id"], dict.fromkeys(_COUNTS, 0))
            tables["array"][row["array_id"]] = _sum(known, _end(row))


def _ends(tables: Tables, array: Row) -> Row:
    """Return how the known tasks of an array have ended."""
    dropped, late = (
        sum(last - first for first, last in array["array"][name]) for name in ("cancelled", "late")
    )
    counts: Row = {
        "failed": dropped, "ended_cancelled": dropped - late, "ended_late": late, "exit_code": 0,
    }  # fmt: skip
    for row in tables["job"].values():
        if row["array_id"] == array["id"] and row["array_index"] is not None and not row["live"]:
            counts = _sum(counts, _end(row))
    return counts


def _end(row: Row) -> Row:
    return {
        "failed": int(row["state"] != "COMPLETED"),
        "ended_cancelled": int(row["state"] == "CANCELLED"),
        "ended_late": int(row["state"] == "DEADLINE"),
        "exit_code": row["exit_code"] or 0,
    }


def _sum(one: Row, other: Row) -> Row:
    sums = {name: one[name] + other[name] for name in _COUNTS[:3]}
    return sums | {"exit_code": max(one["exit_code"], other["exit_code"])}
