"""Traces: read from files, or made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from rmsd_cli.errors import CommandUsageError
from rmsd_lab.workloads.sample import sample_trace
from rmsd_lab.workloads.swf import Trace, TraceJob
from rmsd_lab.workloads.swf_log import LogJob, format_log
from rmsd_lab_api.html import facts, table_html
from rmsd_lab_api.options import PathName
from rmsd_lab_api.tables import ArrowTable, TableResult, table_of_trace
from rmsd_lab_cli.trace.writing import writing
from rmsd_lab_cli.workload import told_trace


class LabTrace(TableResult):
    """A trace that has been read, or made: give it to `simulate` and `replay` in place of a path.

    `path`: the file; for a trace that was made, a name that no file has.
    """

    def __init__(self, path: Path, trace: Trace) -> None:
        self.path = path
        self.trace = trace
        self._table: ArrowTable = None

    @property
    def name(self) -> str:
        return self.path.name.removesuffix(".gz").removesuffix(".swf")

    @property
    def procs(self) -> int | None:
        """Return the processors of the machine; None if the header does not tell them."""
        return self.trace.processors

    @property
    def jobs(self) -> ArrowTable:
        """Return the jobs as an Arrow table, in arrival order."""
        if self._table is None:
            self._table = table_of_trace(self.trace.jobs)
        return self._table

    @property
    def table(self) -> ArrowTable:
        return self.jobs

    def write(self, path: PathName) -> None:
        """Write the trace in the Standard Workload Format, with what simulations read of it.
        Compressed if the name ends in .gz. Raises CommandError if it cannot be written."""
        header = [("MaxProcs", str(self.procs))] if self.procs is not None else []
        with writing(Path(path)) as out:
            lines = format_log(header, map(_logged, self.trace.jobs))
            out.writelines(line.encode() for line in lines)

    def __len__(self) -> int:
        return len(self.trace.jobs)

    def __repr__(self) -> str:
        return f"<trace {self.name}: {len(self):,} jobs, {self.procs or 'unknown'} processors>"

    def _repr_html_(self) -> str:
        about = {"jobs": f"{len(self):,}", "processors": self.procs}
        return facts(f"trace {self.name}", about) + table_html(self.jobs)


def _logged(job: TraceJob) -> LogJob:
    return LogJob(
        job.number,
        job.submit_s,
        -1,
        job.run_s,
        job.size,
        requested=job.size,
        estimate_s=job.estimate_s,
        status=job.status,
        user=int(job.user),
        preceding=job.preceding,
        think_s=job.think_s,
    )


def read_trace(path: PathName) -> LabTrace:
    """Read a trace in the Standard Workload Format, compressed or not.

    Raises:
        LabError: it cannot be read, or has no job; the message names file, line and reason.
    """
    return LabTrace(Path(path), told_trace(Path(path)))


def sample(jobs: int = 1000, procs: int = 64, seed: int = 1, load: float = 0.95) -> LabTrace:
    """Make the small workload of `rmsd generate sample`, for trying things out; not for research.

    Raises:
        LabError: fewer than 2 jobs, or no processor.
    """
    try:
        made = sample_trace(jobs, procs, seed, load)
    except ValueError as error:
        raise CommandUsageError(str(error)) from None
    return LabTrace(Path("sample.swf"), Trace({"MaxProcs": str(procs)}, made))


def told(trace: LabTrace | PathName) -> tuple[Path, Trace | None]:
    """Return the path of a trace, and the trace if it has been read."""
    if isinstance(trace, LabTrace):
        return trace.path, trace.trace
    return Path(trace), None


@contextmanager
def as_file(trace: LabTrace | PathName) -> Iterator[Path]:
    """Yield the path of a file with the trace. One that was made is written for the time."""
    path, read = told(trace)
    if read is None or path.exists():
        yield path
        return
    with TemporaryDirectory(prefix="rmsd-lab-") as folder:
        assert isinstance(trace, LabTrace)
        written = Path(folder) / path.name
        trace.write(written)
        yield written
