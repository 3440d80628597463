"""The runs of the study: logs, schedulers, shaken copies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rmsd_lab_cli.papers.experiment import COSTS, USERS, Cell, Change, Simulation

SOURCE = "docs/better.md"

COPIES = 20
"""The number of shaken copies of each log, unless --copies says otherwise."""
SHAKEN_BY_S = 300
"""Arrivals are moved by up to this much, either way: as much as the ten minutes of other studies
that move them one way."""
GROUPS = ("waits", "categories", "trials", USERS, COSTS)
"""The measures of every run, so that the tables of the study share their runs."""


class Log(NamedTuple):
    """A log, its machine, and what is changed before it is run."""

    workload: str
    processors: int
    changes: tuple[Change, ...] = ()


LOGS = {
    "KTH": Log("KTH-SP2-1996", 100),
    "CTC": Log("CTC-SP2-1996", 512),
    "SDSC": Log("SDSC-SP2-1998", 128),
}
"""The logs with estimates of all but a few jobs."""

OTHER_LOGS = {
    "LANL": Log("LANL-CM5-1994", 1024, (("filled",),)),
    "Par": Log("SDSC-Par-1996", 400, (("filled",),)),
    "NASA": Log("NASA-iPSC-1993", 128, (("filled",),)),
    "Atlas": Log("LLNL-Atlas-2006", 9216, (("filled",),)),
}
"""The logs on which many or all jobs lack an estimate. The parser takes the run time there, which
no scheduler may know; here such a job has the longest run of the log as its estimate, as under the
limit of a queue."""

EVERY_LOG = LOGS | OTHER_LOGS

SCHEDULERS = {
    "EASY": "easy",
    "EASY++": "easy++",
    "conservative": "conservative",
    "selective": "selective",
    "EASY++, LXF&W, trials": "timed-easy++,order=lxfw",
    "perfect SJF": "sjfperf",
    "rmsd-gentle": "rmsd-gentle",
    "rmsd": "rmsd",
    "rmsd-even": "rmsd-even",
}
"""The schedulers by their names in tables. Perfect SJF knows run times, and starves."""

_COMPARED = ("EASY", "EASY++", "perfect SJF", "rmsd-gentle", "rmsd", "rmsd-even")
COMPARED = {name: SCHEDULERS[name] for name in _COMPARED}
"""The schedulers that are run on the copies, under other loads, and in the verdicts."""

OURS = ("rmsd-gentle", "rmsd", "rmsd-even")


class StudyColumn(NamedTuple):
    """A column: its name, its unit, and the measure and scale of its numbers."""

    column: str
    unit: str
    measure: str
    scale: float = 1.0


WAIT = StudyColumn("wait", "[min]", "waits/wait_s/mean", 1 / 60)
SLOWDOWN = StudyColumn("slowdown", "", "waits/bounded_slowdown/mean")
LONGEST = StudyColumn("longest", "[h]", "waits/wait_s/maximum", 1 / 3600)
PERCENTILE = StudyColumn("99%", "[h]", "waits/wait_s/p99", 1 / 3600)
PER_USER = StudyColumn("users", "", f"{USERS}/mean")
KILLS = StudyColumn("kills", "[%]", f"{COSTS}/kills_per_job", 100)
LOST = StudyColumn("lost", "[%]", f"{COSTS}/lost_share", 100)

QUALITY = (WAIT, SLOWDOWN, LONGEST, PERCENTILE)
PRICE = (KILLS, LOST)


def run_of(
    log: Log, recipe: str, *changes: Change, restart_cost_s: float = 0, copy: int = 0
) -> Simulation:
    """Return the run of a recipe on a log, or on its `copy`-th shaken copy; 0: as recorded."""
    shaken: tuple[Change, ...] = (("shaken", copy, SHAKEN_BY_S),) if copy else ()
    every = (*log.changes, *changes, *shaken)
    return Simulation(log.workload, log.processors, recipe, every, True, restart_cost_s)


def copies_of(log: Log, recipe: str, copies: int) -> tuple[Simulation, ...]:
    """Return the runs of a recipe on the shaken copies of a log."""
    return tuple(run_of(log, recipe, copy=copy) for copy in range(1, copies + 1))


def cells(row: str, runs: Sequence[Simulation], columns: Iterable[StudyColumn]) -> list[Cell]:
    """Return a line of a table: a cell for each column. Several runs are shown with the confidence
    interval of their mean."""
    return [
        Cell(row, one.column, one.unit, tuple(runs), one.measure, one.scale, interval=len(runs) > 1)
        for one in columns
    ]


def differences(
    row: str,
    runs: Sequence[Simulation],
    against: Sequence[Simulation],
    columns: Iterable[StudyColumn],
) -> list[Cell]:
    """Return a line of paired differences from other runs of the same jobs, in percent of these."""
    return [
        Cell(
            row, one.column, "[%]", tuple(runs), one.measure, interval=True, against=tuple(against)
        )
        for one in columns
    ]
