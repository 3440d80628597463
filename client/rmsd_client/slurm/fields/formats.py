"""Formats of squeue and sinfo: `%.18i %j` of -o, and `JobID:10,Name:SUFFIX` of -O."""

from __future__ import annotations

import re
import time

from rmsd_client.console.cli import printable, tell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

_MOST_WIDTH = 10_000
_NAMED_WIDTH = 20
_LETTER = re.compile(r"%(\.?)(\d*)([A-Za-z%])", re.ASCII)
_SPEC = re.compile(r"(\.?)(\d*)", re.ASCII)


class ShownField:
    """A field of a format: its letter ("" if it has none), its names in -O, its title and its
    value. `same`: whether it says what it says in Slurm; otherwise it is always one text. `reads`:
    the keys that `show` reads; None: that is not said."""

    __slots__ = ("constant", "letter", "names", "reads", "same", "show", "title")

    def __init__(
        self, letter: str, names: str, title: str, show: Callable[[Any], str] | str
    ) -> None:
        self.letter = letter
        self.names = names.split()
        self.title = title
        self.constant = show if isinstance(show, str) else ""
        self.same = not isinstance(show, str)
        self.reads: Sequence[str] | None = () if isinstance(show, str) else None
        self.show: Callable[[Any], str] = (lambda _: show) if isinstance(show, str) else show


class FormatPart:
    """A part of a line: literal text, or a field with its width (0: as wide as its value)."""

    __slots__ = ("field", "literal", "right", "width")

    def __init__(
        self, literal: str, field: ShownField | None = None, width: int = 0, right: bool = False
    ) -> None:
        self.literal = literal
        self.field = field
        self.width = width
        self.right = right


def parse_letters(text: str, fields: Mapping[str, ShownField], problem: str) -> list[FormatPart]:
    """Return the parts of `%.18i %j`. All but the fields is literal; `\\x1f` is four characters.
    `%all` is all fields. `problem` is told of a letter that stands for nothing."""
    if text.lower() == "%all":
        text = "|".join(f"%{letter}" for letter in sorted(fields, key=str.swapcase))
    parts: list[FormatPart] = []
    end = 0
    for match in _LETTER.finditer(text):
        dot, digits, letter = match.groups()
        parts.append(FormatPart(text[end : match.start()]))
        end = match.end()
        if letter == "%":
            parts.append(FormatPart("%"))
        elif field := fields.get(letter):
            parts.append(FormatPart("", field, min(int(digits[:6] or 0), _MOST_WIDTH), bool(dot)))
        else:
            tell(f"{problem}: {letter}")
    return [*parts, FormatPart(text[end:])]


def parse_names(text: str, fields: Mapping[str, ShownField], problem: str) -> list[FormatPart]:
    """Return the parts of `JobID:10,Name:.20,State:SUFFIX`. A field without a width has 20, and
    with a suffix alone it is as wide as its value. `problem` is told of a field that there is
    not."""
    parts: list[FormatPart] = []
    for word in filter(None, text.split(",")):
        name, colon, spec = word.partition(":")
        field = fields.get(name.strip().lower())
        match = _SPEC.match(spec)
        if field is None or match is None:
            tell(f"{problem}: {name}")
            continue
        suffix = spec[match.end() :]
        width = 0 if colon and suffix else _NAMED_WIDTH
        if match[2]:
            width = min(int(match[2][:6]), _MOST_WIDTH)
        parts += [FormatPart("", field, width, bool(match[1])), FormatPart(suffix)]
    return parts


def print_date() -> None:
    """Print the line of the date above a long list."""
    print(time.strftime("%a %b %d %H:%M:%S %Y"), flush=True)


def line_of(parts: Sequence[FormatPart], shown: Any) -> str:
    """Return the line of a job or of nodes; of None the titles."""
    line = ""
    for part in parts:
        line += part.literal
        if part.field is not None:
            line += _text_of(part, part.field, shown)
    return line


def _text_of(part: FormatPart, field: ShownField, shown: Any) -> str:
    text = field.title if shown is None else printable(field.show(shown))
    if not part.width:
        return text
    cut = text[: part.width]
    return cut.rjust(part.width) if part.right else cut.ljust(part.width)


def lines_of(
    parts: Sequence[FormatPart], columns: Mapping[str, Sequence[Any]], count: int
) -> list[str]:
    """Return the lines of `count` jobs, whose values are in columns. All fields of the parts say
    what they read. Each text is made once for all jobs that have the same values."""
    if not count:
        return []
    names = {name for part in parts if part.field for name in part.field.reads or ()}
    distinct = {name: set(columns[name]) for name in names}
    texts = [
        _texts_of(part, part.field, columns, distinct, count)
        for part in parts
        if part.field is not None or part.literal
    ]
    return list(map("".join, zip(*texts, strict=True))) if texts else [""] * count


def _texts_of(
    part: FormatPart,
    field: ShownField | None,
    columns: Mapping[str, Sequence[Any]],
    distinct: Mapping[str, set[Any]],
    count: int,
) -> Sequence[str]:
    """Return the texts of a part of all lines. `distinct`: the values in each column."""
    if field is None:
        return [part.literal] * count
    reads = field.reads or ()
    shown = {name: one for name in reads for one in distinct[name]}
    varied = [name for name in reads if len(distinct[name]) > 1]
    if not varied:
        return [_text_of(part, field, shown)] * count
    texts = {}
    if len(varied) == 1:
        name = varied[0]
        for one in distinct[name]:
            shown[name] = one
            texts[one] = _text_of(part, field, shown)
        return list(map(texts.__getitem__, columns[name]))
    values = list(zip(*(columns[name] for name in varied), strict=True))
    for some in set(values):
        shown.update(zip(varied, some, strict=True))
        texts[some] = _text_of(part, field, shown)
    return list(map(texts.__getitem__, values))
