"""Checks of a submit beside its fields: for whom it may be, whether nodes can ever hold it, and how
many of a range it needs for that."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Container, Iterable, Mapping, Sequence

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.domain.errors import DaemonError, Forbidden, Malformed, NeverFits
from rmsd_daemon.domain.places import nodes_to_try
from rmsd_daemon.domain.submission import NewJob
from rmsd_daemon.domain.turns import QUICK_S, Turn


def check_stands_in(caller: Caller, user: str, role_of: Callable[[str], Role]) -> None:
    """Check that a caller who has something run as another user is an operator and gains no rights
    by it.

    Raises:
        Forbidden: the caller may not act for this user.
    """
    if user == caller.user:
        return
    if not caller.role.covers(Role.OPERATOR):
        raise Forbidden(f"'user' is '{user}': {caller.user} may submit as {caller.user} only")
    if not caller.role.covers(role := role_of(user)):
        raise Forbidden(
            f"'user' is '{user}', who has the role '{role}' here; "
            f"{caller.user} has '{caller.role}' and cannot stand in for more"
        )


def check_may_command(caller: Caller, user: str) -> None:
    """Check that a caller may have a notice's command run for a job of `user`.

    Raises:
        Forbidden: the caller may not.
    """
    if not caller.may_command:
        raise Forbidden(
            "'notify': the daemon runs no command for this caller. It runs commands for its own "
            "account, and with notify_commands for those who use the socket of root's daemon, but "
            "none for root; give a URL instead"
        )
    if user != caller.user:
        raise Forbidden(f"'notify': a command for a job of '{user}' is taken from {user} alone")


def check_may_be_nice(caller: Caller, before: int, after: int) -> None:
    """Check that a caller may change the nice value of a job so. That of a new job was 0 before.

    Raises:
        Forbidden: the job would get a higher priority than without the value, or than before.
    """
    if after < min(before, 0) and not caller.role.covers(Role.OPERATOR):
        raise Forbidden(f"'nice' is {after}: only an operator can raise the priority of a job")


def check_reservation(core: Core, job: Job) -> None:
    """Check that a job can start inside the advance reservation that it names, if it names one.

    Raises:
        DaemonError: there is none, it is for others, or the job can never start inside.
    """
    name = job.reservation
    if not name:
        return
    if name not in core.reservations:
        raise Malformed(
            f"'reservation': there is no reservation '{name}'; `rnode reservations` lists them"
        )
    if not core.may_be_inside(job):
        raise Forbidden(f"'reservation': the reservation '{name}' is not for {job.user}")
    if (why := core.never_inside(job)) is not None:
        raise NeverFits(f"the job can never start inside the reservation '{name}': {why}")


async def check_reservations(core: Core, jobs: Iterable[Job], turn: Turn) -> None:
    """Check in the caller's turn what `check_reservation` does, once for all jobs that are alike.
    Each check may look at all nodes.

    Raises:
        DaemonError: one of the jobs cannot start inside the advance reservation that it names.
    """
    named = [job for job in jobs if job.reservation]
    different = {
        (job.reservation, job.user, job.account, job.request, job.estimate_us): job for job in named
    }
    for job in different.values():
        async with turn:
            began_s = time.monotonic()
            try:
                check_reservation(core, job)
            finally:
                turn.worked(time.monotonic() - began_s)


async def on_fewest_nodes(
    core: Core, new: NewJob, most: int, on_nodes: Callable[[int], NewJob], turn: Turn
) -> NewJob:
    """Return the job on the fewest nodes of its range that can ever hold it, or as it is, on the
    least, if none can. `most` is the end of the range; `on_nodes` makes the job for so many nodes.
    In the caller's turn, as each try may look at all nodes."""
    details, one = new.details, new
    most_cores = max((node.cores for node in core.nodes.values()), default=0)
    tries = nodes_to_try(
        details.nodes or 1, min(most, len(core.nodes)), details.tasks, details.cpus_per_task,
        most_cores,
    )  # fmt: skip
    while True:
        async with turn:
            began_s = time.monotonic()
            try:
                if core.never_fits(one.job.request) is None:
                    return one
                if (nodes := next(tries, None)) is None:
                    return new
                one = on_nodes(nodes)
            except DaemonError:  # a partition allows fewer nodes
                return new
            finally:
                turn.worked(time.monotonic() - began_s)


async def check_fits(
    never_fits: Callable[[Request], str | None],
    nodes: Container[str],
    requests: Sequence[Request],
    turn: Turn,
) -> None:
    """Check in the caller's turn whether the requests can be met; each check may look at all nodes,
    whose names are `nodes`.

    Raises:
        DaemonError: one of them can never be met, as `never_fits` tells.
    """
    left = deque(dict.fromkeys(requests))
    while left:
        async with turn:
            began_s = time.monotonic()
            request, why = left[0], None
            while left and why is None and time.monotonic() - began_s < QUICK_S:
                request = left.popleft()
                why = never_fits(request)
            field = "" if why is None else _unmet_field(request, never_fits, nodes)
            turn.worked(time.monotonic() - began_s)
            if why is not None:
                raise NeverFits(f"the request can never be met: {why}", field=field)


def _unmet_field(
    request: Request, never_fits: Callable[[Request], str | None], nodes: Container[str]
) -> str:
    """Return the field of a submit without which the request could be met; "" if there is no one
    field."""
    if any(name not in nodes for one in request.components for name in one.require):
        return "nodelist"
    for field, without in _WITHOUT.items():
        if never_fits(Request(tuple(map(without, request.components)))) is None:
            return field
    return ""


def _without_devices(component: Component) -> Component:
    needs = component.needs
    without = None if needs is None else needs._replace(node_gres=(), unit_gres=())
    return component._replace(needs=without)


_WITHOUT: Mapping[str, Callable[[Component], Component]] = {
    "constraint": lambda component: component._replace(feature=None),
    "gres": _without_devices,
    "mem_mib": lambda component: component._replace(mem_mib=0),
}
"""The fields of a submit, and what turns a component into one without them."""
