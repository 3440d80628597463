"""A job in full, for people: its request, its nodes, and in words its end."""

from __future__ import annotations

import signal
import textwrap
from collections.abc import Sequence

from rmsd_client.console.cli import plural
from rmsd_client.show.job_fields import (
    Job,
    elapsed,
    exit_status,
    is_past_limit,
    label,
    local_time,
    time_left,
    time_limit_end_us,
)
from rmsd_client.show.limit_reasons import LIMIT_REASONS
from rmsd_client.show.request_text import request_text
from rmsd_core.vocabulary import TERMINAL_STATES
from rmsd_wire.durations import format_duration
from rmsd_wire.hostlist import short_counts
from rmsd_wire.sizes import format_mem

PARTITION_REASONS = {
    "PartitionDown": "its partition starts no jobs now",
    "PartitionTimeLimit": "its limit is longer than its partition allows now",
    "PartitionNodeLimit": "it asks for more than its partition gives to a job now",
}

RESERVATION_REASONS = {
    "Reservation": "it cannot start inside its reservation now: that has not begun, the job could "
    "no longer end inside it, or no nodes of it that take new jobs could hold the job",
    "ReservationDeleted": "its reservation is over or was deleted; cancel the job, or have an "
    "operator make the reservation again",
    "ReservedForMaintenance": "it would run, by its limit, into a maintenance of the nodes that "
    "could hold it",
    "ReservedForOthers": "it would run, by its limit, into a reservation of the nodes that could "
    "hold it",
}

IS_LATE = "it can no longer end before its deadline, and is ended in a moment"

_WHY_IT_WAITS = {
    "Resources": "no job is before it: it waits for processors or memory",
    "Priority": "others are before it in the queue, and it did not fit into a gap",
    **PARTITION_REASONS,
    **LIMIT_REASONS,
    **RESERVATION_REASONS,
    "ReqNodeNotAvail": "no nodes that take new jobs now could hold it, even empty",
    "JobHeldUser": "its user holds it; `rjob release` ends that",
    "JobHeldAdmin": "an operator holds it",
    "BeginTime": "its begin time has not come",
    "JobArrayTaskLimit": "as many tasks of its array run, or are next in the queue, as may at a "
    "time",
    "Dependency": "jobs that it depends on have still to start or to end",
    "DependencyNeverSatisfied": "{}, so it can never start; cancel it, or let it depend on others "
    "(`rjob update --dependency`)",
    "DeadLine": IS_LATE,
    "Claimed": "it has its processors as soon as those that are killed there for it have left",
}
_WAS_REFUSED = (
    "nodes could not start it (see its attempts), and no others that take new jobs now could hold "
    "it; if the job itself is wrong, cancel it and submit it anew"
)
"""Said of a job that has the reason ReqNodeNotAvail and was refused by nodes."""
_TRIALS = {
    "Trial": "on trial until {}",
    "TrialExpired": "its trial ended at {}; it runs until others need its processors",
    "Speculation": "before its turn, on what would idle, until others need its processors",
}
_WHY_IT_IS_ENDED = {
    "exit": "its script is over",
    "memory": "for its memory",
    "quota": "for more than a job may have",
    "user": "cancelled",
    "node": "one of its nodes was lost",
    "trial": "its trial is over, and others need what it holds",
    "deadline": "it could no longer end before its deadline",
    "requeue": "to run again, as a user asked for",
    "displace": "to run again, since a job of a higher tier needed its processors",
    "preempt": "a job of a higher tier needed its processors",
}

_SPECULATION = "it was run as a speculation, and was ended"
"""Said of a run that has a message for which job it was killed; killed trials have none."""
_NO_START = {
    "task": ": the tasks before it in its array join the queue first",
    "laying": " yet: it is far behind in the queue, and the plan has not come to it; ask again",
    "limit": ": a limit of its account or its QOS, or a license, holds it back",
    "reservation": ": it cannot start inside its reservation now",
    "far": ": it is so far behind in the queue that the plan ends before it",
}
_BASIS = {
    "reservation": "reserved",
    "projection": "a projection",
    "trial": "for its trial",
    "claim": "as others leave",
    "preemption": "in the place of running jobs",
    "assumption": "if jobs without a limit take a day",
}

