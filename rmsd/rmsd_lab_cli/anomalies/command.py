"""Find flurries in a trace: surges of one user's jobs that dominate the workload for a while
(Tsafrir's thesis, chapter 6). They make averages depend on trifles. Robots are found as well: users
whose jobs come by the clock. With -o the trace is written without them; with --recipe a simulation
shows what they do to the averages.

A week of a user is a flurry if the user alone submits as many jobs, or processes, as all users
together do in a usual week (--times changes that). The usual week is the median one. The flurry has
all jobs that the user submits in such weeks, and those that follow beyond them with gaps of an hour
at most. A user is a robot if most of the user's jobs come in the same half hour of the day, on ten
days at least. A user is also a robot if most of the times between submits are the same.

The command finds the users that stand out. Their removal is a matter of judgement: look at the
users, and name those you mean with --user.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import tzinfo
from pathlib import Path
from typing import Any

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_cli.progress import Progress
from rmsd_core.recipes.recipe import Recipe
from rmsd_lab.anomalies.effect import effect_of
from rmsd_lab.anomalies.flurries import KINDS, Activity, Flurry, Kind, NoUsualWeek, Peak, Suspects
from rmsd_lab.anomalies.robots import DAY_S, Habits, Robot
from rmsd_lab.measures.thresholds import needs_thresholds
from rmsd_lab.traces.header import Header
from rmsd_lab.traces.problems import Problems, Tolerance
from rmsd_lab.workloads.swf import TraceJob, takes_part
from rmsd_lab.workloads.swf_log import trace_job
from rmsd_lab_cli.anomalies.text import flurries_text
from rmsd_lab_cli.recipe_option import OneRecipe, recipe_named
from rmsd_lab_cli.trace.local_time import local_time, time_zone
from rmsd_lab_cli.trace.source import (
    TRACE_HELP,
    add_procs_argument,
    add_tolerance_arguments,
    kept_nothing,
    known_machine_size,
    problem_lines,
    reading,
    report_problems,
    rereadable,
    shown,
    tolerance_of,
)
from rmsd_lab_cli.trace.writing import Body, add_output_argument, changed
from rmsd_lab_cli.workload import simulating

EPILOG = """\
exit codes:
  0  done, whether there are any or not
  1  the trace cannot be read, or is too short or too sparse to tell what is usual
  2  wrong usage

examples:
  rmsd flurries SDSC-SP2-1998-4.2.swf.gz
  rmsd flurries trace.swf --recipe easy
  rmsd flurries trace.swf --user 374 --user 328 -o without.swf.gz
  rmsd flurries trace.swf --drop both -o - | rmsd simulate - --recipe easy++
"""

Found = Callable[[int, int], bool]
"""Tells whether a job, given by its user and its submit time [s] in the trace, is part of an
anomaly."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace", metavar="TRACE", type=Path, help=TRACE_HELP)
    parser.add_argument(
        "--times",
        type=float,
        default=1.0,
        metavar="X",
        help="how many usual weeks a user's week must be worth (default: 1)",
    )
    parser.add_argument(
        "--by",
        choices=(*KINDS, "both"),
        default="both",
        help="count jobs, or processes (processors asked for, else got), or look for surges of "
        "either (default)",
    )
    parser.add_argument(
        "--user",
        type=int,
        action="append",
        metavar="N",
        help="only what is of this user; several times: of these",
    )
    parser.add_argument(
        "--recipe",
        action=OneRecipe,
        metavar="R",
        help="simulate, and show the averages with, apart, and without",
    )
    parser.add_argument(
        "--drop",
        choices=("flurries", "robots", "both"),
        default="flurries",
        help="the jobs that -o leaves out and --recipe sets apart (default: flurries)",
    )
    add_procs_argument(parser, "processors of the machine, for --recipe (default: the header's)")
    add_output_argument(parser)
    add_tolerance_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one rmsd.flurries/1 object")


