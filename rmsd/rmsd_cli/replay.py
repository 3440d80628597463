"""Replay the jobs of a trace through a live daemon: every job is submitted through the public API
at its submit time on the daemon's accelerated clock, runs on an emulated node, and ends after its
run time, as a timer or as a real process that lives run time / rate. The result is compared with
the simulation of the same jobs.

Unless --server names one, a private daemon with an emulated agent is started in a temporary
directory and stopped afterwards. A named daemon must have emulated nodes (`rmsd start --emulate`);
rate, recipe and processors are then its own.

Of the fidelity figures, deviations are relative to the simulation; the start error is the distance
between a job's live and simulated start; the clock lag says how much later than due a job reached
the daemon. Both are in seconds of model time: one real millisecond is RATE / 1000 of them.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rmsd_cli.errors import CommandError, UsageError
from rmsd_cli.fidelity import fidelity
from rmsd_cli.metric_options import HELP, add_metric_arguments, metrics_asked
from rmsd_cli.private_daemon import private_daemon
from rmsd_cli.progress import Progress
from rmsd_cli.recipe_option import live_recipe, recipe_for, recipe_named
from rmsd_cli.report import describe, run_report, table, write_schedule
from rmsd_cli.simulate import add_run_arguments
from rmsd_cli.workload import Workload, add_workload_arguments, load_workload
from rmsd_client.api import Client
from rmsd_client.errors import ClientError
from rmsd_client.replay import Replayed, ReplayJob, replay
from rmsd_core.job import SECOND_US
from rmsd_core.recipe import Recipe
from rmsd_core.recipe_text import written_out
from rmsd_core.schedule import Schedule, Scheduled
from rmsd_core.simulation import simulate

_PLURAL = {"timer": "timers", "process": "processes"}

EPILOG = f"""\
{HELP}
exit codes:
  0   done
  1   the trace cannot be read, a job did not end as it should, the daemon failed
  2   usage
  75  the daemon named by --server cannot be reached

examples:
  rmsd replay trace.swf --rate 1000 --recipe easy++
  rmsd replay KTH-SP2-1996-2.1-cln.swf.gz --jobs 1000 --rate 5000 --json
  rmsd replay sample.swf --rate 2000 --exec process
  rmsd replay sample.swf --rate 2000 --metrics waits,fairness
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rate", type=float, metavar="R", help="model seconds per real second (default: 1000)"
    )
    parser.add_argument(
        "--recipe", metavar="NAME", help="the scheduler (default: easy); see `rmsd recipes`"
    )
    parser.add_argument(
        "--exec",
        choices=("timer", "process"),
        default="timer",
        help="what a job is on its emulated node: a timer (default) or a real process",
    )
    parser.add_argument(
        "--server", metavar="URL", help="replay through this daemon: unix:/PATH or http://HOST:PORT"
    )
    parser.add_argument("--token-file", metavar="FILE", help="the token for an http server")
    add_workload_arguments(parser)
    add_run_arguments(parser)
    add_metric_arguments(parser)


def run(args: argparse.Namespace) -> int:
    begun = time.perf_counter()
    metrics_asked(args)  # what is wrong is said before hours of replay
    try:
        with _daemon(args) as (client, recipe, rate, workload):
            live = _replay(client, workload, args)
    except ClientError as error:
        raise CommandError(str(error), error.exit_code) from None
    schedule = [_scheduled(job, workload, at) for at, job in enumerate(live)]
    trim = args.trim == "thesis"
    elapsed_s = time.perf_counter() - begun
    report = run_report(workload, recipe, schedule, trim=trim, elapsed_s=elapsed_s)

    begun = time.perf_counter()
    simulated = simulate(workload.jobs, workload.processors, recipe).jobs
    elapsed_s = time.perf_counter() - begun
    reference = run_report(workload, recipe, simulated, trim=trim, elapsed_s=elapsed_s)

    lags_us = [job.submit_us - job.due_us for job in live]
    report |= {
        "rate": rate,
        "exec": args.exec,
        "fidelity": fidelity(schedule, simulated, lags_us, workload.processors),
    }
    if args.schedule:
        write_schedule(args.schedule, schedule)
    metrics = metrics_asked(args, recipe.trial_us)
    if metrics:
        in_order = sorted(schedule, key=lambda job: job.submit_us)
        report["metrics"] = metrics.measure(Schedule(in_order, workload.processors))
    if args.json:
        print(json.dumps(report, indent=2))
    else:
        sys.stdout.write(f"{describe(report)}, {_PLURAL[args.exec]} at rate {rate:g}\n\n")
        sys.stdout.write(table({"replay": report, "simulation": reference}) + "\n\n")
        sys.stdout.write(_fidelity_lines(report) + "\n")
        if metrics:
            sys.stdout.write(f"\nmetrics of the replay\n\n{metrics.text(report['metrics'])}")
    return 0


