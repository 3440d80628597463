"""The promises, judged from what is known from outside. Pure: the history in, findings out.

An attempt may begin once. A job may begin again only after an attempt that was killed after its
trial run, that could not be started, or whose node was taken to be dead. A killed shepherd costs
the exit status, which is unknown then, and nothing more.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from rmsd_core.vocabulary import TERMINAL_STATES, Cause
from rmsd_wire.hostlist import expand
from tests.soak.history import Answer, Asked, Finding, History, Line

JUDGEMENTS = {
    "lost": "acknowledged, and not there",
    "stored_unasked": "there twice, or though refused",
    "numbers_twice": "a job number given twice",
    "ran_twice": "an attempt that began twice, or beside another, or without a rule",
    "unended": "not over at the end",
    "untrue": "an end that is not what happened",
    "orphans": "a process that lives on when its job is over",
    "overallocated": "more cores in use than a node has",
    "unverified": "decisions that are not what their inputs lead to",
    "silent": "a loss that the daemon did not tell of",
}
"""The kinds of findings, in the order of the record."""

REQUEUED_AFTER = frozenset({Cause.TRIAL, Cause.NODE})
_SLACK_S = 2.0  # between a kill and the end of the job that it cost the exit status
_Attempts = dict[int, dict[str, Any]]


def judge(history: History) -> list[Finding]:
    """Return all that was found."""
    return [*history.seen, *_presence(history), *_runs(history), *_ends(history)]


def excused(finding: Finding, history: History) -> bool:
    """Return whether the finding follows from a loss of data that we have caused and the daemon has
    told of."""
    if finding.judgement in ("numbers_twice", "silent", "unended"):
        return False
    if finding.judgement == "unverified":
        return bool(history.excused)
    return not history.excused.isdisjoint(finding.tags)


def _presence(history: History) -> Iterator[Finding]:
    by_tag = defaultdict(list)
    for job in history.jobs:
        by_tag[job["name"]].append(job["job_id"])
    for asked in history.asked:
        ids = by_tag[asked.tag]
        if asked.answer is Answer.TAKEN and asked.job_id not in ids:
            yield Finding(
                "lost",
                f"{asked.tag} was taken as job {asked.job_id}, and is not there",
                (asked.tag,),
            )
        if len(ids) > 1 or (ids and asked.answer is Answer.REFUSED):
            yield Finding(
                "stored_unasked",
                f"{asked.tag} ({asked.answer.value}) is there as {ids}",
                (asked.tag,),
            )
    given = Counter(asked.job_id for asked in history.asked if asked.job_id is not None)
    for job_id, times in given.items():
        if times > 1:
            tags = [asked.tag for asked in history.asked if asked.job_id == job_id]
            yield Finding("numbers_twice", f"{job_id} was given to {', '.join(tags)}", tuple(tags))


def _attempts(history: History, job: dict[str, Any]) -> _Attempts:
    """Return the attempts by number, with their causes; of a job that was started once, from its
    own record."""
    rows = history.attempts.get(job["job_id"])
    if rows is None:
        return {job["attempt"]: job} if job["attempt"] else {}
    return {row["attempt"]: row for row in rows}


def _runs(history: History) -> Iterator[Finding]:
    known = {job["name"]: job for job in history.jobs}
    for tag, lines in history.lines.items():
        began = Counter(line.attempt for line in lines if line.what == "begin")
        tasks = Counter((line.attempt, line.value) for line in lines if line.what == "task")
        job = known.get(tag)
        attempts = _attempts(history, job) if job is not None else {}
        for attempt, times in began.items():
            if times > 1:
                yield Finding("ran_twice", f"{tag}: attempt {attempt} began {times} times", (tag,))
            if job is not None and attempt not in attempts:
                yield Finding(
                    "ran_twice", f"{tag}: attempt {attempt} began and is not on record", (tag,)
                )
        for (attempt, number), times in tasks.items():
            if times > 1:
                yield Finding(
                    "ran_twice",
                    f"{tag}: task {number} of attempt {attempt} began {times} times",
                    (tag,),
                )
        for line in lines:
            before = attempts.get(line.attempt - 1)
            if line.what == "overlap" and not (before and before["cause"] == Cause.NODE):
                yield Finding(
                    "ran_twice",
                    f"{tag}: attempt {line.attempt} began beside an earlier one",
                    (tag,),
                )
        for attempt in attempts:
            before = attempts.get(attempt - 1)
            if attempt > 1 and not (before and before["cause"] in REQUEUED_AFTER):
                cause = before["cause"] if before else None
                yield Finding(
                    "ran_twice",
                    f"{tag}: attempt {attempt} follows one that ended by {cause}",
                    (tag,),
                )


def _ends(history: History) -> Iterator[Finding]:
    asked = {one.tag: one for one in history.asked}
    for job in history.jobs:
        tag = job["name"]
        if job["state"] not in TERMINAL_STATES:
            yield Finding(
                "unended", f"{tag}: job {job['job_id']} is {job['state']}: {job['reason']}", (tag,)
            )
        elif tag in asked:
            problem = _untrue(history, job, asked[tag])
            if problem:
                yield Finding(
                    "untrue", f"{tag} ({asked[tag].kind}): job {job['job_id']} {problem}", (tag,)
                )


def _untrue(history: History, job: dict[str, Any], asked: Asked) -> str:
    """Return what is wrong with a job's end; empty if nothing is."""
    lines = [one for one in history.lines.get(asked.tag, ()) if one.attempt == job["attempt"]]
    told = f"is {job['state']} by {job['cause']}, code {job['exit_code']} ({job['message']})"
    if job["cause"] == Cause.EXIT:
        return _untrue_exit(history, job, asked, lines, told)
    if job["cause"] == Cause.LIMIT:
        ran_s = (job["end_us"] - job["start_us"]) / 1e6
        return (
            ""
            if ran_s >= job["time_limit_s"]
            else f"{told}, after {ran_s} of {job['time_limit_s']} s"
        )
    if job["cause"] == Cause.USER:
        return "" if asked.cancel_asked else f"{told}, though nobody cancelled it"
    if job["cause"] == Cause.UNKNOWN:
        return "" if _shepherd_hit(history, job) else f"{told}, though its shepherd was left alone"
    return told