def run(args: argparse.Namespace) -> int:
    _refuse(args)
    recipe = None if args.recipe is None else _recipe(args.recipe)
    with rereadable(args.trace) as path:
        found = _found(path, args)
        report = _report(found, args)
        if recipe is not None:
            report["effect"] = _effect(path, found, recipe, args)
        if args.output is not None:
            report["written"] = _write(path, found, args)
    # A trace on standard output is not mixed with a report.
    out = sys.stderr if args.output == Path("-") else sys.stdout
    out.write(json.dumps(report, indent=2) + "\n" if args.json else flurries_text(report))
    return 0


def _refuse(args: argparse.Namespace) -> None:
    if not (args.times > 0 and math.isfinite(args.times)):
        raise CommandUsageError(f"--times {args.times:g}: it is above 0")


def _recipe(name: str) -> Recipe:
    recipe = recipe_named(name)
    if needs_thresholds(recipe):
        raise CommandUsageError(
            f"--recipe {name}: its thresholds come from the whole trace, which is not the same "
            "with flurries and without; give them (threshold=5), or take another"
        )
    return recipe


@dataclass(frozen=True, slots=True)
class _Surveyed:
    """A trace, and the anomalies that were found in it.

    zone, start_s: of the header; start_s None: dates are not known. problems: of the trace.
    """

    header: Header
    problems: Problems
    activity: Activity
    flurries: Sequence[Flurry]
    robots: Sequence[Robot]
    zone: tzinfo
    start_s: int | None
    zero_s: int

    def is_dropped(self, args: argparse.Namespace) -> Found:
        flurries = self.flurries if args.drop in ("flurries", "both") else ()
        robots = self.robots if args.drop in ("robots", "both") else ()
        users = {flurry.user for flurry in flurries} | {robot.user for robot in robots}
        return lambda user, submit_s: (
            user in users
            and (
                any(flurry.has(user, submit_s) for flurry in flurries)
                or any(robot.has(user, submit_s, self.zero_s) for robot in robots)
            )
        )


def _found(path: Path, args: argparse.Namespace) -> _Surveyed:
    """Read the trace for the first time, and return what was found in it. Only this reading reports
    problems of the trace.

    Raises:
        CommandError: it cannot be read, has no jobs, or no usual week.
    """
    activity, problems = Activity(), Problems(tolerance_of(args))
    with reading(path, problems, args.trace) as log:
        header = log.header
        zone, start_s = time_zone(header), header.number("UnixStartTime")
        zero_s = _second_of_the_day(start_s, zone)
        habits = Habits(zero_s)
        for job in log:
            activity.add(job)
            habits.add(job)
    report_problems(args.trace, problems)
    if not activity.jobs:
        known = "" if log.empty else " with a submit time"
        raise CommandError(f"{shown(args.trace)}: there is no job in it{known}")
    kinds: Sequence[Kind] = KINDS if args.by == "both" else (args.by,)
    try:
        peaks = _of_users(activity.peaks(args.times, kinds), args.user)
    except NoUsualWeek as error:
        raise CommandError(f"{shown(args.trace)}: {error}") from None
    suspects = Suspects(peaks, activity)
    if peaks:
        with reading(path, Problems(Tolerance.TOLERANT), args.trace) as log:
            for job in log:
                suspects.add(job)
    robots = [robot for robot in habits.robots() if args.user is None or robot.user in args.user]
    return _Surveyed(header, problems, activity, suspects.flurries(), robots, zone, start_s, zero_s)


def _of_users(
    peaks: dict[int, dict[int, Peak]], users: Sequence[int] | None
) -> dict[int, dict[int, Peak]]:
    return peaks if users is None else {user: peaks[user] for user in users if user in peaks}


def _second_of_the_day(start_s: int | None, zone: tzinfo) -> int:
    local = None if start_s is None else local_time(start_s, zone)
    return 0 if local is None else local.hour * 3600 + local.minute * 60 + local.second


