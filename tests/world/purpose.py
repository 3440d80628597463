"""Jobs that wait on purpose in a story: their conditions, and the check that these held."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rmsd_core.model_time import SECOND_US
from rmsd_core.vocabulary import Relation
from tests.world.arrays import all_started_us

_BEGIN_S = [0, 1, 5, 30]
_DELAY_S = [0, 0, 2, 20]
_SPARE_S = [0, 0.5, 5, 30, 600]

Row = Mapping[str, Any]


def conditions(rng: random.Random, known: Sequence[int], rate: float) -> dict[str, Any] | None:
    """Draw the conditions of a submit, on some of the `known` jobs; mostly there are none."""
    if rng.random() < 0.6:
        return None
    drawn: dict[str, Any] = {"hold": rng.random() < 0.2, "end_if_never": True}
    if rng.random() < 0.3:
        drawn["begin_in_s"] = rng.choice(_BEGIN_S) * rate
    others = rng.sample(known, min(len(known), rng.choice([0, 1, 1, 2])))
    drawn["dependencies"] = [_dependency(rng, job_id, rate) for job_id in others]
    if rng.random() < 0.1:
        drawn["dependencies"].append({"relation": "singleton"})
    drawn["any_of"] = rng.random() < 0.3
    return drawn


def deadline(rng: random.Random, spec: Row, rate: float) -> dict[str, float]:
    """Draw the deadline of a submit: at times just after the earliest end by its limit."""
    if rng.random() < 0.8:
        return {}
    begin_in_s = (spec.get("conditions") or {}).get("begin_in_s", 0)
    spare_s = rng.choice(_SPARE_S) * rate
    return {"deadline_in_s": begin_in_s + spec["time_limit_s"] + spare_s}


def missed_deadline(job: Row, spec: Row, starts_us: Iterable[int]) -> str:
    """Return how the deadline of a job was missed that is over; "" if it was not. The limit may
    have been changed since the submit."""
    if (deadline_us := job["deadline_us"]) is None:
        return "it has none" if job["state"] == "DEADLINE" else ""
    limits_us = (round(spec["time_limit_s"] * SECOND_US), job["estimate_us"])
    for start_us in starts_us:
        if start_us > deadline_us - min(limits_us):
            return f"it has started at {start_us}, too late for {deadline_us}"
    # One that was being killed has ended with its run, perhaps before that was heard.
    waited = job["start_us"] is None
    if waited and job["state"] == "DEADLINE" and job["end_us"] <= deadline_us - max(limits_us):
        return f"it was ended at {job['end_us']}, too early for {deadline_us}"
    return ""


def _dependency(rng: random.Random, job_id: int, rate: float) -> dict[str, Any]:
    relation = rng.choice([one for one in Relation if one is not Relation.SINGLETON])
    drawn: dict[str, Any] = {"relation": relation.value, "job_id": job_id}
    if relation is Relation.AFTER:
        drawn["delay_s"] = rng.choice(_DELAY_S) * rate
    return drawn


def wrong_start(
    job: Row,
    asked: Mapping[str, Any],
    jobs: Mapping[int, Row],
    starts_us: Mapping[int, int],
    *,
    released: bool,
) -> str:
    """Return which condition did not hold when the job started first; "" if all did.

    asked: the conditions as they were submitted. starts_us: the first start of each job. released:
    somebody has ended the hold.
    """
    start_us = starts_us[job["id"]]
    if asked.get("hold") and not released:
        return "it was held"
    begin_us = job["submit_us"] + round(asked.get("begin_in_s", 0) * SECOND_US)
    if start_us < begin_us:
        return f"it was to begin at {begin_us}, and began at {start_us}"
    dependencies = [
        one for one in asked["dependencies"] if one["relation"] != Relation.SINGLETON.value
    ]
    held = [_holds(one, start_us, jobs, starts_us) for one in dependencies]
    enough = any if asked["any_of"] and len(held) == len(asked["dependencies"]) else all
    if asked["any_of"] and len(held) < len(asked["dependencies"]):
        return ""  # the singleton may have sufficed
    return "" if not held or bool(enough(held)) else f"{dependencies} did not hold at {start_us}"


def _holds(
    one: Mapping[str, Any], start_us: int, jobs: Mapping[int, Row], starts_us: Mapping[int, int]
) -> bool:
    """Return whether a dependency was fulfilled at `start_us`."""
    other = jobs[one["job_id"]]
    is_over = other["end_us"] is not None and other["end_us"] <= start_us
    match Relation(one["relation"]):
        case Relation.AFTER:
            is_array = other["array_id"] == other["id"]
            alone_us = starts_us.get(other["id"], other["end_us"])
            first_us = all_started_us(other, jobs, starts_us) if is_array else alone_us
            return first_us is not None and bool(first_us + one["delay_s"] * SECOND_US <= start_us)
        case Relation.AFTER_OK:
            return is_over and other["state"] == "COMPLETED"
        case Relation.AFTER_NOT_OK:
            return is_over and other["state"] != "COMPLETED"
        case _:
            return is_over


def may_never_start(asked: Mapping[str, Any], jobs: Mapping[int, Row]) -> bool:
    """Return whether the dependencies of a job may have turned out to be such that they can never
    be fulfilled."""
    for one in asked["dependencies"]:
        other = jobs.get(one.get("job_id", 0))
        match Relation(one["relation"]):
            case Relation.AFTER_OK if other is None or other["state"] != "COMPLETED":
                return True
            case Relation.AFTER_NOT_OK if other is None or other["state"] == "COMPLETED":
                return True
    return False
