"""`rmsd estimates validate`: models of estimates beside those of a trace, as thesis 5.12 has it:
their distributions, and what they do to a schedule."""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_cli.tables import grid
from rmsd_core.recipes.text import written_out
from rmsd_lab.workloads.models.estimates import KILLED, own_heads
from rmsd_lab.workloads.models.popularity import COVERED_PERCENT
from rmsd_lab.workloads.swf import takes_part
from rmsd_lab_cli.estimates.options import have_estimates, own_max_s
from rmsd_lab_cli.kept_results import KeptResults, default_folder
from rmsd_lab_cli.papers.execute import Measures
from rmsd_lab_cli.papers.experiment import ESTIMATES, Change, Simulation
from rmsd_lab_cli.papers.runner import run_all
from rmsd_lab_cli.papers.workloads import WorkloadSource
from rmsd_lab_cli.recipe_option import recipe_named
from rmsd_lab_cli.trace_file import STDIN
from rmsd_lab_cli.workload import told_trace

_BADNESS = (1, 3, 10, 100, 300)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The models to compare, and the jobs to compare them on."""

    name: str
    source: WorkloadSource
    jobs: int
    processors: int
    recipe: str
    max_s: int
    of_max: float
    models: Mapping[str, Sequence[Simulation]]


def validate(args: argparse.Namespace) -> int:
    if args.seeds < 1 or args.processes < 1 or args.own_heads < 0:
        raise CommandUsageError("--seeds and --processes are at least 1, --own-heads at least 0")
    asked = _asked(args)
    results = KeptResults(args.results or default_folder("paper"), fresh=False)
    groups = {ESTIMATES, "waits"}
    wanted = {run: groups for runs in asked.models.values() for run in runs}
    known = run_all(wanted, {asked.name: asked.source}, results, args.processes, "running")
    if any(known[run]["waits"]["wait_s"] is None for runs in asked.models.values() for run in runs):
        raise CommandError(
            f"{asked.name}: no job is left to compare: the first 1% and those that end after the "
            "last arrival are left out, which is all of them"
        )
    found = [_row(name, [known[run] for run in runs]) for name, runs in asked.models.items()]
    if args.json:
        print(json.dumps(_report(asked, args, found), indent=2))
    else:
        print("\n".join(_text(asked, args, found)))
    return 0


def _asked(args: argparse.Namespace) -> _Asked:
    if args.trace == STDIN:
        raise CommandUsageError("validate reads the trace once for every run: give a file")
    trace = told_trace(args.trace)
    processors = trace.processors if args.procs is None else args.procs
    if processors is None or processors < 1:
        raise CommandUsageError(f"{args.trace}: give the machine's size with --procs")
    if args.jobs is not None and args.jobs < 2:
        raise CommandUsageError(f"--jobs {args.jobs}: ask for at least two jobs")
    jobs = [job for job in trace.jobs if takes_part(job, processors)][: args.jobs]
    if len(jobs) < 2:
        raise CommandError(f"{args.trace}: fewer than two jobs fit {processors} processors")
    if not have_estimates(jobs):
        raise CommandError(f"{args.trace}: it has no estimates to compare models with")
    recipe = recipe_named(args.recipe)
    max_s = own_max_s(args, jobs)
    name = args.trace.name
    first: list[Change] = [] if args.jobs is None else [("first", args.jobs)]

    def runs(*changes: Change) -> list[Simulation]:
        return [
            Simulation(name, processors, written_out(recipe), (*first, change), trim=True)
            for change in changes
        ]

    seeds = range(1, args.seeds + 1)
    models = {
        "original": [Simulation(name, processors, written_out(recipe), tuple(first), trim=True)],
        "times 2": runs(("times", 2)),
        "shuffle": runs(*(("shuffled", seed) for seed in seeds)),
        "shuffle, sessions": runs(*(("shuffled-in-sessions", seed) for seed in seeds)),
        "modes": runs(*(("modes", max_s, 0, seed) for seed in seeds)),
        f"modes, {args.own_heads} heads": runs(
            *(("modes", max_s, args.own_heads, seed) for seed in seeds)
        ),
        "modes, sessions": runs(*(("modes-in-sessions", max_s, 0, seed) for seed in seeds)),
        "exact": runs(("exact",)),
        **{f"f = {f}": runs(*(("random", f, seed) for seed in seeds)) for f in _BADNESS},
        "phi": runs(*(("phi", KILLED, max_s, seed) for seed in seeds)),
    }
    digest = hashlib.sha256(args.trace.read_bytes()).hexdigest()
    of_max = next((mode.percent for mode in own_heads(jobs, 0, max_s)), 0.0)
    source = WorkloadSource(args.trace, digest)
    said = written_out(recipe)
    return _Asked(name, source, len(jobs), processors, said, max_s, of_max, models)


def _row(name: str, runs: Sequence[Measures]) -> dict[str, Any]:
    """Return the means over the runs. `deviation` is the mean absolute deviation."""
    estimates = [run[ESTIMATES] for run in runs]

    def mean(key: str) -> float:
        return float(sum(one[key] for one in estimates)) / len(runs)

    return {
        "model": name,
        "runs": len(runs),
        "modes": mean("modes"),
        "head_share": mean("head_share"),
        "distance": mean("distance"),
        "repeat_share": mean("repeat_share"),
        "of_a_user_median": mean("of_a_user_median"),
        "cover_percent": {
            str(percent): sum(one["cover_percent"][str(percent)] for one in estimates) / len(runs)
            for percent in COVERED_PERCENT
        },
        "wait_s": _spread([run["waits"]["wait_s"]["mean"] for run in runs]),
        "bounded_slowdown": _spread([run["waits"]["bounded_slowdown"]["mean"] for run in runs]),
    }


def _spread(values: Sequence[float]) -> dict[str, float]:
    mean = sum(values) / len(values)
    return {
        "mean": mean,
        "deviation": sum(abs(value - mean) for value in values) / len(values),
    }


def _report(
    asked: _Asked, args: argparse.Namespace, found: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "schema": "rmsd.estimates/1",
        "trace": {"file": asked.name, "sha256": asked.source.sha256},
        "jobs": asked.jobs,
        "procs": asked.processors,
        "recipe": asked.recipe,
        "max_estimate_s": asked.max_s,
        "max_estimate_share": asked.of_max / 100,
        "seeds": args.seeds,
        "models": list(found),
    }


def _text(asked: _Asked, args: argparse.Namespace, found: Sequence[dict[str, Any]]) -> list[str]:
    hours, rest = divmod(asked.max_s, 3600)
    original = found[0]
    heads = ["MODEL", "MODES", "20 HEADS", "DISTANCE", "REPEATS"]
    rows = [[*heads, "WAIT [min]", "+-", "OFF", "SLOWDOWN", "+-", "OFF"]]
    for row in found:
        cells = [row["model"], f"{row['modes']:.0f}", f"{row['head_share']:.1%}"]
        cells += [f"{row['distance']:.3f}", f"{row['repeat_share']:.1%}"]
        for key, scale in (("wait_s", 60), ("bounded_slowdown", 1)):
            value, own = row[key], original[key]["mean"]
            off = f"{value['mean'] / own - 1:+.1%}" if own and row is not original else ""
            cells += [f"{value['mean'] / scale:.2f}", f"{value['deviation'] / scale:.2f}", off]
        rows.append(cells)
    covered = [["MODEL", *(f"{percent}%" for percent in COVERED_PERCENT)]]
    for row in (original, *(row for row in found if row["model"].startswith("modes"))):
        covered.append([row["model"], *(f"{n:.0f}" for n in row["cover_percent"].values())])
    return [
        f"{asked.name}: {asked.jobs:,} jobs on {asked.processors} processors under {asked.recipe}",
        f"longest estimate {hours}:{rest // 60:02}:{rest % 60:02}, of {asked.of_max:.1f}% of the "
        f"jobs; {args.seeds} seeds; the slowdown is the bounded one",
        "",
        grid(rows, gap=1),
        "",
        "Different estimates that serve so many percent of the jobs:",
        grid(covered, gap=1),
    ]
