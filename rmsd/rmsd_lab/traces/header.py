"""The comments at the beginning of a trace: kept as they are, read by key, extended by notes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rmsd_lab.workloads.swf import Trace, header_entry, leading_number

_NEVER = 1 << 30


@dataclass(frozen=True, slots=True)
class Header:
    """The comment lines, without their line ends."""

    lines: tuple[str, ...] = ()

    @classmethod
    def of(cls, entries: Iterable[tuple[str, str]]) -> Header:
        return cls(tuple(f"; {key}: {value}" for key, value in entries))

    @property
    def values(self) -> dict[str, str]:
        """By key; of a key that occurs twice the first value."""
        found: dict[str, str] = {}
        for key, value in filter(None, map(header_entry, self.lines)):
            found.setdefault(key, value)
        return found

    @property
    def processors(self) -> int | None:
        """The machine's size; None: not said, or not in a number (see `Trace.processors`)."""
        return Trace(self.values).processors

    def number(self, key: str) -> int | None:
        """A whole number that may be followed by text; None: there is none."""
        return leading_number(self.values.get(key, ""))

    def with_value(self, key: str, value: object) -> Header:
        """The first line of this key replaced, or a line more."""
        line = f"; {key}: {value}"
        for at, old in enumerate(self.lines):
            entry = header_entry(old)
            if entry is not None and entry[0] == key:
                return Header((*self.lines[:at], line, *self.lines[at + 1 :]))
        return Header((*self.lines, line))

    def without(self, *keys: str) -> Header:
        """Without the lines of these keys, and what continues them: what is indented further."""
        kept = []
        dropped_at = _NEVER
        for line in self.lines:
            if line.strip("; \t") and _indent(line) > dropped_at:
                continue
            entry = header_entry(line)
            dropped_at = _indent(line) if entry is not None and entry[0] in keys else _NEVER
            if dropped_at == _NEVER:
                kept.append(line)
        return Header(tuple(kept))

    def with_notes(self, *texts: str) -> Header:
        return Header((*self.lines, *(f"; Note: {text}" for text in texts)))


def _indent(line: str) -> int:
    text = line.strip().lstrip(";")
    return len(text) - len(text.lstrip())
