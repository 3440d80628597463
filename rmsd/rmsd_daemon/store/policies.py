"""Accounts and QOS as the events of the database have them."""

from __future__ import annotations

from typing import Any

import msgspec

from rmsd_core.jobs.accounts import NO_POLICIES, Policies


def policies_row(policies: Policies) -> list[Any]:
    """Return the accounts and QOS as an event has them."""
    row: list[Any] = msgspec.to_builtins(policies)
    return row


def policies_of(row: list[Any] | None) -> Policies:
    """Return the accounts and QOS of an event; events of before there were any have none."""
    return NO_POLICIES if row is None else msgspec.convert(row, Policies)
