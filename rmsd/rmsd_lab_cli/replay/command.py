"""Replay the jobs of a trace through a live daemon. Every job is submitted through the public API
at its submit time on the daemon's accelerated clock, and runs on an emulated node. It ends after
its run time, as a timer or as a real process that lives run time / rate. The result is compared
with the simulation of the same jobs.

Unless --server names one, a private daemon with an emulated agent is started in a temporary
directory and stopped afterwards. With several --recipe the trace goes through each in turn, each on
a fresh private daemon. The results stand side by side; JSON is then a list. A named daemon must
have emulated nodes (`rmsd start --emulate`); rate, recipe and processors are then its own.

A private daemon counts processors. With --nodes it places jobs on equal nodes, which several agents
hold with --agents; with --tls agents and replay connect over TLS. The simulation has the same
nodes.

Of the fidelity figures, deviations are relative to the simulation. The start error is the distance
between a job's live and simulated start. The clock lag says how much later than due a job reached
the daemon. Both are in seconds of model time: one real millisecond is RATE / 1000 of them.

A daemon that --server names may go away. The replay waits for it and submits no job twice. The
daemon's model clock stands still meanwhile, so the replay goes on where it was. If the daemon stays
away, the result has the jobs that are known to be over. It is marked: `partial` in JSON, a line of
text, and exit code 1.

With --closed-loop a job that names a preceding one comes its think time after the live end of that.
The replay sees that end 20 to 50 ms of real time later. The clock lag shows this delay if the think
time is shorter.

With --paced nobody waits: the daemon's model clock goes on to the next instant at which anything
can happen once submits, starts and ends up to now are acknowledged and stored. All else is as live.
The schedule is then the simulation's, job for job, at the speed of the machine. The result says how
many jobs differ, which should be none, and shows the first of them.

With --fidelity-sweep the trace is replayed at several rates, several times each. The result is a
table of the distance between live and simulation, rate by rate.

Every result says what it was made with (JSON: manifest). These are versions, the recipe written
out, the trace's size and SHA-256, options, rate, executor, machine, and the times of its beginning
and end.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any

from rmsd_cli.errors import EXIT_FAILURE, CommandUsageError, told_by
from rmsd_cli.server_options import add_server_arguments
from rmsd_client.api import Client
from rmsd_client.errors import ClientError
from rmsd_core.recipes.recipe import Recipe
from rmsd_daemon.setup.values import parse_rate
from rmsd_lab.schedule import Schedule
from rmsd_lab_cli.manifest import line
from rmsd_lab_cli.metrics.options import HELP, add_metric_arguments, metrics_asked
from rmsd_lab_cli.recipe_option import live_recipe, recipe_for, recipe_named
from rmsd_lab_cli.replay.fidelity import differing_text, fidelity_table, lateness_text
from rmsd_lab_cli.replay.fidelity_sweep import add_sweep_arguments, refuse_sweep_options, sweep
from rmsd_lab_cli.replay.private_cluster import (
    add_machine_arguments,
    machine_asked,
    private_cluster,
    refuse_indivisible,
)
from rmsd_lab_cli.replay.run import ReplayComparison, ReplaySetting, compare, setting_of
from rmsd_lab_cli.report import measures_table, refuse_unwritable, run_text, write_schedule
from rmsd_lab_cli.simulate import add_run_arguments
from rmsd_lab_cli.workload import add_workload_arguments, load_workload
from rmsd_wire.link_values import PACED

_PLURAL = {"timer": "timers", "process": "processes"}
_RATE = 1000.0
_WAIT_S = 60.0
_MOST_PROCESSORS = 999_999
_MAX_WAIT_S = 1e6

EPILOG = f"""\
{HELP}
exit codes:
  0   done
  1   the trace cannot be read, a job did not end as it should, the daemon failed; or it went away
      and the result is partial; or jobs of a paced replay differ from the simulation
  2   usage
  75  the daemon named by --server cannot be reached, or went away before any job was over

