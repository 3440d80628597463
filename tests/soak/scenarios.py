"""The scenarios that can be done to the system, by name."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.soak import recovery
from tests.soak.namespace import Namespace, NamespaceError
from tests.soak.run import run
from tests.soak.system import System
from tests.soak.tmpfs import MountError


class Unable(Exception):
    """A resource that the scenario needs is not to be had here; the message names it."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """`run` takes a seed, how many faults there are to be, and where to keep the files of a run in
    which something was found."""

    what: str
    faults: int
    run: Callable[[int, int, Path | None], dict[str, Any]]


def _kills(seed: int, count: int, keep: Path | None) -> dict[str, Any]:
    return run(seed, lambda faults: faults.kills(count), keep)


def _stops(seed: int, count: int, keep: Path | None) -> dict[str, Any]:
    return run(seed, lambda faults: faults.stops(count), keep)


def _full_disk(seed: int, count: int, keep: Path | None) -> dict[str, Any]:
    system = System(random.Random(seed))
    try:
        disks = system.on_small_disks()
    except MountError as error:
        system.close()
        raise Unable(str(error)) from error
    return run(seed, lambda faults: faults.full_disks(disks, count), keep, system)


def _cut(seed: int, count: int, keep: Path | None) -> dict[str, Any]:
    try:
        namespace = Namespace()
    except NamespaceError as error:
        raise Unable(str(error)) from error
    system = System(random.Random(seed), host=namespace.host)
    system.behind(namespace)
    return run(seed, lambda faults: faults.cuts(namespace, count), keep, system)


def _tails(seed: int, count: int, keep: Path | None) -> dict[str, Any]:
    return run(seed, lambda faults: faults.tails(count), keep)


def _restores(seed: int, count: int, keep: Path | None) -> dict[str, Any]:
    return run(seed, lambda faults: faults.restores(count), keep)


def _recovery(_: int, count: int, __: Path | None) -> dict[str, Any]:
    return recovery.run(_MANY_JOBS, count)


_MANY_JOBS = 10_000

SCENARIOS = {
    "kills": Scenario("kill -9 of daemon, agents, nurseries and shepherds", 500, _kills),
    "stops": Scenario("SIGSTOP of one of them, SIGCONT after some seconds", 60, _stops),
    "cut": Scenario("the network between daemon and agents is cut", 30, _cut),
    "full-disk": Scenario("the disk of the daemon or of an agent is full", 30, _full_disk),
    "tails": Scenario("the end of the database or its log is damaged", 30, _tails),
    "restores": Scenario("a backup of some seconds ago is restored", 30, _restores),
    "recovery": Scenario("kill -9 of a daemon with 10,000 jobs that wait", 5, _recovery),
}
