"""Simulate a daemon's past jobs, and its present queue, under other recipes.

The history is read from the daemon that runs, or from a state directory, whose daemon may run or
not. The simulation has the daemon's own kind of capacity: nodes with cores and memory, or counted
processors. The recipe in force is simulated as well: it shows how close the simulation comes to
what happened. Every recipe is simulated twice:
  - as if it had taken over at --since (default: before the first job), for means such as that of
    the waits of the jobs that were submitted since then, beside what happened to them; a job that
    still waits counts with its wait so far;
  - as if it took over now, for the expected start of every job that waits.

The simulation assumes:
  - the nodes that take work now were there the whole time; drained and lost ones are left out,
    but that jobs run on there which ran when the recipe took over;
    so it is with their devices, and with the nodes and tiers of partitions;
  - jobs that wait or run now will run as long as predicted (--assume estimate: as long as their
    users said), running ones at least what they have run; no other job comes;
  - a job that was cancelled in the queue is cancelled at the same time, waiting or not;
  - each waiting task of an array is a job, and any number of them may run at a time;
  - jobs that were over ran as they did, the last time if they were started more than once;
    nodes and launches do not fail, and no start takes time;
  - from when the recipe takes over, the limits of accounts and QOS, and the
    licenses, are those of now; jobs are as nice (--nice) as they are now;
  - advance reservations are there from then on as they really were, on nodes that are still there;
  - until the recipe takes over, everything happened as it did, and predictors have learnt from it.

With --since, jobs that were over before are left out, but for those that a recipe has learnt from.
If no recipe learns, they are not read at all.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_cli.progress import Progress
from rmsd_client.show.job_fields import label
from rmsd_core.jobs.accounts import NO_LIMITS
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.present import HORIZON_US
from rmsd_core.recipes.recipe import Recipe
from rmsd_core.recipes.text import limited, written_out
from rmsd_daemon.queries.views import rfc3339
from rmsd_daemon.setup.third_party import parts_of
from rmsd_lab.measures.metrics import mean
from rmsd_lab.measures.thresholds import needs_thresholds, with_thresholds
from rmsd_lab.schedule import Scheduled
from rmsd_lab.simulation.virtual import TooLong
from rmsd_lab.simulation.what_if import Course, PastJob, what_if
from rmsd_lab_cli.history.schedule import arrival_us
from rmsd_lab_cli.history.source import (
    add_source_arguments,
    since_us,
    source_of_directory,
    source_of_server,
)
from rmsd_lab_cli.manifest import made_by
from rmsd_lab_cli.recipe_option import recipe_named
from rmsd_lab_cli.what_if.needed import earlier_runs, needed_views
from rmsd_lab_cli.what_if.past import Past, past_of
from rmsd_lab_cli.what_if.text import text

_LIMIT = 20

EPILOG = """\
environment:
  RMSD_SERVER, RMSD_STATE_DIR, RMSD_TOKEN_FILE, RMSD_CA_FILE  as for all clients

exit codes:
  0   done
  1   there is no history, or it cannot be read
  2   wrong usage: an unknown recipe, or one that cannot be simulated on this history
  75  no daemon can be reached
  77  not permitted

examples:
  rmsd what-if --recipe easy++ --since 7d
  rmsd what-if --recipe easy --recipe conservative --limit 50
  rmsd what-if --recipe timed-easy ~/.local/state/rmsd --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--recipe",
        action="append",
        required=True,
        metavar="R",
        help="a scheduler to try; several times: side by side. See `rmsd recipes`",
    )
    parser.add_argument(
        "state_dir",
        nargs="?",
        type=Path,
        metavar="STATE_DIR",
        help="read this state directory instead of asking a daemon",
    )
    parser.add_argument(
        "--assume",
        choices=("prediction", "estimate"),
        default="prediction",
        help="how long jobs will run that are not over: as the daemon predicts (default), or as "
        "their users said",
    )
    parser.add_argument(
        "--limit",
        type=int,
        default=_LIMIT,
        metavar="COUNT",
        help=f"show at most so many of the waiting jobs (default: {_LIMIT}); --json has all",
    )
    add_source_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one rmsd.what-if/1 object")


def run(args: argparse.Namespace) -> int:
    report = report_of(args)
    if args.json:
        print(json.dumps(report, indent=2))
    else:
        sys.stdout.write(text(report, args.limit))
    return 0


