"""The times between which sacct looks for jobs: what state a job had then, and what it did."""

from __future__ import annotations

from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_client.slurm.words import jobs as of
from rmsd_client.slurm.words.account_row import Row
from rmsd_client.slurm.words.times import parse_time_us

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

    from rmsd_client.api import Client

    Job = dict[str, Any]
    Window = tuple[int | None, int | None]
    """The begin and the end of the time whose jobs are shown, in microseconds. None: the time of
    the first job, or now."""


def window_us(client: Client, options: Mapping[str, str], states: Collection[str] | None) -> Window:
    """Return the time that options ask for: since midnight, or with states now, if none does."""
    begin = _instant(client, options.get("starttime"))
    end = _instant(client, options.get("endtime"))
    if begin is None:
        begin = _instant(client, "now" if states and end is None else "today")
    return begin, end


def _instant(client: Client, text: str | None) -> int | None:
    """Return the time of a text. What is no date is by the clock of the cluster, which may run
    fast."""
    if not text:
        return None
    is_date = text[:4].isdigit() and text[4:5] == "-"
    found = parse_time_us(text, None if is_date else of.now_us(client) / 1_000_000)
    if found is None:
        raise SlurmError(f"Invalid time specification (pos=0): {text}")
    return max(0, found)


def was_in(job: Job, states: Collection[str], begin_us: int | None, end_us: int | None) -> bool:
    """Return whether a job is in one of the states. If a window has an end (-E): whether it ended
    with one of them meanwhile, or ran or waited then."""
    state = "RUNNING" if job["state"] == "COMPLETING" else job["state"]
    if end_us is None:
        return state in states
    begin_us = begin_us or 0
    if "RUNNING" in states and _ran(job, state, begin_us, end_us):
        return True
    if "PENDING" in states and _waited(job, begin_us, end_us):
        return True
    if state not in states or state in ("RUNNING", "PENDING"):
        return False
    return job["end_us"] is None or bool(begin_us <= job["end_us"] <= end_us)


def _ran(job: Job, state: str, begin_us: int, end_us: int) -> bool:
    if job["start_us"] is None or job["start_us"] > end_us:
        return False
    return state == "RUNNING" or (job["end_us"] is not None and job["end_us"] >= begin_us)


def _waited(job: Job, begin_us: int, end_us: int) -> bool:
    """Return whether a job still waited at the end of a window, or was over without a start after
    its beginning, as in Slurm."""
    if job["submit_us"] > end_us:
        return False
    if job["start_us"] is not None:
        return bool(job["start_us"] > end_us)
    return job["end_us"] is None or bool(job["end_us"] > begin_us)


def truncated(rows: Iterable[Row], begin_us: int, end_us: int) -> list[Row]:
    """Return rows whose starts are not before the time and whose ends are not behind it, as with
    -T; what runs ends with it."""
    cut_rows = []
    for row in rows:
        values = row.values
        if row.step:
            of_job = _of_script(row.job) if row.step == "batch" else {}
            values = _cut({**of_job, **values}, begin_us, end_us)
        cut_rows.append(Row(_cut(row.job, begin_us, end_us), row.step, values, row.derived))
    return cut_rows


def _of_script(job: Job) -> Job:
    """Return the start of the script of a job, and how long it was suspended."""
    return {name: job.get(name) for name in ("start_us", "suspended_s")}


def _cut(one: Job, begin_us: int, last_us: int) -> Job:
    """Return a job or a step that begins and ends within these times."""
    if one["start_us"] is None:
        return one
    start_us = max(one["start_us"], begin_us)
    end_us = max(start_us, min(one.get("end_us") or last_us, last_us))
    elapsed_s = max(0.0, (end_us - start_us) / 1_000_000 - float(one.get("suspended_s") or 0))
    return {**one, "start_us": start_us, "end_us": end_us, "elapsed_s": elapsed_s}
