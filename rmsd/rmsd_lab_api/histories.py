"""The history of a daemon: what it has scheduled so far."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Unpack

from rmsd_cli.errors import CommandUsageError
from rmsd_core.model_time import SECOND_US
from rmsd_lab.measures.metrics import summarize
from rmsd_lab.schedule import Schedule
from rmsd_lab_api.options import MeasureOptions, PathName, options_of
from rmsd_lab_api.runs import ScheduleResult, asked_of
from rmsd_lab_cli.history.schedule import history_of
from rmsd_lab_cli.history.source import source_of_directory
from rmsd_lab_cli.metrics import command
from rmsd_lab_cli.metrics.report import MetricReport
from rmsd_lab_cli.recipe_option import recipe_named
from rmsd_wire.durations import DurationError, parse_duration_s


class DaemonHistory(ScheduleResult):
    """The jobs of a daemon that ran to an end. Times are its model time. `report["left_out"]`
    counts the others."""

    _kind = "history of"

    def __init__(self, schedule: Schedule, report: dict[str, Any], asked: MetricReport) -> None:
        found = summarize(schedule.jobs, schedule.processors, trim=asked.trim)
        figures = {
            "wait_s": {"mean": found.wait_mean_s, "max": found.wait_max_s},
            "bounded_slowdown": {"mean": found.bounded_slowdown_mean},
            "response_s": {"mean": found.response_mean_s},
            "utilization": found.utilization,
        }
        super().__init__(report["source"], schedule, report | figures, asked)


def history(
    state_dir: PathName | None = None,
    *,
    since: str | None = None,
    procs: int | None = None,
    server: str | None = None,
    token_file: PathName | None = None,
    ca_file: PathName | None = None,
    **measuring: Unpack[MeasureOptions],
) -> DaemonHistory:
    """Return what a daemon has scheduled: the one that runs, as all clients find it, or that of a
    state directory, whose daemon may run or not.

    since: only jobs that were submitted within this time before the daemon's present ("7d",
    "12h"). procs: processors of the machine (default: the cores of the daemon's nodes).

    Raises:
        LabError: the daemon cannot be reached or refuses, the directory cannot be read, or no job
            ran to an end.
    """
    args = options_of(
        command.add_arguments,
        procs=procs,
        server=server,
        token_file=token_file,
        ca_file=ca_file,
        **measuring,
    )
    asked = asked_of(args)
    ago_us = _ago_us(since)
    if state_dir is None:
        schedule, report = command.from_daemon(args, ago_us)
    elif server is not None:
        raise CommandUsageError("give a state_dir or a server, not both")
    else:
        schedule, report = _of_directory(Path(state_dir), procs, ago_us)
    return DaemonHistory(schedule, report, asked)


def _of_directory(
    state_dir: Path, procs: int | None, ago_us: int | None
) -> tuple[Schedule, dict[str, Any]]:
    source = source_of_directory(state_dir)
    recipe = recipe_named(source.recipe)
    since_us = None if ago_us is None else source.now_us - ago_us
    found = history_of(
        (one for one in source.views if since_us is None or one["submit_us"] >= since_us),
        propagated=recipe.history.propagate,
    )
    left_out = {"live": found.live, "never_started": found.never_started}
    processors = procs or sum(node.cores for node in source.nodes)
    return command.measurable(found.jobs, processors, str(state_dir), recipe.name, left_out, [])


def _ago_us(since: str | None) -> int | None:
    """Return a time before the present [us]; None for all. Raises CommandUsageError."""
    if since is None:
        return None
    try:
        ago_s = parse_duration_s(since)
    except DurationError as error:
        raise CommandUsageError(f"since={since!r}: {error}") from None
    return None if ago_s is None else round(ago_s * SECOND_US)
