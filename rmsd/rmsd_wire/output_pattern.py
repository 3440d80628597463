"""The letters in the name of an output file: `%j` and others. Standard library only."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LETTERS = "jAaxuNntsr%"

KNOWN = (
    "there are %j (the job's number), %A (that of its array) and %a (its index there), %x (its "
    "name), %u (user), %N (first node), %n (its place among the nodes, 0), %t (task, 0), %s (step, "
    "batch), %r (attempt) and %% (a percent sign); %5j has zeros before the number"
)

MOST_DIGITS = 10
"""The most digits that the zeros before a number may fill up, as in Slurm."""


def letters_of(pattern: str) -> list[str]:
    """Return the letters that follow a `%`, in order; "" for a `%` at the end."""
    return [letter for *_, letter in _parts(pattern)]


def unknown_letter(pattern: str) -> str | None:
    """Return the first letter that stands for nothing ("" for a `%` at the end), None if there is
    none."""
    for letter in letters_of(pattern):
        if not letter or letter not in LETTERS:
            return letter
    return None


def fill(pattern: str, values: Mapping[str, str]) -> str:
    """Return the pattern with a value in the place of each letter. A number gets zeros in front, up
    to the width before its letter. Raises KeyError for a letter without a value."""
    filled, end = [], 0
    for at, digits, letter in _parts(pattern):
        value = values[letter]
        if digits and letter in "jAantr" and value.isdigit():
            value = value.zfill(min(int(digits[:MOST_DIGITS]), MOST_DIGITS))
        filled += [pattern[end:at], value]
        end = at + 1 + len(digits) + len(letter)
    return "".join([*filled, pattern[end:]])


def _parts(pattern: str) -> Iterator[tuple[int, str, str]]:
    """Yield where each `%` stands, with the digits and the letter behind it."""
    end = 0
    while (at := pattern.find("%", end)) >= 0:
        behind = at + 1
        while pattern[behind : behind + 1] in tuple("0123456789"):
            behind += 1
        end = behind + 1
        yield at, pattern[at + 1 : behind], pattern[behind:end]
