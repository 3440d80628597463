"""The reasons why a job starts and ends when it does, in words (`rstat --explain`).

The input is an `ExplainReply` of `rmsd_wire.api` as a dictionary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rmsd_client.console.cli import plural
from rmsd_client.show.job_fields import (
    BEFORE_ITS_TURN,
    Job,
    expect_starts,
    is_past_limit,
    label,
    local_time,
    time_limit_end_us,
)
from rmsd_client.show.job_text import (
    ATTEMPTS,
    IS_LATE,
    PARTITION_REASONS,
    RESERVATION_REASONS,
    attempt_text,
    conditions_text,
    expected_start,
    state_text,
    wrapped,
)
from rmsd_client.show.limit_reasons import LIMIT_REASONS
from rmsd_client.show.request_text import beside_cpus, request_text
from rmsd_core.vocabulary import TERMINAL_STATES
from rmsd_wire.durations import format_duration
from rmsd_wire.hostlist import compress

Told = dict[str, Any]

_INDENT = "   "
"""The beginning of the further lines of a text in a list."""
_LISTS = ("Since then", "Attempts", "Nodes", "Waits for", "Holds up")
"""The names of the lists of texts."""
_RESERVATIONS = 3
"""The number of advance reservations that are named."""


def explain(told: Told) -> list[tuple[str, str]]:
    """Return names and values; a name may be empty, for a value that belongs to the one before."""
    job = told["job"]
    lines = [("Job", f"{label(job)} {job['name']}"), ("User", job["user"])]
    lines += wrapped("State", state_text(job, told["attempts"]))
    lines += conditions_text(job)
    lines += wrapped("Request", request_text(job))
    if job["state"] == "PENDING" and told["wait"] is not None:
        lines += _waiting(told)
    elif job["state"] not in (*TERMINAL_STATES, "PENDING"):
        lines += _running(told)
    limit = ", the limit" if job["time_limit_s"] is not None else ""
    lines.append(("Estimate", format_duration(job["estimate_s"]) + limit))
    lines += wrapped("Predicted", _prediction(told))
    lines += _listed("Since then", _changes(told))
    lines += _listed("Attempts", _attempts(told))
    return lines


def _attempts(told: Told) -> list[str]:
    """Return the latest attempts, and how many there were before these."""
    latest = told["attempts"][-ATTEMPTS:]
    before = latest[0]["attempt"] - 1 if latest else 0
    earlier = [plural(before, "earlier attempt")] if before else []
    return earlier + [f"{one['attempt']}: {attempt_text(one, told['job'])}" for one in latest]


def _listed(name: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    return [
        line
        for at, text in enumerate(texts)
        for line in wrapped(name if at == 0 else "", text, indent=_INDENT)
    ]


def unwrapped(lines: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the lines of `explain` for a page that breaks them itself: texts in one piece."""
    found: list[tuple[str, str]] = []
    listed = False
    for name, text in lines:
        listed = name in _LISTS if name else listed
        if not name and (not listed or text.startswith(_INDENT)):
            found[-1] = found[-1][0], f"{found[-1][1]} {text.lstrip()}"
        else:
            found.append((name, text))
    return found


# ---------------------------------------------------------------- a job that waits


def _priority(priority: Told) -> str:
    parts = {"age": "age", "size": "size", "share": "fair share"}
    added = " + ".join(f"{priority[part]:,.0f} ({name})" for part, name in parts.items())
    for part, name in (("qos", "QOS"), ("partition", "partition")):
        if points := priority.get(part):  # older daemons do not tell them
            added += f" + {points:,.0f} ({name})"
    if nice := priority.get("nice"):  # older daemons do not tell it
        added += f" {'-' if nice < 0 else '+'} {abs(nice):,.0f} (nice)"
    used = f"its user has used {priority['used_s'] / 3600:,.1f} processor-hours lately"
    if (of_account_s := priority.get("account_used_s")) is not None:
        used += f", its account {of_account_s / 3600:,.1f}"
    return f"{priority['total']:,.0f} = {added}; {used}"


