"""Each input of the core, but for the arrivals, goes to the function that applies it."""

from __future__ import annotations

from rmsd_core.lifecycle import (
    adopting,
    advance,
    ending,
    holds,
    node_news,
    restarts,
    starting,
    suspending,
    updates,
    waiting,
)
from rmsd_core.lifecycle.inputs import (
    AddReservation,
    AwaitAgain,
    Cancel,
    DeleteReservation,
    Exited,
    Found,
    Hold,
    Input,
    Launched,
    Overtaken,
    PutBack,
    Release,
    Restart,
    SetMember,
    SetPartitions,
    SetPolicies,
    Submit,
    Suspend,
    Unsuspend,
    Update,
)
from rmsd_core.lifecycle.state import CoreState


def apply(state: CoreState, item: Input) -> None:
    """Apply an input that is no arrival."""
    match item:
        case Exited():
            ending.exited(state, item)
        case Launched():
            starting.launched(state, item)
        case Cancel():
            ending.cancel(state, item)
        case Hold():
            holds.hold(state, item.job_id, item.by)
        case Release():
            holds.release(state, item.job_id)
        case PutBack():
            ending.put_back(state, item.job_id, item.held_by)
        case Restart():
            restarts.restart(state, item)
        case AwaitAgain():
            restarts.await_again(state, item)
        case Suspend():
            suspending.suspend(state, item.job_id)
        case Unsuspend():
            suspending.resume(state, item.job_id)
        case Update():
            updates.update(state, item)
        case SetPartitions():
            waiting.set_partitions(state, item.partitions)
            state.nodes_changed()
        case SetPolicies():
            waiting.set_policies(state, item.policies)
        case AddReservation() | SetMember() | DeleteReservation():
            advance.hear(state, item)
        case Overtaken():
            adopting.overtaken(state, item)
        case Found():
            adopting.found(state, item)
        case Submit():
            raise AssertionError("arrivals are applied last")
        case _:
            node_news.hear(state, item)
