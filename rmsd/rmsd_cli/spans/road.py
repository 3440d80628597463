"""The road of a job that is over: spans of time, one within another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

Json = Mapping[str, Any]
Attribute = str | int | float | bool

_COMPLETED = "COMPLETED"
_OF_JOB = (
    *("job_id", "array_job_id", "array_task_id", "user", "account", "qos", "partition", "state"),
    *("cpus", "mem_mib", "nodes", "nodelist", "cause", "exit_code", "signal", "backfilled"),
    *("cpu_s", "max_rss_mib", "estimate_s", "prediction_s", "lost_s", "suspended_s", "reservation"),
)
_OF_ATTEMPT = ("attempt", "nodelist", "cause", "exit_code", "signal")
_OF_STEP = ("number", "tasks", "cpus", "nodelist", "cause", "exit_code", "signal", "cpu_s")


class JobSpan(NamedTuple):
    """A part of a job's road. key: it names the span within the job, and the part of it up to the
    last slash names the span around it; "" is the whole road. Times are model time. failed: why it
    counts as an error; "" if it does not."""

    key: str
    name: str
    start_us: int
    end_us: int
    attributes: Mapping[str, Attribute]
    failed: str = ""


def is_over(job: Json) -> bool:
    """Return whether the job has a road: it is over, and is no array, whose tasks have their
    own."""
    is_array = job["array_job_id"] is not None and job["array_task_id"] is None
    return job["end_us"] is not None and not is_array


def road(job: Json, attempts: Sequence[Json], steps: Sequence[Json]) -> list[JobSpan]:
    """Return the spans of a job (`JobView`) that is over, the whole road first: its waits, its
    attempts (`AttemptView`s, the first one first), and the steps (`StepView`s) within these."""
    start_us, end_us = job["submit_us"], job["end_us"]
    failed = "" if job["state"] == _COMPLETED else job["message"] or job["state"]
    spans = [JobSpan("", "job", start_us, end_us, _attributes(_OF_JOB, job), failed)]
    first_us = attempts[0]["start_us"] if attempts else end_us
    eligible_us = min(max(job["eligible_us"] or start_us, start_us), first_us)
    if eligible_us > start_us:
        spans.append(JobSpan("/ineligible", "not eligible", start_us, eligible_us, {}))
    waits_us = eligible_us
    for attempt in attempts:
        number = attempt["attempt"]
        if attempt["start_us"] > waits_us:
            spans.append(JobSpan(f"/wait {number}", "wait", waits_us, attempt["start_us"], {}))
        waits_us = end_us if attempt["end_us"] is None else attempt["end_us"]
        spans += _of_attempt(attempt, waits_us, steps)
    if not attempts and end_us > waits_us:
        spans.append(JobSpan("/wait", "wait", waits_us, end_us, {}))
    return spans


def _of_attempt(attempt: Json, end_us: int, steps: Sequence[Json]) -> Iterator[JobSpan]:
    number, start_us = attempt["attempt"], attempt["start_us"]
    key = f"/attempt {number}"
    failed = "" if attempt["exit_code"] == 0 else attempt["message"] or attempt["cause"] or ""
    yield JobSpan(key, "attempt", start_us, end_us, _attributes(_OF_ATTEMPT, attempt), failed)
    for step in steps:
        if step["attempt"] == number:
            until_us = end_us if step["end_us"] is None else step["end_us"]
            failed = "" if step["exit_code"] == 0 else step["cause"] or "failed"
            name = f"step {step['name']}"
            told = _attributes(_OF_STEP, step)
            yield JobSpan(
                f"{key}/step {step['number']}", name, step["start_us"], until_us, told, failed
            )


def _attributes(names: Sequence[str], told: Json) -> dict[str, Attribute]:
    """Return the facts that there are, under names of rmsd's own."""
    return {f"rmsd.{name}": told[name] for name in names if told[name] not in (None, "")}