examples:
  rmsd replay trace.swf --rate 1000 --recipe easy++
  rmsd replay trace.swf --rate 2000 --recipe easy --recipe easy++ --recipe timed-easy
  rmsd replay KTH-SP2-1996-2.1-cln.swf.gz --jobs 1000 --rate 5000 --json
  rmsd replay KTH-SP2-1996-2.1-cln.swf.gz --recipe timed-easy --paced
  rmsd replay sample.swf --rate 2000 --exec process
  rmsd replay sample.swf --procs 128 --nodes 8 --agents 4 --tls
  rmsd replay KTH-SP2-1996-2.1-cln.swf.gz --jobs 1000 --fidelity-sweep
  rmsd replay sessions.swf --rate 500 --closed-loop
  rmsd replay sample.swf --rate 2000 --metrics waits,fairness
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rate",
        metavar="R",
        help="model seconds per real second, 0.001 to 1000000 (default: 1000)",
    )
    parser.add_argument(
        "--paced",
        action="store_true",
        help="let the model clock wait for everybody instead: the simulation's schedule, exactly",
    )
    parser.add_argument(
        "--recipe",
        action="append",
        metavar="NAME",
        help="the scheduler (default: easy); several times: side by side. See `rmsd recipes`",
    )
    parser.add_argument(
        "--exec",
        choices=("timer", "process"),
        default="timer",
        help="the form of a job on its emulated node: a timer (default) or a real process",
    )
    add_server_arguments(parser)
    parser.add_argument(
        "--wait-for-server",
        type=float,
        metavar="SECONDS",
        help="the longest wait for a --server that goes away during the replay (default: 60)",
    )
    add_workload_arguments(parser)
    add_machine_arguments(parser)
    add_run_arguments(parser)
    add_sweep_arguments(parser)
    add_metric_arguments(parser)


def run(args: argparse.Namespace) -> int:
    refuse_sweep_options(args)
    try:
        return sweep(args) if args.fidelity_sweep else _replay(args)
    except ClientError as error:
        raise told_by(error) from None


def _replay(args: argparse.Namespace) -> int:
    metrics_asked(args)  # report a wrong option before hours of replay
    args.rate = _paced_rate(args) if args.paced else rate_asked(args.rate)
    if args.schedule:
        refuse_unwritable(args.schedule)
    done: list[tuple[Recipe, ReplayComparison]] = []
    for recipe, comparison in comparisons(args):
        _measure(recipe, comparison, args)
        done.append((recipe, comparison))
    try:
        if args.json:
            reports = [comparison.report for _, comparison in done]
            print(json.dumps(reports if len(reports) > 1 else reports[0], indent=2))
        else:
            sys.stdout.write(_text(done, args))
    finally:  # write the schedule even if standard output is closed
        if args.schedule:  # a schedule file needs exactly one recipe
            write_schedule(args.schedule, done[0][1].schedule)
    return EXIT_FAILURE if any(_is_amiss(comparison.report) for _, comparison in done) else 0


def _is_amiss(report: dict[str, Any]) -> bool:
    return bool(report["partial"] or report.get("paced", {}).get("differ"))


def _paced_rate(args: argparse.Namespace) -> float:
    """Return the rate of a paced clock. Raises CommandUsageError if an option is not for one."""
    for option, given, why in (
        ("--rate", args.rate is not None, "a paced clock has none"),
        ("--exec process", args.exec == "process", "a process takes real time"),
        ("--closed-loop", args.closed_loop, "jobs of a paced replay have given times"),
    ):
        if given:
            raise CommandUsageError(f"{option} beside --paced: {why}")
    return PACED


def rate_asked(text: str | None) -> float | None:
    """Return the rate; None if none is given. Raises CommandUsageError if a clock cannot keep the
    rate."""
    if text is None:
        return None
    try:
        rate = parse_rate(text)
    except ValueError as error:
        raise CommandUsageError(f"--rate {text}: {error}") from None
    if rate == PACED:
        raise CommandUsageError("--rate paced: give --paced instead")
    return rate


def _wait_s(args: argparse.Namespace) -> float:
    """Return how long to wait for the server [s]. Raises CommandUsageError if the time is out of
    range, or if the daemon is a private one."""
    wait_s: float | None = args.wait_for_server
    if wait_s is None:
        return _WAIT_S
    if args.server is None:
        raise CommandUsageError(
            "--wait-for-server: a private daemon does not come back; give --server"
        )
    if not 0 <= wait_s <= _MAX_WAIT_S:
        raise CommandUsageError(f"--wait-for-server {wait_s:g}: 0 to {_MAX_WAIT_S:g} seconds")
    return wait_s


def _notice(text: str) -> None:
    print(f"rmsd: {text}", file=sys.stderr)


