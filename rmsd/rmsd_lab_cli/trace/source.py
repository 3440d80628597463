"""Reading a trace for the commands of `rmsd trace`: options, problems, and files to read twice."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_lab.traces.header import Header
from rmsd_lab.traces.problems import Problems, Tolerance
from rmsd_lab.traces.reading import CutShort, LogReader
from rmsd_lab.workloads.swf import TraceError
from rmsd_lab_cli.trace_file import STDIN, UNREADABLE, open_trace, reason_of

LONGEST_LINE = 1 << 20
"""The characters of a line that is not read to its end."""
TRACE_HELP = "an SWF file, .swf or .swf.gz; - is standard input"


def add_tolerance_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--strict",
        action="store_true",
        help="refuse also what can be read, but is odd: fractions, jobs out of order, a number "
        "that occurs twice (otherwise kept, and reported)",
    )
    group.add_argument(
        "--tolerant",
        action="store_true",
        help="go on after what cannot be read: lines with too few fields are left out, words and "
        "numbers out of range are taken as -1, what is lost of a file is lost; all is reported "
        "(otherwise it ends the command)",
    )


def tolerance_of(args: argparse.Namespace) -> Tolerance:
    if args.strict:
        return Tolerance.STRICT
    return Tolerance.TOLERANT if args.tolerant else Tolerance.CAREFUL


def add_procs_argument(parser: argparse.ArgumentParser, text: str) -> None:
    parser.add_argument("--procs", type=processors, metavar="N", help=text)


def processors(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number}: a machine has at least one processor")
    return number


def machine_size(args: argparse.Namespace, header: Header) -> int | None:
    """Return --procs, else the header's size; None if there is neither."""
    return args.procs or header.processors


def known_machine_size(args: argparse.Namespace, header: Header) -> int:
    """Return the machine's size. Raises CommandUsageError if it is not known."""
    known = machine_size(args, header)
    if known is None:
        raise CommandUsageError(
            f"{shown(args.trace)}: the header has no usable MaxProcs or MaxNodes; give the "
            "machine's size with --procs"
        )
    return known


@contextmanager
def reading(path: Path, problems: Problems, named: Path | None = None) -> Iterator[LogReader]:
    """Open a trace and yield its reader, which must be used inside the context. `named` is the name
    of the trace in messages.

    Raises:
        CommandError: it cannot be read, or has a problem that is not tolerated.
    """
    with lines_of(path, named) as lines:
        yield LogReader(lines, problems)


@contextmanager
def lines_of(path: Path, named: Path | None = None) -> Iterator[Iterator[str]]:
    """Open a trace and yield its lines. Raises CommandError if they cannot be read, or if their use
    in the context raises TraceError."""
    name = shown(path if named is None else named)
    try:
        with open_trace(path) as lines:
            yield _until_cut(lines)
    except TraceError as error:
        raise CommandError(f"{name}, {error}") from None
    except CutShort as error:
        raise CommandError(f"{name}: {error}") from None
    except UNREADABLE as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise CommandError(f"cannot read {name}: {reason_of(error)}") from None


def shown(path: Path) -> str:
    return "standard input" if path == STDIN else str(path)


def _until_cut(lines: TextIO) -> Iterator[str]:
    """Yield the lines. Raises CutShort in place of the errors of a damaged or truncated file, and
    for a line that a few bytes of a compressed file may have made as long as the memory."""
    try:
        while line := lines.readline(LONGEST_LINE):
            if len(line) == LONGEST_LINE:
                raise CutShort(f"a line has {LONGEST_LINE} characters or more")
            yield line
    except UNREADABLE as error:
        raise CutShort(f"the file cannot be read any further: {reason_of(error)}") from None


@contextmanager
def rereadable(path: Path) -> Iterator[Path]:
    """Yield a file with the same content that can be read more than once; pipes are copied."""
    if path != STDIN and path.is_file():
        yield path
        return
    with tempfile.NamedTemporaryFile(prefix="rmsd-trace-", suffix=".swf") as copy:
        try:
            if path == STDIN:
                shutil.copyfileobj(sys.stdin.buffer, copy)
            else:
                with path.open("rb") as piped:
                    shutil.copyfileobj(piped, copy)
        except OSError as error:
            raise CommandError(f"cannot read {shown(path)}: {error.strerror}") from None
        copy.flush()
        yield Path(copy.name)


def problem_lines(problems: Problems) -> Iterator[str]:
    """Yield for people the first problems of each kind, each with its line, and how many more there
    are."""
    for kind, first in problems.first.items():
        for problem in first:
            yield f"line {problem.line}: {problem.what}; {problem.done}"
        more = problems.counts[kind] - len(first)
        if more:
            yield f"... and {more:,} more of this kind ({kind})"


def kept_nothing(path: Path, read: int, what: str) -> CommandError:
    """Return the error of a command that would write a trace without a job."""
    if not read:
        return CommandError(f"{shown(path)}: there is no job in it")
    return CommandError(f"{shown(path)}: of {read:,} jobs none is {what}; nothing is written")


def report_problems(path: Path, problems: Problems) -> None:
    """Write the problems to standard error, under the name of the trace."""
    for line in problem_lines(problems):
        sys.stderr.write(f"{shown(path)}, {line}\n")
