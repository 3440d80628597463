"""`rmsd-complete`: what may follow on a command line. Shells call it at each press of Tab, so that
options come from the very tables that the commands read them by.

    rmsd-complete [--plain] PROGRAM WORD... CURRENT

CURRENT is the word that is being typed, maybe empty. Each candidate is on a line of its own, with a
tabulator and a few words about it unless `--plain` is given. Without candidates nothing is printed,
and the shell proposes files.
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rmsd_cli.completion.values import Candidates, values
from rmsd_client.console.cli import printable

CLIENTS = {
    name: f"rmsd_client.{name}"
    for name in ("rstat", "rdel", "rjob", "rnode", "rlog", "rattach", "rrun", "ralloc")
}
"""The programs whose modules have a `command_parser`."""
PROGRAMS = ("rmsd", "rsub", *CLIENTS)

_LONGEST_ABOUT = 60
_HARMLESS = re.compile(r"[\w.,:=@%+/\[\]-]+", re.ASCII)
"""The words that mean themselves to a shell, in which the user has them inserted. A daemon that
lies could propose others."""


class _Argument(NamedTuple):
    """An option, or a word without one. `flags` are empty for the latter; `takes` says whether the
    next word is its value, which is one of `choices` or found under `dest`."""

    flags: tuple[str, ...]
    dest: str
    about: str
    takes: bool
    choices: tuple[str, ...] = ()
    many: bool = False

    def proposals(self) -> Candidates:
        return dict.fromkeys(self.choices, "") if self.choices else values(self.dest)


def main() -> int:
    """Run the console script. It never fails: the user is amid a line."""
    words = sys.argv[1:]
    plain = words[:1] == ["--plain"]
    try:
        found = candidates(words[1:] if plain else words)
        for word, about in sorted(found.items()):
            if not _HARMLESS.fullmatch(word):
                continue
            text = printable(about)[:_LONGEST_ABOUT]
            print(word + ("" if plain or not text else f"\t{text}"))
        sys.stdout.flush()
    except (BrokenPipeError, KeyboardInterrupt, SystemExit):
        return 0
    return 0


def candidates(words: Sequence[str]) -> Candidates:
    """Return what may stand for the last of `words`, which begin with the program."""
    if len(words) < 2 or words[0] not in PROGRAMS:
        return {}
    program, *before, current = words
    if program == "rmsd":
        return _of_rmsd(before, current)
    arguments = _of_rsub() if program == "rsub" else _of_client(program)
    return _matching(arguments, before, current)


def _matching(arguments: Sequence[_Argument], before: Sequence[str], current: str) -> Candidates:
    options = {flag: argument for argument in arguments for flag in argument.flags}
    if "--" in before:
        return {}
    flag, equals, value = current.partition("=")
    if equals and flag in options:
        proposed = _beginning(options[flag].proposals(), value)
        return {f"{flag}={word}": about for word, about in proposed.items()}
    if before and before[-1] in options and options[before[-1]].takes:
        return _beginning(options[before[-1]].proposals(), current)
    if current.startswith("-"):
        return {
            flag: argument.about
            for flag, argument in options.items()
            if flag.startswith(current) and (len(flag) > 2 or current == flag)
        }
    return _beginning(_positional(arguments, options, before), current)


def _positional(
    arguments: Sequence[_Argument], options: dict[str, _Argument], before: Sequence[str]
) -> Candidates:
    """Return the proposals for the next word that belongs to no option."""
    taken = 0
    is_value = False
    for word in before:
        if not is_value and not word.startswith("-"):
            taken += 1
        is_value = not is_value and word in options and options[word].takes
    for argument in arguments:
        if argument.flags:
            continue
        if taken == 0 or argument.many:
            return argument.proposals()
        taken -= 1
    return {}


def _beginning(proposed: Candidates, text: str) -> Candidates:
    """Return the proposals for a list whose last element is being typed: `n1,n` or `alpha,b`."""
    head, comma, last = text.rpartition(",")
    listed = head.split(",")
    return {
        f"{head}{comma}{word}": about
        for word, about in proposed.items()
        if word.startswith(last) and word not in listed
    }


def _of_rsub() -> list[_Argument]:
    from rmsd_client.submit.options import OPTIONS

    return [
        _Argument(
            (f"--{option.name}", *([f"-{option.short}"] if option.short else [])),
            option.dest,
            option.help,
            bool(option.meta) and not option.optional,
        )
        for option in OPTIONS
    ]


def _of_client(program: str) -> list[_Argument]:
    parser: argparse.ArgumentParser = importlib.import_module(CLIENTS[program]).command_parser()
    return list(_of_parser(parser))


def _of_parser(parser: argparse.ArgumentParser) -> Iterator[_Argument]:
    for action in parser._actions:  # argparse has no other list of its arguments
        if action.help == argparse.SUPPRESS:
            continue
        yield _Argument(
            tuple(action.option_strings),
            action.dest,
            " ".join((action.help or "").replace("%%", "%").split()),
            action.nargs != 0,
            tuple(map(str, action.choices or ())),
            many=action.nargs in ("*", "+", argparse.REMAINDER),
        )


def _of_rmsd(before: Sequence[str], current: str) -> Candidates:
    from rmsd_cli.main import COMMANDS, Commands, command_parser

    commands: Commands = COMMANDS
    name = "rmsd"
    while before and before[0] in commands:
        name = f"{name} {before[0]}"
        module = importlib.import_module(commands[before[0]][0])
        before = before[1:]
        if not hasattr(module, "COMMANDS"):
            return _matching(list(_of_parser(command_parser(name, module))), before, current)
        commands = module.COMMANDS
    if before:
        return {}
    if current.startswith("-"):
        return {flag: "" for flag in ("--help", "--version") if flag.startswith(current)}
    return {word: about for word, (_, about) in commands.items() if word.startswith(current)}


if __name__ == "__main__":
    sys.exit(main())
