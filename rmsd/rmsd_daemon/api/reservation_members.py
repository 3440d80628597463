"""The members of groups whose jobs may run inside advance reservations.

The core knows no groups. So the daemon looks at each submit to such a reservation whether the user
is of one of its groups, and tells the core if that is news.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rmsd_core.lifecycle.inputs import SetMember
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_daemon.loop.scheduler import Scheduler

IsListed = Callable[[str, Sequence[str]], bool]
"""A function that tells whether a user is on a list of names and `@groups`."""


def is_member(one: AdvanceReservation, user: str, is_listed: IsListed) -> bool:
    """Return whether the user is of one of the groups of the reservation."""
    return bool(one.groups) and is_listed(user, [f"@{group}" for group in one.groups])


async def tell_members(
    scheduler: Scheduler, is_listed: IsListed, named: Iterable[tuple[str, str]]
) -> None:
    """Tell the core which users are of the groups of reservations now. `named`: reservations, each
    with a user whose job is to run inside.

    Raises:
        DaemonError: not stored.
    """
    for name, user in dict.fromkeys(named):
        one = scheduler.core.reservations.get(name)
        if one is None or not one.groups:
            continue
        found = is_member(one, user, is_listed)
        if found is not (user in one.members):
            await scheduler.carry_out(SetMember(name, user, found), audit_entries=())
