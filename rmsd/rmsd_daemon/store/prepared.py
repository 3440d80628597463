"""The types of what is read from the database, made known to msgspec before a thread reads.

At the first use of a type msgspec notes how to read it. A second thread that uses the type at that
moment finds a note that is not complete, and ends the process (SIGSEGV, msgspec 0.22).
"""

from __future__ import annotations

import msgspec

from rmsd_core.jobs.accounts import Policies
from rmsd_core.jobs.attempt import Refusal
from rmsd_core.jobs.conditions import Awaits, Conditions
from rmsd_core.jobs.request import Allocation, Component
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.nodes import Failure, Reboot
from rmsd_core.machine.partitions import Partition
from rmsd_core.planning.planner_memory import PlannerMemory
from rmsd_daemon.domain.submission import Details, Payload

TYPES = (
    AdvanceReservation, Allocation, Awaits, Component, Conditions, Details, Failure, Partition,
    Payload, PlannerMemory, Policies, Reboot, Refusal,
)  # fmt: skip
"""All that the store reads; what they are made of is noted with them."""


def prepare() -> None:
    """Have msgspec note how the types are read. It must be over before another thread reads."""
    for one in TYPES:
        msgspec.json.Decoder(one)