ATTEMPTS = 20
"""The attempts that are shown, the latest ones."""
_UNMET = 3
"""The jobs that are named of those that have ended otherwise than the job asks for."""
_WIDTH = 80
_LABEL = 12
"""Columns of the names on the left."""


def describe(job: Job, attempts: Sequence[Job] = ()) -> list[tuple[str, str]]:
    """Return names and values of all facts about a job (a `JobView`) and its attempts
    (`AttemptView`s)."""
    over = job["state"] in TERMINAL_STATES
    lines = [("Job", f"{label(job)} {job['name']}"), ("User", job["user"])]
    lines += _array(job)
    lines += wrapped("State", state_text(job, attempts))
    if over:
        lines.append(("Exit code", exit_status(job)))
    lines += [("Submitted", local_time(job["submit_us"])), *_times(job, over)]
    lines += conditions_text(job)
    lines.append(("Time limit", format_duration(job["time_limit_s"])))
    if (deadline_us := job.get("deadline_us")) is not None:  # older daemons have none
        lines.append(("Deadline", local_time(deadline_us)))
    if job.get("warn_signal"):
        lines.append(("Signal", _warn_signal(job["warn_signal"])))
    if job["prediction_s"] is not None:
        lines.append(("Predicted", _prediction(job)))
    if job["attempt"] > 1 or job["backfilled"]:
        lines.append(("Scheduling", _scheduling(job)))
    if len(attempts) > 1 or job["start_us"] is None:
        lines += _attempts(job, attempts)
    if partition := job.get("partition"):
        lines.append(("Partition", partition))
    if account := job.get("account"):
        lines.append(("Account", account))
    if (qos := job.get("qos", "normal")) != "normal":  # older daemons do not tell it
        lines.append(("QOS", qos))
    if nice := job.get("nice"):  # older daemons do not tell it
        lines.append(("Nice", str(nice)))
    if licenses := job.get("licenses"):  # older daemons do not tell them
        lines.append(("Licenses", licenses))
    if reservation := job.get("reservation"):  # older daemons do not tell it
        lines.append(("Reservation", reservation))
    lines += wrapped("Request", request_text(job))
    if nodes := _nodes(job):
        lines.append(("Nodes", nodes))
    if job["cpu_s"] is not None:
        lines.append(("Used", _usage(job)))
    lines += [("Directory", job["workdir"]), ("Output", job["stdout"])]
    if job["stderr"] and job["stderr"] != job["stdout"]:
        lines.append(("Errors", job["stderr"]))
    if job.get("notify"):
        lines.append(("Notify", job["notify"]))
    if mail_types := job.get("mail_types"):  # older daemons do not tell it
        lines.append(("Mail", f"{','.join(mail_types)} to {job['mail_user']}"))
    if problem := job.get("notify_problem"):  # older daemons do not tell it
        lines.append(("", f"given up: {problem}"))
    if job["comment"]:
        lines.append(("Comment", job["comment"]))
    for at, change in enumerate(job.get("changes", ())):  # older daemons do not tell them
        lines += wrapped("" if at else "Changed", _change(change), "  ")
    return lines


def _attempts(job: Job, attempts: Sequence[Job]) -> list[tuple[str, str]]:
    """Return the latest attempts, and how many there were before these."""
    before = len(attempts) - ATTEMPTS
    lines = [("Attempts", plural(before, "earlier attempt"))] if before > 0 else []
    for one in attempts[-ATTEMPTS:]:
        name, text = f"Attempt {one['attempt']}", attempt_text(one, job)
        narrow = len(name) < _LABEL - 1  # the name, its colon and a space
        lines.append((name, text) if narrow else ("Attempt", f"{one['attempt']}: {text}"))
    return lines


