"""The fidelity of a replay: its closeness to the simulation of the same jobs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Any

from rmsd_cli.tables import grid
from rmsd_core.model_time import SECOND_US
from rmsd_lab.measures.metrics import percentile, summarize
from rmsd_lab.schedule import Scheduled
from rmsd_wire.link_values import PACED

_OF_WAITS = "bounded_slowdown_of_waits_deviation"
_SHARES = (50, 90, 99)
_MOST_OFF_S = 60
"""The start error in the median [s of the model] from which a reader is warned."""
_FIRST = 5  # the jobs that differ from the simulation and are shown


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
    from the event that let it start: its submit, or the latest end of another job before. On a
    paced clock (`PACED`) neither takes time, and `latency_ms` is None.
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
        "latency_ms": None
        if rate == PACED
        else {
            "submit": _percentiles_ms(lags_us, rate),
            "start": _percentiles_ms(_start_latencies_us(live), rate),
        },
    }


def differing(live: Sequence[Scheduled], simulated: Sequence[Scheduled]) -> dict[str, Any]:
    """Return the `paced` object of a report: how many jobs differ from the simulation in anything
    that the daemon tells of them, and the first of these jobs."""
    found = [
        {"job": one.job_id, "replay": _told(one), "simulation": _told(other)}
        for one, other in zip(live, simulated, strict=True)
        if _told(one) != _told(other)
    ]
    return {"differ": len(found), "of": len(live), "first": found[:_FIRST]}


def _told(job: Scheduled) -> dict[str, Any]:
    """Return what a daemon tells of a job's course, in seconds and numbers."""
    return {
        "submit_s": job.submit_us / SECOND_US,
        "start_s": job.start_us / SECOND_US,
        "end_s": job.end_us / SECOND_US,
        "attempts": job.attempts,
        "lost_s": job.lost_us / SECOND_US,
        "corrections": job.corrections,
        "backfilled": job.backfilled,
    }


def differing_text(report: dict[str, Any]) -> str:
    """Return in words how many jobs of a paced replay differ from the simulation, with the first
    ones."""
    paced = report["paced"]
    count = f"{paced['differ']:,} of {paced['of']:,} jobs"
    heading = f"{report['recipe']}: {count} differ from the simulation"
    if not paced["first"]:
        return heading
    rows = [["job", "", *paced["first"][0]["replay"]]]
    for one in paced["first"]:
        rows.append([str(one["job"]), "replay", *map(_value, one["replay"].values())])
        rows.append(["", "simulation", *map(_value, one["simulation"].values())])
    text = f"{heading}; the first are\n\n{grid(rows)}"
    if earlier := paced.get("earlier_jobs"):
        text += (
            f"\n\nThe daemon has numbered {earlier:,} jobs before these, and may have learnt from "
            "them:\nonly a replay to a new state directory is as the simulation."
        )
    return text


def _value(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


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
    ]
    if all(f["latency_ms"] for f in figures):
        rows += [
            ["real ms until a submit: 50, 90, 99%", *(_milliseconds(f, "submit") for f in figures)],
            ["... until a start", *(_milliseconds(f, "start") for f in figures)],
        ]
    rows += [
        ["real ms of a pass: 50, 99%, longest", *(_timing(one, "pass_ms") for one in reports)],
        ["... of a commit", *(_timing(one, "commit_ms") for one in reports)],
    ]
    return grid([heading, *rows])


def lateness_text(reports: Sequence[dict[str, Any]]) -> str:
    """Return that the clock was too fast, and what to do; "" if it was not."""
    late_s = max(report["fidelity"]["start_error_s"]["p50"] or 0.0 for report in reports)
    if late_s <= _MOST_OFF_S:
        return ""
    return (
        f"The clock was too fast for this machine: half of the jobs started {late_s:.0f} s or more "
        "off.\nA lower --rate is closer, and --paced is exact."
    )


def _milliseconds(figures: dict[str, Any], what: str) -> str:
    return " / ".join(f"{value:.2f}" for value in figures["latency_ms"][what].values())


def _timing(report: dict[str, Any], what: str) -> str:
    timing = report["daemon"].get(what, {})
    return " / ".join(f"{value:.2f}" for value in timing.values()) or "not known"


def signed_percent(share: float | None) -> str:
    """Return a deviation for people."""
    return "not defined" if share is None else f"{100 * share:+.2f}%"
