"""The models that a study can draw its jobs from."""

from __future__ import annotations

from collections.abc import Callable

from rmsd_core.sample import sample_trace
from rmsd_core.swf import TraceJob

Model = Callable[[int, int, int], list[TraceJob]]
"""Number of jobs, processors, seed -> that many jobs in arrival order."""

MODELS: dict[str, Model] = {"sample": sample_trace}