def _array(job: Job) -> list[tuple[str, str]]:
    """Return what an array is: how many tasks it has, and which of them it stands for."""
    tasks = job.get("array_tasks")
    if tasks is None:
        return []
    over = job["state"] in TERMINAL_STATES
    text = plural(tasks, "task")
    if (most := job.get("array_max_tasks")) is not None:
        text += f", of which {most:,} may run at a time"
    if waiting := job.get("array_task_str"):
        text += f"; {'cancelled before they started' if over else 'waiting'}: {waiting}"
    return wrapped("Array", text)


def _change(change: Job) -> str:
    """Return who changed what of a job, and when."""
    field, _, unit = change["field"].rpartition("_")
    before, after = _value(change["before"], unit), _value(change["after"], unit)
    name = field if unit in ("s", "us") else change["field"]
    return f"{local_time(change['at_us'])} by {change['by']}: {name} from {before} to {after}"


def _value(text: str, unit: str) -> str:
    """Return the value of a changed field, which may be a time, for people."""
    if text in ("", "none"):
        return text or "nothing"
    try:
        if unit == "us":
            return local_time(int(text))
        return format_duration(float(text)) if unit == "s" else text
    except ValueError:  # the daemon is a later one
        return text


_RELATIONS = {
    "after": "the start of job {}",
    "afterany": "the end of job {}",
    "afterok": "the success of job {}",
    "afternotok": "the failure of job {}",
    "aftercorr": "the success of the task with the same index in array {}",
    "singleton": "the end of earlier jobs of this name",
}


_HOLDERS = {"user": "its user", "operator": "an operator"}


def conditions_text(job: Job) -> list[tuple[str, str]]:
    """Return the conditions that have still to come true."""
    conditions, lines = job.get("conditions"), []
    if holder := job.get("requeue_hold"):
        lines.append(("Held by", f"{_HOLDERS.get(holder, holder)}, if it is to wait again"))
    if conditions is None:
        return lines
    if conditions["held_by"]:
        lines.append(("Held by", _HOLDERS.get(conditions["held_by"], conditions["held_by"])))
    if conditions["begin_us"] is not None:
        lines.append(("Begins", f"not before {local_time(conditions['begin_us'])}"))
    awaited = [_dependency(one) for one in conditions["dependencies"]]
    if awaited:
        link = " or " if conditions["any_of"] else ", "
        lines += wrapped("Depends on", link.join(awaited))
    return lines


def _dependency(one: Job) -> str:
    relation = str(one["relation"])
    text = _RELATIONS.get(relation, relation).format(_name(one))
    if one["due_us"] is not None:
        return f"{format_duration(one['delay_s'])} after {text}: {local_time(one['due_us'])}"
    return f"{format_duration(one['delay_s'])} after {text}" if one["delay_s"] else text


def _name(one: Job) -> str:
    """Return the name of the job that a dependency is on, if that was looked up."""
    return str(one.get("name", one["job_id"])).removesuffix("_*")


def wrapped(name: str, text: str, indent: str = "") -> list[tuple[str, str]]:
    """Return a name and a value as lines of a usual width; all but the first have no name."""
    width = _WIDTH - _LABEL
    lines = textwrap.wrap(text, width, subsequent_indent=indent, break_long_words=False)
    return [(name if at == 0 else "", line) for at, line in enumerate(lines)]


