"""`--metrics` and what goes with it, for simulate, replay and metrics."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rmsd_lab_cli.metrics.report import MetricReport

HELP = """\
metrics groups (--metrics), with what they are taken from:
  waits           wait, response, bounded slowdown: mean, deviation, percentiles; utilization (dynP,
                  section 4) and load (thesis 2.5)
  categories      short or long x narrow or wide jobs, by run time and size (Selective, 2.1)
  failures        failing jobs, jobs no longer than a trial, failing ones of these (Timed, 3.1)
  accuracy        accuracy of predictions, corrections, prediction rate (thesis 4.1, 4.2)
  predictability  starts against first reservations, and delays beyond them (thesis 4.3)
  fairness        slowdown against fair slowdown (Selective, section 5) and unfairness (thesis 3.7);
                  simulates the same jobs under `conservative` for it
  dynamics        backfilling rate, wild and mild backfilling, delayed jobs, SJFness (thesis 3.3
                  to 3.5)
  load            momentary load over time (thesis 3.6)
  orders          share of time of each order of the queue (dynP, Fig. 5)
  trials          attempts, and the processor time lost to killed trials and to restarting
What is not known is shown as -, and is null in JSON. docs/metrics.md defines every figure.
"""


def add_metric_arguments(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    group = parser.add_argument_group("metrics")
    otherwise = f" (default: {default})" if default else ""
    group.add_argument(
        "--metrics",
        metavar="GROUP[,GROUP...]",
        default=default,
        help=f"show these groups, or `all`; they are listed below{otherwise}",
    )
    for option, unit, value, text in (
        ("--long-above", "SECONDS", 3600, "jobs that run longer are long"),
        ("--wide-above", "PROCS", 8, "jobs with more processors are wide"),
        (
            "--short-up-to",
            "SECONDS",
            None,
            "jobs that run no longer are short, as in the group "
            "failures; the trial length of the recipe if it has one, else 90",
        ),
    ):
        shown = "" if value is None else f" (default: {value})"
        group.add_argument(option, type=int, metavar=unit, default=value, help=text + shown)


def metrics_asked(args: argparse.Namespace, trial_us: int = 0) -> MetricReport | None:
    """Return the metrics that the options ask for; None if they ask for none. `trial_us` is the
    recipe's trial length, 0 without trials.

    Raises:
        CommandUsageError: there is no such group, or a boundary is below zero.
    """
    if args.metrics is None:
        return None
    from rmsd_lab_cli.metrics.report import MetricReport  # most runs do without

    return MetricReport.asked(args, trial_us)