@contextmanager
def _daemon(args: argparse.Namespace) -> Iterator[tuple[Client, Recipe, float, Workload]]:
    """The daemon to replay through, what it runs, and the workload that fits it."""
    if args.server is None:
        recipe = recipe_named(args.recipe or "easy")
        rate = 1000.0 if args.rate is None else args.rate
        if not rate > 0:
            raise UsageError(f"--rate {rate:g}: a clock must run forwards")
        workload = load_workload(args)
        recipe = live_recipe(recipe_for(recipe, workload))
        options = ["--no-local-node", "--emulate", f"1x{workload.processors}"]
        options += ["--capacity", "counted", "--rate", repr(rate), "--recipe", written_out(recipe)]
        with private_daemon(options) as client:
            yield client, recipe, rate, workload
        return
    with Client(args.server, args.token_file) as client:
        status = client.status()
        recipe, rate = recipe_named(status["recipe"]), status["clock"]["rate"]
        _refuse_difference("--recipe", args.recipe, recipe.name)
        _refuse_difference("--rate", args.rate, rate)
        emulated = sum(n["cores"] for n in client.nodes() if n["kind"] == "emulated")
        if not emulated:
            raise CommandError(f"{args.server} has no emulated node; start it with --emulate")
        _refuse_difference("--procs", args.procs, emulated)
        yield client, recipe, rate, load_workload(args, emulated)


def _refuse_difference(option: str, asked: object, actual: object) -> None:
    if asked is not None and asked != actual:
        raise UsageError(f"{option} {asked}: the daemon that --server names has {actual}")


def _replay(client: Client, workload: Workload, args: argparse.Namespace) -> list[Replayed]:
    jobs = [
        ReplayJob(job.submit_s, job.run_s, job.size, job.estimate_s, f"user-{job.user}")
        for job in workload.jobs
    ]
    with Progress("replaying", 2 * len(jobs)) as progress:
        live = replay(
            client,
            jobs,
            execute=args.exec,
            limited=args.kill_at_estimate,
            progress=progress.update,
        )
    wrong = [job for job in live if job.state not in ("COMPLETED", "TIMEOUT")]
    if wrong:
        raise CommandError(
            f"{len(wrong)} of {len(live)} jobs did not end as they should; the first is "
            f"job {wrong[0].job_id}: {wrong[0].state}"
        )
    return live


def _scheduled(job: Replayed, workload: Workload, at: int) -> Scheduled:
    """What the daemon does not tell is left unknown; who failed is known from the trace alone."""
    asked = workload.jobs[at]
    return Scheduled(
        asked.number,
        job.submit_us,
        job.start_us,
        job.end_us,
        job.end_us - job.start_us,
        asked.size,
        job.backfilled,
        asked.user,
        asked.estimate_s * SECOND_US,
        asked.status == 0,
        corrections=job.corrections,
        attempts=job.attempts,
        lost_us=0 if job.attempts == 1 else -1,
    )


def _fidelity_lines(report: dict[str, object]) -> str:
    figures = report["fidelity"]
    assert isinstance(figures, dict)
    lines = []
    for key, name in (("wait_mean", "mean wait"), ("bounded_slowdown", "bounded slowdown")):
        deviation = figures[f"{key}_deviation"]
        shown = "not defined" if deviation is None else f"{100 * deviation:+.2f}%"
        lines.append(f"{name}: {shown} against the simulation")
    errors, lag_s = figures["start_error_s"], figures["clock_lag_s"]["max"]
    lines.append(
        f"start error: median {errors['p50']:.1f} s, 99th percentile {errors['p99']:.1f} s"
    )
    lines.append(f"clock lag: at most {lag_s:.1f} s of model time")
    return "\n".join(lines)
