"""`rmsd replay --fidelity-sweep`: how far live is from simulated, rate by rate, beside what a few
seconds do to the simulation itself."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_cli.progress import Progress
from rmsd_cli.tables import grid
from rmsd_core.lifecycle.inputs import NodeUp
from rmsd_core.recipes.recipe import Recipe
from rmsd_daemon.setup.values import parse_rate
from rmsd_lab.measures.metrics import Summary, percentile, summarize
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.workloads.workload import shaken
from rmsd_lab_cli.manifest import Manifest, line
from rmsd_lab_cli.recipe_option import live_recipe, recipe_for, recipe_named
from rmsd_lab_cli.replay.fidelity import signed_percent
from rmsd_lab_cli.replay.kept_runs import KeptRuns
from rmsd_lab_cli.replay.private_cluster import (
    Machine,
    machine_asked,
    private_cluster,
    refuse_indivisible,
)
from rmsd_lab_cli.replay.run import ReplaySetting, compare
from rmsd_lab_cli.workload import Workload, load_workload, simulating
from rmsd_wire.durations import format_duration

RATES = "1000,2000,5000,10000,20000,50000,100000"
RUNS = 5
_MAX_RUNS = 1000
_SHAKES, _SHAKEN_S = 60, 4

Figures = dict[str, float | None]


def add_sweep_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "fidelity sweep",
        "the trace at several rates, several times each, instead of one replay: deviations\n"
        "from the simulation (median, least and greatest), start errors, clock lag and the\n"
        "daemon's CPU time, and beside them what moving every submit by up to "
        f"{_SHAKEN_S} s at\nrandom, {_SHAKES} times, does to the simulation",
    )
    group.add_argument("--fidelity-sweep", action="store_true", help="do that")
    group.add_argument("--rates", metavar="R,R...", help=f"the rates (default: {RATES})")
    group.add_argument(
        "--runs", type=int, metavar="N", help=f"the number of runs of each rate (default: {RUNS})"
    )
    group.add_argument(
        "--resume",
        type=Path,
        metavar="FILE",
        help="keep finished runs in this file, and do not repeat those that are there already "
        "(of the same version, trace, recipe, options and kind of machine)",
    )


def refuse_sweep_options(args: argparse.Namespace) -> None:
    """Raise CommandUsageError for an option that means nothing without a sweep, or with one."""
    if not args.fidelity_sweep:
        of_sweeps = (("--rates", args.rates), ("--runs", args.runs), ("--resume", args.resume))
        for option, value in of_sweeps:
            if value is not None:
                raise CommandUsageError(f"{option} is of a --fidelity-sweep; give that as well")
        return
    for option, value, instead in (
        ("--server", args.server, "every run has a fresh daemon"),
        ("--rate", args.rate, "give --rates"),
        ("--schedule", args.schedule, "there is one schedule for each run"),
        ("--metrics", args.metrics, "it shows the fidelity figures alone"),
    ):
        if value is not None:
            raise CommandUsageError(f"{option} beside --fidelity-sweep: {instead}")
    if args.paced:
        raise CommandUsageError("--paced beside --fidelity-sweep: a paced replay has no rate")
    if len(args.recipe or ()) > 1:
        raise CommandUsageError("--fidelity-sweep is of one --recipe")


def sweep(args: argparse.Namespace) -> int:
    """Run the sweep, print its result, and return the exit code.

    Raises:
        CommandUsageError: rates or runs that cannot be.
        CommandError: a replay failed, or its daemon went away.
    """
    rates = _rates(RATES if args.rates is None else args.rates)
    runs = RUNS if args.runs is None else args.runs
    if not 1 <= runs <= _MAX_RUNS:
        raise CommandUsageError(f"--runs {runs}: 1 to {_MAX_RUNS}")
    machine = machine_asked(args)
    manifest = Manifest(args)
    recipe = live_recipe(recipe_named((args.recipe or ["easy"])[0]))
    workload = load_workload(args)
    refuse_indivisible(machine, workload.processors)
    nodes = machine.placed_on(workload.processors)
    recipe = recipe_for(recipe, workload)
    _announce(workload, rates, runs)

    with simulating(workload.trace):
        chaos = _chaos(workload, recipe, nodes, trim=args.trim == "thesis")
    kept = KeptRuns(args.resume, _made_with(manifest.finished(recipe), workload, args))
    # The rates take turns, so that other load on the machine is not one rate's alone.
    for run in range(1, runs + 1):
        for rate in rates:
            label = f"run {run} of {runs}, rate {rate:g}"
            if len(kept.of(rate)) < run:
                kept.add(
                    rate, _run(machine, ReplaySetting(workload, recipe, rate, nodes), args, label)
                )
    by_rate = {rate: kept.of(rate)[:runs] for rate in rates}
    report = {
        "schema": "rmsd.fidelity/1",
        "trace": workload.trace,
        "recipe": recipe.name,
        "procs": workload.processors,
        "jobs": len(workload.jobs),
        "exec": args.exec,
        "machine": str(machine),
        "chaos": chaos,
        "rates": [{"rate": rate, **_spread(done), "runs": done} for rate, done in by_rate.items()],
        "manifest": manifest.finished(recipe, rates=rates, exec=args.exec, seed=1),
    }
    sys.stdout.write(json.dumps(report, indent=2) + "\n" if args.json else _text(report))
    return 0


def _rates(text: str) -> list[float]:
    try:
        return list(dict.fromkeys(parse_rate(word.strip()) for word in text.split(",")))
    except ValueError as error:
        raise CommandUsageError(f"--rates {text}: {error}") from None


def _made_with(
    manifest: dict[str, Any], workload: Workload, args: argparse.Namespace
) -> dict[str, Any]:
    """Return what the figures of a run depend on, besides the rate and chance."""
    machine = manifest["machine"]
    workload_options = ("load", "estimates", "kill_at_estimate", "closed_loop", "trim")
    options = (*workload_options, "exec", "nodes", "agents", "tls")
    return {
        **{key: manifest[key] for key in ("rmsd", "code", "python", "recipe", "trace")},
        **{name: getattr(args, name) for name in options},
        "jobs": len(workload.jobs),
        "procs": workload.processors,
        "machine": f"{machine['cores']} cores, {machine['kernel']}",
    }


def _announce(workload: Workload, rates: Sequence[float], runs: int) -> None:
    """Print the least time that the sweep takes, on a terminal."""
    if sys.stderr.isatty():
        span_s = workload.jobs[-1].submit_s - workload.jobs[0].submit_s
        least_s = runs * sum(span_s / rate for rate in rates)
        count = runs * len(rates)
        print(f"{count} replays, which take {format_duration(least_s)} at least", file=sys.stderr)


def _run(
    machine: Machine, setting: ReplaySetting, args: argparse.Namespace, label: str
) -> dict[str, Any]:
    processors = setting.workload.processors
    with private_cluster(machine, processors, setting.recipe, setting.rate) as client:
        daemon = psutil.Process(client.status()["pid"])
        before_s = _cpu_s(daemon)
        report = compare(client, setting, args, label).report
        if report["partial"]:
            raise CommandError(f"{label}: the daemon went away: {report['partial_because']}")
        cpu_s = _cpu_s(daemon) - before_s
    fidelity = report["fidelity"]
    return {
        "wait_mean_deviation": fidelity["wait_mean_deviation"],
        "bounded_slowdown_deviation": fidelity["bounded_slowdown_deviation"],
        "bounded_slowdown_of_waits_deviation": fidelity["bounded_slowdown_of_waits_deviation"],
        "start_error_p50_s": fidelity["start_error_s"]["p50"],
        "start_error_p99_s": fidelity["start_error_s"]["p99"],
        "clock_lag_max_s": fidelity["clock_lag_s"]["max"],
        "latency_ms": fidelity["latency_ms"],
        "daemon": report["daemon"],
        "daemon_cpu_s": cpu_s,
        "elapsed_s": report["elapsed_s"],
        "load_average": report["manifest"]["machine"]["load_average"],
        "begun": report["manifest"]["begun"],
    }


def _cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


_FIGURES = (
    "wait_mean_deviation",
    "bounded_slowdown_deviation",
    "bounded_slowdown_of_waits_deviation",
    "start_error_p50_s",
    "start_error_p99_s",
    "clock_lag_max_s",
    "daemon_cpu_s",
)


def _spread(runs: Sequence[dict[str, Any]]) -> dict[str, Figures]:
    """Return the median, least and greatest of every figure over the runs; None if a figure is not
    defined in one of them."""
    return {
        name: {key: _over(kind, [run[key] for run in runs]) for key in _FIGURES}
        for name, kind in (("median", statistics.median), ("least", min), ("greatest", max))
    }


def _over(kind: Callable[[Sequence[float]], float], values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return kind(known) if len(known) == len(values) else None


# ---------------------------------------------------------------- chaos


def _chaos(
    workload: Workload, recipe: Recipe, nodes: Sequence[NodeUp], *, trim: bool
) -> dict[str, Any]:
    """Return how far the simulation deviates from itself when arrivals move by a few seconds."""

    def summary(jobs: Sequence[Any]) -> Summary:
        closed = workload.following > 0
        schedule = simulate(jobs, workload.processors, recipe, closed_loop=closed, nodes=nodes)
        return summarize(schedule.jobs, workload.processors, trim=trim)

    reference = summary(workload.jobs)
    with Progress("shaking the simulation", _SHAKES) as progress:
        moved = list(_shaken(workload, summary, progress.update))
    found: dict[str, Any] = {"shakes": _SHAKES, "moved_by_up_to_s": _SHAKEN_S}
    for key, field in (
        ("wait_mean_deviation", "wait_mean_s"),
        ("bounded_slowdown_deviation", "bounded_slowdown_mean"),
    ):
        undisturbed = getattr(reference, field)
        values = [getattr(one, field) for one in moved]
        found[key] = None
        if undisturbed and None not in values:
            off = sorted((value - undisturbed) / undisturbed for value in values)
            found[key] = {f"p{share}": percentile(off, share) for share in (5, 50, 95)}
    return found


def _shaken(
    workload: Workload, summary: Callable[[Sequence[Any]], Summary], progress: Callable[[int], None]
) -> Iterator[Summary]:
    for seed in range(1, _SHAKES + 1):
        yield summary(shaken(workload.jobs, seed, _SHAKEN_S))
        progress(seed)


# ---------------------------------------------------------------- text


def _text(report: dict[str, Any]) -> str:
    chaos = report["chaos"]
    heading = ["rate", "mean wait", "", "bounded slowdown", "", "of waits", "start error"]
    heading += ["99%", "clock lag", "daemon CPU"]
    rows = [heading]
    for at in report["rates"]:
        middle = at["median"]
        cells = [f"{at['rate']:g}"]
        for key in ("wait_mean_deviation", "bounded_slowdown_deviation"):
            cells += [signed_percent(middle[key]), _between(at["least"][key], at["greatest"][key])]
        cells.append(signed_percent(middle["bounded_slowdown_of_waits_deviation"]))
        for key in ("start_error_p50_s", "start_error_p99_s", "clock_lag_max_s", "daemon_cpu_s"):
            cells.append(f"{middle[key]:.1f} s")
        rows.append(cells)
    shaken_row = [f"shaken by {chaos['moved_by_up_to_s']} s"]
    for key in ("wait_mean_deviation", "bounded_slowdown_deviation"):
        found = chaos[key] or {"p5": None, "p50": None, "p95": None}
        shaken_row += [signed_percent(found["p50"]), _between(found["p5"], found["p95"])]
    rows.append([*shaken_row, *[""] * (len(heading) - len(shaken_row))])
    runs = len(report["rates"][0]["runs"])
    return (
        f"{report['trace']}, {report['procs']:,} processors, recipe {report['recipe']}, "
        f"{report['jobs']:,} jobs, exec {report['exec']}, {report['machine']}\n\n"
        f"{grid(rows)}\n\n"
        f"Live against simulated, runs of each rate: {runs}. Deviations: median, least to "
        "greatest; the last\nline is the simulation against itself, shaken "
        f"{chaos['shakes']} times: median, 5th to 95th percentile.\n"
        "Of waits: the bounded slowdown of the live waits with the simulated run times.\n"
        "Start error: median and 99th percentile; clock lag: the largest; both in model seconds."
        f"\n\n{line(report['manifest'])}\n"
    )


def _between(least: float | None, greatest: float | None) -> str:
    return f"{signed_percent(least)} to {signed_percent(greatest)}" if least is not None else "-"
