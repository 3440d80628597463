"""`sacct`: the jobs of all times, and their steps."""

from __future__ import annotations

import os
import sys

from rmsd_client.api import Client
from rmsd_client.console.cli import printable
from rmsd_client.slurm.command_lines.clusters import is_here
from rmsd_client.slurm.command_lines.command_line import (
    DIFFERS,
    IGNORED,
    MAYBE,
    NO,
    REFUSED,
    YES,
    Opt,
    Table,
    check_supported,
    help_of,
)
from rmsd_client.slurm.command_lines.ending import SlurmError, run
from rmsd_client.slurm.command_lines.site import VERSION
from rmsd_client.slurm.fields.account_fields import BY_NAME, FIELDS, AccountField
from rmsd_client.slurm.fields.account_times import truncated, was_in, window_us
from rmsd_client.slurm.fields.units import in_unit, unit_of
from rmsd_client.slurm.words import jobs as of
from rmsd_client.slurm.words.account_row import Row
from rmsd_client.slurm.words.hosts import is_on, named_nodes
from rmsd_client.slurm.words.job_steps import JobSteps
from rmsd_client.slurm.words.part_views import named_parts, parts_apart

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from rmsd_client.slurm.fields.account_times import Window

    Job = dict[str, Any]
    Options = dict[str, str]

SACCT = Table(
    "sacct",
    (
        Opt("A", "accounts", YES),
        Opt("X", "allocations", NO),
        Opt("a", "allusers", NO, DIFFERS, "those that you may see"),
        Opt("", "array", NO, IGNORED),
        Opt("x", "associations", YES, DIFFERS, "that of all jobs is 0"),
        Opt("B", "batch-script", NO, DIFFERS, "scripts of up to 64 KiB"),
        Opt("b", "brief", NO),
        Opt("M", "clusters", YES, DIFFERS, "of other clusters than this one no jobs are known"),
        Opt("L", "allclusters", NO, IGNORED),
        Opt("c", "completion", NO, IGNORED),
        Opt("C", "constraints", YES),
        Opt("", "delimiter", YES),
        Opt("D", "duplicates", NO, IGNORED, "a job that ran again has one row"),
        Opt("E", "endtime", YES),
        Opt("", "env-vars", NO, REFUSED, "the environments of jobs are told to nobody"),
        Opt("", "federation", NO, IGNORED),
        Opt("f", "file", YES, IGNORED),
        Opt("F", "flags", YES),
        Opt("o", "format", YES),
        Opt("", "fields", YES),
        Opt("g", "gid", YES),
        Opt("", "group", YES),
        Opt("h", "help", NO),
        Opt("e", "helpformat", NO),
        Opt("j", "jobs", YES),
        Opt("", "json", MAYBE, DIFFERS, "the fields in docs/slurm.md"),
        Opt("", "local", NO, IGNORED),
        Opt("l", "long", NO),
        Opt("", "name", YES),
        Opt("i", "nnodes", YES),
        Opt("I", "ncpus", YES),
        Opt("", "noconvert", NO),
        Opt("N", "nodelist", YES),
        Opt("n", "noheader", NO),
        Opt("p", "parsable", NO),
        Opt("P", "parsable2", NO),
        Opt("r", "partition", YES),
        Opt("q", "qos", YES),
        Opt("R", "reason", YES),
        Opt("S", "starttime", YES),
        Opt("s", "state", YES),
        Opt("K", "timelimit-max", YES),
        Opt("k", "timelimit-min", YES),
        Opt("T", "truncate", NO),
        Opt("u", "user", YES),
        Opt("", "uid", YES),
        Opt("", "units", YES),
        Opt("", "unit", YES),
        Opt("", "usage", NO),
        Opt("", "use-local-uid", NO, IGNORED),
        Opt("v", "verbose", NO, IGNORED),
        Opt("V", "version", NO),
        Opt("W", "wckeys", YES, DIFFERS, "no job has any"),
        Opt("", "whole-hetjob", MAYBE, IGNORED),
        Opt("", "yaml", MAYBE, DIFFERS, "prints JSON, which is YAML"),
    ),
)

