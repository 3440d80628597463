"""Reproduce the tables and figures of the papers that the schedulers come from. Each published
number or claim that the traces at hand can show is printed beside our value, the deviation and a
verdict.

`list` names the experiments; `run` makes them. NAME is an experiment, or the beginning of several
names (thesis-4, timed), or `all`. Traces are files of the Parallel Workloads Archive under their
names there (KTH-SP2-1996-2.1-cln.swf.gz). Any version of a log will do; the output names it.
Published numbers whose log is missing are left out, and counted.

A number is "reproduced" if it is within 6% of the published one (timed runs: as stated there). It
is also reproduced if it is the same when rounded as printed. With --shake N, the other numbers are
run N more times, with every arrival moved by up to 30 seconds, at random. "within shaking" says
that the published number lies between the 5th and 95th percentile of these runs. Everything else is
"missed", and shown.

`better` is the study of docs/better.md: rmsd's own recipes beside the papers' schedulers, on logs
as recorded and on shaken copies of them. Its tables can be made one by one. It takes hours, so
`all` leaves it out.

All processors are used. Finished runs are kept: an interrupted command, given again, goes on where
it was.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rmsd_cli.errors import CommandUsageError
from rmsd_cli.tables import grid
from rmsd_lab_cli.kept_results import KeptResults, default_folder
from rmsd_lab_cli.papers.better.runs import COPIES
from rmsd_lab_cli.papers.catalogue import EXPERIMENTS, has_copies, named
from rmsd_lab_cli.papers.experiment import Experiment, Simulation
from rmsd_lab_cli.papers.outcome import JudgedExperiment, Sources, as_json, as_text, judged, missed
from rmsd_lab_cli.papers.results import papers_digest
from rmsd_lab_cli.papers.runner import run_all
from rmsd_lab_cli.papers.workloads import find_sources

EPILOG = """\
exit codes:
  0    done, whatever the verdicts
  1    a trace or a run failed; the message says which and why
  2    usage: no such experiment
  130  interrupted; finished runs are kept

examples:
  rmsd paper list
  rmsd paper run thesis-4.2 thesis-4.3 --traces ~/traces
  rmsd paper run all --traces ~/traces --shake 100 --json > reproduction.json
  rmsd paper run better-verdicts --copies 2 --traces ~/traces
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="list|run")
    more = "`rmsd paper --help` says what verdicts mean, and has examples."
    listing = actions.add_parser(
        "list",
        help="name the experiments and the logs they need",
        description="Name the experiments, how many of their logs are there, and how many runs "
        "they take.",
        epilog=more,
    )
    running = actions.add_parser(
        "run",
        help="run experiments and judge what comes out",
        description="Run experiments; hold what comes out against what was published.",
        epilog=more,
    )
    for action in (listing, running):
        action.add_argument(
            "--traces",
            type=Path,
            default=Path(),
            metavar="DIR",
            help="where the logs are (default: the current directory)",
        )
        action.add_argument("--json", action="store_true", help="print one rmsd.paper/1 object")
    running.add_argument(
        "names",
        nargs="+",
        metavar="NAME",
        help="an experiment, the beginning of several names, or all of the papers",
    )
    running.add_argument(
        "--copies",
        type=int,
        metavar="N",
        help=f"better: the shaken copies of each log (default: {COPIES}; 0: as recorded only)",
    )
    _add_run_options(running)


def _add_run_options(running: argparse.ArgumentParser) -> None:
    """Add the options on how runs are made and kept."""
    running.add_argument(
        "--shake",
        type=int,
        default=0,
        metavar="N",
        help="run what is not reproduced N more times, with shaken arrivals (default: 0)",
    )
    running.add_argument(
        "--seed", type=int, default=1, metavar="S", help="the first run's seed (default: 1)"
    )
    running.add_argument(
        "--processes",
        type=int,
        default=os.cpu_count() or 1,
        metavar="N",
        help="runs at a time (default: as many as there are processors)",
    )
    running.add_argument(
        "--results",
        type=Path,
        default=None,
        metavar="DIR",
        help="where finished runs are kept (default: $XDG_CACHE_HOME/rmsd/paper)",
    )
    running.add_argument(
        "--fresh", action="store_true", help="make every run anew, even if it is kept"
    )


def run(args: argparse.Namespace) -> int:
    return _list(args) if args.action == "list" else _run(args)


