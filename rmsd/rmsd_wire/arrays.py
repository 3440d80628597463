"""Job arrays as people write them: `0-15:4%2,20`, and their tasks as `12_3` and `12_[3-5,7]`.
Standard library only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

MAX_INDEX = 4_000_000
"""The highest index of a task, as in Slurm."""
MOST_TASKS = 1_000_000
"""The most tasks of an array."""
MOST_CHARACTERS = 64 << 10
"""The longest text of an array."""
_MOST_MIXED = 10_000
"""The most tasks in parts of a list that overlap and have steps: these are put in order one by
one."""
_SHOWN_CHARACTERS = 64
"""The longest list of waiting tasks that is shown, as in Slurm."""

Run = tuple[int, int, int]
"""Indices in a progression: the first, the last, and the step."""


class ArrayError(ValueError):
    """The text describes no array; the message says why."""


class ArrayText(NamedTuple):
    """The indices of an array as progressions, which ascend and do not overlap, and how many of the
    tasks may run at a time (None: all)."""

    runs: tuple[Run, ...]
    limit: int | None


class TaskNames(NamedTuple):
    """A job's number, or some tasks of an array by index. runs None: the whole job or array."""

    job_id: int
    runs: tuple[Run, ...] | None


def parse_array(text: str) -> ArrayText:
    """Return the array that `text` describes.

    Raises:
        ArrayError: the text describes none.
    """
    if len(text) > MOST_CHARACTERS:
        raise ArrayError(f"an array is described by at most {MOST_CHARACTERS} characters")
    limit: int | None = None
    parts: list[str] = []
    for part in text.split(","):
        indices, percent, most = part.partition("%")
        parts.append(indices)
        if percent:
            if limit is not None:
                raise ArrayError(f"'{_cut(text)}' has two limits (%); an array has one")
            limit = _number(most, text)
            if not limit:
                raise ArrayError(f"'{_cut(text)}': the limit after % must be at least 1")
    return ArrayText(parse_indices(",".join(parts)), limit)


def parse_indices(text: str) -> tuple[Run, ...]:
    """Return the indices in a list such as `0-15:4,20`.

    Raises:
        ArrayError: the text is no such list, or has too many indices.
    """
    runs = [_run(part, text) for part in text.split(",")]
    if sum((last - first) // step + 1 for first, last, step in runs) > MOST_TASKS:
        raise ArrayError(f"'{_cut(text)}' has more than {MOST_TASKS} tasks")
    runs.sort()
    if any(one[1] >= other[0] for one, other in pairwise(runs)):
        return _disjoint(runs, text)
    return tuple(runs)


def _disjoint(runs: list[Run], text: str) -> tuple[Run, ...]:
    """Return the indices of progressions that overlap, and are in the order of their firsts."""
    if all(step == 1 for _, _, step in runs):
        merged: list[Run] = []
        for first, last, _ in runs:
            if merged and first <= merged[-1][1] + 1:
                merged[-1] = (merged[-1][0], max(last, merged[-1][1]), 1)
            else:
                merged.append((first, last, 1))
        return tuple(merged)
    if sum(len(_indices(run)) for run in runs) > _MOST_MIXED:
        raise ArrayError(f"'{_cut(text)}' has parts with steps that overlap; give each task once")
    return in_runs(sorted({index for run in runs for index in _indices(run)}))


def _run(part: str, text: str) -> Run:
    span, colon, step_text = part.partition(":")
    first_text, dash, last_text = span.partition("-")
    first = _number(first_text, text)
    last = _number(last_text, text) if dash else first
    step = _number(step_text, text) if colon else 1
    if last < first:
        raise ArrayError(f"'{_cut(text)}': {first}-{last} runs backwards")
    if not step or (colon and not dash):
        raise ArrayError(f"'{_cut(text)}': '{_cut(part)}' has no usable step")
    if last > MAX_INDEX:
        raise ArrayError(f"'{_cut(text)}': the highest index is {MAX_INDEX}")
    last -= (last - first) % step
    return (first, last, step if last > first else 1)


def _number(text: str, whole: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 10):
        raise ArrayError(
            f"'{_cut(whole)}' is no list of indices; write 0-15, 1,3,5, 0-20:5, or 0-99%10"
        )
    return int(text)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}..."


def _indices(run: Run) -> range:
    first, last, step = run
    return range(first, last + 1, step)


def in_runs(indices: Iterable[int]) -> tuple[Run, ...]:
    """Return ascending indices as progressions. Two indices alone make none with a step."""
    runs: list[list[int]] = []  # first, last, step, count
    for index in indices:
        if runs:
            first, last, step, count = runs[-1]
            if count == 1 or index - last == step:
                runs[-1] = [first, index, index - last, count + 1]
                continue
            if count == 2 and step > 1:
                runs[-1:] = [[first, first, 1, 1], [last, index, index - last, 2]]
                continue
        runs.append([index, index, 1, 1])
    return tuple(_told(runs))


def _told(runs: list[list[int]]) -> Iterator[Run]:
    for first, last, step, count in runs:
        if count == 2 and step > 1:
            yield (first, first, 1)
            yield (last, last, 1)
        else:
            yield (first, last, step)


def indices_text(runs: Iterable[Run]) -> str:
    """Return progressions as people write them."""
    return ",".join(map(_run_text, runs))


def _run_text(run: Run) -> str:
    first, last, step = run
    if first == last:
        return str(first)
    return f"{first}-{last}" if step == 1 else f"{first}-{last}:{step}"


def waiting_text(runs: Iterable[Run], limit: int | None) -> str:
    """Return the tasks that wait as `squeue` shows them: `0-15%2`. Long lists are cut. Return ""
    if no task waits."""
    text = ""
    for run in runs:
        more = _run_text(run)
        if len(text) + len(more) >= _SHOWN_CHARACTERS:
            text += ",..."
            break
        text += f",{more}" if text else more
    return text if limit is None or not text else f"{text}%{limit}"


def parse_tasks(text: str) -> TaskNames:
    """Return the job, or the tasks of an array, that `12`, `12_3` or `12_[3-5,7]` names.

    Raises:
        ArrayError: the text names none.
    """
    job_text, underscore, rest = text.partition("_")
    if not (job_text.isascii() and job_text.isdigit() and len(job_text) < 20):
        raise ArrayError(f"'{_cut(text)}' is no number of a job")
    job_id = int(job_text)
    if not underscore:
        return TaskNames(job_id, None)
    if rest.startswith("[") and rest.endswith("]"):
        rest = rest[1:-1]
    elif not rest.isdigit():
        raise ArrayError(f"'{_cut(text)}' names no tasks; write 12_3 or 12_[3-5,7]")
    return TaskNames(job_id, parse_indices(rest.partition("%")[0]))


def split_names(text: str) -> list[str]:
    """Return the names of jobs and tasks in a list: `12_[3-5,7],14` has two."""
    names, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character == "[") - (character == "]")
        if character == "," and depth <= 0:
            names.append(text[start:at])
            start = at + 1
    return [name.strip() for name in (*names, text[start:]) if name.strip()]
