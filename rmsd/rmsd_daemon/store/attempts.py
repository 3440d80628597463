"""Attempts and their outcomes as the rows of the database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.request import Allocation, Component, Request
from rmsd_core.lifecycle import effects
from rmsd_core.vocabulary import Cause

_OUTCOME = ("cause", "exit_code", "signal", "cpu_s", "max_rss_mib", "message")
ATTEMPT_END_COLUMNS = ("end_us", *_OUTCOME)


def outcome_row(outcome: Outcome | None) -> dict[str, Any]:
    """Return the columns of an outcome; of none, if the attempt is not over."""
    if outcome is None:
        return dict.fromkeys(_OUTCOME) | {"message": ""}
    return {
        "cause": outcome.cause.value,
        "exit_code": outcome.exit_code,
        "signal": outcome.signal,
        "cpu_s": outcome.cpu_s,
        "max_rss_mib": outcome.max_rss_mib,
        "message": outcome.message,
    }


def outcome_of(row: Mapping[str, Any]) -> Outcome | None:
    """Return the outcome in a row; None if the attempt is not over."""
    if row["cause"] is None:
        return None
    values = {key: row[key] for key in _OUTCOME} | {"cause": Cause(row["cause"])}
    return Outcome(**values)


def pieces_of(allocation: Allocation) -> list[list[Any]]:
    """Return the pieces as the database has them."""
    return [list(piece) if piece.gres else list(piece[:3]) for piece in allocation]


def requested(request: Request) -> list[list[Any]]:
    """Return the components of a request as the database has them."""
    return [_component(one) for one in request.components]


def _component(component: Component) -> list[Any]:
    asked = list(component.asked)
    return asked if component.needs is not None else asked[:-1]


def attempt_start_row(start: effects.Start | effects.Adopt) -> dict[str, Any]:
    """Return the row of an attempt that begins."""
    return {
        "job_id": start.job_id,
        "attempt": start.attempt,
        "start_us": start.start_us,
        "end_us": None,
        "allocation": pieces_of(start.allocation),
        **outcome_row(None),
    }


def attempt_end_row(decision: effects.Requeue | effects.End) -> dict[str, Any]:
    """Return the columns that the end of an attempt changes, and the attempt's key (`b_` names,
    since they are bound to the statement's condition)."""
    return {
        "b_job_id": decision.job_id,
        "b_attempt": decision.attempt,
        "end_us": decision.end_us,
        **outcome_row(decision.outcome),
    }
