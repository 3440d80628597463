"""The lab: simulations, workloads, measures and charts, on top of the core.

The packages in here are pure. From Python, `import rmsd_lab as lab` has the functions below as well
(`lab.simulate("trace.swf", "easy++")`), which read files and start daemons. They stand in
`rmsd_lab_api`, which is imported when the first of them is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rmsd_lab_api.comparing import LabComparison, compare
    from rmsd_lab_api.errors import LabError
    from rmsd_lab_api.histories import DaemonHistory, history
    from rmsd_lab_api.papers import PaperTables, paper
    from rmsd_lab_api.parts import load_parts
    from rmsd_lab_api.plots import LabPlot
    from rmsd_lab_api.replays import ReplayedJobs, replay
    from rmsd_lab_api.runs import (
        FiguresTable,
        ScheduleResult,
        SimulatedJobs,
        plot,
        side_by_side,
        simulate,
    )
    from rmsd_lab_api.studies import StudyResult, study
    from rmsd_lab_api.traces import LabTrace, read_trace, sample

__all__ = [
    "DaemonHistory",
    "FiguresTable",
    "LabComparison",
    "LabError",
    "LabPlot",
    "LabTrace",
    "PaperTables",
    "ReplayedJobs",
    "ScheduleResult",
    "SimulatedJobs",
    "StudyResult",
    "compare",
    "history",
    "load_parts",
    "paper",
    "plot",
    "read_trace",
    "replay",
    "sample",
    "side_by_side",
    "simulate",
    "study",
]

_MODULES = {
    "comparing": ("LabComparison", "compare"),
    "errors": ("LabError",),
    "histories": ("DaemonHistory", "history"),
    "papers": ("PaperTables", "paper"),
    "parts": ("load_parts",),
    "plots": ("LabPlot",),
    "replays": ("ReplayedJobs", "replay"),
    "runs": (
        *("FiguresTable", "ScheduleResult", "SimulatedJobs"),
        *("plot", "side_by_side", "simulate"),
    ),
    "studies": ("StudyResult", "study"),
    "traces": ("LabTrace", "read_trace", "sample"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

if not TYPE_CHECKING:  # for a type checker, what is not imported above does not exist

    def __getattr__(name: str) -> object:
        """Return a function or class of the lab's API, imported when it is first asked for."""
        if name not in _MODULE_OF:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        value = getattr(import_module(f"rmsd_lab_api.{_MODULE_OF[name]}"), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