def comparisons(args: argparse.Namespace) -> Iterator[tuple[Recipe, ReplayComparison]]:
    """Yield a comparison for each recipe as soon as it is made. Options that cannot be carried out
    are refused before the first."""
    wait_s = _wait_s(args)
    if args.server is not None:
        if len(args.recipe or ()) > 1:
            raise CommandUsageError("--server: a running daemon has one recipe; leave out --recipe")
        if args.nodes is not None or args.agents is not None or args.tls:
            raise CommandUsageError(
                "--nodes, --agents, --tls: a running daemon has its own; see --server"
            )
        with Client(args.server, args.token_file, args.ca_file, notice=_notice) as client:
            setting = setting_of(client, args)
            client.retry_for_s = wait_s
            yield setting.recipe, compare(client, setting, args)
        return
    if args.token_file is not None or args.ca_file is not None:
        raise CommandUsageError(
            "--token-file, --ca-file: a private daemon asks for none; give --server"
        )
    machine = machine_asked(args)
    recipes = [live_recipe(recipe_named(name)) for name in args.recipe or ["easy"]]
    _refuse_several(recipes, args)
    workload = load_workload(args)
    if workload.processors > _MOST_PROCESSORS:
        raise CommandUsageError(
            f"a private daemon has up to {_MOST_PROCESSORS:,} processors, not "
            f"{workload.processors:,}; see --procs"
        )
    refuse_indivisible(machine, workload.processors)
    rate = _RATE if args.rate is None else args.rate
    for recipe in [recipe_for(recipe, workload) for recipe in recipes]:
        setting = ReplaySetting(workload, recipe, rate, machine.placed_on(workload.processors))
        with private_cluster(machine, workload.processors, recipe, rate) as client:
            yield recipe, compare(client, setting, args)


def _refuse_several(recipes: list[Recipe], args: argparse.Namespace) -> None:
    names = [recipe.name for recipe in recipes]
    if twice := [name for name in names if names.count(name) > 1]:
        raise CommandUsageError(
            f"--recipe {twice[0]} is given twice; results stand side by side by name"
        )
    if args.schedule and len(names) > 1:
        raise CommandUsageError("--schedule writes one schedule; give one --recipe with it")


def _measure(recipe: Recipe, comparison: ReplayComparison, args: argparse.Namespace) -> None:
    """Put the metrics that --metrics asks for into the report."""
    if metrics := metrics_asked(args, recipe.trial_us):
        in_order = sorted(comparison.schedule, key=lambda job: job.submit_us)
        processors = comparison.report["procs"]
        comparison.report["metrics"] = metrics.measure(
            Schedule(in_order, processors, comparison.orders)
        )


def _interruptions(report: dict[str, Any]) -> str:
    """Return what interrupted the daemon during the replay; an empty text if nothing did."""
    jobs = report["jobs"]
    if report["partial"]:
        return (
            f"PARTIAL, {report['recipe']}: {report['known']:,} of {jobs['simulated']:,} jobs are "
            f"known to be over, and the figures are of these alone: {report['partial_because']}"
        )
    if restarts := report["restarts"]:
        times = "once" if restarts == 1 else f"{restarts} times"
        return f"{report['recipe']}: the daemon was restarted {times} during the replay"
    return ""


def _at_rate(rate: float) -> str:
    return "on a paced clock" if rate == PACED else f"at rate {rate:g}"


def _text(done: list[tuple[Recipe, ReplayComparison]], args: argparse.Namespace) -> str:
    reports = [comparison.report for _, comparison in done]
    several = len(done) > 1
    columns = {}
    for recipe, comparison in done:
        columns[f"{recipe.name} replay" if several else "replay"] = comparison.report
        columns[f"{recipe.name} simulation" if several else "simulation"] = comparison.reference
    parts = [
        f"{run_text(*reports)}, {_PLURAL[args.exec]} {_at_rate(reports[0]['rate'])}\n",
        f"{measures_table(columns)}\n",
        f"{fidelity_table(reports)}\n",
        *(f"{text}\n" for text in (lateness_text(reports),) if text),
        f"{line(reports[0]['manifest'])}\n",
        *(f"{text}\n" for text in map(_interruptions, reports) if text),
        *(f"{differing_text(report)}\n" for report in reports if "paced" in report),
    ]
    for recipe, comparison in done:
        if metrics := metrics_asked(args, recipe.trial_us):
            name = f", {recipe.name}" if several else ""
            shown = metrics.text(comparison.report["metrics"])
            parts.append(f"metrics of the replay{name}\n\n{shown}")
    return "\n".join(parts)
