"""Arguments of Python as the options of a command, so that both are checked and meant alike."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from os import PathLike
from typing import Literal, NoReturn, TypedDict

from rmsd_cli.errors import CommandUsageError

PathName = str | PathLike[str]

Option = str | float | bool | PathLike[str] | Sequence[str] | None


class TraceChanges(TypedDict, total=False):
    """The changes to a trace before it is run: the options of that name of `rmsd simulate`."""

    procs: int | None
    strict: bool
    jobs: int | None
    load: float | None
    closed_loop: bool
    estimates: Literal["user", "exact"]
    kill_at_estimate: bool


class MeasureOptions(TypedDict, total=False):
    """The way a schedule is measured: the options of that name of `rmsd simulate`."""

    trim: Literal["none", "thesis"]
    long_above: int
    wide_above: int
    short_up_to: int | None


class RunOptions(TraceChanges, MeasureOptions, total=False):
    """Both: how the trace is changed, and how the schedule is measured."""


class _RaisingParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise CommandUsageError(message)


def options_of(
    add_arguments: Callable[[argparse.ArgumentParser], None],
    *positional: PathName,
    action: str | None = None,
    **given: Option,
) -> argparse.Namespace:
    """Return the options of a command as its own parser makes them. None and False stand for an
    option that is not given, a list for one that is given several times. `action`: of a command
    that has several.

    Raises:
        CommandUsageError: the command has no such option, or does not take the value.
    """
    parser = _RaisingParser(prog="rmsd_lab", add_help=False, allow_abbrev=False)
    add_arguments(parser)
    words = [] if action is None else [action]
    for name, value in given.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(option)
        elif isinstance(value, list | tuple):
            words += [f"{option}={one}" for one in value]
        elif value is not None and value is not False:
            words.append(f"{option}={value}")
    return parser.parse_args([*words, "--", *map(str, positional)])
