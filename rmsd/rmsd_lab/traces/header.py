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
        """Return the header's values by key. If a key occurs twice, its first value counts."""
        found: dict[str, str] = {}
        for key, value in filter(None, map(header_entry, self.lines)):
            found.setdefault(key, value)
        return found

    @property
    def processors(self) -> int | None:
        """Return the machine's size; None if the header states no size as a number (see
        `Trace.processors`)."""
        return Trace(self.values).processors

    def number(self, key: str) -> int | None:
        """Return the whole number that a key's value begins with; None if there is none. Text may
        follow."""
        return leading_number(self.values.get(key, ""))

    def with_value(self, key: str, value: object) -> Header:
        """Return the header with this key's first line replaced, or with a line added."""
        line = f"; {key}: {value}"
        for at, old in enumerate(self.lines):
            entry = header_entry(old)
            if entry is not None and entry[0] == key:
                return Header((*self.lines[:at], line, *self.lines[at + 1 :]))
        return Header((*self.lines, line))

    def without(self, *keys: str) -> Header:
        """Return the header without the lines of these keys and without their continuations, which
        are the lines indented further."""
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
