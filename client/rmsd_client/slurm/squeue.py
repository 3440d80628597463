"""`squeue`: the jobs that wait, run, or have just ended."""

from __future__ import annotations

import os
import sys

from rmsd_client.api import Client
from rmsd_client.console.cli import tell
from rmsd_client.show.dependency_names import name_dependencies
from rmsd_client.slurm.command_lines.clusters import check_clusters, print_cluster
from rmsd_client.slurm.command_lines.command_line import (
    DIFFERS,
    IGNORED,
    MAYBE,
    NO,
    YES,
    Opt,
    Table,
    help_of,
)
from rmsd_client.slurm.command_lines.ending import INVALID_JOB, SlurmError, run
from rmsd_client.slurm.command_lines.site import MIN_JOB_AGE_S, VERSION
from rmsd_client.slurm.fields import short_queue
from rmsd_client.slurm.fields.formats import line_of, parse_letters, parse_names, print_date
from rmsd_client.slurm.fields.iterating import repeated
from rmsd_client.slurm.fields.queue_fields import (
    BY_LETTER,
    BY_NAME,
    MEMORY,
    MEMORY_IN_MIB,
    PRIORITIES,
)
from rmsd_client.slurm.words import jobs as of
from rmsd_client.slurm.words import points, waiting_tasks
from rmsd_client.slurm.words.hosts import is_on, named_nodes
from rmsd_client.slurm.words.part_views import named_parts, parts_apart

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from rmsd_client.slurm.fields.formats import FormatPart

    Job = dict[str, Any]
    Options = dict[str, str]

SQUEUE = Table(
    "squeue",
    (
        Opt("A", "account", YES),
        Opt("a", "all", NO, IGNORED, "no partitions are hidden"),
        Opt("r", "array", NO),
        Opt("", "array-unique", NO, IGNORED),
        Opt("M", "clusters", YES, DIFFERS, "this cluster's name and `all` alone"),
        Opt("", "federation", NO, IGNORED),
        Opt("o", "format", YES),
        Opt("O", "Format", YES),
        Opt("", "help", NO),
        Opt("", "hide", NO, IGNORED, "no partitions are hidden"),
        Opt("i", "iterate", YES),
        Opt("j", "jobs", MAYBE),
        Opt("", "json", MAYBE, DIFFERS, "the fields in docs/slurm.md"),
        Opt("L", "licenses", YES),
        Opt("", "local", NO, IGNORED),
        Opt("l", "long", NO),
        Opt("", "me", NO),
        Opt("n", "name", YES),
        Opt("", "noconvert", NO),
        Opt("h", "noheader", NO),
        Opt("w", "nodelist", YES),
        Opt("", "nodes", YES),
        Opt("", "only-job-state", NO, IGNORED, "as fast without it"),
        Opt("p", "partition", YES),
        Opt("P", "priority", NO, IGNORED),
        Opt("q", "qos", YES),
        Opt("R", "reservation", YES),
        Opt("", "sibling", NO, IGNORED),
        Opt("S", "sort", YES),
        Opt("", "start", NO),
        Opt("t", "states", YES),
        Opt("s", "steps", MAYBE),
        Opt("", "usage", NO),
        Opt("u", "user", YES),
        Opt("", "users", YES),
        Opt("v", "verbose", NO, IGNORED),
        Opt("V", "version", NO),
        Opt("", "yaml", MAYBE, DIFFERS, "prints JSON, which is YAML"),
    ),
)

VARIABLES = {
    "SQUEUE_ACCOUNT": "account", "SQUEUE_ARRAY": "array", "SQUEUE_FORMAT": "format",
    "SQUEUE_FORMAT2": "Format", "SQUEUE_LICENSES": "licenses", "SQUEUE_NAMES": "name",
    "SQUEUE_PARTITION": "partition", "SQUEUE_QOS": "qos", "SQUEUE_SORT": "sort",
    "SQUEUE_STATES": "states", "SQUEUE_USERS": "user",
}  # fmt: skip

_DEFAULT = "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R"
_LONG = "%.18i %.9P %.8j %.8u %.8T %.10M %.9l %.6D %R"
_START = "%.18i %.9P %.8j %.8u %.2t %.19S %.6D %20Y %R"
_STEPS = "%.15i %.8j %.9P %.8u %.9M %N"
_LIVE = short_queue.LIVE

_BY_NUMBER = frozenset(("json", "yaml", "start"))
"""The options for which each waiting task of an array must have its own number."""

_PROBLEM = "squeue: error: Invalid job format specification"


def main() -> int:
    return run("squeue", squeue, "slurm_load_jobs error")


