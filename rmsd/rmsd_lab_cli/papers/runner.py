"""All runs of an experiment on all cores; what is finished is kept when the rest is interrupted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rmsd_cli.progress import Progress
from rmsd_lab_cli.kept_results import KeptResults
from rmsd_lab_cli.papers.execute import Measures, execute
from rmsd_lab_cli.papers.experiment import Simulation
from rmsd_lab_cli.papers.results import manifest
from rmsd_lab_cli.papers.workloads import WorkloadSource
from rmsd_lab_cli.studies.pools import ProcessPool

_Task = tuple[Simulation, Path | None, list[str]]


def run_all(
    wanted: Mapping[Simulation, set[str]],
    sources: Mapping[str, WorkloadSource],
    results: KeptResults,
    processes: int,
    label: str,
) -> dict[Simulation, Measures]:
    """Return the measures of every run whose workload is among `sources`.

    Raises:
        CommandError: a run failed, or its process was killed.
    """
    known: dict[Simulation, Measures] = {}
    missing: list[_Task] = []
    for simulation, groups in wanted.items():
        source = sources.get(simulation.workload)
        if source is None:
            continue
        known[simulation] = results.load(manifest(simulation, source))
        unknown = sorted(groups - known[simulation].keys())
        if unknown:
            missing.append((simulation, source.path, unknown))
    with Progress(label, len(missing)) as progress:
        made = 0

        def keep(task: _Task, measures: Measures) -> None:
            nonlocal made
            simulation, *_ = task
            known[simulation] |= measures
            results.save(manifest(simulation, sources[simulation.workload]), known[simulation])
            made += 1
            progress.update(made)

        ProcessPool(processes).run(_execute, missing, keep)
    return known


def _execute(task: _Task) -> Measures:
    return execute(*task)
