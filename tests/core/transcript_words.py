"""The words of a transcript for what a core decides."""

from __future__ import annotations

from rmsd_core.jobs.conditions import Conditions
from rmsd_core.jobs.ranks import Interval
from rmsd_core.jobs.request import Allocation
from rmsd_core.lifecycle import effects
from rmsd_core.lifecycle.effects import Decision
from rmsd_core.model_time import SECOND_US
from rmsd_core.vocabulary import Cause


def _ranks(intervals: tuple[Interval, ...]) -> str:
    return ", ".join(f"{first}-{last - 1}" for first, last in intervals)


# long: one case for each decision
def words_of(decision: Decision) -> str:
    match decision:
        case effects.Start(job_id, attempt, start_us, allocation, trial_end_us):
            trial = "" if trial_end_us is None else f", on trial until {seconds(trial_end_us)}"
            if trial_end_us == start_us:
                trial = ", as a speculation"
            return f"start {job_id}.{attempt} on {_place(allocation)}{trial}"
        case effects.Defer(job_id, conditions):
            return f"defer {job_id} until {_words_of_conditions(conditions)}"
        case effects.MarkHeld(job_id, None):
            return f"do not hold {job_id} later"
        case effects.MarkHeld(job_id, held_by):
            return f"hold {job_id} once it waits again, until {held_by} releases it"
        case effects.Admit(job_id, seq):
            return f"admit {job_id} as number {seq}"
        case effects.Detach(job_id, array_id, index, seq):
            return f"detach {job_id}, task {array_id}_{index}, as number {seq}"
        case effects.Drop(job_id, dropped, cause):
            return f"drop tasks of {job_id} at {_ranks(dropped)}: {cause}"
        case effects.Strand(job_id, stranded):
            return f"strand tasks of {job_id} at {_ranks(stranded)}"
        case effects.Adopt(job_id, attempt, start_us, allocation):
            began = seconds(start_us)
            return f"adopt {job_id}.{attempt} on {_place(allocation)}, which began at {began}"
        case effects.Stop(job_id, attempt, nodes, cause):
            return f"stop {job_id}.{attempt} on {' '.join(nodes)}: {cause}"
        case effects.Commit(job_id):
            return f"commit {job_id}"
        case effects.Claim(job_id, place, awaits):
            return f"claim {_place(place)} for {job_id}, which awaits {_ids(awaits)}"
        case effects.Await(job_id, left):
            return f"let {job_id} await {_ids(left)} no more"
        case effects.Unclaim(job_id):
            return f"unclaim the place of {job_id}"
        case effects.Promise(job_id, reserved_us, promoted_us):
            start = "" if reserved_us is None else f" a start at {seconds(reserved_us)}"
            starved = "" if promoted_us is None else f", starved since {seconds(promoted_us)}"
            return f"promise {job_id}{start}{starved}"
        case effects.Correct(job_id, prediction_us, end_us):
            return f"correct {job_id} to {seconds(prediction_us)} s, until {seconds(end_us)}"
        case effects.Repredict(job_id, prediction_us):
            return f"predict {seconds(prediction_us)} s for {job_id}"
        case effects.Limit(job_id, attempt, nodes):
            return f"tell {' '.join(nodes)} the new limit of {job_id}.{attempt}"
        case effects.Avoid(job_id, nodes):
            where = f"to other nodes than {' '.join(sorted(nodes))}" if nodes else "to any node"
            return f"send {job_id} {where}"
        case effects.Failures(node, failures, reason, _, _):
            count = f"{len(failures)} failed launches on {node}"
            return count if reason is None else f"{count}, which is drained: {reason}"
        case effects.BeginReboot(node):
            return f"reboot {node}"
        case effects.Freeze(job_id, attempt, nodes):
            return f"freeze {job_id}.{attempt} on {' '.join(nodes)}"
        case effects.Thaw(job_id, attempt, nodes):
            return f"thaw {job_id}.{attempt} on {' '.join(nodes)}"
        case effects.Lapse(name):
            return f"reservation {name} is over"
        case effects.Repeat(name, start_us, end_us):
            return f"reservation {name} repeats, from {seconds(start_us)} to {seconds(end_us)}"
        case effects.Switch(order):
            return f"switch to {order}"
        case effects.Requeue(job_id, attempt, outcome):
            said = (
                f" ({outcome.message})" if outcome.cause is Cause.TRIAL and outcome.message else ""
            )
            return f"requeue {job_id} after {job_id}.{attempt}: {outcome.cause}{said}"
        case effects.End(job_id, attempt, state, outcome, start_us, end_us):
            ran = "" if start_us is None else f" {seconds(start_us)}-{seconds(end_us)}"
            said = f" ({outcome.message})" if outcome.message else ""
            return f"end {job_id}.{attempt} {state}{ran}{said}"


def _words_of_conditions(conditions: Conditions) -> str:
    words = [f"{conditions.held_by} releases it"] if conditions.held_by else []
    if conditions.begin_us is not None:
        words.append(seconds(conditions.begin_us))
    for one in conditions.dependencies:
        other = f" {one.job_id}" if one.job_id else ""
        due = "" if one.due_us is None else f" at {seconds(one.due_us)}"
        words.append(f"{one.relation}{other}{due}")
    if conditions.never:
        unmet = [
            f"{relation} {job_id}: {state or 'unknown'}"
            for relation, job_id, state in conditions.unmet
        ]
        return f"never ({', '.join(unmet)})"
    return (" or " if conditions.any_of else ", ").join(words)


def _place(allocation: Allocation) -> str:
    return " ".join(
        f"{piece.node}:{piece.cores}" + (f":{piece.mem_mib}" if piece.mem_mib else "")
        for piece in allocation
    )


def _ids(ids: frozenset[int]) -> str:
    return " ".join(map(str, sorted(ids))) or "nobody"


def seconds(time_us: int) -> str:
    return f"{time_us / SECOND_US:g}" if time_us % SECOND_US else str(time_us // SECOND_US)
