"""What one call of the core changes in the database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rmsd_core.job import Job
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Effects, End, Requeue, Start, Switch
from rmsd_core.lifecycle.inputs import (
    Cancel,
    Drain,
    Exited,
    Input,
    Launched,
    NodeDead,
    NodeGone,
    NodeLeaving,
    NodeSuspect,
    NodeUp,
    Resume,
    Submit,
)
from rmsd_daemon import records
from rmsd_daemon.records import Row
from rmsd_daemon.submission import Details
from rmsd_daemon.writing import Changes

_NODE_INPUTS = NodeUp | NodeSuspect | NodeDead | NodeLeaving | NodeGone | Drain | Resume


def touched_jobs(core: Core, inputs: Iterable[Input]) -> dict[int, Job]:
    """The jobs that `inputs`, not applied yet, may change; those of decisions come on top."""
    touched: dict[int, Job] = {}
    lost: set[str] = set()
    for item in inputs:
        match item:
            case Submit(job):
                touched[job.id] = job
            case Launched() | Exited() | Cancel():
                if live := core.jobs.get(item.job_id):
                    touched[live.id] = live
            case NodeDead(name):
                lost.add(name)
    if lost:
        for job in core.jobs.values():
            if not lost.isdisjoint(job.open_nodes):
                touched[job.id] = job
    return touched


def changes_of(
    batch: int,
    now_us: int,
    inputs: Sequence[Input],
    effects: Effects,
    touched: Mapping[int, Job],
    new: Mapping[int, Details],
    core: Core,
    node_rows: Mapping[str, Row],
) -> Changes:
    """The transaction of a batch, from the state that the core is in after it.

    `touched` is from `touched_jobs`, `new` has the details of the jobs submitted in it.
    """
    decisions, changed = effects.decisions, dict(touched)
    for decision in decisions:
        if not isinstance(decision, Switch):
            changed[decision.job.id] = decision.job
    refused = {id(item) for item in effects.refused}
    taken = [item for item in inputs if id(item) not in refused]
    names = _touched_nodes(inputs)
    columns = {job.id: records.changing_columns(job) for job in changed.values()}
    changes = Changes(
        events=records.events(batch, now_us, taken, decisions, columns, new, node_rows),
        new_jobs=[
            records.given_columns(changed[job_id], details) | columns[job_id]
            for job_id, details in new.items()
        ],
        job_changes=[
            row | {"b_id": job_id} for job_id, row in columns.items() if job_id not in new
        ],
        nodes=[_node_row(name, core, node_rows) for name in names if name in core.nodes],
        gone_nodes=[{"b_name": name} for name in names if name not in core.nodes],
    )
    for decision in decisions:
        if isinstance(decision, Start):
            changes.new_attempts.append(records.attempt_start_row(decision.job))
        elif isinstance(decision, Requeue) or (
            isinstance(decision, End) and decision.job.start_us >= 0  # it was not waiting
        ):
            changes.attempt_ends.append(records.attempt_end_row(decision))
    return changes


def _touched_nodes(inputs: Iterable[Input]) -> dict[str, None]:
    return {item.name: None for item in inputs if isinstance(item, _NODE_INPUTS)}


def _node_row(name: str, core: Core, node_rows: Mapping[str, Row]) -> Row:
    node = core.nodes[name]
    return node_rows[name] | {"link": node.link, "drain_reason": node.drain_reason}
