"""The report of a run of a workload: one JSON object, a table, a CSV schedule."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from errno import EACCES, EISDIR, ENOENT
from pathlib import Path
from typing import Any

from rmsd_cli.errors import CommandError
from rmsd_cli.tables import grid
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.recipe import Recipe
from rmsd_lab.measures.metrics import summarize, trial_cost
from rmsd_lab.schedule import Scheduled
from rmsd_lab_cli.recipe_option import thresholds_of
from rmsd_lab_cli.workload import Workload
from rmsd_wire.durations import format_duration


def run_report(
    workload: Workload,
    recipe: Recipe,
    schedule: Sequence[Scheduled],
    *,
    trim: bool,
    elapsed_s: float,
) -> dict[str, Any]:
    """Return the `rmsd.run/1` object. Later versions of this number only add keys."""
    summary = summarize(schedule, workload.processors, trim=trim)
    thresholds = thresholds_of(recipe)
    report = {
        "schema": "rmsd.run/1",
        "trace": workload.trace,
        "recipe": recipe.name,
        "procs": workload.processors,
        "jobs": {
            "read": workload.read,
            "dropped": workload.dropped,
            "simulated": len(workload.jobs),
            "counted": summary.counted,
        },
        "wait_s": {"mean": summary.wait_mean_s, "max": summary.wait_max_s},
        "bounded_slowdown": {"mean": summary.bounded_slowdown_mean},
        "response_s": {"mean": summary.response_mean_s},
        "utilization": summary.utilization,
        "backfilled": summary.backfilled,
        "elapsed_s": elapsed_s,
    }
    if workload.following:
        report["closed_loop"] = {"following": workload.following}
    if thresholds:
        report["thresholds"] = thresholds
    if recipe.disposes:
        report["trials"] = {
            "length_s": recipe.trial_us // SECOND_US,
            **trial_cost(schedule)._asdict(),
        }
    return report


def run_text(*reports: dict[str, Any]) -> str:
    """Return the first lines of a report for people: what was run, on what, over which jobs.
    Several reports are of one workload under different recipes."""
    first = reports[0]
    jobs = first["jobs"]
    counted = "" if jobs["counted"] == jobs["simulated"] else f", {jobs['counted']:,} counted"
    recipes = ", ".join(report["recipe"] for report in reports)
    noun = "recipe" if len(reports) == 1 else "recipes"
    thresholds = [_thresholds(report, len(reports) > 1) for report in reports]
    return (
        f"{first['trace']}, {first['procs']:,} processors, {noun} {recipes}"
        + "".join(f"\n{line}" for line in thresholds if line)
        + f"\n{jobs['simulated']:,} jobs of {jobs['read']:,} read "
        f"({jobs['dropped']:,} dropped{counted})" + _loop(first)
    )


def _loop(report: dict[str, Any]) -> str:
    if "closed_loop" not in report:
        return ""
    return f", closed loop: {report['closed_loop']['following']:,} after the end of another"


def _thresholds(report: dict[str, Any], named: bool) -> str:
    """Return a line of a recipe's starvation thresholds; an empty text if it has none."""
    values = report.get("thresholds", {}).items()
    shown = ", ".join(f"{name} {value:.2f}" for name, value in values)
    of = f" of {report['recipe']}" if named else ""
    return f"starvation thresholds{of}: {shown}" if shown else ""


def measures_table(columns: dict[str, dict[str, Any]]) -> str:
    """Return reports side by side: one column for each, named by the keys."""
    trial_rows = [
        ("restarted jobs", lambda r: _of_trials(r, "restarted_share")),
        ("lost to trials", lambda r: _of_trials(r, "lost_share")),
    ]
    rows = [
        ("mean wait", lambda r: _known(r["wait_s"]["mean"], format_duration)),
        ("longest wait", lambda r: _known(r["wait_s"]["max"], format_duration)),
        ("bounded slowdown", lambda r: _known(r["bounded_slowdown"]["mean"], "{:.2f}".format)),
        ("mean response", lambda r: _known(r["response_s"]["mean"], format_duration)),
        ("utilization", lambda r: _percent(r["utilization"])),
        ("backfilled jobs", lambda r: _count(r["backfilled"])),
        *(trial_rows if any("trials" in report for report in columns.values()) else ()),
        ("elapsed", lambda r: f"{r['elapsed_s']:.2f} s"),
    ]
    shown = [[name, *map(show, columns.values())] for name, show in rows]
    return grid([["", *columns], *shown])


def _known(value: float | None, show: Callable[[float], str]) -> str:
    """Return a figure for people; the mean of no jobs is not defined."""
    return "-" if value is None else show(value)


def _of_trials(report: dict[str, Any], key: str) -> str:
    return _percent(report["trials"][key]) if "trials" in report else "-"


def _percent(share: float | None) -> str:
    return "not known" if share is None else f"{100 * share:.1f}%"


def _count(number: int | None) -> str:
    return "not known" if number is None else f"{number:,}"


def refuse_unwritable(path: Path) -> None:
    """Raise CommandError if a file there cannot be written, as far as can be known beforehand."""
    try:
        there = path if path.exists() else path.parent
        why = 0 if os.access(there, os.W_OK) else EACCES if there.exists() else ENOENT
        if path.is_dir():
            why = EISDIR
    except OSError as error:
        why = error.errno or EACCES
    if why:
        raise CommandError(f"cannot write {path}: {os.strerror(why)}")


def write_schedule(path: Path, schedule: Sequence[Scheduled]) -> None:
    """Write `job_id,submit,start,end` in seconds of the trace, in arrival order. If the last run of
    a job took longer than the job, as a restart has a cost, each line has the run time, too.

    Raises:
        CommandError: the file cannot be written.
    """
    try:
        with path.open("w", encoding="ascii") as out:
            with_runs = any(job.run_us != job.end_us - job.start_us for job in schedule)
            out.write(f"job_id,submit,start,end{',run' * with_runs}\n")
            for job in schedule:
                instants = [job.submit_us, job.start_us, job.end_us, *([job.run_us] * with_runs)]
                out.write(",".join([str(job.job_id), *map(_seconds, instants)]) + "\n")
    except OSError as error:
        raise CommandError(f"cannot write {path}: {error.strerror}") from None


def _seconds(instant_us: int) -> str:
    """Return an instant in seconds with as many decimals as it needs."""
    whole, rest = divmod(instant_us, SECOND_US)
    return f"{whole}.{rest:06d}".rstrip("0") if rest else str(whole)
