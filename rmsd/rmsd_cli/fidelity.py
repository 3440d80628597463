"""How close a replay came to the simulation of the same jobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rmsd_cli.report import aligned
from rmsd_core.job import SECOND_US
from rmsd_core.metrics import percentile, summarize
from rmsd_core.schedule import Scheduled

_OF_WAITS = "bounded_slowdown_of_waits_deviation"


def fidelity(
    live: Sequence[Scheduled],
    simulated: Sequence[Scheduled],
    lags_us: Sequence[int],
    processors: int,
) -> dict[str, Any]:
    """The `fidelity` object of a report; both schedules are of the same jobs in the same order.

    Deviations are relative to the simulation, None where that is zero: (live - simulated) /
    simulated; the one of waits is the bounded slowdown of the live waits with the simulated run
    times, since a real process needs some time to begin and to end. `start_error_s` is the
    distance between the two starts of a job and `clock_lag_s` how much later than due jobs
    reached the daemon; both in seconds of model time.
    """
    ours, theirs = summarize(live, processors), summarize(simulated, processors)
    of_waits = summarize(
        [_running_as(one, other) for one, other in zip(live, simulated, strict=True)], processors
    )
    errors = sorted(
        abs(one.start_us - other.start_us) / SECOND_US
        for one, other in zip(live, simulated, strict=True)
    )
    return {
        "wait_mean_deviation": _relative(ours.wait_mean_s, theirs.wait_mean_s),
        "bounded_slowdown_deviation": _relative(
            ours.bounded_slowdown_mean, theirs.bounded_slowdown_mean
        ),
        _OF_WAITS: _relative(of_waits.bounded_slowdown_mean, theirs.bounded_slowdown_mean),
        "start_error_s": {"p50": percentile(errors, 50), "p99": percentile(errors, 99)},
        "clock_lag_s": {"max": max(lags_us) / SECOND_US},
    }


def _running_as(live: Scheduled, simulated: Scheduled) -> Scheduled:
    """The live wait, and the simulated run time."""
    end_us = live.submit_us + live.wait_us + simulated.run_us
    return live._replace(start_us=end_us - simulated.run_us, run_us=simulated.run_us, end_us=end_us)


def _relative(value: float, reference: float) -> float | None:
    return (value - reference) / reference if reference else None


def fidelity_table(reports: Sequence[dict[str, Any]]) -> str:
    """The `fidelity` objects of replays side by side, one column for each recipe."""
    figures = [report["fidelity"] for report in reports]
    heading = ["live against simulated", *(report["recipe"] for report in reports)]
    rows = [
        ["mean wait", *(signed_percent(f["wait_mean_deviation"]) for f in figures)],
        ["bounded slowdown", *(signed_percent(f["bounded_slowdown_deviation"]) for f in figures)],
        ["... of the waits", *(signed_percent(f[_OF_WAITS]) for f in figures)],
        ["start error, median", *(f"{f['start_error_s']['p50']:.1f} s" for f in figures)],
        ["start error, 99th percentile", *(f"{f['start_error_s']['p99']:.1f} s" for f in figures)],
        ["clock lag, largest", *(f"{f['clock_lag_s']['max']:.1f} s" for f in figures)],
    ]
    return aligned([heading, *rows])


def signed_percent(share: float | None) -> str:
    """A deviation for people."""
    return "not defined" if share is None else f"{100 * share:+.2f}%"
