"""The bars of a Gantt chart of a daemon: past, running and planned runs, as they were observed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rmsd_client.show.job_fields import label
from rmsd_core.model_time import SECOND_US
from rmsd_core.vocabulary import LIVE_STATES
from rmsd_lab.charts.gantt import (
    KILLED,
    OVER,
    PLANNED,
    RUNNING,
    Bar,
    Gantt,
    NodeRows,
    SetAside,
    placed,
    rows_of,
)
from rmsd_lab.charts.rows import Want
from rmsd_wire.hostlist import expand

View = Mapping[str, Any]
_UNKNOWN_END_US = 3600 * SECOND_US
"""The length beyond the present of the bar of a job without a prediction."""


@dataclass(frozen=True, slots=True)
class Observed:
    """The jobs and nodes of a daemon, for a Gantt chart.

    views, attempts, starts: as in the API. attempts: by job, of jobs that were started more than
    once or wait again. nodes: their cores; counted: processors are counted, and no node's. starts:
    None if there is no daemon to ask. reservations: those made in advance, one for each instance,
    as in `reserved`.
    """

    source: str
    recipe: str
    counted: bool
    now_us: int
    nodes: Mapping[str, int]
    views: Sequence[View]
    attempts: Mapping[int, Sequence[View]]
    starts: Sequence[View] | None
    reservations: Sequence[View] = ()


def gantt_of_observed(observed: Observed, since_us: int | None) -> Gantt:
    """Return the chart of all that reaches beyond `since_us`; None: of everything.

    Nodes that are gone, but whose jobs are shown, are lines as well. Where a planned job will run
    is not known: it has rows that are free then.
    """
    runs = [run for run in _runs(observed) if since_us is None or run.end_us > since_us]
    lines = [] if observed.counted else _lines(observed.nodes, runs)
    processors = lines[-1].end if lines else sum(observed.nodes.values())
    of_node = {line.name: line for line in lines}
    reserved = _reserved(observed, lines)
    wants = [
        tuple(Want(of_node[node].first, of_node[node].end, cores) for node, cores in run.nodes)
        if lines and run.nodes
        else (Want(0, processors, run.view["cpus"], _avoided(run, reserved)),)
        for run in runs
    ]
    bars = [run.bar() for run in runs]
    gantt = placed(observed.recipe, bars, wants, processors, lines, observed.now_us)
    set_aside = [
        SetAside(one["name"], one["nodelist"], one["start_us"], one["end_us"])
        for one in observed.reservations
    ]
    return gantt._replace(reservations=tuple(set_aside))


@dataclass(frozen=True, slots=True)
class _Run:
    """One start of a job; without nodes, one that is planned."""

    view: View
    start_us: int
    end_us: int
    kind: str
    nodes: Sequence[tuple[str, int]]

    def bar(self) -> Bar:
        view = self.view
        estimate_s = view["estimate_s"]
        return Bar(
            view["job_id"],
            view["user"],
            view["submit_us"],
            self.start_us,
            self.end_us,
            view["cpus"],
            -1 if estimate_s is None else round(estimate_s * SECOND_US),
            self.kind,
            (),
            label(view),
        )


def _runs(observed: Observed) -> list[_Run]:
    runs: list[_Run] = []
    views = {view["job_id"]: view for view in observed.views}
    for view in observed.views:
        for attempt in observed.attempts.get(view["job_id"], ()):
            again = attempt["attempt"] < view["attempt"] or view["start_us"] is None
            if again and attempt["end_us"] is not None:
                where = _where(attempt, view["cpus"])
                runs.append(_Run(view, attempt["start_us"], attempt["end_us"], KILLED, where))
        if view["start_us"] is not None and (where := _where(view, view["cpus"])):
            live = view["state"] in LIVE_STATES
            end_us = _expected_end_us(view, observed.now_us) if live else view["end_us"]
            kind = RUNNING if live else OVER
            runs.append(_Run(view, view["start_us"], end_us, kind, where))
    for start in observed.starts or ():
        planned = views.get(start["job_id"])  # the jobs were listed a moment later
        if planned is not None and planned["start_us"] is None:
            runs.append(_Run(planned, start["start_us"], start["end_us"], PLANNED, ()))
    return runs


def _avoided(run: _Run, reserved: Sequence[_ReservedRows]) -> tuple[tuple[int, int], ...]:
    """Return the rows that the run is drawn in only if there is no other space."""
    return tuple(pair for one in reserved if one.keeps_out(run) for pair in one.rows)


@dataclass(frozen=True, slots=True)
class _ReservedRows:
    """The rows of an advance reservation."""

    view: View
    rows: Sequence[tuple[int, int]]

    def keeps_out(self, run: _Run) -> bool:
        """Return whether the reservation is for others while the run lasts."""
        overlaps: bool = self.view["start_us"] < run.end_us and run.start_us < self.view["end_us"]
        return overlaps and self.view["name"] != run.view.get("reservation")


def _reserved(observed: Observed, lines: Sequence[NodeRows]) -> list[_ReservedRows]:
    of_nodes: dict[str, list[tuple[int, int]]] = {}
    for nodes in {one["nodelist"] for one in observed.reservations}:
        of_nodes[nodes] = [
            (first, first + rows) for first, rows in rows_of({*expand(nodes)}, lines)
        ]
    return [_ReservedRows(one, of_nodes[one["nodelist"]]) for one in observed.reservations]


def _where(view: View, cpus: int) -> list[tuple[str, int]]:
    """Return the nodes of a job's or an attempt's view, with their cores. A daemon of an earlier
    version does not report the cores on each node; the job's are then divided among its nodes."""
    nodes = expand(view["nodelist"])
    cores = view.get("node_cpus") or [
        cpus // len(nodes) + (at < cpus % len(nodes)) for at in range(len(nodes))
    ]
    return list(zip(nodes, cores, strict=True))


def _expected_end_us(view: View, now_us: int) -> int:
    """Return the expected end [us]: by the job's prediction, or the end of its trial. A running job
    does not end before now."""
    trial_end_us: int | None = view["trial_end_us"]
    if trial_end_us is not None and trial_end_us > now_us:
        return trial_end_us
    if view["prediction_s"] is None:
        return now_us + _UNKNOWN_END_US
    predicted_us: int = view["start_us"] + round(view["prediction_s"] * SECOND_US)
    return max(now_us, predicted_us)


def _lines(nodes: Mapping[str, int], runs: Sequence[_Run]) -> list[NodeRows]:
    """Return the nodes side by side, each as large as it is or was."""
    cores = dict(nodes)
    for run in runs:
        for node, count in run.nodes:
            cores[node] = max(count, cores.get(node, 0))
    lines: list[NodeRows] = []
    first = 0
    for name in sorted(cores):
        lines.append(NodeRows(name, first, first + cores[name]))
        first += cores[name]
    return lines