def squeue(argv: Sequence[str]) -> int:
    """List jobs; returns the exit code."""
    options = options_of(argv)
    if "help" in options or "usage" in options:
        print(help_of(SQUEUE, "squeue [OPTIONS]"))
        return 0
    if "version" in options:
        print(f"slurm {VERSION}")
        return 0
    is_named = check_clusters("squeue", options)
    if "nodelist" in options:
        named_nodes("squeue", options["nodelist"])  # a wrong list is an error without jobs, too
    with Client() as client:

        def once() -> int:
            if not {"json", "yaml"} & options.keys():
                print_cluster(options, is_named=is_named)
            return _once(client, options)

        return repeated("squeue", options, once)


def options_of(argv: Sequence[str]) -> Options:
    """Return the options of a command line and of variables that have an effect."""
    found, words = SQUEUE.read(argv, permute=True)
    options: Options = {
        name: os.environ[variable] for variable, name in VARIABLES.items() if variable in os.environ
    }
    for option, value in found:
        # `-j` without a list means all jobs
        if (option.long, value) != ("jobs", None) and option.fate != IGNORED:
            name = {"users": "user", "nodes": "nodelist"}.get(option.long, option.long)
            options[name] = value or ""
    if words:  # squeue --jobs 1,2
        options["jobs"] = ",".join(filter(None, (options.get("jobs", ""), *words)))
    return options


def _once(client: Client, options: Options) -> int:
    states = of.parse_states(options["states"], "squeue") if "states" in options else _LIVE
    user = _users(client, options)
    parts = [] if {"json", "yaml", "steps"} & options.keys() else shown_parts(options)
    priorities = _priorities(client, options, parts)
    if not priorities and states is not None and short_queue.suffices(options, states):
        found = short_queue.lines(client, options, parts, states, user)
        if found is not None:
            _print(options, [*([] if "noheader" in options else [line_of(parts, None)]), *found])
            return 0
    chosen = [job for job in _load(client, options, states, user) if _fits(job, options, states)]
    name_dependencies(client, chosen)
    points.add_priorities(chosen, priorities or {})
    if "start" in options:
        _expect(client, chosen)
        chosen = [job for job in chosen if job["state"] == "PENDING"]
    if "json" in options or "yaml" in options:
        from rmsd_client.slurm.show.json_views import print_jobs
        from rmsd_client.slurm.words.job_steps import JobSteps

        print_jobs("squeue", chosen, JobSteps(client, chosen))
        return 0
    if "steps" in options:
        _print_steps(client, chosen, options)
        return 0
    chosen.sort(key=_sort_key("P,t"))
    for key, backwards in reversed(sort_keys(options.get("sort", ""))):
        chosen.sort(key=key, reverse=backwards)
    lines = [] if "noheader" in options else [line_of(parts, None)]
    lines += [line_of(parts, job) for job in chosen]
    _print(options, lines)
    return 0


def _priorities(
    client: Client, options: Options, parts: Sequence[FormatPart]
) -> dict[int, dict[str, Any]] | None:
    """Return the priorities of waiting jobs, if they are to be shown or jobs sorted by them."""
    is_shown = any(part.field in PRIORITIES for part in parts)
    is_sorted = any(word.lstrip("+-") in ("p", "Q") for word in options.get("sort", "").split(","))
    if not (is_shown or is_sorted or {"json", "yaml"} & options.keys()):
        return None
    return points.waiting_priorities(client)


def _print(options: Options, lines: list[str]) -> None:
    if "long" in options and not {"noheader", "iterate"} & options.keys():
        print_date()
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _print_steps(client: Client, jobs: list[Job], options: Options) -> None:
    """Print the steps that run now, of all jobs or those that -s names."""
    from rmsd_client.slurm.fields.step_fields import BY_LETTER as LETTERS
    from rmsd_client.slurm.fields.step_fields import BY_NAME as NAMES
    from rmsd_client.slurm.words.job_steps import running_steps

    wanted = of.parse_ids(options["steps"], "squeue") if options["steps"] else []
    rows = running_steps(client, jobs, wanted)
    rows.sort(
        key=lambda row: (of.array_job_id(row.job), of.array_rank(row.job), row.step == "batch")
    )
    if "Format" in options:
        parts = parse_names(options["Format"], NAMES, _PROBLEM)
    else:
        parts = parse_letters(options.get("format", _STEPS), LETTERS, _PROBLEM)
    lines = [] if "noheader" in options else [line_of(parts, None)]
    lines += [line_of(parts, row) for row in rows]
    _print(options, lines)


def _users(client: Client, options: Options) -> str | None:
    """Return the users whose jobs are meant, with commas; None: of all, and "": of none."""
    if "me" in options:
        return of.me(client)
    try:
        return of.users_of(options["user"], "squeue") if "user" in options else None
    except SlurmError as error:  # Slurm goes on, with no jobs.
        tell(*error.lines, "")
        return ""