_DEFAULT = "jobid,jobname,partition,account,alloccpus,state,exitcode"
_BRIEF = "jobid,state,exitcode"
_SCRIPTS_OF_JOBS = (
    "sacct: fatal: When requesting job scripts you must also request specific jobs with the '-j' "
    "option."
)
_LONG = (
    "jobid,jobidraw,jobname,partition,maxvmsize,maxvmsizenode,maxvmsizetask,avevmsize,maxrss,"
    "maxrssnode,maxrsstask,averss,maxpages,maxpagesnode,maxpagestask,avepages,mincpu,mincpunode,"
    "mincputask,avecpu,ntasks,alloccpus,elapsed,state,exitcode,avecpufreq,reqcpufreqmin,"
    "reqcpufreqmax,reqcpufreqgov,reqmem,consumedenergy,maxdiskread,maxdiskreadnode,"
    "maxdiskreadtask,avediskread,maxdiskwrite,maxdiskwritenode,maxdiskwritetask,avediskwrite,"
    "alloctres,tresusageinave,tresusageinmax,tresusageinmaxn,tresusageinmaxt,tresusageinmin,"
    "tresusageinminn,tresusageinmint,tresusageintot,tresusageoutmax,tresusageoutmaxn,"
    "tresusageoutmaxt,tresusageoutave,tresusageouttot"
)
_ALIASES = {"fields": "format", "group": "gid", "uid": "user", "unit": "units"}
_FURTHER = frozenset(
    ("associations", "constraints", "flags", "gid", "timelimit-max", "timelimit-min", "wckeys")
)
"""The options that few commands choose jobs by."""
_REPEATED = frozenset(("jobs", "format", "state", "user", "name", "accounts", "partition"))
_MOST_WIDTH = 10_000

Column = tuple[AccountField, int]
"""A field with its width, negative if it is set to the left."""


def main() -> int:
    return run("sacct", sacct, "sacct: error: slurmdbd")


def sacct(argv: Sequence[str]) -> int:
    """List jobs; returns the exit code."""
    found, words = SACCT.read(argv, permute=True)
    check_supported(SACCT, found)
    if words:
        raise SlurmError(
            "sacct: error: Unknown arguments:", *(f"sacct: error:  {w}" for w in words)
        )
    options: Options = {}
    if "SACCT_FORMAT" in os.environ:
        options["format"] = os.environ["SACCT_FORMAT"]
    typed: set[str] = set()
    for option, value in found:
        name = _ALIASES.get(option.long, option.long)
        joined = name in _REPEATED and name in typed
        options[name] = f"{options[name]},{value}" if joined else value or ""
        typed.add(name)
    if "helpformat" in options:
        names = [f"{field.name:18}" for field in FIELDS]
        print("\n".join(" ".join(names[i : i + 4]).rstrip() for i in range(0, len(names), 4)))
        return 0
    if "help" in options or "usage" in options:
        print(help_of(SACCT, "sacct [<OPTION>]"))
        return 0
    if "version" in options:
        print(f"slurm {VERSION}")
        return 0
    if "batch-script" in options and not options.get("jobs"):
        raise SlurmError(_SCRIPTS_OF_JOBS)
    columns = _columns(options)
    unit_of(options)  # a wrong one is an error before the daemon is asked
    if options.get("nodelist"):
        named_nodes("sacct", options["nodelist"])  # a wrong list is an error without jobs, too
    with Client() as client:
        jobs, window = _load(client, options)
        if "json" in options or "yaml" in options:
            from rmsd_client.slurm.show.json_views import print_accounted

            print_accounted(jobs, JobSteps(client, jobs))
            return 0
        if "batch-script" in options:
            from rmsd_client.slurm.show.job_scripts import print_scripts

            print_scripts(client, jobs)
            return 0
        derived = any(field.name == "DerivedExitCode" for field, _ in columns)
        steps = JobSteps(client, jobs if derived or "allocations" not in options else ())
        rows = _rows(jobs, steps, options)
        if "truncate" in options:
            begin_us, end_us = window
            rows = truncated(rows, begin_us or 0, of.now_us(client) if end_us is None else end_us)
    print_rows(columns, rows, options)
    return 0


# ---------------------------------------------------------------- which jobs


def _load(client: Client, options: Options) -> tuple[list[Job], Window]:
    """Return the jobs that are meant, and from when until when they are looked for."""
    window: Window = (None, None)
    clusters = options.get("clusters", "")
    if clusters and not any(map(is_here, clusters.split(","))):
        return [], window
    ids = of.parse_ids(options["jobs"], "sacct") if options.get("jobs") else None
    states = of.parse_states(options["state"], "sacct") if options.get("state") else None
    user = None
    if options.get("user"):
        user = of.users_of(options["user"], "sacct")
    elif ids is None and "allusers" not in options and not of.is_root():
        user = of.me(client)
    if ids is not None:
        jobs = named_parts(of.find(client, ids), ids)
        if "truncate" in options:
            window = window_us(client, {"starttime": "1970-01-01", **options}, None)
    else:
        window = window_us(client, options, states)
        names = options.get("name")
        found = client.jobs(states="all", user=user, name=names, ended_since_us=window[0])
        jobs = parts_apart(found)
    chosen = [job for job in jobs if _fits(job, options, user)]
    if states is not None:
        during = window if ids is None else (None, None)
        chosen = [job for job in chosen if was_in(job, states, *during)]
    if _FURTHER & options.keys():
        from rmsd_client.slurm.fields.account_filters import filtered

        chosen = filtered(chosen, options)
    if ids is None and (end_us := window[1]) is not None:
        chosen = [job for job in chosen if job["submit_us"] <= end_us]
    return sorted(chosen, key=lambda job: (of.array_job_id(job), of.array_rank(job))), window


