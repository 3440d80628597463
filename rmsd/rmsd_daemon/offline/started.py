"""The core with which a start of the daemon went on, from the event that records the start."""

from __future__ import annotations

from rmsd_core.lifecycle.core import Core
from rmsd_daemon.setup.clock import most_looks, most_starts, slip_us
from rmsd_daemon.setup.third_party import recipe_of
from rmsd_daemon.store.partitions import partitions_of
from rmsd_daemon.store.policies import policies_of
from rmsd_daemon.store.records import Row


def started_core(payload: Row) -> Core:
    """Return the core of a start, without its jobs and nodes."""
    return Core(
        recipe_of(payload["recipe"]),
        payload["capacity"],
        slip_us=slip_us(payload["rate"]),
        most_starts=most_starts(payload["rate"]),
        most_looks=most_looks(payload["rate"]),
        drain_after=payload["drain_after"],
        partitions=partitions_of(payload["partitions"]),
        policies=policies_of(payload.get("policies")),
    )