def _report(found: _Surveyed, args: argparse.Namespace) -> dict[str, Any]:
    """Return the `rmsd.flurries/1` object. Later versions of this number only add keys."""
    activity = found.activity
    return {
        "schema": "rmsd.flurries/1",
        "trace": shown(args.trace),
        "jobs": activity.jobs,
        "processes": activity.processes,
        "problems": {
            "counts": dict(found.problems.counts),
            "first": list(problem_lines(found.problems)),
        },
        "times": args.times,
        "usual_week": {kind: activity.usual(kind) for kind in KINDS},
        "highest_week": {kind: max(activity.weeks[kind].values()) for kind in KINDS},
        "flurries": [
            asdict(flurry)
            | {
                "first_submit": _date(found, flurry.since_s),
                "last_submit": _date(found, flurry.until_s),
                "jobs_share": flurry.jobs / activity.jobs,
                "processes_share": flurry.processes / activity.processes,
            }
            for flurry in found.flurries
        ],
        "robots": [
            asdict(robot) | {"share": robot.share, "local": found.start_s is not None}
            for robot in found.robots
        ],
    }


def _date(found: _Surveyed, submit_s: int) -> str | None:
    local = None if found.start_s is None else local_time(found.start_s + submit_s, found.zone)
    return None if local is None else local.isoformat()


def _effect(
    path: Path, found: _Surveyed, recipe: Recipe, args: argparse.Namespace
) -> dict[str, Any] | None:
    """Return the effect of what was found; None if nothing was found."""
    processors = known_machine_size(args, found.header)
    is_dropped = found.is_dropped(args)
    with reading(path, Problems(Tolerance.TOLERANT), args.trace) as log:
        read = [trace_job(job) for job in log]
    jobs = [job for job in read if takes_part(job, processors)]
    jobs.sort(key=lambda job: job.submit_s)

    def is_part(job: TraceJob) -> bool:
        return is_dropped(int(job.user), job.submit_s)

    dropped = sum(map(is_part, jobs))
    if not dropped:
        return None
    if dropped == len(jobs):
        raise kept_nothing(args.trace, len(read), "beside what was found")
    if recipe.needs_users and all(job.user == "-1" for job in jobs):
        raise CommandUsageError(f"--recipe {recipe.name} needs users, and the trace names none")
    with simulating(shown(args.trace)), Progress("simulating", len(jobs)) as progress:
        effect = effect_of(is_part, jobs, processors, recipe, progress.update)
    groups = {name: averages._asdict() for name, averages in effect._asdict().items()}
    return {"recipe": recipe.name, "drop": args.drop, "procs": processors, **groups}


def _write(path: Path, found: _Surveyed, args: argparse.Namespace) -> dict[str, Any]:
    """Write the trace without the jobs to be dropped, and return what was written."""
    is_dropped = found.is_dropped(args)
    problems = Problems(Tolerance.TOLERANT)
    read = 0
    with Body() as body, reading(path, problems, args.trace) as log:

        def kept() -> Any:
            nonlocal read
            for job in log:
                read += 1
                if not is_dropped(job.user, job.submit_s):
                    yield job

        body.add(kept())
        if not body.jobs:
            raise kept_nothing(args.trace, read, "beside what was found")
        body.write(
            args.output, changed(log.header, body.jobs, problems, *_notes(found, args)), log.later
        )
    return {"file": str(args.output), "jobs": body.jobs, "left_out": read - body.jobs}


def _notes(found: _Surveyed, args: argparse.Namespace) -> list[str]:
    """Return notes of what was left out, worded as in the archive's cleaned logs."""
    notes = [f"rmsd flurries --times {args.times:g} --by {args.by} --drop {args.drop}"]
    if args.drop in ("flurries", "both"):
        notes += [
            f"left out: user={flurry.user} and (submit>={flurry.since_s} and "
            f"submit<={flurry.until_s}) ({flurry.jobs} jobs)"
            for flurry in found.flurries
        ]
    if args.drop in ("robots", "both"):
        notes += [f"left out: {_robot(robot)}" for robot in found.robots]
    return notes


def _robot(robot: Robot) -> str:
    if robot.kind == "interval":
        return f"all jobs of user={robot.user}, whose jobs come every {robot.at_s} s"
    hour, minute = divmod(robot.at_s % DAY_S // 60, 60)
    return f"user={robot.user} in the half hour from {hour:02}:{minute:02} ({robot.jobs} jobs)"