def _fits(job: Job, options: Options, user: str | None) -> bool:
    for chosen, value in (
        (user, job["user"]),
        (options.get("name"), job["name"]),
        (options.get("partition"), of.partition(job)),
        (options.get("accounts"), of.account(job)),
        (options.get("qos"), of.qos(job)),
        (options.get("reason"), of.reason(job)),
    ):
        if chosen and value not in chosen.split(","):
            return False
    for name, number in (("nnodes", job["nodes"] or 1), ("ncpus", job["cpus"])):
        low, _, high = options.get(name, "").partition("-")
        if low.isdigit() and not int(low) <= number <= int(high if high.isdigit() else low):
            return False
    if options.get("nodelist"):
        return is_on(job, named_nodes("sacct", options["nodelist"]))
    return True


def _rows(jobs: Iterable[Job], steps: JobSteps, options: Options) -> list[Row]:
    """Return the rows of jobs, each with its steps behind it unless -X is given."""
    wanted = of.parse_ids(options["jobs"], "sacct") if options.get("jobs") else []
    rows: list[Row] = []
    for job in jobs:
        named = {one.step for one in wanted if one.is_job(job)}
        every = not wanted or "" in named
        found = steps.rows(job)
        if every:
            rows.append(Row(job, derived=steps.derived_exit(job)))
        if "allocations" not in options:
            rows += [row for row in found if every or row.step in named]
    return rows


# ---------------------------------------------------------------- how they are shown


def _columns(options: Options) -> list[Column]:
    text = options.get("format") or (_BRIEF if "brief" in options else _DEFAULT)
    if "long" in options:
        text = _LONG
    if text.startswith("+"):
        text = f"{_DEFAULT},{text[1:]}"
    return columns_of(text, "sacct")


def columns_of(text: str, program: str) -> list[Column]:
    """Return the columns of `jobid,state%20,nodelist%-30`, or of `ALL`.

    Raises:
        SlurmError: a field that there is not.
    """
    columns = []
    for word in filter(None, (one.strip() for one in text.split(","))):
        name, percent, width = word.partition("%")
        digits = width.removeprefix("-")
        usable = not percent or (digits.isascii() and digits.isdigit() and len(digits) < 7)
        fields = _named(name.lower())
        if not fields or not usable:
            raise SlurmError(f'{program}: error: Invalid field requested: "{word}"')
        for field in fields:
            chosen = int(width) if percent else field.width
            columns.append((field, max(-_MOST_WIDTH, min(chosen, _MOST_WIDTH)) or field.width))
    return columns


def _named(name: str) -> Sequence[AccountField]:
    """Return the field of a name, or the first that begins so, as Slurm takes it; of `all` all."""
    if name == "all":
        return FIELDS
    found = BY_NAME.get(name) or next(
        (field for key, field in BY_NAME.items() if name and key.startswith(name)), None
    )
    return () if found is None else (found,)


def print_rows(columns: Sequence[Column], rows: Iterable[Row], options: Options) -> None:
    """Print rows as -n, -p, -P and --delimiter say."""
    lines = []
    if parsable := "parsable" in options or "parsable2" in options:
        separator = options.get("delimiter", "|")
        last = separator if "parsable" in options and "parsable2" not in options else ""
    if "noheader" not in options:
        names = [field.name for field, _ in columns]
        if parsable:
            lines.append(separator.join(names) + last)
        else:
            lines.append(_titles(names, columns))
            lines.append("".join("-" * abs(width) + " " for _, width in columns))
    unit = unit_of(options)
    for row in rows:
        values = [_value(field, row, unit) for field, _ in columns]
        lines.append(separator.join(values) + last if parsable else _padded(values, columns))
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _value(field: AccountField, row: Row, unit: str) -> str:
    text = printable(field.show(row))
    return in_unit(field.name, text, unit) if unit else text


def _titles(names: Sequence[str], columns: Sequence[Column]) -> str:
    """Return the line of titles, which are cut off without a mark."""
    cut = [name[: abs(width)] for name, (_, width) in zip(names, columns, strict=True)]
    return _padded(cut, columns)


def _padded(values: Sequence[str], columns: Sequence[Column]) -> str:
    line = ""
    for text, (_, width) in zip(values, columns, strict=True):
        size = abs(width)
        cut = text if len(text) <= size else text[: size - 1] + "+"
        line += (cut.ljust(size) if width < 0 else cut.rjust(size)) + " "
    return line
