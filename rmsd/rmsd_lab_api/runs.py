"""Schedules as results: of a simulation, of a replay, of a daemon's history."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_core.recipes.text import written_out
from rmsd_lab.measures.measures import GROUPS
from rmsd_lab.schedule import Schedule
from rmsd_lab.traces.as_logged import logged
from rmsd_lab.workloads.swf_log import format_log
from rmsd_lab_api.html import facts, grid_html, plain, table_html, text_html
from rmsd_lab_api.options import PathName, RunOptions, options_of
from rmsd_lab_api.plots import LabPlot, gantt_plot, plotted
from rmsd_lab_api.tables import ArrowTable, TableResult, arrow_table, table_of_schedule
from rmsd_lab_api.traces import LabTrace, told
from rmsd_lab_cli import simulate as command
from rmsd_lab_cli.metrics.report import MetricReport
from rmsd_lab_cli.metrics.tables import tables
from rmsd_lab_cli.report import write_schedule
from rmsd_lab_cli.trace.forms import form_of, usable, write_events, write_form
from rmsd_lab_cli.trace.writing import writing
from rmsd_lab_cli.workload import simulating


class ScheduleMetrics(Mapping[str, dict[str, Any]]):
    """The groups of docs/metrics.md, by name. A group is measured when it is first asked for;
    `fairness` simulates the jobs under `conservative` then."""

    def __init__(self, name: str, schedule: Schedule, asked: MetricReport) -> None:
        self._name, self._schedule, self._asked = name, schedule, asked
        self._found: dict[str, dict[str, Any]] = {}

    def __getitem__(self, group: str) -> dict[str, Any]:
        if group not in GROUPS:
            raise KeyError(f"no group '{group}'; there are: {', '.join(GROUPS)}")
        if group not in self._found:
            one = MetricReport([group], self._asked.boundaries, self._asked.trim)
            with simulating(self._name):
                self._found |= one.measure(self._schedule)
        return self._found[group]

    def __iter__(self) -> Iterator[str]:
        return iter(GROUPS)

    def __len__(self) -> int:
        return len(GROUPS)

    def __repr__(self) -> str:
        return f"<metrics of {self._name}: {', '.join(GROUPS)}>"

    def _repr_html_(self) -> str:
        """Return the groups that have been measured; those that cost nothing if there are none."""
        shown = self._found or {group: self[group] for group in ("waits", "categories")}
        return text_html(plain(lambda: tables(shown)))


class ScheduleResult(TableResult):
    """A schedule: `jobs` is a table of what happened to every job, `metrics` has the figures of the
    papers, `report` those of the command.

    schedule: as the lab has it. name: of the recipe, or what else the schedule is of.
    """

    def __init__(
        self,
        name: str,
        schedule: Schedule,
        report: dict[str, Any],
        asked: MetricReport,
    ) -> None:
        self.name = name
        self.schedule = schedule
        self.report = report
        self.metrics = ScheduleMetrics(name, schedule, asked)
        self._table: ArrowTable = None

    @property
    def jobs(self) -> ArrowTable:
        """Return the jobs as an Arrow table, in arrival order."""
        if self._table is None:
            self._table = table_of_schedule(self.schedule.jobs)
        return self._table

    @property
    def table(self) -> ArrowTable:
        return self.jobs

    def plot(self, chart: str = "wait-cdf") -> LabPlot:
        """Return a chart of `rmsd report`: wait-cdf, slowdown-cdf, category-wait,
        category-slowdown, queue or load."""
        return plotted({self.name: self.schedule}, chart)

    def gantt(self, window_s: Sequence[float] | None = None) -> LabPlot:
        """Return a Gantt chart, of all or of a time (first, last) of the schedule [s]."""
        return gantt_plot(self.name, self.schedule, window_s)

    def write(self, path: PathName, form: str | None = None) -> None:
        """Write the schedule. Forms are `schedule` (job_id,submit,start,end, as `rmsd simulate
        --schedule`; by default for .csv), `swf`, `csv` (evalys), `batsim` (by default for .json)
        and `perfetto`, as in `rmsd trace convert`.

        Raises:
            LabError: there is no such form, or the file cannot be written.
        """
        out = Path(path)
        form = form or ("schedule" if out.suffix == ".csv" else form_of(out))
        if form == "schedule":
            write_schedule(out, self.schedule.jobs)
            return
        processors = self.schedule.processors
        if form not in ("swf", "csv", "batsim", "perfetto"):
            raise CommandUsageError(
                f"no form '{form}'; there are: schedule, swf, csv, batsim, perfetto"
            )
        jobs = logged(self.schedule)
        with writing(out) as file:
            if form == "perfetto":  # the schedule has killed trials and exact times
                write_events(file, self.schedule, self.name)
            elif form == "swf":
                lines = format_log([("MaxProcs", str(processors))], jobs)
                file.writelines(line.encode() for line in lines)
            else:
                write_form(file, form, usable(jobs, form)[0], processors, self.name)

    def __len__(self) -> int:
        return len(self.schedule)

    def __repr__(self) -> str:
        wait_s = self._mean("wait_s")
        known = "" if wait_s is None else f", mean wait {wait_s:,.0f} s"
        processors = self.schedule.processors
        return f"<{self._kind} {self.name}: {len(self):,} jobs, {processors:,} processors{known}>"

    _kind = "schedule"

    def _mean(self, key: str) -> float | None:
        found = self.report.get(key)
        return found["mean"] if isinstance(found, Mapping) else None

    def _about(self) -> dict[str, object]:
        return {
            "jobs": f"{len(self):,}",
            "processors": self.schedule.processors,
            "mean wait [s]": self._mean("wait_s"),
            "mean bounded slowdown": self._mean("bounded_slowdown"),
            "utilization": self.report.get("utilization"),
        }

    def _repr_html_(self) -> str:
        known = {name: value for name, value in self._about().items() if value is not None}
        return facts(f"{self._kind} {self.name}", known) + table_html(self.jobs)


class SimulatedJobs(ScheduleResult):
    """A simulation. `report`: the `rmsd.run/1` object. `recipe`: as it was, written out."""

    _kind = "simulation"

    def __init__(self, name: str, done: command.SimulatedRun, asked: MetricReport) -> None:
        super().__init__(name, done.schedule, done.report, asked)
        self.trace = done.workload.trace
        self.recipe = written_out(done.recipe)


def simulate(
    trace: LabTrace | PathName,
    recipe: str = "easy",
    *,
    name: str | None = None,
    reservations: PathName | None = None,
    restart_cost: float | None = None,
    exempt: float | None = None,
    seed: int | None = None,
    **options: Unpack[RunOptions],
) -> SimulatedJobs:
    """Run the jobs of a trace through the scheduler on a virtual clock, as `rmsd simulate` does.
    The arguments are the options of that command. `name`: for tables and charts (default: the
    recipe).

    Raises:
        LabError: as the command fails; the message names its options.
    """
    path, read = told(trace)
    args = options_of(
        command.add_arguments,
        path,
        recipe=recipe,
        reservations=reservations,
        restart_cost=restart_cost,
        exempt=exempt,
        seed=seed,
        **options,
    )
    done = command.simulated(args, read)
    return SimulatedJobs(name or recipe, done, asked_of(args, done.recipe.trial_us))


def asked_of(args: argparse.Namespace, trial_us: int = 0) -> MetricReport:
    """Return how a schedule is measured: over which jobs, and which are long, wide and short."""
    return MetricReport.asked(argparse.Namespace(**(vars(args) | {"metrics": "all"})), trial_us)


def plot(results: Sequence[ScheduleResult], chart: str = "wait-cdf") -> LabPlot:
    """Return a chart of several schedules, side by side. The charts are those of `rmsd report`.

    Raises:
        LabError: there is no such chart, or two schedules have one name.
    """
    return plotted(by_name(results), chart)


def by_name(results: Sequence[ScheduleResult]) -> dict[str, Schedule]:
    """Return schedules by name. Raises LabError if two have one name, or if there is none."""
    found = {one.name: one.schedule for one in results}
    if not found:
        raise CommandError("there is no schedule to show")
    if len(found) < len(results):
        raise CommandUsageError("two schedules have one name; give `name` to one of them")
    return found


def side_by_side(results: Sequence[ScheduleResult]) -> FiguresTable:
    """Return the figures of several schedules in one table. Raises LabError if two have one
    name."""
    return FiguresTable(results)


class FiguresTable(TableResult):
    """The figures of several schedules: a row for each."""

    _FIGURES = (
        ("wait_mean_s", "wait_s", "mean"),
        ("wait_max_s", "wait_s", "max"),
        ("bounded_slowdown_mean", "bounded_slowdown", "mean"),
        ("response_mean_s", "response_s", "mean"),
    )

    def __init__(self, runs: Sequence[ScheduleResult]) -> None:
        by_name(runs)
        self.runs = tuple(runs)

    @property
    def table(self) -> ArrowTable:
        columns: dict[str, list[Any]] = {"name": [run.name for run in self.runs]}
        for column, key, part in self._FIGURES:
            columns[column] = [run.report[key][part] for run in self.runs]
        columns["utilization"] = [run.report["utilization"] for run in self.runs]
        return arrow_table(columns, {"name": "string"})

    def __repr__(self) -> str:
        return f"<{len(self.runs)} runs: {', '.join(run.name for run in self.runs)}>"

    def _repr_html_(self) -> str:
        table = self.table
        return grid_html(table.column_names, [list(row.values()) for row in table.to_pylist()])
