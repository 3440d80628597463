"""The fidelity of a replay: its closeness to the simulation of the same jobs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Any

from rmsd_cli.tables import grid
from rmsd_core.model_time import SECOND_US
from rmsd_lab.measures.metrics import percentile, summarize
from rmsd_lab.schedule import Scheduled

_OF_WAITS = "bounded_slowdown_of_waits_deviation"
_SHARES = (50, 90, 99)


def fidelity(
    live: Sequence[Scheduled],
    simulated: Sequence[Scheduled],
    lags_us: Sequence[int],
    processors: int,
    rate: float,
) -> dict[str, Any]:
    """Return the `fidelity` object of a report. Both schedules are of the same jobs in the same
    order.

    Deviations are relative to the simulation: (live - simulated) / simulated, None where that is
    zero. The slowdown of waits is the bounded slowdown of the live waits with the simulated run
    times, since a real process needs some time to begin and to end. `start_error_s` is the distance
    between the two starts of a job. `clock_lag_s` is how much later than due jobs reached the
    daemon. Both are in seconds of model time. `latency_ms` has the reasons, in milliseconds of real
    time. One is the time from a job's due instant to its submit. The other is the time to its start
    from the event that let it start: its submit, or the latest end of another job before.
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
        "latency_ms": {
            "submit": _percentiles_ms(lags_us, rate),
            "start": _percentiles_ms(_start_latencies_us(live), rate),
        },
    }


def _start_latencies_us(live: Sequence[Scheduled]) -> list[int]:
    ends_us = sorted(one.end_us for one in live)
    latencies_us = []
    for one in live:
        before = bisect_left(ends_us, one.start_us)
        let_us = max(one.submit_us, ends_us[before - 1]) if before else one.submit_us
        latencies_us.append(one.start_us - let_us)
    return latencies_us


def _percentiles_ms(model_us: Iterable[int], rate: float) -> dict[str, float]:
    ascending = sorted(us / rate / 1000 for us in model_us)
    return {f"p{share}": percentile(ascending, share) for share in _SHARES}


def _running_as(live: Scheduled, simulated: Scheduled) -> Scheduled:
    """Return the job with the live wait and the simulated run time."""
    end_us = live.submit_us + live.wait_us + simulated.run_us
    return live._replace(start_us=end_us - simulated.run_us, run_us=simulated.run_us, end_us=end_us)


def _relative(value: float | None, reference: float | None) -> float | None:
    return (value - reference) / reference if reference and value is not None else None


def fidelity_table(reports: Sequence[dict[str, Any]]) -> str:
    """Return the `fidelity` objects of replays side by side, one column for each recipe."""
    figures = [report["fidelity"] for report in reports]
    heading = ["live against simulated", *(report["recipe"] for report in reports)]
    rows = [
        ["mean wait", *(signed_percent(f["wait_mean_deviation"]) for f in figures)],
        ["bounded slowdown", *(signed_percent(f["bounded_slowdown_deviation"]) for f in figures)],
        ["... of the waits", *(signed_percent(f[_OF_WAITS]) for f in figures)],
        ["start error, median", *(f"{f['start_error_s']['p50']:.1f} s" for f in figures)],
        ["start error, 99th percentile", *(f"{f['start_error_s']['p99']:.1f} s" for f in figures)],
        ["clock lag, largest", *(f"{f['clock_lag_s']['max']:.1f} s" for f in figures)],
        ["real ms until a submit: 50, 90, 99%", *(_milliseconds(f, "submit") for f in figures)],
        ["... until a start", *(_milliseconds(f, "start") for f in figures)],
        ["... of a pass: 50, 99%, longest", *(_timing(one, "pass_ms") for one in reports)],
        ["... of a commit", *(_timing(one, "commit_ms") for one in reports)],
    ]
    return grid([heading, *rows])


def _milliseconds(figures: dict[str, Any], what: str) -> str:
    return " / ".join(f"{value:.2f}" for value in figures["latency_ms"][what].values())


def _timing(report: dict[str, Any], what: str) -> str:
    timing = report["daemon"].get(what, {})
    return " / ".join(f"{value:.2f}" for value in timing.values()) or "not known"


def signed_percent(share: float | None) -> str:
    """Return a deviation for people."""
    return "not defined" if share is None else f"{100 * share:+.2f}%"