def state_text(job: Job, attempts: Sequence[Job] = ()) -> str:
    """Return the state and its reason. `attempts`: the earlier ones, as far as they are known."""
    if job["state"] in TERMINAL_STATES:
        return f"{job['state']}: {how_it_ended(job)}"
    if job["state"] == "COMPLETING":
        why = _WHY_IT_IS_ENDED.get(job.get("stop_cause") or "")
        if job.get("stop_cause") == "trial" and job["message"]:
            why = f"{_SPECULATION}: {job['message']}"
        return "COMPLETING: being ended" + (f": {why}" if why else "")
    if is_past_limit(job):
        return f"{job['state']}: its limit passed at {local_time(time_limit_end_us(job))}"
    if job["state"] == "SUSPENDED":
        return "SUSPENDED: its processes and its limit stand still; `rjob resume` ends that"
    if _has_begun(job):
        return "RUNNING: none of its tasks waits"
    if job["state"] != "PENDING":
        if job["reason"] not in _TRIALS:
            return str(job["state"])
        trial_end_us = job["trial_end_us"]
        trial_end = "" if trial_end_us is None else local_time(trial_end_us)
        return f"{job['state']} ({_TRIALS[job['reason']].format(trial_end)})"
    words = _why_it_waits(job)
    if job["reason"] == "ReqNodeNotAvail" and any(one["cause"] == "launch" for one in attempts):
        words = _WAS_REFUSED
    return f"PENDING ({job['reason']})" + (f": {words}" if words else "")


def _has_begun(job: Job) -> bool:
    """Return whether a job is an array that is not over, and of which no task waits to start."""
    is_array = job.get("array_tasks") is not None
    return is_array and job["state"] == "PENDING" and job["reason"] == "None"


def _why_it_waits(job: Job) -> str:
    words = _WHY_IT_WAITS.get(job["reason"], "")
    if job["reason"] != "DependencyNeverSatisfied":
        return words
    if job.get("array_job_id") is not None:  # neither an array nor its tasks can be changed
        words = "{}, so it can never start; cancel it"
    return words.format(_unmet(job))


def _unmet(job: Job) -> str:
    """Return which jobs did not end as the job asks for, and how they ended."""
    unmet = (job.get("conditions") or {}).get("unmet", ())  # older daemons do not tell it
    if not unmet:  # each task of an array may await another job
        return "the jobs that it depends on did not end as it asks for"
    told = [_did_not_come_true(one) for one in unmet[:_UNMET]]
    if len(unmet) > _UNMET:
        told.append(f"{len(unmet) - _UNMET:,} more did not end as it asks for either")
    return "; ".join(told)


def _did_not_come_true(one: Job) -> str:
    relation = str(one["relation"])
    awaited = _RELATIONS.get(relation, relation).format(_name(one))
    ended = f"has ended as {one['state']}" if one["state"] else "is over, with an unknown end"
    return f"it needs {awaited}, which {ended}"


def _times(job: Job, over: bool) -> list[tuple[str, str]]:
    """Return the times that are known: a waiting job has no start, a running one no end."""
    ended = [("Ended", local_time(job["end_us"]))] if over else []
    if job.get("conditions") or _has_begun(job):
        return ended
    waited = format_duration(job["wait_s"])
    if job["start_us"] is None:
        expected = [("Expected", expected_start(job))] if "plan_us" in job else []
        return [*ended, ("Waited" if over else "Waiting", waited), *expected]
    started = f"{local_time(job['start_us'])} (after waiting {waited})"
    goes_on = not (over or job["state"] == "COMPLETING" or is_past_limit(job))
    run_time = f"{elapsed(job)}, {time_left(job)} left" if goes_on else elapsed(job)
    return [("Started", started), *ended, ("Run time", run_time)]


def expected_start(job: Job) -> str:
    """Return when a waiting job that `expect_starts` has seen starts, if all goes as predicted."""
    plan = f"plan of {local_time(job['plan_us'])}"
    if job["expected_start_us"] is None:
        why = _NO_START.get(job.get("no_start", ""), "")
        return f"cannot be told{why} ({plan})"
    basis = job["expected_basis"]
    return f"{local_time(job['expected_start_us'])}, {_BASIS.get(basis, basis)} ({plan})"