def _waiting(told: Told) -> list[tuple[str, str]]:
    job, wait = told["job"], told["wait"]
    starts = [told["start"]] if told["start"] is not None else []
    expect_starts([job], {"made_us": told["plan_us"], "starts": starts})
    job["no_start"] = wait.get("no_start", "")  # older daemons do not tell it
    lines = wrapped("Expected", _begin_of_reservation(told) or expected_start(job))
    if told["promised_us"] is not None and told["promised_us"] != job["expected_start_us"]:
        made = f"(at {local_time(told['promised_at_us'])})"
        lines.append(("Promised", f"{local_time(told['promised_us'])} at first {made}"))
    if wait["place"]:
        place = f"{wait['place']} of {wait['waiting']} in the queue"
        lines.append(("Place", f"{place}, by the recipe {told['recipe']}"))
    if priority := wait.get("priority"):  # older daemons do not tell it
        lines += wrapped("Priority", _priority(priority))
    lines += wrapped("Why", why_it_waits(told))
    if refused_by := wait.get("refused_by"):  # older daemons do not tell it
        refusing = compress(refused_by)
        again = f"it is not sent there again before an operator says `rnode resume {refusing}`"
        text = f"{refusing}, which could not start it (see Attempts); {again}"
        lines += wrapped("Refused by", text)
    if job["reason"] == "ReqNodeNotAvail":
        nodes = [_node(node) for node in wait["unavailable"]]
        nodes += _more(wait["unavailable_count"], len(nodes), "nodes that take nothing now")
        return lines + _listed("Nodes", nodes)
    after = [_makes_way(other, told) for other in wait["holders"]]
    after += _more(wait["holders_count"], len(after), "that run and end before these")
    before = [_runs_before(other) for other in wait["before"]]
    before += _more(wait["before_count"], len(before), "that wait and are expected before these")
    return lines + _listed("Waits for", after + before)


def _begin_of_reservation(told: Told) -> str:
    """Return when the reservation begins inside which a job without an expected start runs; "" if
    that is not what it waits for."""
    wait = told["wait"]
    found = wait.get("reservations", ()) if wait.get("no_start") == "reservation" else ()
    if not found or found[0]["start_us"] <= told["plan_us"]:
        return ""
    return f"not before {local_time(found[0]['start_us'])}, when its reservation begins"


def _node(node: Told) -> str:
    """Return what is the matter with a node."""
    return f"{node['name']} is {node['state']}" + (f": {node['reason']}" if node["reason"] else "")


def why_it_waits(told: Told) -> str:
    """Return what a waiting job waits for, as one or two sentences."""
    job, wait = told["job"], told["wait"]
    if wait["never_fits"]:
        return f"it can never run here: {wait['never_fits']}"
    if job["reason"] == "Claimed":
        ids = ", ".join(map(str, wait["awaits"]))
        return (
            f"its processors are its own once the jobs that are killed there have left: job {ids}"
        )
    if job["reason"] == "DeadLine":
        return IS_LATE
    if job["reason"] == "JobArrayTaskLimit":
        return _throttled(job)
    if job["reason"] in PARTITION_REASONS:
        return f"{PARTITION_REASONS[job['reason']]} ({job['partition']})"
    if job["reason"] == "Licenses" and (licenses := wait.get("licenses")):
        return _short_of(licenses, job["licenses"])
    if job["reason"] in LIMIT_REASONS:
        name = f"{job['account'] or 'none'}, {job['qos']}"
        reached = f"; {text}" if (text := told.get("reached_limits")) else ""
        return f"{LIMIT_REASONS[job['reason']]} (account and QOS: {name}){reached}"
    if job["reason"] in RESERVATION_REASONS and (found := wait.get("reservations")):
        return _reserved(job, found)
    if job["reason"] == "ReqNodeNotAvail":
        others = "other " if wait.get("refused_by") else ""
        return f"no {others}set of nodes that are up could hold it, even if nothing ran there"
    head = wait["head"]
    if wait["fits_now"]:
        return _held_back(told, head)
    text = f"it needs {plural(job['cpus'], 'cpu')}, and {_are(wait['free_cpus'])} free now"
    if wait["free_cpus"] >= job["cpus"]:
        text += _not_together(job)
    if told["start"] is not None and told["start"]["basis"] == "trial":
        return f"{text}; its trial run starts as soon as it fits, whatever jobs are before it"
    if told["start"] is not None and told["start"]["basis"] == "preemption":
        return f"{text}; it takes the place of running jobs as soon as it may"
    if head is None:
        return text
    passes = "nothing may pass" if wait["in_turn"] else "nothing may delay"
    return f"{text}; first in the queue is job {_named(head)}, which {passes}"


