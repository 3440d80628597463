"""The description of an experiment: its runs, the published values, and their comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

Change = tuple[str | float, ...]
"""A step from a trace to the jobs of a run: a name of `workloads.CHANGES` and its arguments."""

WITHIN = 0.06
"""The deviation from the published value up to which a value counts as reproduced."""

UNFAIRNESS = "unfairness"
"""The half of the group "fairness" of `measures.GROUPS` that compares with exact estimates (thesis
3.7); by itself, because the other half needs another reference."""

THRESHOLDS = "thresholds"
"""The starvation thresholds that a run had: "all", or one for each category."""

ESTIMATES = "estimates"
"""The distribution of a run's estimates, and its distance from that of the trace's own (thesis
5.6, 5.12.1)."""

FLURRY = "flurry"
"""Mean bounded slowdowns of all jobs, of those of a flurry that a change has put in, and of the
others: "all", "flurry", "others"."""

USERS = "users"
"""The distribution over users of the mean bounded slowdown of their jobs."""

COSTS = "costs"
"""The price of runs that are killed for others: "kills_per_job", and "lost_share" of the processor
time."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """One run, described in full: the same description gives the same schedule.

    workload: the name of a log of the Parallel Workloads Archive without its version
        ("KTH-SP2-1996"), or of a set in `workloads.GENERATED`.
    processors: of the machine; 0: what the trace's header says.
    changes: applied to the jobs in this order.
    trim: whether the first 1% of terminated jobs and all that terminate after the last arrival are
        left out of the averages (thesis 2.4).
    restart_cost_s: how much longer a job runs that starts anew.
    """

    workload: str
    processors: int
    recipe: str
    changes: tuple[Change, ...] = ()
    trim: bool = False
    restart_cost_s: float = 0


@dataclass(frozen=True, slots=True)
class Cell:
    """A number of a table or a point of a figure.

    runs: one, or several of which the mean is shown.
    measure: where it is in what `rmsd_lab.measures.measures` gives, as "group/key/key", or in one
        of the groups above; `scale` turns its unit into `unit`.
    published: as printed, or None where a figure has no numbers.
    within: relative deviation that counts as reproduced.
    interval: whether to show the 95% confidence interval of the mean over `runs`.
    against: as many other runs of the same jobs. The cell shows the mean of the paired differences
        from them, in percent of their mean.
    """

    row: str
    column: str
    unit: str
    runs: tuple[Simulation, ...]
    measure: str
    scale: float = 1.0
    published: str | None = None
    within: float = WITHIN
    note: str = ""
    interval: bool = False
    against: tuple[Simulation, ...] = ()


@dataclass(frozen=True, slots=True)
class PaperTable:
    """Cells in reading order: rows as they first occur."""

    title: str
    cells: Sequence[Cell]


Lookup = Callable[[Simulation, str], float]
"""The measure of a run that has been made. Raises Undefined."""


class Undefined(Exception):
    """A run has no such measure: the mean of no jobs, or something that is not known."""


class Finding(NamedTuple):
    """The result of checking a claim: whether it holds, and the numbers that show this."""

    holds: bool
    numbers: str


@dataclass(frozen=True, slots=True)
class PaperClaim:
    """A sentence of a paper that is true or not of the runs it is about.

    judge: looks up `measures` of `simulations`, and nothing else.
    """

    text: str
    simulations: Sequence[Simulation]
    measures: Sequence[str]
    judge: Callable[[Lookup], Finding]


@dataclass(frozen=True, slots=True)
class Experiment:
    """A table or figure of a paper. `remarks`: how it was made where the paper leaves that open,
    and why some cells are sensitive. `also`: groups of measures that are kept of every run, for the
    other experiments that share the runs."""

    name: str
    source: str
    title: str
    tables: Sequence[PaperTable] = ()
    claims: Sequence[PaperClaim] = ()
    remarks: Sequence[str] = ()
    also: Sequence[str] = ()

    def needs(self) -> dict[Simulation, set[str]]:
        """Return the runs, in order, each with the groups of measures wanted."""
        wanted: dict[Simulation, set[str]] = {}
        for table in self.tables:
            for cell in table.cells:
                for simulation in (*cell.runs, *cell.against):
                    wanted.setdefault(simulation, set()).add(group_of(cell.measure))
        for claim in self.claims:
            for simulation in claim.simulations:
                wanted.setdefault(simulation, set()).update(map(group_of, claim.measures))
        for groups in wanted.values():
            groups.update(self.also)
        return wanted


def group_of(measure: str) -> str:
    return measure.partition("/")[0]
