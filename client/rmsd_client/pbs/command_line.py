"""Command lines as PBS's commands read them: getopt(3) over a literal table of letters."""

from __future__ import annotations

from rmsd_client.console.cli import tell
from rmsd_client.pbs.ending import USAGE, PbsError
from rmsd_client.pbs.site import MODE_VARIABLE, VERSION, mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SAME, DIFFERS, IGNORED, REFUSED = "same", "differs", "no effect", "refused"
"""The fates of options, as those of Slurm's commands."""


class PbsOption:
    """An option of a command: its letter, the name of its value ("" for one without), what becomes
    of it, and what differs or what to do instead."""

    __slots__ = ("fate", "letter", "note", "value")

    def __init__(self, letter: str, value: str = "", fate: str = SAME, note: str = "") -> None:
        self.letter = letter
        self.value = value
        self.fate = fate
        self.note = note


Found = tuple[str, str]
"""A letter and its value; "" for an option without one."""


class PbsTable:
    """The options of a command. `operands`: the words behind them, for the usage."""

    def __init__(self, program: str, operands: str, options: Sequence[PbsOption]) -> None:
        self.program = program
        self.operands = operands
        self.options = options
        self.by_letter = {option.letter: option for option in options}

    def read(self, argv: Sequence[str], *, permute: bool = False) -> tuple[list[Found], list[str]]:
        """Return the options of a command line, and its other words. With `permute` options are
        also looked for behind these.

        Raises:
            PbsError: an unknown option, a value that is missing, or an option without which
                another job would run.
        """
        words = list(argv)
        found: list[Found] = []
        rest: list[str] = []
        while words:
            word = words.pop(0)
            if word == "--":
                rest += words
                break
            if word.startswith("-") and word != "-":
                found += self._cluster(word[1:], words)
                continue
            rest.append(word)
            if not permute:
                rest += words
                break
        return [one for one in found if not self._is_passed_over(one[0])], rest

    def _cluster(self, letters: str, words: list[str]) -> list[Found]:
        found: list[Found] = []
        while letters:
            letter, letters = letters[0], letters[1:]
            option = self.by_letter.get(letter)
            if option is None:
                raise self.misused(f"invalid option -- '{letter}'")
            if not option.value:
                found.append((letter, ""))
                continue
            if not letters and not words:
                raise self.misused(f"option requires an argument -- '{letter}'")
            return [*found, (letter, letters or words.pop(0))]
        return found

    def _is_passed_over(self, letter: str) -> bool:
        option = self.by_letter[letter]
        return pass_over(self.program, f"-{letter}", option.fate, option.note)

    def misused(self, *problems: str) -> PbsError:
        """Return the error for a wrong command line: what is wrong, and the usage."""
        told = [f"{self.program}: {problem}" for problem in problems]
        return PbsError(*told, self.usage(), code=USAGE)

    def usage(self) -> str:
        """Return the line that says which options there are."""
        words = [
            f"[-{option.letter}{f' {option.value}' if option.value else ''}]"
            for option in self.options
            if option.fate != REFUSED
        ]
        return f"usage: {self.program} {' '.join(words)} {self.operands}"


def pass_over(program: str, what: str, fate: str, note: str) -> bool:
    """Return whether something that was asked for has no effect.

    Raises:
        PbsError: another job would run without it, or the mode is strict.
    """
    if fate != REFUSED and not (fate == IGNORED and mode() == "strict"):
        return fate == IGNORED
    told = f"{what}{f' ({note})' if note else ''}"
    if mode() == "lenient":
        tell(f"{program}: warning: {told} has no effect here")
        return True
    raise PbsError(
        f"{program}: {told} is not supported: without it another job would run; "
        f"{MODE_VARIABLE}=lenient passes over it",
        code=USAGE,
    )


def asks_for_version(argv: Sequence[str]) -> bool:
    """Print the version if that is all that is asked for."""
    if list(argv) != ["--version"]:
        return False
    print(f"pbs_version = {VERSION}")
    return True


def asks_for_help(table: PbsTable, argv: Sequence[str]) -> bool:
    """Print the options and what becomes of them if that is all that is asked for."""
    if list(argv) != ["--help"]:
        return False
    print(table.usage(), "\n\noptions:", sep="")
    for option in table.options:
        fate = "" if option.fate == SAME else option.fate
        about = ": ".join(filter(None, (fate, option.note)))
        print(f"  -{option.letter} {option.value:20} {about}".rstrip())
    return True
