"""The names under which the runs of an experiment are kept."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import rmsd_lab_cli.papers
from rmsd_lab_cli import kept_results
from rmsd_lab_cli.papers.experiment import Simulation
from rmsd_lab_cli.papers.workloads import WorkloadSource

_MEASURING = ("estimates.py", "execute.py", "workloads.py")


@cache
def papers_digest() -> str:
    """Return a digest of the code of the core and of the measures."""
    papers = Path(rmsd_lab_cli.papers.__file__).parent
    return kept_results.code_digest(papers / name for name in _MEASURING)


def manifest(simulation: Simulation, source: WorkloadSource) -> dict[str, Any]:
    """Return the inputs and the code that a run was made with."""
    return {
        "rmsd": version("rmsd"),
        "code": papers_digest(),
        "trace": source.name,
        "trace_sha256": source.sha256,
        **asdict(simulation),
    }