def _untrue_exit(
    history: History, job: dict[str, Any], asked: Asked, lines: list[Line], told: str
) -> str:
    if asked.kind == "timer":
        return "" if job["exit_code"] == 0 else told
    codes = [line.value for line in lines if line.what == "end"]
    if asked.cancel_answered:
        return f"{told}, though its cancel was answered"
    if not any(line.what == "begin" for line in lines):
        return f"{told}, though it never began"
    if codes != [str(job["exit_code"])]:
        return f"{told}, though it ended with {codes}"
    if asked.kind == "parallel" and job["exit_code"] != 0 and not _shepherd_hit(history, job):
        return f"{told}, though no task failed"
    return ""


def _shepherd_hit(history: History, job: dict[str, Any]) -> bool:
    """Return whether a shepherd of one of the job's agents was killed or stopped while it ran."""
    where = {agent for node, agent in history.agents.items() if node in _nodes(job)}
    began_s, ended_s = (job["start_us"] or 0) / 1e6, (job["end_us"] or 0) / 1e6
    return any(
        fault.victim == "shepherd"
        and fault.agent in where
        and began_s - _SLACK_S <= max(fault.at_s, fault.until_s)
        and fault.at_s <= ended_s + _SLACK_S
        for fault in history.faults
    )


def _nodes(job: dict[str, Any]) -> list[str]:
    return expand(job["nodelist"]) if job["nodelist"] else []


def unknown_exits(history: History) -> int:
    """Return the number of jobs whose exit status is not known."""
    return sum(job["cause"] == Cause.UNKNOWN for job in history.jobs)


def restart_times_s(history: History) -> tuple[list[float], list[float]]:
    """Return the times from every start of the daemon to its first answer, and to the first begin
    of a job that was started after it. Times that end after the next start are left out."""
    launched = sorted(_launches(history))
    answers, begins = [], []
    bounds = [start.at_s for start in history.starts[1:]] + [float("inf")]
    for start, end_s in zip(history.starts, bounds, strict=True):
        if start.answered_s is not None and start.at_s < start.answered_s < end_s:
            answers.append(start.answered_s - start.at_s)  # else it is of a later one with its pid
        later = [
            begun for decided, begun in launched if decided >= start.at_s and start.at_s < begun
        ]
        if later and min(later) < end_s:
            begins.append(min(later) - start.at_s)
    return answers, begins


def _launches(history: History) -> Iterator[tuple[float, float]]:
    """Yield when a job was started as the daemon has it, and when its script began (UTC, s)."""
    for job in history.jobs:
        attempts = _attempts(history, job)
        for line in history.lines.get(job["name"], ()):
            if line.what == "begin" and (attempt := attempts.get(line.attempt)):
                yield attempt["start_us"] / 1e6, history.booted_s + float(line.value)