def report_of(args: argparse.Namespace) -> dict[str, Any]:
    """Simulate what the command line asks for, and return the `rmsd.what-if/1` object.

    Raises:
        CommandError: it cannot be simulated, or the history cannot be read.
    """
    if args.state_dir is not None and args.server is not None:
        raise CommandUsageError("give a STATE_DIR or a --server, not both")
    if args.limit < 0:
        raise CommandUsageError(f"--limit {args.limit}: it is at least 0")
    asked = [limited(recipe_named(name)) for name in args.recipe]
    _refuse_twice(asked)
    from_directory = args.state_dir is not None
    opened = (
        nullcontext(source_of_directory(args.state_dir, apart=True))
        if from_directory
        else source_of_server(
            args,
            of_everybody=True,
            apart=True,
            earlier=lambda in_force: (
                earlier_runs(_with_the_one_in_force(in_force, asked)).latest != 0
            ),
        )
    )
    with opened as source:
        recipes = _with_the_one_in_force(source.recipe, asked)
        from_us = since_us(args, source.now_us)
        views = needed_views(source.views, from_us, earlier_runs(recipes))
        past = past_of(source._replace(views=views), from_us, args.assume)
    for recipe in recipes:
        _refuse_clairvoyance(recipe, past)
    return _report(source.recipe, args.assume, past, simulated(recipes, past))


def _refuse_twice(recipes: Sequence[Recipe]) -> None:
    names = [recipe.name for recipe in recipes]
    if twice := [name for name in names if names.count(name) > 1]:
        raise CommandUsageError(
            f"--recipe {twice[0]} is given twice; results stand side by side by name"
        )


def _with_the_one_in_force(name: str, asked: list[Recipe]) -> list[Recipe]:
    """Return the recipes with the one in force first. Raises CommandError if that recipe is not
    known here."""
    for recipe in asked:
        if recipe.name == name:
            return [recipe, *(one for one in asked if one is not recipe)]
    try:
        return [recipe_named(name), *asked]
    except CommandUsageError as error:
        raise CommandError(f"the recipe in force is not known here: {error}") from None


def _refuse_clairvoyance(recipe: Recipe, past: Past) -> None:
    live = past.running + len(past.waiting)
    if recipe.predict == "perfect" and live:
        raise CommandUsageError(
            f"--recipe {recipe.name}: predict=perfect needs the run time of every job, and "
            f"{live:,} jobs still wait or run; choose one that predicts"
        )


@dataclass(frozen=True, slots=True)
class _Simulated:
    """A recipe, and what becomes of the jobs if it takes over at `since_us`, and now."""

    recipe: Recipe
    since: Course
    now: Course | None


def simulated(recipes: Sequence[Recipe], past: Past) -> list[_Simulated]:
    """Simulate each of the recipes twice. Raises CommandError if a recipe gets its thresholds from
    a simulation, and that has no end."""
    found = []
    runs = 2 if past.waiting else 1
    with Progress("simulating", runs * len(recipes) * len(past.jobs)) as bar:
        before = 0

        def update(done: int) -> None:
            bar.update(before + done)

        for recipe in recipes:
            given = _with_thresholds(recipe, past)
            now = None
            until_us = past.now_us + HORIZON_US
            since = what_if(past.jobs, past.cluster, given, past.since_us, until_us, update)
            before += len(past.jobs)
            if past.waiting:
                now = what_if(past.now(), past.cluster, given, past.now_us, until_us, update)
                before += len(past.jobs)
            found.append(_Simulated(given, since, now))
    return found


def _with_thresholds(recipe: Recipe, past: Past) -> Recipe:
    if not needs_thresholds(recipe):
        return recipe
    try:
        return with_thresholds(recipe, past.trace(), past.cluster.cores)
    except TooLong:
        raise CommandError(
            f"--recipe {recipe.name}: its thresholds come from a simulation of all jobs, which "
            "does not end; jobs wait without a limit, or with a very long one. Give the "
            "thresholds, as in selective,threshold=2"
        ) from None