def _list(args: argparse.Namespace) -> int:
    everything = EXPERIMENTS.values()
    logs = {name: _logs(experiment) for name, experiment in EXPERIMENTS.items()}
    there = find_sources(set().union(*logs.values()), args.traces)
    if args.json:
        listed = [
            {
                "name": experiment.name,
                "source": experiment.source,
                "title": experiment.title,
                "runs": len(experiment.needs()),
                "logs": {log: log in there for log in sorted(logs[experiment.name])},
            }
            for experiment in everything
        ]
        print(json.dumps({"schema": "rmsd.paper/1", "experiments": listed}, indent=2))
        return 0
    rows = [["NAME", "LOGS", "RUNS", "WHAT"]]
    for experiment in everything:
        wanted = logs[experiment.name]
        share = f"{len(wanted & there.keys())}/{len(wanted)}"
        rows.append([experiment.name, share, str(len(experiment.needs())), experiment.title])
    print(grid(rows, left=(0, 3), wrap=True))
    print(f"\nLOGS: how many of the workloads it is about are in {args.traces.resolve()}")
    return 0


def _logs(experiment: Experiment) -> set[str]:
    return {simulation.workload for simulation in experiment.needs()}


def _run(args: argparse.Namespace) -> int:
    outcomes, sources = outcomes_asked(args)
    if args.json:
        print(json.dumps(_report(outcomes, sources, args), indent=2))
        return 0
    for outcome in outcomes:
        print(f"{as_text(outcome, sources)}\n  => {_counted([outcome])}\n")
    if len(outcomes) > 1:
        print(f"{len(outcomes)} experiments => {_counted(outcomes)}")
    return 0


def outcomes_asked(args: argparse.Namespace) -> tuple[list[JudgedExperiment], Sources]:
    """Return the outcomes of the experiments that the options of `run` ask for, and their logs.

    Raises:
        CommandUsageError: there is no such experiment, or an option is out of range.
        CommandError: a trace or a run failed.
    """
    if args.shake < 0 or args.processes < 1:
        raise CommandUsageError("--shake takes a number from 0 on, --processes one from 1 on")
    chosen = _chosen(args)
    sources = find_sources(set().union(*map(_logs, chosen)), args.traces)
    results = KeptResults(args.results or default_folder("paper"), fresh=args.fresh)
    return _outcomes(chosen, sources, results, args), sources


def _chosen(args: argparse.Namespace) -> list[Experiment]:
    chosen: dict[str, Experiment] = {}
    if args.copies is not None and args.copies < 0:
        raise CommandUsageError(f"--copies {args.copies}: it is at least 0")
    for name in args.names:
        found = named(name, COPIES if args.copies is None else args.copies)
        if not found:
            raise CommandUsageError(f"no experiment '{name}'; there are: {', '.join(EXPERIMENTS)}")
        chosen |= {experiment.name: experiment for experiment in found}
    if args.copies is not None and not any(map(has_copies, chosen.values())):
        raise CommandUsageError("--copies is for better; what is missed of a paper has --shake")
    return list(chosen.values())


def _outcomes(
    chosen: Sequence[Experiment], sources: Sources, results: KeptResults, args: argparse.Namespace
) -> list[JudgedExperiment]:
    """Return the outcomes of the experiments. All their runs are made together, since many
    experiments need the same ones."""
    known = run_all(_united(e.needs() for e in chosen), sources, results, args.processes, "running")
    again: dict[Simulation, list[Simulation]] = {}
    wanted: dict[Simulation, set[str]] = {}
    for simulation, groups in _united(missed(e, known) for e in chosen).items():
        again[simulation] = [
            replace(simulation, changes=(*simulation.changes, ("shaken", seed)))
            for seed in range(args.seed, args.seed + args.shake)
        ]
        wanted |= dict.fromkeys(again[simulation], groups)
    known |= run_all(wanted, sources, results, args.processes, "shaking")
    return [judged(experiment, known, again) for experiment in chosen]


def _united(needs: Iterable[Mapping[Simulation, set[str]]]) -> dict[Simulation, set[str]]:
    united: dict[Simulation, set[str]] = {}
    for wanted in needs:
        for simulation, groups in wanted.items():
            united.setdefault(simulation, set()).update(groups)
    return united


def _counted(outcomes: Sequence[JudgedExperiment]) -> str:
    counts = sum((Counter(outcome.verdicts()) for outcome in outcomes), Counter[str]())
    return (
        ", ".join(f"{count} {verdict}" for verdict, count in counts.items()) or "nothing to judge"
    )


def _report(
    outcomes: list[JudgedExperiment], sources: Sources, args: argparse.Namespace
) -> dict[str, Any]:
    return {
        "schema": "rmsd.paper/1",
        "rmsd": version("rmsd"),
        "code": papers_digest(),
        "machine": {
            "system": platform.platform(),
            "processors": os.cpu_count(),
            "python": platform.python_version(),
        },
        "shaken_runs": args.shake,
        "copies": args.copies,
        "seed": args.seed,
        "traces": {
            name: {"file": source.name, "sha256": source.sha256}
            for name, source in sorted(sources.items())
        },
        "experiments": [as_json(outcome, sources) for outcome in outcomes],
    }
