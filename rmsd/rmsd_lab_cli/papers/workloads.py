"""The jobs of a workload's description: trace files of the Parallel Workloads Archive, generated
sets, and the changes that experiments make to them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from rmsd_cli.errors import CommandError
from rmsd_lab.anomalies.made import with_flurry, with_run_changed
from rmsd_lab.workloads import workload
from rmsd_lab.workloads.dynp_sets import SET_1, SET_2, dynp_set
from rmsd_lab.workloads.models.estimates import (
    own_heads,
    with_mode_estimates,
    with_phi_estimates,
    with_shuffled_estimates,
)
from rmsd_lab.workloads.models.modes import Mode, ModeParameters
from rmsd_lab.workloads.models.popularity import without_the_most_creative
from rmsd_lab.workloads.swf import Trace, TraceJob, takes_part
from rmsd_lab_cli.papers.experiment import Change, Simulation
from rmsd_lab_cli.workload import read_trace

RAW = {"KTH-SP2-1996"}
"""Logs of which the papers used the raw version; of the others they used the cleaned one."""

Jobs = list[TraceJob]

GENERATED: dict[str, Callable[[], Jobs]] = {
    "dynp-set1": lambda: dynp_set(SET_1, seed=1),
    "dynp-set2": lambda: dynp_set(SET_2, seed=1),
}
"""Workloads that are made, not found."""

CHANGES: dict[str, Callable[..., Jobs]] = {
    "first": lambda jobs, count: jobs[:count],
    "exact": workload.with_exact_estimates,
    "filled": workload.with_missing_estimates_filled,
    "times": workload.with_estimates_times,
    "random": workload.with_random_estimates,
    "up-to": workload.with_estimates_up_to,
    "divided": workload.divided,
    "shrunk": lambda jobs, factor: workload.divided(jobs, 1 / factor),
    "shaken": workload.shaken,
    "flurry": with_flurry,
    "run": with_run_changed,
    "asking-up-to": lambda jobs, max_s: [job for job in jobs if job.estimate_s <= max_s],
    "without-106": without_the_most_creative,
    "shuffled": with_shuffled_estimates,
    "phi": with_phi_estimates,
    "shuffled-in-sessions": lambda jobs, seed: with_shuffled_estimates(jobs, seed, True),
    "modes": lambda jobs, *told: _with_modes(jobs, False, *told),
    "modes-in-sessions": lambda jobs, *told: _with_modes(jobs, True, *told),
}
"""The changes that a `Change` may name, beside ("load", X), which needs the machine's size."""


@dataclass(frozen=True, slots=True)
class WorkloadSource:
    """The source of a workload's jobs: a file and its SHA-256, or a generator (no path)."""

    path: Path | None
    sha256: str

    @property
    def name(self) -> str:
        return "generated" if self.path is None else self.path.name


def find_sources(names: set[str], folder: Path) -> dict[str, WorkloadSource]:
    """Return the workloads among `names` that are in `folder`, as `NAME-VERSION[-cln].swf[.gz]`.

    Raises:
        CommandError: the folder cannot be read.
    """
    try:
        files = sorted(path for path in folder.iterdir() if path.is_file())
    except OSError as error:
        raise CommandError(f"--traces: cannot read {folder}: {error.strerror}") from None
    found = {name: WorkloadSource(None, "") for name in names & GENERATED.keys()}
    for name in names - GENERATED.keys():
        versions = [path for path in files if _version(path.name, name) is not None]
        if versions:
            best = max(versions, key=lambda path: _version(path.name, name) or ())
            found[name] = WorkloadSource(best, hashlib.sha256(best.read_bytes()).hexdigest())
    return found


def _version(file: str, log: str) -> tuple[int, ...] | None:
    """Return how well a file suits as `log`; None if it is another log. First counts whether the
    file is raw or cleaned as in the papers, then its version."""
    match = re.fullmatch(
        re.escape(log) + r"(?:-(\d+)(?:\.(\d+))?)?(-cln)?\.swf(?:\.gz)?", file, re.IGNORECASE
    )
    if match is None:
        return None
    cleaned = match[3] is not None
    return (int(cleaned != (log in RAW)), int(match[1] or 0), int(match[2] or 0))


@lru_cache(maxsize=2)
def trace_at(path: Path) -> Trace:
    """Return the trace in this file, which the runs after each other have in common."""
    return read_trace(path)


def prepared(simulation: Simulation, path: Path | None) -> tuple[Jobs, int]:
    """Return the jobs of a run that take part, and the processors of its machine.

    Raises:
        CommandError: the trace cannot be read, or nothing of it can take part.
    """
    processors = simulation.processors
    if path is None:
        jobs = GENERATED[simulation.workload]()
    else:
        trace = trace_at(path)
        processors = processors or trace.processors or 0
        jobs = [job for job in trace.jobs if takes_part(job, processors)]
    if len(jobs) < 2:
        raise CommandError(f"{path}: fewer than two jobs fit {processors} processors")
    try:
        for change in simulation.changes:
            jobs = _changed(jobs, change, processors)
    except ValueError as error:
        raise CommandError(f"{path or simulation.workload}: {error}") from None
    return jobs, processors


def _changed(jobs: Jobs, change: Change, processors: int) -> Jobs:
    name, *arguments = change
    if name == "load":
        return workload.scaled_to_load(jobs, processors, float(arguments[0]))
    return CHANGES[str(name)](jobs, *arguments)


def _with_modes(
    jobs: Jobs, in_sessions: bool, max_s: int, own: int, seed: int, *pairs: float
) -> Jobs:
    """Return the jobs with estimates of the mode model. The model is given the longest estimate and
    the `own` most popular others as the trace shows them, and `pairs` of others (time, percent)."""
    given = {mode.time_s: mode for mode in own_heads(jobs, own, max_s)}
    given |= {
        int(time_s): Mode(int(time_s), percent)
        for time_s, percent in zip(pairs[::2], pairs[1::2], strict=True)
    }
    told = ModeParameters(max_s, tuple(given.values()))
    return with_mode_estimates(jobs, told, seed, in_sessions).jobs


_OF_ESTIMATES = (
    *("exact", "filled", "times", "random", "phi", "shuffled", "shuffled-in-sessions"),
    *("modes", "modes-in-sessions"),
)


def without_estimates(simulation: Simulation) -> Simulation:
    """Return the same simulation with exact estimates, whatever the estimates were."""
    own = with_own_estimates(simulation)
    return replace(own, changes=(("exact",), *own.changes))


def with_own_estimates(simulation: Simulation) -> Simulation:
    """Return the same simulation with the estimates of the trace."""
    kept = [change for change in simulation.changes if change[0] not in _OF_ESTIMATES]
    return replace(simulation, changes=tuple(kept))


def wide_above(workload: str) -> int:
    """Return the number of processors above which a job is wide (Selective, Tables 1 and 2)."""
    return 64 if workload.startswith("LANL") else 8


def described(changes: Sequence[Change]) -> str:
    """Return changes in words short enough for a table."""
    return ", ".join(" ".join(map(str, change)) for change in changes)