def _load(
    client: Client,
    options: Options,
    states: set[str] | frozenset[str] | None,
    user: str | None,
) -> list[Job]:
    if "" in (user, options.get("jobs")):  # an empty list names no job
        return []
    ended = states is None or not states <= _LIVE
    apart = "array" in options
    if "jobs" in options:
        wanted = of.parse_ids(options["jobs"], "squeue")
        known = named_parts(of.listed(client, of.find(client, wanted, apart=apart)), wanted)
        if len(wanted) == 1 and not known:
            raise SlurmError(f"slurm_load_jobs error: {INVALID_JOB}")
        names = user.split(",") if user else None
        return [job for job in known if names is None or job["user"] in names]
    chosen: dict[str, Any] = {"user": user}
    if ended:
        since_us = of.now_us(client) - MIN_JOB_AGE_S * 1_000_000
        chosen |= {"states": "all", "ended_since_us": since_us}
    if not apart:
        return parts_apart(client.jobs(**chosen))
    if not _BY_NUMBER & options.keys():
        rows = client.jobs(**chosen)
        if waiting_tasks.are_whole(rows):
            return parts_apart(waiting_tasks.apart(rows))
    return parts_apart(client.jobs(**chosen, apart=True))


def _license_names(text: str) -> list[str]:
    return [one.partition(":")[0] for one in text.split(",")]


def _fits(job: Job, options: Options, states: set[str] | frozenset[str] | None) -> bool:
    if states is not None and job["state"] not in states:
        return False
    for name, value in (
        ("name", job["name"]), ("partition", of.partition(job)), ("account", of.account(job)),
        ("qos", of.qos(job)), ("reservation", of.reservation(job)),
        ("licenses", of.licenses(job)),
    ):  # fmt: skip
        values = _license_names(value) if name == "licenses" else [value]
        if name in options and not set(values).intersection(filter(None, options[name].split(","))):
            return False
    if "nodelist" in options:
        return is_on(job, named_nodes("squeue", options["nodelist"]))
    return True


def _expect(client: Client, jobs: list[Job]) -> None:
    starts = of.planned_starts(client)
    for job in jobs:
        job["expected_start_us"] = starts.get(job["job_id"])


def sort_keys(text: str) -> list[tuple[Callable[[Job], Any], bool]]:
    """Return the keys that `-S` asks for, and whether each is sorted backwards."""
    keys = []
    for word in filter(None, text.split(",")):
        backwards = word.startswith("-")
        letter = word.lstrip("+-")
        if letter not in BY_LETTER:
            raise SlurmError(f"squeue: error: Invalid sort specification: {word}")
        keys.append((_sort_key(letter), backwards))
    return keys


_NO_LIMIT_S = _NEVER_US = float("inf")

_NUMBERS: dict[str, Callable[[Any], Any]] = {
    "i": lambda job: (of.array_job_id(job), of.array_rank(job)),
    "A": lambda job: job["job_id"],
    "C": lambda job: job["cpus"],
    "c": lambda job: job["cpus_per_task"],
    "D": lambda job: job["nodes"] or 0,
    "F": of.array_job_id,
    "K": of.array_rank,
    "M": lambda job: job["elapsed_s"] or 0,
    "l": lambda job: job["time_limit_s"] or _NO_LIMIT_S,
    "L": lambda job: of.time_left_s(job) or 0,
    "m": of.min_memory_mib,
    "S": lambda job: job["start_us"] or job.get("expected_start_us") or _NEVER_US,
    "e": lambda job: of.end_us(job) or _NEVER_US,
    "V": lambda job: job["submit_us"],
    "p": points.points_of,
    "Q": points.points_of,
    "U": lambda job: of.uid_of(job["user"]),
    "y": lambda job: int(of.nice(job)),
}


def _sort_key(letters: str) -> Callable[[Job], Any]:
    """Return a key that compares the values of letters with commas; equal ones go by number."""
    if letters in _NUMBERS:
        return _NUMBERS[letters]
    fields = [BY_LETTER[letter] for letter in letters.split(",")]
    return lambda job: (*(field.show(job) for field in fields), job["job_id"])


def shown_parts(options: Options) -> list[FormatPart]:
    """Return what a line of the list has."""
    parts = _chosen_parts(options)
    for part in parts if "noconvert" in options else ():
        if part.field is MEMORY:
            part.field = MEMORY_IN_MIB
    return parts


def _chosen_parts(options: Options) -> list[FormatPart]:
    if "format" in options:
        return parse_letters(options["format"], BY_LETTER, _PROBLEM)
    if "Format" in options:
        return parse_names(options["Format"], BY_NAME, _PROBLEM)
    if "start" in options:
        return parse_letters(_START, BY_LETTER, _PROBLEM)
    return parse_letters(_LONG if "long" in options else _DEFAULT, BY_LETTER, _PROBLEM)
