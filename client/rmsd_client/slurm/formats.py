"""Formats of squeue and sinfo: `%.18i %j` of -o, and `JobID:10,Name:SUFFIX` of -O."""

from __future__ import annotations

import re
import time

from rmsd_client.cli import printable, tell

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
    value. `same`: whether it says what it says in Slurm; otherwise it is always one text."""

    __slots__ = ("constant", "letter", "names", "same", "show", "title")

    def __init__(
        self, letter: str, names: str, title: str, show: Callable[[Any], str] | str
    ) -> None:
        self.letter = letter
        self.names = names.split()
        self.title = title
        self.constant = show if isinstance(show, str) else ""
        self.same = not isinstance(show, str)
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
        if part.field is None:
            continue
        text = part.field.title if shown is None else printable(part.field.show(shown))
        if part.width:
            cut = text[: part.width]
            text = cut.rjust(part.width) if part.right else cut.ljust(part.width)
        line += text
    return line
