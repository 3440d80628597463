"""Choose a recipe and its parameters by a site's own history, and propose it. This command never
switches: the recipe is changed by whoever reads the proposal.

The history is a trace (an SWF file), or a daemon's: of the daemon that runs, or of a state
directory. Its jobs are halved by their arrival. On the first half the running recipe and a stated
set of others are simulated, then parameters of the best of them, one at a time. The best one is
simulated on the other half, which has not chosen it, beside the running recipe.

It is proposed if all of this holds there:
  - mean wait or mean bounded slowdown is better beyond noise, and neither is worse beyond noise:
    95% confidence intervals of paired differences, over 20 consecutive parts of the half;
  - the longest wait is at most 1.2 times the running recipe's, and the 99th percentile of waits
    at most 1.1 times;
  - the regret is within its bound: how much longer jobs wait in those parts in which they wait
    longer, in relation to all waits under the running recipe.

Otherwise nothing is proposed, and the output says why. A daemon's history is simulated as by
`rmsd what-if`, with what that assumes. Of a trace, a recipe comes to the other half by way of the
first. Recipes that kill jobs for others (rmsd, timed-X) are tried unless --no-kills is given.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from contextlib import nullcontext
from pathlib import Path

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_cli.progress import Progress
from rmsd_core.recipes.recipe import Recipe
from rmsd_core.recipes.text import limited
from rmsd_lab_cli.history.source import (
    add_source_arguments,
    since_us,
    source_of_directory,
    source_of_server,
)
from rmsd_lab_cli.recipe_option import recipe_named
from rmsd_lab_cli.tune.candidates import all_candidates
from rmsd_lab_cli.tune.evidence import LEAST_GAIN, LEAST_JOBS, evidence
from rmsd_lab_cli.tune.halves import Halves, PastHalves, TraceHalves
from rmsd_lab_cli.tune.report import Tuned, report, text
from rmsd_lab_cli.tune.search import Budget, Searched, TimeIsUp, search
from rmsd_lab_cli.what_if.needed import earlier_runs, needed_views
from rmsd_lab_cli.what_if.past import past_of
from rmsd_lab_cli.workload import Workload, load_workload, simulating
from rmsd_wire.durations import DurationError, parse_duration_s

_SIMULATIONS = 24
_SEARCHING = 0.5
"""The part of the time of --for in which recipes are tried; the rest is for the other half."""

EPILOG = """\
environment:
  RMSD_SERVER, RMSD_STATE_DIR, RMSD_TOKEN_FILE, RMSD_CA_FILE  as for all clients

exit codes:
  0   done, whether a recipe is proposed or not; `proposal` in the JSON says which
  1   there is no history, it cannot be read, it is too short, or the time was too short for it
  2   wrong usage
  75  no daemon can be reached
  77  not permitted

examples:
  rmsd tune --since 28d --for 10m
  rmsd tune /var/lib/rmsd --no-kills --json
  rmsd tune KTH-SP2-1996-2.1-cln.swf.gz --running easy++
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "history",
        nargs="?",
        type=Path,
        metavar="TRACE|STATE_DIR",
        help="an SWF file, or a state directory (default: ask the daemon)",
    )
    parser.add_argument(
        "--running",
        metavar="R",
        help="the running recipe, of a trace (default: easy++); a daemon's is known",
    )
    parser.add_argument(
        "--procs",
        type=int,
        metavar="N",
        help="processors of the machine, of a trace (default: MaxProcs of its header)",
    )
    parser.add_argument(
        "--no-kills",
        action="store_true",
        help="try no recipe that kills jobs for others (which then run again)",
    )
    parser.add_argument(
        "--simulations",
        type=int,
        default=_SIMULATIONS,
        metavar="N",
        help=f"run at most so many on the first half (default: {_SIMULATIONS})",
    )
    parser.add_argument(
        "--for",
        dest="time",
        metavar="TIME",
        help="take at most this time (10m, 1h); half of it is for the search",
    )
    parser.add_argument(
        "--regret",
        type=float,
        default=10.0,
        metavar="PERCENT",
        help="the most regret of a recipe that is proposed, as above (default: 10)",
    )
    add_source_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one rmsd.tune/1 object")


