"""The rows that one transaction changes, and those of one call of the core."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import (
    Adopt,
    BeginReboot,
    Decision,
    Detach,
    Effects,
    End,
    Failures,
    Lapse,
    Repeat,
    Requeue,
    Start,
)
from rmsd_core.lifecycle.inputs import AddReservation, DeleteReservation, Input, SetMember
from rmsd_core.lifecycle.node_news import NodeNews
from rmsd_core.planning.fair_shares import ChangedUsage
from rmsd_core.planning.planner_memory import PlannerMemory
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.store import records
from rmsd_daemon.store.attempts import attempt_end_row, attempt_start_row
from rmsd_daemon.store.nodes import reboot_row
from rmsd_daemon.store.records import Row
from rmsd_daemon.store.reservations import reservation_row


@dataclass(slots=True)
class Changes:
    """The rows of one transaction. `job_changes` are `records.changing_columns` and `b_id`,
    `predictions` have `prediction_us` and `b_id` of other jobs, `updates` are
    `records.amended_columns` and `b_id`; `gone_nodes` and `gone_reservations` have `b_name` alone,
    `unplanned`, `not_virtual` and `no_more_told` have `b_job_id`, and `unused` have `b_user`. Of
    `worst_steps` only those are stored that ended worse than what is stored."""

    events: list[Row] = field(default_factory=list)
    new_jobs: list[Row] = field(default_factory=list)
    scripts: list[Row] = field(default_factory=list)
    job_changes: list[Row] = field(default_factory=list)
    predictions: list[Row] = field(default_factory=list)
    updates: list[Row] = field(default_factory=list)
    new_attempts: list[Row] = field(default_factory=list)
    attempt_ends: list[Row] = field(default_factory=list)
    worst_steps: list[Row] = field(default_factory=list)
    nodes: list[Row] = field(default_factory=list)
    gone_nodes: list[Row] = field(default_factory=list)
    reservations: list[Row] = field(default_factory=list)
    gone_reservations: list[Row] = field(default_factory=list)
    submissions: list[Row] = field(default_factory=list)
    planned: list[Row] = field(default_factory=list)
    unplanned: list[Row] = field(default_factory=list)
    used: list[Row] = field(default_factory=list)
    unused: list[Row] = field(default_factory=list)
    used_in: list[Row] = field(default_factory=list)
    unused_in: list[Row] = field(default_factory=list)
    virtual: list[Row] = field(default_factory=list)
    not_virtual: list[Row] = field(default_factory=list)
    notices: list[Row] = field(default_factory=list)
    no_more_told: list[Row] = field(default_factory=list)
    tokens: list[Row] = field(default_factory=list)
    audit: list[Row] = field(default_factory=list)
    meta: dict[str, str] = field(default_factory=dict)

    @property
    def touched_nodes(self) -> list[str]:
        """Return the names of the nodes that are changed, or gone."""
        return [row["name"] for row in self.nodes] + [row["b_name"] for row in self.gone_nodes]

    def add_usage(self, memory: PlannerMemory, changed: ChangedUsage) -> None:
        """Add the decayed usage that has changed in the planner's memory."""
        for user in changed.users:
            if (used := memory.used.get(user)) is None:
                self.unused.append({"b_user": user})
            else:
                self.used.append({"user": user, **used._asdict()})
        for account, user in changed.in_accounts:
            if (used := memory.used_in.get(account, {}).get(user)) is None:
                self.unused_in.append({"b_account": account, "b_user": user})
            else:
                self.used_in.append({"account": account, "user": user, **used._asdict()})


def changes_of(
    batch: int,
    now_us: int,
    inputs: Sequence[Input],
    effects: Effects,
    new: dict[int, Details],
    restarted: dict[int, Details],
    amended: Mapping[int, Details],
    core: Core,
    node_rows: Mapping[str, Row],
    details_of_tasks: Callable[[int], Details],
) -> Changes:
    """Return the transaction of a batch, from the state of the core after it. `new` has the details
    of the jobs submitted in it, `restarted` those of the jobs that were over and are to run again,
    `amended` those of the jobs that were changed; `details_of_tasks` returns those of the tasks of
    an array."""
    decisions = effects.decisions
    refused = {id(item) for item in effects.refused}
    taken = [item for item in inputs if id(item) not in refused]
    names = _touched_nodes(inputs, decisions)
    detached = {
        decision.job_id: details_of_tasks(decision.array_id)
        for decision in decisions
        if isinstance(decision, Detach)
    }
    moved = [job_id for job_id in effects.changed if job_id not in effects.predicted]
    columns = {job_id: records.changing_columns(core.job(job_id)) for job_id in moved}
    updates = {
        job_id: records.amended_columns(core.job(job_id), details)
        for job_id, details in amended.items()
    }
    changes = Changes(
        events=records.events(
            batch, now_us, taken, decisions, columns, new | restarted, updates, node_rows
        ),
        new_jobs=[
            records.given_columns(core.job(job_id), details) | columns[job_id]
            for job_id, details in (new | detached).items()
        ],
        job_changes=[
            row | {"b_id": job_id}
            for job_id, row in columns.items()
            if job_id not in new and job_id not in detached
        ],
        predictions=[_prediction(core, job_id) for job_id in effects.predicted],
        updates=[row | {"b_id": job_id} for job_id, row in updates.items()],
        nodes=[_node_row(name, core, node_rows) for name in names if name in core.nodes],
        gone_nodes=[{"b_name": name} for name in names if name not in core.nodes],
    )
    for name in _touched_reservations(taken, decisions):
        if (reservation := core.reservations.get(name)) is None:
            changes.gone_reservations.append({"b_name": name})
        else:
            changes.reservations.append(reservation_row(reservation))
    _add_attempts(changes, decisions)
    return changes


def _add_attempts(changes: Changes, decisions: Iterable[Decision]) -> None:
    for decision in decisions:
        if isinstance(decision, Start | Adopt):
            changes.new_attempts.append(attempt_start_row(decision))
        elif isinstance(decision, Requeue | End) and decision.start_us is not None:
            changes.attempt_ends.append(attempt_end_row(decision))


def _prediction(core: Core, job_id: int) -> Row:
    return {"prediction_us": core.job(job_id).prediction_us, "b_id": job_id}


def _touched_nodes(inputs: Iterable[Input], decisions: Iterable[Decision]) -> dict[str, None]:
    told = {item.name: None for item in inputs if isinstance(item, NodeNews)}
    decided = (item for item in decisions if isinstance(item, Failures | BeginReboot))
    return told | {item.node: None for item in decided}


def _touched_reservations(
    inputs: Iterable[Input], decisions: Iterable[Decision]
) -> dict[str, None]:
    made = {item.reservation.name: None for item in inputs if isinstance(item, AddReservation)}
    said = {item.name: None for item in inputs if isinstance(item, SetMember | DeleteReservation)}
    decided = {item.name: None for item in decisions if isinstance(item, Lapse | Repeat)}
    return made | said | decided


def _node_row(name: str, core: Core, node_rows: Mapping[str, Row]) -> Row:
    node = core.nodes[name]
    failures = [list(failure) for failure in node.failures]
    drain = {name: getattr(node, name) for name in ("drain_reason", "drain_by", "drain_us")}
    core_has = {"link": node.link, "failures": failures, "reboot": reboot_row(node.reboot)}
    return node_rows[name] | core_has | drain
