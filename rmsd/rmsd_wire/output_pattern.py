"""The letters in the name of an output file: `%j` and others. Standard library only."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LETTERS = "jAxuNtr%"

KNOWN = (
    "there are %j and %A (the job's number), %x (its name), %u (user), %N (first node), "
    "%t (task, 0), %r (attempt) and %% (a percent sign)"
)


def letters_of(pattern: str) -> list[str]:
    """Return the letters that follow a `%`, in order; "" for a `%` at the end."""
    return [letter for _, letter in _parts(pattern)]


def unknown_letter(pattern: str) -> str | None:
    """Return the first letter that stands for nothing ("" for a `%` at the end), None if there is
    none."""
    for letter in letters_of(pattern):
        if not letter or letter not in LETTERS:
            return letter
    return None


def fill(pattern: str, values: Mapping[str, str]) -> str:
    """Return the pattern with a value in the place of each letter. Raises KeyError for a letter
    without a value."""
    filled, end = [], 0
    for at, letter in _parts(pattern):
        filled += [pattern[end:at], values[letter]]
        end = at + 2
    return "".join([*filled, pattern[end:]])


def _parts(pattern: str) -> Iterator[tuple[int, str]]:
    """Yield where each `%` stands, with the letter behind it."""
    at = -2
    while (at := pattern.find("%", at + 2)) >= 0:
        yield at, pattern[at + 1 : at + 2]
