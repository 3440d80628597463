"""The options of sacct by which few commands choose jobs."""

from __future__ import annotations

from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_client.slurm.fields.account_fields import BY_NAME
from rmsd_client.slurm.words import jobs as of
from rmsd_client.slurm.words.account_row import Row
from rmsd_wire.durations import DurationError, parse_time_limit_s

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    Job = dict[str, Any]
    Test = Callable[[Job], bool]


def filtered(jobs: Iterable[Job], options: Mapping[str, str]) -> list[Job]:
    """Return the jobs that fit all of these options.

    Raises:
        SlurmError: a value is none.
    """
    tests = [test_of(options[name]) for name, test_of in _TESTS.items() if options.get(name)]
    if "timelimit-min" in options:
        tests.append(_limit(options["timelimit-min"], options.get("timelimit-max")))
    return [job for job in jobs if all(test(job) for test in tests)]


def _words(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


def _constraints(text: str) -> Test:
    """Return whether a job has asked for all of the features."""
    return lambda job: all(word in (job["constraint"] or "") for word in _words(text))


def _flags(text: str) -> Test:
    wanted = {word.lower() for word in _words(text)}
    shown = BY_NAME["flags"].show
    return lambda job: bool(wanted & set(shown(Row(job)).lower().split(",")))


def _groups(text: str) -> Test:
    import grp

    wanted: set[int] = set()
    for word in _words(text):
        try:
            wanted.add(int(word) if word.isdigit() else grp.getgrnam(word).gr_gid)
        except (KeyError, ValueError):
            raise SlurmError(f"sacct: error: Invalid group id: {word}") from None
    return lambda job: of.group_of(job["user"])[1] in wanted


def _limit(least: str, most: str | None) -> Test:
    """Return whether a job has this limit or, with `most`, one between. Slurm passes over the
    longest limit alone."""
    low_s, high_s = _seconds(least), _seconds(least if most is None else most)
    return lambda job: job["time_limit_s"] is not None and low_s <= job["time_limit_s"] <= high_s


def _seconds(text: str) -> float:
    try:
        found = parse_time_limit_s(text)
    except DurationError:
        raise SlurmError("sacct: fatal: Invalid time limit specification") from None
    return float("inf") if found is None else found


_TESTS: Mapping[str, Callable[[str], Test]] = {
    "associations": lambda text: lambda _: "0" in _words(text),
    "constraints": _constraints,
    "flags": _flags,
    "gid": _groups,
    "wckeys": lambda _: lambda _: False,
}
"""The tests of jobs, by the options that have a value for them."""
