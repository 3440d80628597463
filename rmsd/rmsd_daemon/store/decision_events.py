"""Decisions of the core as events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rmsd_core.lifecycle import effects
from rmsd_daemon.store.attempts import attempt_end_row, attempt_start_row
from rmsd_daemon.store.nodes import reboot_row

_Row = dict[str, Any]

_PLACES = frozenset(("allocation", "open_nodes", "claim", "awaits"))
"""The columns that grow with the nodes of a job, and with the jobs that it awaits."""
_WHERE_IT_IS = (
    *(effects.MarkHeld, effects.Limit, effects.Freeze, effects.Thaw),
    *(effects.Correct, effects.Promise),
)
"""The decisions that leave a job where it is. A user may ask for some of them again and again."""


def decision_event(
    decision: effects.Decision, columns: Mapping[int, _Row]
) -> tuple[str, int | None, _Row]:
    """Return a decision's kind, job and payload. The payload has the job's columns after the batch,
    as folding writes them into its row."""
    if isinstance(decision, effects.Switch):
        return "switch", None, {"order": decision.order}
    if isinstance(decision, effects.Lapse | effects.Repeat):
        return type(decision).__name__.lower(), None, decision._asdict()
    if isinstance(decision, effects.Failures):
        failed = [list(one) for one in decision.failures]
        drain = {name: getattr(decision, name) for name in ("drain_reason", "drain_by", "drain_us")}
        return "failures", None, {"name": decision.node, "failures": failed, **drain}
    if isinstance(decision, effects.BeginReboot):
        return "reboot", None, {"name": decision.node, "reboot": reboot_row(decision.reboot)}
    if isinstance(decision, effects.Detach):  # all else is as the array has it
        place: _Row = {"array_id": decision.array_id, "array_index": decision.array_index}
        conditions = columns[decision.job_id]["conditions"]
        return "detach", decision.job_id, place | {"seq": decision.seq, "conditions": conditions}
    job_id = decision.job_id
    if isinstance(
        decision, effects.Repredict
    ):  # the job may have no columns here, since all else is as it was
        return "repredict", job_id, {"job": {"prediction_us": decision.prediction_us}}
    if isinstance(decision, effects.Await):  # a claim may await thousands, which leave one by one
        return "await", job_id, {"left": sorted(decision.left)}
    after: _Row = {"job": columns[job_id]}
    if isinstance(decision, _WHERE_IT_IS):
        after = {"job": {name: at for name, at in columns[job_id].items() if name not in _PLACES}}
    match decision:
        case effects.Stop(_, _, nodes, cause):
            after |= {"nodes": list(nodes), "cause": cause.value}
        case effects.Drop(_, dropped, cause):
            after |= {"dropped": [list(one) for one in dropped], "cause": cause.value}
        case effects.Strand(_, stranded):
            after |= {"stranded": [list(one) for one in stranded]}
        case effects.Adopt():  # the job may have had several attempts since the backup
            after |= {"began": attempt_start_row(decision)}
        case effects.Requeue():
            after |= {"lost": attempt_end_row(decision)}
    return type(decision).__name__.lower(), job_id, after
