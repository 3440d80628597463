"""The programs that the tasks of a step run: one for all, or those in a file of --multi-prog."""

from __future__ import annotations

from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_client.submit.script import base_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_TEXT = 1 << 20
_MOST_DIGITS = 7  # no step has ten million tasks


class _Line:
    """A line of a file of --multi-prog: ranks, and a program with its arguments as they are typed.
    `ranges` are the ranks, first and last; None: all that no other line names."""

    __slots__ = ("_typed", "ranges")

    def __init__(self, ranges: list[tuple[int, int]] | None, typed: str) -> None:
        self.ranges = ranges
        self._typed = typed

    def offset(self, rank: int) -> int | None:
        """Return the place of a rank among those of the line; None: the line is for others."""
        if self.ranges is None:
            return rank
        before = 0
        for first, last in self.ranges:
            if first <= rank <= last:
                return before + rank - first
            before += last - first + 1
        return None

    def words(self, rank: int, offset: int) -> list[str]:
        """Return the program and its arguments for a task. Quotes and backslashes are as in a
        shell; `%t` and `%o` stand for the rank and its offset, but not within single quotes.

        Raises:
            ValueError: a quote is not closed.
        """
        words: list[str] = []
        word: str | None = None
        quote, at, text = "", 0, self._typed
        while at < len(text):
            letter, pair = text[at], text[at : at + 2]
            at += 1
            if letter in "'\"" and quote in ("", letter):
                quote = "" if quote else letter
                word = word or ""
            elif letter == "\\" and quote != "'" and len(pair) == 2:
                word = (word or "") + pair[1]
                at += 1
            elif letter.isspace() and not quote:
                words += [] if word is None else [word]
                word = None
            elif pair in ("%t", "%o") and quote != "'":
                word = (word or "") + str(rank if pair == "%t" else offset)
                at += 1
            else:
                word = (word or "") + letter
        if quote:
            raise ValueError(f"a {quote} is not closed")
        return words + ([] if word is None else [word])


class StepCommand:
    """The programs of a step, by the ranks of its tasks."""

    def __init__(self, path: str, command: Sequence[str] = (), lines: Sequence[_Line] = ()) -> None:
        self.name = base_name(path)
        self._path = path
        self._command = list(command)
        self._lines = lines

    @property
    def tasks(self) -> int | None:
        """Return how many tasks the lines name; None: any number."""
        named = [last for line in self._lines for _, last in line.ranges or ()]
        return max(named) + 1 if named else None

    def of(self, count: int) -> list[list[str]]:
        """Return the program and arguments of each of so many tasks.

        Raises:
            SlurmError: a task has none, or a line names a task that is not there.
        """
        if not self._lines:
            return [self._command] * count
        if (self.tasks or 0) > count:
            raise _unusable(self._path, f"there is no task {(self.tasks or 0) - 1} among {count}")
        return [self._of_rank(rank) for rank in range(count)]

    def _of_rank(self, rank: int) -> list[str]:
        found = [(line, offset) for line in self._lines
                 if (offset := line.offset(rank)) is not None]  # fmt: skip
        named = [(line, offset) for line, offset in found if line.ranges is not None]
        if len(named) > 1:
            raise _unusable(self._path, f"duplicate record for task id {rank}")
        if not found:
            raise _unusable(self._path, f"no record for task id {rank}")
        line, offset = (named or found)[0]
        return line.words(rank, offset)


def command_of(words: Sequence[str], *, multi_prog: bool) -> StepCommand:
    """Return the programs of a step by the words behind the options of srun.

    Raises:
        SlurmError: the file of --multi-prog cannot be read or used.
    """
    if not multi_prog:
        return StepCommand(words[0], words)
    path, *more = words
    if more:
        raise SlurmError(f"srun: error: --multi-prog takes a file alone, not '{more[0]}' behind it")
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(_MOST_TEXT + 1)
    except OSError as error:
        raise SlurmError(f"srun: error: Unable to open {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise _unusable(path, "it is not UTF-8") from None
    if len(text) > _MOST_TEXT:
        raise _unusable(path, f"it has more than {_MOST_TEXT} characters")
    joined = text.replace("\\\n", "  ")
    rows = [row.strip() for row in joined.split("\n")]
    lines = [_line(path, row) for row in rows if row and not row.startswith("#")]
    if not lines:
        raise _unusable(path, "no line names a program")
    return StepCommand(path, lines=lines)


def _line(path: str, text: str) -> _Line:
    ranks, *typed = text.split(None, 1)
    ranges = None if ranks == "*" else [_range(path, ranks, part) for part in ranks.split(",")]
    line = _Line(ranges, typed[0] if typed else "")
    try:
        words = line.words(0, 0)
    except ValueError as error:
        raise _unusable(path, f"{error} in '{text}'") from None
    if not words:
        raise _unusable(path, f"'{text}' names no program")
    return line


def _range(path: str, ranks: str, part: str) -> tuple[int, int]:
    first, dash, last = part.partition("-")
    for digits in (first, last) if dash else (first,):
        if not (digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS):
            raise _unusable(path, f"'{ranks}' are no ranks: say 0, 2-4, a list of these, or *")
    if dash and int(last) < int(first):
        raise _unusable(path, f"the range '{part}' runs backwards")
    return int(first), int(last if dash else first)


def _unusable(path: str, why: str) -> SlurmError:
    return SlurmError(f"srun: error: Configuration file {path} invalid, {why}")