def run(args: argparse.Namespace) -> int:
    begun = time.monotonic()
    allowed_s = _allowed_s(args)
    _refuse_impossible(args)
    halves, running = _history(args)
    jobs = halves.jobs
    if min(jobs) < LEAST_JOBS:
        raise CommandError(
            f"{halves.name}: {jobs[0]:,} and {jobs[1]:,} jobs are too few; each half needs "
            f"{LEAST_JOBS} to tell a difference from noise"
        )
    if why := halves.why_not(running):
        raise CommandUsageError(f"the running recipe cannot be run on this history: {why}")
    tuned = _tuned(args, halves, running, begun, allowed_s)
    if args.json:
        print(json.dumps(report(tuned), indent=2))
    else:
        sys.stdout.write(text(tuned))
    return 0


def _allowed_s(args: argparse.Namespace) -> float | None:
    if args.time is None:
        return None
    try:
        return parse_duration_s(args.time)
    except DurationError as error:
        raise CommandUsageError(f"--for: {error}") from None


def _refuse_impossible(args: argparse.Namespace) -> None:
    if args.simulations < 2:
        raise CommandUsageError(f"--simulations {args.simulations}: it is at least 2")
    if not 0 <= args.regret <= 100:
        raise CommandUsageError(f"--regret {args.regret:g}: it is 0 to 100 percent")
    if args.history is not None and args.server is not None:
        raise CommandUsageError("give a TRACE or STATE_DIR or a --server, not both")
    is_trace = args.history is not None and not args.history.is_dir()
    if is_trace and args.since is not None:
        raise CommandUsageError("--since is for a daemon's history; cut a trace by `rmsd trace`")
    if not is_trace and (args.running is not None or args.procs is not None):
        raise CommandUsageError("--running and --procs are for a trace; a daemon's are known")


def _history(args: argparse.Namespace) -> tuple[Halves, Recipe]:
    """Return the halves of the history, and the running recipe."""
    if args.history is not None and not args.history.is_dir():
        return TraceHalves(_workload(args)), recipe_named(args.running or "easy++")
    opened = (
        source_of_server(args, of_everybody=True, earlier=lambda _in_force: True)
        if args.history is None
        else nullcontext(source_of_directory(args.history))
    )
    with opened as source:
        running = limited(recipe_named(source.recipe))
        from_us = since_us(args, source.now_us)
        learning = earlier_runs([running, *all_candidates(kills=not args.no_kills)])
        views = needed_views(source.views, from_us, learning)
        past = past_of(source._replace(views=views), from_us, "prediction")
    name = "the daemon's history" if args.history is None else str(args.history)
    return PastHalves(past, name), running


def _workload(args: argparse.Namespace) -> Workload:
    """Return the workload of the trace, as it was recorded."""
    recorded = {"strict": False, "jobs": None, "load": None, "closed_loop": False}
    as_it_is = {"estimates": "user", "kill_at_estimate": False}
    options = {"trace": args.history, "procs": args.procs, **recorded, **as_it_is}
    return load_workload(argparse.Namespace(**options))


def _tuned(
    args: argparse.Namespace,
    halves: Halves,
    running: Recipe,
    begun: float,
    allowed_s: float | None,
) -> Tuned:
    """Search on the first half, and judge on the other. Raises CommandError if the time does not
    suffice."""
    kills = not args.no_kills
    search_until = None if allowed_s is None else begun + _SEARCHING * allowed_s
    until = None if allowed_s is None else begun + allowed_s
    try:
        with simulating(halves.name):
            with Progress("trying recipes", args.simulations) as bar:
                budget = Budget(args.simulations, search_until)
                found = search(halves, running, budget, kills=kills, told=bar.update)
            return _judged(halves, running, found, Budget(2, until), args.regret / 100)
    except TimeIsUp:
        raise CommandError(
            f"{args.time} are too short for {sum(halves.jobs):,} jobs; give a longer --for, or a "
            "shorter history (--since)"
        ) from None


def _judged(
    halves: Halves, running: Recipe, found: Searched, budget: Budget, most_regret: float
) -> Tuned:
    """Return the judgement on the best recipe, by the other half. Without a better one there is
    nothing to run."""
    best = found.best
    if best.score > 1 - LEAST_GAIN:
        return Tuned(halves.name, halves.jobs, running, found, None, most_regret)
    with Progress("judging on the other half", 2) as bar:
        ours = halves.other(best.recipe, budget.look)
        bar.update(1)
        budget.look()
        theirs = halves.other(running, budget.look)
    return Tuned(halves.name, halves.jobs, running, found, evidence(ours, theirs), most_regret)