def how_it_ended(job: Job) -> str:
    """Return the end in words, from the cause and not from the signal."""
    speaks_for_itself = job["cause"] == "dependency" or job.get("array_tasks") is not None
    if speaks_for_itself and job["message"]:
        return str(job["message"])
    words = {
        "exit": _exited(job),
        "limit": f"killed at its limit of {format_duration(job['time_limit_s'])}",
        "memory": "killed for its memory",
        "quota": "killed for more than a job may have",
        "user": _cancelled(job),
        "node": "a node failed" if job["message"] else "its node was lost",
        "launch": "it could not be started",
        "trial": _SPECULATION if job["message"] else "killed after its trial run",
        "requeue": "ended to run again, as a user asked for",
        "displace": "preempted, to run again",
        "preempt": "preempted",
        "dependency": "cancelled",
        "deadline": "ended while it waited",
        "unknown": "it ended unobserved; its exit status cannot be known",
    }.get(job["cause"] or "user", str(job["cause"]))
    return f"{words}: {job['message']}" if job["message"] else words


def attempt_text(attempt: Job, job: Job) -> str:
    """Return when and where an attempt (`AttemptView`) ran, and how it ended."""
    began = f"{local_time(attempt['start_us'])} on {attempt['nodelist']}"
    if attempt["end_us"] is None:
        return f"{began}, {'is being ended' if job['state'] == 'COMPLETING' else 'goes on'}"
    ended = how_it_ended(type(job)({**job, **attempt}))
    return f"{began}, ended {local_time(attempt['end_us'])}: {ended}"


def _cancelled(job: Job) -> str:
    by = job.get("cancelled_by")  # older daemons do not tell it
    words = f"cancelled by {by}" if by and by != job["user"] else "cancelled"
    if job["start_us"] is not None:
        return words
    return f"{words} " + (
        "while it waited to start again" if job["attempt"] else "before it started"
    )


def _exited(job: Job) -> str:
    if job["signal"]:
        return f"ended by signal {job['signal']} ({_signal_name(job['signal'])})"
    return f"exited with {job['exit_code']}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "real-time"


def _warn_signal(warn: Job) -> str:
    whom = "the script alone" if warn["batch"] else "all processes but the script's own"
    name = _signal_name(warn["number"])
    return f"{warn['number']} ({name}) {warn['before_s']:g} s before the limit, to {whom}"


def _prediction(job: Job) -> str:
    """Return the prediction, at most the limit: the prediction of a job that outlives its limit for
    a moment, while it is killed, is beyond that."""
    time_limit_s = job["time_limit_s"]
    seconds = job["prediction_s"]
    text = format_duration(seconds if time_limit_s is None else min(seconds, time_limit_s))
    return f"{text} ({plural(job['corrections'], 'correction')})" if job["corrections"] else text


def _scheduling(job: Job) -> str:
    parts = [f"attempt {job['attempt']}"] if job["attempt"] > 1 else []
    if job["backfilled"]:
        parts.append("backfilled")
    return ", ".join(parts)


def _nodes(job: Job) -> str:
    """Return the nodes of a job, or how many it asks for. An array has none of its own."""
    if not job["nodelist"] and job["nodes"]:
        return f"{job['nodes']} requested"
    if not job["nodelist"] and job.get("array_tasks") is not None:
        return ""
    if not job["nodelist"]:
        return "none" if job["state"] in TERMINAL_STATES else "none yet"
    if len(job["node_cpus"]) == 1:
        return f"{job['nodelist']} ({plural(job['node_cpus'][0], 'cpu')})"
    return f"{job['nodelist']} ({short_counts(job['node_cpus']).replace(',', '+')} cpus)"


def _usage(job: Job) -> str:
    text = f"{job['cpu_s']:.2f} s of processor time"
    if job["max_rss_mib"] is not None:
        text += f", at most {format_mem(job['max_rss_mib'])} of memory"
    return text
