"""All runs of an experiment on all cores; what is finished is kept when the rest is interrupted."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Mapping
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from rmsd_cli.errors import CommandError
from rmsd_cli.papers.execute import Measures, execute
from rmsd_cli.papers.experiment import Simulation
from rmsd_cli.papers.results import Results, manifest
from rmsd_cli.papers.workloads import Source
from rmsd_cli.progress import Progress


def run_all(
    wanted: Mapping[Simulation, set[str]],
    sources: Mapping[str, Source],
    results: Results,
    processes: int,
    label: str,
) -> dict[Simulation, Measures]:
    """The measures of every run whose workload is among `sources`.

    Raises:
        CommandError: a run failed, or its process was killed.
    """
    known: dict[Simulation, Measures] = {}
    missing: list[Simulation] = []
    for simulation, groups in wanted.items():
        source = sources.get(simulation.workload)
        if source is None:
            continue
        known[simulation] = results.load(manifest(simulation, source))
        if not groups <= known[simulation].keys():
            missing.append(simulation)
    if not missing:
        return known
    executor = ProcessPoolExecutor(
        min(processes, len(missing)),
        multiprocessing.get_context("spawn"),
        signal.signal,
        (signal.SIGINT, signal.SIG_IGN),  # Ctrl-C is the parent's to handle
    )
    finished = False
    try:
        with Progress(label, len(missing)) as progress:
            running: dict[Future[Measures], Simulation] = {}
            for simulation in missing:
                unknown = sorted(wanted[simulation] - known[simulation].keys())
                path = sources[simulation.workload].path
                running[executor.submit(execute, simulation, path, unknown)] = simulation
            for done, future in enumerate(as_completed(running), 1):
                simulation = running[future]
                known[simulation] |= future.result()
                made_of = manifest(simulation, sources[simulation.workload])
                results.save(made_of, known[simulation])
                progress.update(done)
        finished = True
    except BrokenProcessPool:
        raise CommandError("a run's process was killed; is there enough memory?") from None
    finally:
        if not finished:
            for process in multiprocessing.active_children():
                process.terminate()
        executor.shutdown(wait=finished, cancel_futures=True)
    return known
