"""The fields of a job for formats: Slurm's format letters, and the values behind them.

A job is a `JobView` of `rmsd_wire.api` as a dictionary.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from rmsd_client.console.cli import printable
from rmsd_client.errors import UsageError
from rmsd_core.vocabulary import CODES, RUNNING_STATES, TERMINAL_STATES, JobState
from rmsd_wire.durations import format_duration
from rmsd_wire.sizes import format_mem

Job = dict[str, Any]

NOT_AVAILABLE = "N/A"


def local_time(us: int | None) -> str:
    """Return `YYYY-MM-DDTHH:MM:SS` in local time; N/A for None, and for a time outside the
    calendar."""
    if us is None:
        return NOT_AVAILABLE
    try:
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(us / 1e6))
    except (OverflowError, OSError, ValueError):
        return NOT_AVAILABLE


def label(job: Mapping[str, Any]) -> str:
    """Return the number of a job as people know it: `12_3` is a task of an array, and `12_[4-15%2]`
    are those that wait."""
    if (index := job.get("array_task_id")) is not None:
        return f"{job['array_job_id']}_{index}"
    waiting = job.get("array_task_str")
    return f"{job['job_id']}_[{waiting}]" if waiting else str(job["job_id"])


def elapsed(job: Job) -> str:
    """Return how long the job has run; 0 before the start."""
    return format_duration(job["elapsed_s"] or 0)


def time_left(job: Job) -> str:
    """Return the time left of the time limit; nothing for a job that is being ended."""
    time_limit_s = 0 if job["state"] == "COMPLETING" else job["time_limit_s"]
    return format_duration(time_limit_s and max(time_limit_s - (job["elapsed_s"] or 0), 0))


def time_limit_end_us(job: Job) -> int | None:
    """Return the instant at which the time limit of a running job is over. Returns None if the job
    has no limit, does not run, or is being ended already."""
    if job["state"] not in RUNNING_STATES:
        return None
    if job["start_us"] is None or job["time_limit_s"] is None:
        return None
    return int(job["start_us"] + (job["time_limit_s"] + job.get("suspended_s", 0.0)) * 1e6)


def is_past_limit(job: Job) -> bool:
    """Return whether the job's limit has passed though the job is not over. Such a job is being
    killed, or will be once its overrun has passed too."""
    return time_limit_end_us(job) is not None and (job["elapsed_s"] or 0) >= job["time_limit_s"]


def memory(job: Job) -> str:
    """Return the memory on each node, as asked for; "-" if it is not accounted."""
    return format_mem(job["mem_mib"]) if job["mem_mib"] else "-"


BEFORE_ITS_TURN = ("Trial", "TrialExpired", "Speculation")
"""The reasons of jobs that run and wait for their turn as well."""


def where(job: Job) -> str:
    """Return the nodes of a job that has some, and in parentheses why it waits, or that it runs
    before its turn."""
    nodes, reason = job["nodelist"], job["reason"]
    if not nodes:
        return f"({reason})"
    return f"{nodes} ({reason})" if reason in BEFORE_ITS_TURN else str(nodes)


def expected_end(job: Job) -> str:
    """Return the end of a job. For a running job this is the time at which it would be killed."""
    return local_time(time_limit_end_us(job) if job["end_us"] is None else job["end_us"])


def start_time(job: Job) -> str:
    """Return the start; of a waiting job the expected one, if it is known here."""
    return local_time(job["start_us"] or job.get("expected_start_us"))


def expect_starts(jobs: Iterable[Job], plan: Job) -> None:
    """Add the expected starts of a `PlanReply` to waiting jobs, as three more keys. The first two
    are None if no start is known."""
    starts = {start["job_id"]: start for start in plan["starts"]}
    for job in jobs:
        if job["state"] == "PENDING":
            start = starts.get(job["job_id"], {})
            job["expected_start_us"] = start.get("start_us")
            job["expected_basis"] = start.get("basis")
            job["plan_us"] = plan["made_us"]


def exit_status(job: Job) -> str:
    """Return `code:signal`, as Slurm writes it; N/A if the job is not over, or its exit is not
    known."""
    if job["exit_code"] is None and job["signal"] is None:
        return NOT_AVAILABLE
    return f"{job['exit_code'] or 0}:{job['signal'] or 0}"


class Field(NamedTuple):
    """A field of a job. `shrink`: the least width to which a table that is too wide may cut its
    column."""

    title: str
    show: Callable[[Job], str]
    right: bool = False
    shrink: int | None = None


FIELDS = {
    "i": Field("JOBID", label, right=True),
    "j": Field("NAME", lambda job: str(job["name"]), shrink=8),
    "u": Field("USER", lambda job: str(job["user"]), shrink=8),
    "t": Field("ST", lambda job: str(job["state_code"])),
    "T": Field("STATE", lambda job: str(job["state"])),
    "M": Field("TIME", elapsed, right=True),
    "l": Field("TIME_LIMIT", lambda job: format_duration(job["time_limit_s"]), right=True),
    "L": Field("TIME_LEFT", time_left, right=True),
    "P": Field("PARTITION", lambda job: str(job.get("partition") or ""), shrink=8),
    "a": Field("ACCOUNT", lambda job: str(job.get("account") or ""), shrink=8),
    "q": Field("QOS", lambda job: str(job.get("qos") or ""), shrink=8),
    "D": Field("NODES", lambda job: str(job["nodes"] or ""), right=True),
    "C": Field("CPUS", lambda job: str(job["cpus"]), right=True),
    "m": Field("MIN_MEMORY", memory, right=True),
    "N": Field("NODELIST", lambda job: str(job["nodelist"]), shrink=8),
    "r": Field("REASON", lambda job: str(job["reason"])),
    "R": Field("NODELIST(REASON)", where, shrink=16),
    "V": Field("SUBMIT_TIME", lambda job: local_time(job["submit_us"])),
    "S": Field("START_TIME", start_time),
    "e": Field("END_TIME", expected_end),
    "k": Field("COMMENT", lambda job: str(job["comment"]), shrink=8),
}

_MAX_DIGITS = 3
_SPECIFIER = re.compile(r"%(\.?)(\d*)(.?)", re.DOTALL)


class Specifier(NamedTuple):
    """One `%` of a format. `width` None: as wide as the value. The text before it is `literal`."""

    literal: str
    field: Field | None
    width: int | None = None
    right: bool = False

    def render(self, text: str) -> str:
        """Return a value in the specifier's width: padded, or cut."""
        if self.width is None:
            return text
        cut = text[: self.width]
        return cut.rjust(self.width) if self.right else cut.ljust(self.width)


