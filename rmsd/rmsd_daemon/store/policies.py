"""Accounts and QOS as the events of the database have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from rmsd_core.jobs.accounts import NO_POLICIES, AccountPolicy, Policies, QosPolicy

_NAME_AND_LIMITS = 2
_NO_PREEMPTION = msgspec.to_builtins(QosPolicy(""))[_NAME_AND_LIMITS:]
_NAME_PARENT_AND_LIMITS = 3
_ONE_SHARE = msgspec.to_builtins(AccountPolicy(""))[_NAME_PARENT_AND_LIMITS:]


def policies_row(policies: Policies) -> list[Any]:
    """Return the accounts and QOS as an event has them. What an account or a QOS says nothing about
    is left out at the end of its row, so that earlier versions read the events of a cluster whose
    accounts have one share each, and whose QOS do not preempt."""
    accounts, qos, *rest = msgspec.to_builtins(policies)
    return [
        [_trimmed(one, _NAME_PARENT_AND_LIMITS, _ONE_SHARE) for one in accounts],
        [_trimmed(one, _NAME_AND_LIMITS, _NO_PREEMPTION) for one in qos],
        *rest,
    ]


def _trimmed(row: Sequence[Any], at: int, defaults: Sequence[Any]) -> Sequence[Any]:
    return row[:at] if row[at:] == defaults else row


def policies_of(row: list[Any] | None) -> Policies:
    """Return the accounts and QOS of an event; events of before there were any have none."""
    return NO_POLICIES if row is None else msgspec.convert(row, Policies)
