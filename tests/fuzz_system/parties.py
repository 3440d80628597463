"""The parties by name, with what each may say in a round."""

from __future__ import annotations

import random
from typing import NamedTuple, Protocol

from tests.fuzz_system.callers import Callers
from tests.fuzz_system.damaged_files import DamagedFiles
from tests.fuzz_system.judge import Judge
from tests.fuzz_system.lying_agent import LyingAgent
from tests.fuzz_system.lying_daemon import LyingDaemon
from tests.fuzz_system.lying_pool import LyingPool
from tests.fuzz_system.lying_shepherd import LyingShepherd
from tests.fuzz_system.requests import Known
from tests.fuzz_system.system import System
from tests.fuzz_system.transcript import Act


class Party(Protocol):
    """A speaker. `act` has no effect, so that an act can be kept before it is performed."""

    name: str

    def act(self, number: int, rng: random.Random) -> Act:
        """Make up act number `number`."""
        ...

    def perform(self, act: Act) -> str:
        """Perform an act, and return in a word what came of it."""
        ...

    def close(self) -> None:
        """Give back what the party holds."""
        ...


class Pace(NamedTuple):
    """The pace of a party. `share`: its acts for each act of a caller, where acts are counted.
    `pause_s`: real time between two acts, for their cost to the machine."""

    share: float
    pause_s: float = 0.0


PARTIES = {
    "callers": Pace(1.0),
    "callers-2": Pace(1.0),
    "lying agent": Pace(0.3, 0.05),
    "lying daemon": Pace(0.3),
    "lying shepherd": Pace(0.3, 0.2),
    "lying pool": Pace(0.3, 0.05),
    "damaged files": Pace(0.05, 4.0),
}


def make_parties(system: System, judge: Judge, known: Known) -> dict[str, Party]:
    """Return all parties by name, for a system that runs."""
    made: list[Party] = [
        Callers("callers", system, judge, known),
        Callers("callers-2", system, judge, known),
        LyingAgent(system, judge, known),
        LyingDaemon(system, judge),
        LyingShepherd(system, known),
        LyingPool(system, judge),
        DamagedFiles(system, judge),
    ]
    return {party.name: party for party in made}