def parse_format(text: str) -> list[Specifier]:
    """Return the parts of a format such as `%.10i %j`; `%%` is a percent sign.

    Raises:
        UsageError: a letter that is not in `FIELDS`, or a width that no column has.
    """
    specifiers = []
    end = 0
    literal = ""
    for match in _SPECIFIER.finditer(text):
        literal += text[end : match.start()]
        end = match.end()
        dot, digits, letter = match.groups()
        if letter == "%" and not dot and not digits:
            literal += "%"
            continue
        if letter not in FIELDS:
            letters = " ".join(f"%{known}" for known in FIELDS)
            raise UsageError(f"--format={text}: '{match.group()}' is not known; there is {letters}")
        if len(digits) > _MAX_DIGITS:
            raise UsageError(f"--format: '{match.group()}': a width has up to {_MAX_DIGITS} digits")
        width = int(digits) if digits else None
        specifiers.append(Specifier(literal, FIELDS[letter], width, right=bool(dot)))
        literal = ""
    if rest := literal + text[end:]:
        specifiers.append(Specifier(rest, None))
    return specifiers


def format_line(specifiers: list[Specifier], job: Job | None) -> str:
    """Return the line of a job, or for None the header."""
    line = ""
    for specifier in specifiers:
        line += specifier.literal
        if specifier.field is not None:
            text = specifier.field.title if job is None else printable(specifier.field.show(job))
            line += specifier.render(text)
    return line


def state_colour(job: Job) -> str | None:
    """Return the colour of a job's state."""
    state = job["state"]
    if state in TERMINAL_STATES:
        return "green" if state == JobState.COMPLETED else "red"
    return {"PENDING": "yellow", "RUNNING": "blue"}.get(state)


def check_states(text: str) -> str:
    """Return the states of `-t` as the API takes them: codes or names in any case, or `all`.

    Raises:
        UsageError: one of them is no state.
    """
    by_word = {word: code for state, code in CODES.items() for word in (code, state.value)}
    by_word["ALL"] = "all"
    codes = []
    for word in text.upper().split(","):
        if word not in by_word:
            known = ", ".join(f"{code} ({state.value})" for state, code in CODES.items())
            raise UsageError(f"--states: '{word}' is not a state; there is all, {known}")
        codes.append(by_word[word])
    return "all" if "all" in codes else ",".join(codes)
