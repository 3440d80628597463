"""Writing a trace: the jobs as they come, and the header when it is known what was done."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from rmsd_cli.errors import CommandError
from rmsd_cli.table_files import STDOUT, open_bytes
from rmsd_lab.traces.header import Header
from rmsd_lab.traces.problems import Problems
from rmsd_lab.workloads.swf_log import LogJob, line_of
from rmsd_lab_cli.trace_file import ENCODING

_LEVEL = 6


def add_output_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="OUT",
        help="the file to write, compressed if it ends with .gz (default, or -: standard output)",
    )


class Body:
    """The lines of the jobs, kept in a temporary file until the header is written before them: it
    counts them. `with Body() as body: body.add(jobs); body.write(...)`"""

    def __init__(self) -> None:
        self.jobs = 0
        self._file = tempfile.TemporaryFile(prefix="rmsd-trace-")  # noqa: SIM115  closed at exit

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def add(self, jobs: Iterable[LogJob]) -> None:
        """Write jobs to the temporary file and count them. Raises CommandError if the disk is
        full."""
        write = self._file.write
        try:
            for job in jobs:
                self.jobs += 1
                write(line_of(job).encode())
            self._file.flush()
        except OSError as error:
            raise CommandError(f"cannot write a temporary file: {error.strerror}") from None

    def write(self, output: Path | None, header: Header, later: Sequence[str] = ()) -> None:
        """Write the header, the jobs, and then the comments that stood between jobs.

        Raises:
            CommandError: the file cannot be written.
        """
        self._file.seek(0)
        with writing(output) as out:
            out.write(_comments(header.lines))
            shutil.copyfileobj(self._file, out)
            out.write(_comments(later))


@contextmanager
def writing(output: Path | None) -> Iterator[BinaryIO]:
    """Open the file to write, compressed if its name says so. None and `STDOUT` are standard
    output.

    Raises:
        CommandError: it cannot be written.
    """
    with open_bytes(STDOUT if output is None else output, _LEVEL) as file:
        yield file


def _comments(lines: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode(ENCODING, "backslashreplace")


def command_line(command: str, args: argparse.Namespace, options: Sequence[str]) -> str:
    """Return the command with those of its options that are given, for a note."""
    words = [f"rmsd trace {command}"]
    for option in options:
        value = getattr(args, option.replace("-", "_"))
        if value is True:
            words.append(f"--{option}")
        elif value is not None and value is not False:
            words.append(f"--{option} {value}")
    return " ".join(words)


def changed(header: Header, jobs: int, problems: Problems, *notes: str) -> Header:
    """Return the header of a trace of which jobs were moved or left out. It has the number of jobs,
    lacks the old end, and has notes of the change and of what could not be read."""
    counted = header.with_value("MaxJobs", jobs).with_value("MaxRecords", jobs)
    return with_problems(counted.without("EndTime").with_notes(*notes), problems)


def with_problems(header: Header, problems: Problems) -> Header:
    """Return the header with a note of the problems that were read, if there were any."""
    found = ", ".join(f"{kind}: {count:,}" for kind, count in problems.counts.items())
    return header.with_notes(f"problems of the trace that was read: {found}") if found else header