def _report(
    in_force: str, assume: str, past: Past, simulated: Sequence[_Simulated]
) -> dict[str, Any]:
    """Return the `rmsd.what-if/1` object. Later versions of this number only add keys."""
    return {
        "schema": "rmsd.what-if/1",
        "in_force": in_force,
        "capacity": past.cluster.capacity,
        "nodes": len(past.cluster.nodes),
        "cores": past.cluster.cores,
        "utilization_cores": past.cluster.all_cores,
        "nodes_left_out": list(past.unused),
        "ignored": _ignored(past, simulated),
        "since_us": past.since_us,
        "since_time": rfc3339(past.since_us),
        "now_us": past.now_us,
        "now_time": rfc3339(past.now_us),
        "assume": assume,
        "jobs": {
            "counted": len(past.counted),
            "ended": past.ended,
            "running": past.running,
            "waiting": len(past.waiting),
            "cancelled_waiting": past.cancelled,
            "left_out": {
                "never_ran": past.never_ran,
                "ineligible": past.ineligible,
                "too_large": past.too_large,
                "over_limit": past.over_limit,
            },
        },
        "happened": _measured(past, past.happened),
        "recipes": [
            {
                "recipe": one.recipe.name,
                "written_out": written_out(one.recipe),
                "parts": parts_of(one.recipe),
                **_measured(past, one.since),
                "queue": _queue(past, one.now),
            }
            for one in simulated
        ],
        "waiting": [_waiting(past, view, simulated) for view in past.waiting],
        "made_by": made_by(),
    }


def _ignored(past: Past, simulated: Sequence[_Simulated]) -> list[str]:
    """Return what the simulations do not look at, though the site has it."""
    untold = ["advance reservations of which the history does not tell"]
    policies = past.cluster.policies
    limits = [one.limits for one in policies.accounts] + [one.limits for one in policies.qos]
    kinds = []
    if policies.licenses or any(one != NO_LIMITS for one in limits):
        kinds.append("limits and licenses")
    if past.cluster.reservations:
        kinds.append("advance reservations")
    names = [one.recipe.name for one in simulated if needs_thresholds(one.recipe)]
    others = [f"{kind}, for the thresholds of {name}" for name in names for kind in kinds]
    return [*(untold if past.has_untold else []), *others]


def _measured(past: Past, course: Course) -> dict[str, Any]:
    """Return the waits and slowdowns of the counted jobs and the utilization by all, up to the
    present. Waits that go on count up to now: leaving them out would select jobs by their
    outcome."""
    waits_us = course.waits_us(past.counted, past.now_us)
    waits_s = [wait_us / SECOND_US for wait_us in waits_us]
    slowdowns = map(PastJob.bounded_slowdown, past.counted, waits_us)
    held = course.utilization(past.cluster.all_cores, past.since_us, past.now_us)
    return {
        "wait_s": {"mean": mean(waits_s), "max": max(waits_s, default=None)},
        "bounded_slowdown": {"mean": mean(slowdowns)},
        "utilization": held,
    }


def _queue(past: Past, course: Course | None) -> dict[str, Any]:
    """Return the expected waits of the jobs that wait now; None if one of them has no known
    start."""
    jobs = {} if course is None else course.jobs
    starts_us = [_start_us(jobs[view["job_id"]]) for view in past.waiting]
    told = [start_us for start_us in starts_us if start_us is not None]
    waits_s = [
        (start_us - arrival_us(view)) / SECOND_US
        for start_us, view in zip(starts_us, past.waiting, strict=True)
        if start_us is not None
    ]
    all_told = len(told) == len(starts_us)
    return {
        "wait_s": {"mean": mean(waits_s) if all_told else None},
        "last_start_us": max(told, default=None) if all_told else None,
    }


def _start_us(job: Scheduled) -> int | None:
    """Return the start of a job; None if it waits for a job without a limit."""
    return job.start_us if job.start_us >= 0 else None


def _waiting(past: Past, view: Any, simulated: Sequence[_Simulated]) -> dict[str, Any]:
    return {
        "job_id": view["job_id"],
        "label": label(view),
        "user": view["user"],
        "name": view["name"],
        "cpus": view["cpus"],
        "waited_s": max(0, past.now_us - arrival_us(view)) / SECOND_US,
        "starts": {
            one.recipe.name: _start(past, one.now.jobs[view["job_id"]])
            for one in simulated
            if one.now is not None
        },
    }


def _start(past: Past, job: Scheduled) -> dict[str, Any] | None:
    start_us = _start_us(job)
    if start_us is None:
        return None
    return {
        "start_us": start_us,
        "start_time": rfc3339(start_us),
        "in_s": (start_us - past.now_us) / SECOND_US,
    }