def _short_of(licenses: Sequence[Told], asked: str) -> str:
    """Return how many of the licenses that a job asks for are used."""
    used = ", ".join(f"{one['used']} of {one['total']} of {one['name']}" for one in licenses)
    return f"it asks for the licenses {asked}, and jobs have {used} now"


def _throttled(job: Job) -> str:
    """Return how many tasks of its array keep an array, or a task of it, from starting more."""
    most = job.get("array_max_tasks")  # a single task does not tell it
    told = "" if most is None else f": {most:,}"
    return f"as many tasks of its array run, or are next in the queue, as may at a time{told}"


def _reserved(job: Job, found: Sequence[Told]) -> str:
    """Return which advance reservations keep a job from starting."""
    told = ", and ".join(
        f"{'the maintenance' if one['maintenance'] else 'the reservation'} {one['name']} of "
        f"{one['nodelist']}, {local_time(one['start_us'])} to {local_time(one['end_us'])}"
        for one in found[:_RESERVATIONS]
    )
    if job["reason"] == "Reservation":
        return f"it runs inside {told}"
    limit = format_duration(job["time_limit_s"])
    text = f"with its limit of {limit} it would reach into {told}"
    if all(one["life"] == "active" for one in found):
        return text
    return f"{text}; a shorter limit may let it start before"


def _not_together(job: Job) -> str:
    """Return why a job does not fit though as many processors are free as it needs."""
    if rest := ", ".join(beside_cpus(job)):
        return f", but not with all else that it asks for in one place: {rest}"
    where = f" of the partition {job['partition']}" if job.get("partition") else ""
    return f", but not all that it asks for in one place{where}"


def _held_back(told: Told, head: Job | None) -> str:
    """Return why a job that fits is not started."""
    job, wait = told["job"], told["wait"]
    if head is None:
        return (
            "there is space for it, but not without delaying a job that has a reservation before it"
        )
    first = f"there is space for it, but job {_named(head)} is first in the queue"
    if wait["in_turn"]:
        return f"{first}, and nothing may pass it"
    if head["start_us"] is None:
        return first
    return (
        f"{first} and may not be delayed: it is to start at {local_time(head['start_us'])}, while "
        f"this job is expected to run {format_duration(job['prediction_s'])} and "
        f"{_are(wait['beside_cpus'])} left beside it"
    )


def _are(cpus: int) -> str:
    return f"{plural(cpus, 'cpu')} {'is' if cpus == 1 else 'are'}"


def _named(other: Job) -> str:
    if not other["user"]:  # another user's job, of which the daemon tells no more
        return label(other)
    return f"{label(other)} {other['name']} ({other['user']})"


def _makes_way(other: Job, told: Told) -> str:
    """Return until when a job runs that the told job waits for."""
    start = told["start"]
    preempts = start is not None and start["basis"] == "preemption"
    if not preempts or (other["end_us"] is not None and other["end_us"] <= start["start_us"]):
        return _runs_until(other, told["plan_us"])
    return f"{_named(other)}, {plural(other['cpus'], 'cpu')}, makes way for it then"


def _runs_until(other: Job, now_us: int) -> str:
    if other["state"] == "PENDING":
        return _runs_before(other)  # the other job has claimed its place
    who = f"{_named(other)}, {plural(other['cpus'], 'cpu')}"
    if other["state"] == "COMPLETING":
        return f"{who}, is being ended"
    if other["end_us"] is None:
        return f"{who}, runs without an end in sight"
    runs = "runs until" if other["end_us"] > now_us else "runs on, though predicted to end"
    return f"{who}, {runs} {local_time(other['end_us'])}"


