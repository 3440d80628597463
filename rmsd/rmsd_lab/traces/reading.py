"""Reading all 18 fields of a trace, a line at a time. A million jobs whose numbers ascend need no
more memory than one; numbers that come late are held.

Every line is read by the rules of "Reading a trace" (docs/simulation-rules.md). What is wrong with
one is reported with its number, and either ends the reading or is put right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from rmsd_lab.traces.header import Header
from rmsd_lab.traces.numbers import NumberRanges
from rmsd_lab.traces.problems import Problems, TraceProblem
from rmsd_lab.workloads.swf import FIELDS, MOST, NAMES, short
from rmsd_lab.workloads.swf_log import LogJob

_CPU = LogJob._fields.index("cpu_s")

Fields = list[int | float]


class CutShort(Exception):
    """Raised by the lines of a file of which the rest cannot be read; says why."""


class LogReader:
    """`header` is there at once; iterating gives the jobs, in the order of the file, once.

    line: the number of the line that was read last.
    empty: whether there is nothing but comments.
    later: comments that stood between jobs, read so far, without their line ends.
    """

    def __init__(self, lines: Iterable[str], problems: Problems) -> None:
        """Read the header. Raises TraceError in the same cases as iterating does."""
        self.line = 0
        self.later: list[str] = []
        self._problems = problems
        rest = self._uncut(lines)
        first: list[str] = []
        comments = []
        for line in rest:
            text = line.strip()
            if text and not text.startswith(";"):
                first = [line]
                break
            self.line += 1
            if text:
                comments.append(line.rstrip("\r\n"))
        self.header = Header(tuple(comments))
        self.empty = not first
        self._lines = chain(first, rest)

    def __iter__(self) -> Iterator[LogJob]:
        """Yield the jobs. Raises TraceError for a problem that is not tolerated; its message names
        the line."""
        make = LogJob._make
        numbers = NumberRanges()
        latest_s = 0
        for number, line in enumerate(self._lines, self.line + 1):
            self.line = number
            try:
                if "." in line:
                    fields = line.split()
                    cpu, fields[_CPU] = fields[_CPU], "0"
                    whole: Fields = list(map(int, fields))
                    whole[_CPU] = float(cpu)
                    job = make(whole)
                else:
                    job = make(map(int, line.split()))
                if not (min(job) >= -1 and max(job) <= MOST):
                    job = self._ranged(job)
            except (ValueError, TypeError, IndexError):
                found = self._repaired(line)
                if found is None:
                    continue
                job = found
            if job.submit_s < latest_s:
                self._out_of_order(job, latest_s)
            else:
                latest_s = job.submit_s
            if not numbers.is_new(job.number):
                self._odd("number twice", f"job number {job.number} again", "kept")
            yield job

    def _uncut(self, lines: Iterable[str]) -> Iterator[str]:
        try:
            yield from lines
        except CutShort as reason:
            self.line += 1
            self._lost("cut short", str(reason), "what follows is not known")

    def _repaired(self, line: str) -> LogJob | None:
        """Return the job of a line that is not 18 numbers, as far as it can be read; None if the
        line holds no job."""
        words = line.split()
        if not words:
            return None
        if words[0].startswith(";"):
            self.later.append(line.rstrip("\r\n"))
            return None
        if len(words) < FIELDS:
            what = f"{len(words)} fields, an SWF job has {FIELDS}"
            self._lost("too few fields", what, "the line is left out")
            return None
        if len(words) > FIELDS:
            what = f"{len(words)} fields, an SWF job has {FIELDS}"
            self._odd("too many fields", what, "those after the last are left out")
        return self._ranged([self._number(at, word) for at, word in enumerate(words[:FIELDS])])

    def _number(self, at: int, word: str) -> int | float:
        """Return the number of a field; -1 if the word is not a number."""
        try:
            return int(word)
        except ValueError:
            pass
        try:
            number = float(word)
            whole = int(number)  # raises for infinity and NaN
        except (ValueError, OverflowError):
            what = f"field {at + 1} ({NAMES[at]}) is not a number: {short(word)!r}"
            self._lost("not a number", what, "taken as -1, not known")
            return -1
        if at == _CPU:
            return number
        if whole != number:
            what = f"field {at + 1} ({NAMES[at]}) has a fraction: {number:g}"
            self._odd("fraction", what, f"cut off: {whole}")
        return whole

    def _ranged(self, values: Iterable[int | float]) -> LogJob:
        """Return the job of these values, with -1 for each value that is out of range."""
        fields: Fields = []
        for at, value in enumerate(values):
            if -1 <= value <= MOST:
                fields.append(value)
                continue
            what = f"field {at + 1} ({NAMES[at]}) is out of range: {short(str(value))}"
            self._lost("out of range", what, "taken as -1, not known")
            fields.append(-1)
        return LogJob._make(fields)

    def _out_of_order(self, job: LogJob, latest_s: int) -> None:
        if job.submit_s < 0:
            self._odd("no submit time", "the submit time is not known", "kept")
        else:
            what = f"submitted at {job.submit_s}, after a line with {latest_s}"
            self._odd("not in arrival order", what, "kept in its place")

    def _lost(self, kind: str, what: str, done: str) -> None:
        self._problems.add(TraceProblem(self.line, kind, what, done, readable=False))

    def _odd(self, kind: str, what: str, done: str) -> None:
        self._problems.add(TraceProblem(self.line, kind, what, done, readable=True))
