"""Slurm's host lists: `n[01-04,7],head` and back, and numbers by host. Standard library only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

_MAX_HOSTS = 1_000_000
_SHOWN = 100
_MAX_NAME = 255  # a host's name has no more characters


class HostlistError(ValueError):
    """The text is not a host list; the message says where it goes wrong."""


def compress(names: Sequence[str]) -> str:
    """Return the names as a host list: `["n01", "n02", "n04"]` -> `n[01-02,04]`. Order is kept,
    neighbours with one prefix are joined."""
    made = HostList()
    made.add(names)
    return made.text()


class HostList:
    """The host list of names that are added one part after another. That of 10,000 names takes some
    10 ms."""

    def __init__(self) -> None:
        self._out: list[str] = []
        self._prefix = ""
        self._runs: list[list[str]] = []  # the first and last digits of each run of the prefix
        self._last = -2

    def add(self, names: Iterable[str]) -> None:
        """Add names behind the others."""
        for name in names:
            stem = name.rstrip("0123456789")
            digits = name[len(stem) :]
            if self._runs and (stem != self._prefix or not digits):
                self._close()
            if not digits or len(digits) > 18:
                self._close()
                self._out.append(name)
                continue
            self._prefix = stem
            self._add_digits(digits)

    def _add_digits(self, digits: str) -> None:
        value, runs = int(digits), self._runs
        padded = digits.startswith("0") or bool(runs and runs[-1][0].startswith("0"))
        joins = value == self._last + 1 and (not padded or len(digits) == len(runs[-1][0]))
        if runs and joins:
            runs[-1] = [runs[-1][0], digits]
        else:
            runs.append([digits])
        self._last = value

    def _close(self) -> None:
        """Write down the numbers of the present prefix."""
        runs, self._runs, self._last = self._runs, [], -2
        if len(runs) == 1 and len(runs[0]) == 1:
            self._out.append(self._prefix + runs[0][0])
        elif runs:
            self._out.append(f"{self._prefix}[{','.join('-'.join(run) for run in runs)}]")

    def text(self) -> str:
        """Return the host list."""
        self._close()
        return ",".join(self._out)


def expand(text: str, most: int = _MAX_HOSTS) -> list[str]:
    """Return the names of a host list, at most so many: `n[01-02,04],head` is `["n01", "n02",
    "n04", "head"]`.

    Raises:
        HostlistError: unbalanced brackets, a range that runs backwards or is absurdly long.
    """
    names: list[str] = []
    for part in _split(text):
        prefix, bracket, rest = part.partition("[")
        if not bracket:
            names.append(part)
            if len(names) > most:
                raise HostlistError(f"'{text[:_SHOWN]}': more than {most} hosts")
            continue
        inside, closing, suffix = rest.partition("]")
        if not closing or "[" in suffix:
            raise HostlistError(f"'{text}': one [range] per name, closed with ']'")
        if len(prefix) + len(suffix) > _MAX_NAME:
            raise HostlistError(f"'{text}': a name of more than {_MAX_NAME} characters")
        numbers = islice(_numbers(inside, text), max(0, most + 1 - len(names)))
        names.extend(f"{prefix}{number}{suffix}" for number in numbers)
        if len(names) > most:
            raise HostlistError(f"'{text[:_SHOWN]}': more than {most} hosts")
    return names


def _split(text: str) -> Iterable[str]:
    depth = start = 0
    for i, char in enumerate(text):
        if char == "[":
            depth += 1
        elif char == "]":
            depth -= 1
        elif char == "," and depth == 0:
            if text[start:i]:
                yield text[start:i]
            start = i + 1
    if depth:
        raise HostlistError(f"'{text}': brackets do not match")
    if text[start:]:
        yield text[start:]


def _numbers(inside: str, text: str) -> Iterable[str]:
    for part in inside.split(","):
        first, dash, last = part.partition("-")
        last = last if dash else first
        if not (_is_number(first) and _is_number(last)):
            raise HostlistError(f"'{text}': '{part}' is not a number or a range")
        if int(last) < int(first) or int(last) - int(first) >= _MAX_HOSTS:
            raise HostlistError(f"'{text}': '{part}' is not a usable range")
        width = len(first) if first.startswith("0") else 0
        for value in range(int(first), int(last) + 1):
            yield f"{value:0{width}d}" if width else str(value)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MAX_NAME


def short_counts(counts: Iterable[int]) -> str:
    """Return a number for each node of a list in Slurm's short form: 2, 2, 1 are "2(x2),1"."""
    runs: list[tuple[int, int]] = []
    for count in counts:
        if runs and runs[-1][0] == count:
            runs[-1] = (count, runs[-1][1] + 1)
        else:
            runs.append((count, 1))
    return ",".join(f"{count}(x{times})" if times > 1 else str(count) for count, times in runs)