def _runs_before(other: Job) -> str:
    start, end = local_time(other["start_us"]), local_time(other["end_us"])
    return f"{_named(other)}, {plural(other['cpus'], 'cpu')}, {start} to {end}"


def _more(count: int, shown: int, what: str) -> Iterator[str]:
    if count > shown:
        yield f"and {count - shown} more {what}"


# ---------------------------------------------------------------- a job that runs


def _running(told: Told) -> list[tuple[str, str]]:
    job = told["job"]
    lines = [("Started", local_time(job["start_us"]))]
    unable = told.get("unable", ())  # older daemons do not tell it
    lines += _listed("Nodes", [_node(one) for one in unable])
    if not is_past_limit(job):
        lines += _expected_end(told)
        if (limit := time_limit_end_us(job)) is not None:
            lines.append(("Limit", f"{local_time(limit)}, when it is killed"))
    others = [_is_held_up(other) for other in told["held_up"]]
    others += _more(told["held_up_count"], len(others), "that wait for it")
    return lines + _listed("Holds up", others)


def _expected_end(told: Told) -> list[tuple[str, str]]:
    end_us = told["expected_end_us"]
    if end_us is None or told["job"]["reason"] != "None":
        return []
    if end_us > told["plan_us"]:
        return [("Expected", f"to end {local_time(end_us)}, as predicted")]
    return [("Expected", f"to have ended {local_time(end_us)}, as predicted, and runs on")]


def _is_held_up(other: Job) -> str:
    text = f"{_named(other)}, expected {local_time(other['start_us'])}"
    if other["promised_us"] not in (None, other["start_us"]):
        text += f", promised {local_time(other['promised_us'])}"
    return text


# ---------------------------------------------------------------- predictions


def _prediction(told: Told) -> str:
    seconds, made = told["job"]["prediction_s"], told["prediction"]
    text = f"{format_duration(seconds)}, "
    if told["job"]["corrections"]:
        text += f"after {plural(told['job']['corrections'], 'correction')}; at first "
    text += _source(made)
    if made["times"] != 1:
        text += f", times {made['times']:g}"
    return text


def _source(made: Told) -> str:
    if made["predict"] == "estimate":
        return "the user's estimate"
    if made["predict"] not in ("recent", "matched"):
        return f"by the predictor '{made['predict']}'"
    if not made["used_known"]:
        return "from the user's recent jobs"
    if not made["used"]:
        return "the user's estimate, as too few jobs of theirs had ended"
    runs = [f"{run['job_id']} ({format_duration(run['run_s'])})" for run in made["used"]]
    return f"the {made['metric']} of the user's jobs {', '.join(runs)}, at most the estimate"


def _changes(told: Told) -> list[str]:
    texts = [_change(change) for change in told["changes"]]
    promised = any(change["kind"] == "promise" for change in told["changes"])
    reason = told["job"]["reason"]
    if promised and reason in BEFORE_ITS_TURN:
        run = "speculation" if reason == "Speculation" else "trial"
        texts.append(f"the promise is a start at its turn; a {run} comes before that")
    return texts


def _change(change: Told) -> str:
    at = local_time(change["at_us"])
    if change["kind"] == "promote":
        return f"{at} it passed its starvation threshold"
    if change["kind"] == "urgent":
        return f"{at} it became urgent, since it had waited for too long: it precedes all others"
    if change["kind"] == "promise":
        if change["start_us"] is None:
            return f"{at} promised a place, with no time in sight"
        return f"{at} promised to start {local_time(change['start_us'])}"
    predicted = format_duration(change["prediction_s"])
    if change["kind"] == "repredict":
        return f"{at} predicted anew: {predicted}"
    was, now = local_time(change["was_end_us"]), local_time(change["end_us"])
    return f"expected end {was} -> {now} ({predicted})"
