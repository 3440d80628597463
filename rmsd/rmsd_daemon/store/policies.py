"""Accounts and QOS as the events of the database have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from rmsd_core.jobs.accounts import NO_POLICIES, Policies, QosPolicy

_NAME_AND_LIMITS = 2
_NO_PREEMPTION = msgspec.to_builtins(QosPolicy(""))[_NAME_AND_LIMITS:]


def policies_row(policies: Policies) -> list[Any]:
    """Return the accounts and QOS as an event has them. What a QOS says nothing about is left out
    at the end of its row, so that earlier versions read the events of a cluster whose QOS do not
    preempt."""
    accounts, qos, *rest = msgspec.to_builtins(policies)
    return [accounts, [_trimmed(one) for one in qos], *rest]


def _trimmed(qos: Sequence[Any]) -> Sequence[Any]:
    return qos[:_NAME_AND_LIMITS] if qos[_NAME_AND_LIMITS:] == _NO_PREEMPTION else qos


def policies_of(row: list[Any] | None) -> Policies:
    """Return the accounts and QOS of an event; events of before there were any have none."""
    return NO_POLICIES if row is None else msgspec.convert(row, Policies)
