"""Command lines as Slurm's commands read them: getopt_long(3) over a literal table of options."""

from __future__ import annotations

from rmsd_client.slurm.command_lines.ending import SlurmError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NO, YES, MAYBE = "", "=", "=?"
"""The kinds of options: without a value, with one, or perhaps with one behind a `=`."""

SAME, DIFFERS, IGNORED, REFUSED = "same", "differs", "no effect", "refused"
"""The fates of options: one does what it does in Slurm, or nearly, as its note says. Or it is
passed over, since the same comes about without it; or it is an error."""


class Opt:
    """An option of a command. `note` says what differs, or what to do instead."""

    __slots__ = ("fate", "long", "note", "short", "value", "variable")

    def __init__(
        self,
        short: str,
        long: str,
        value: str,
        fate: str = SAME,
        note: str = "",
        variable: str = "",
    ) -> None:
        self.short = short
        self.long = long
        self.value = value
        self.fate = fate
        self.note = note
        self.variable = variable


Found = tuple[Opt, "str | None"]


class Table:
    """The options of a command, by their names."""

    def __init__(self, program: str, options: Sequence[Opt], error_code: int = 1) -> None:
        self.program = program
        self.options = options
        self.error_code = error_code
        self.by_long = {option.long: option for option in options if option.long}
        self.by_short = {option.short: option for option in options if option.short}

    def read(self, argv: Sequence[str], *, permute: bool) -> tuple[list[Found], list[str]]:
        """Return the options of a command line, and its other words. With `permute` options are
        also looked for behind these.

        Raises:
            SlurmError: an unknown or ambiguous option, or a value that is missing.
        """
        words = list(argv)
        found: list[Found] = []
        rest: list[str] = []
        while words:
            word = words.pop(0)
            if word == "--":
                rest += words
                break
            if word.startswith("--"):
                found.append(self._long(word[2:], words))
            elif word.startswith("-") and word != "-":
                found += self._cluster(word[1:], words)
            else:
                rest.append(word)
                if not permute:
                    rest += words
                    break
        return found, rest

    def _long(self, text: str, words: list[str]) -> Found:
        name, equals, value = text.partition("=")
        option = self._named(name)
        if equals:
            if option.value == NO:
                raise self._error(f"option '--{option.long}' doesn't allow an argument")
            return option, value
        if option.value == YES:
            if not words:
                raise self._error(f"option '--{option.long}' requires an argument")
            return option, words.pop(0)
        return option, None

    def _named(self, name: str) -> Opt:
        if exact := self.by_long.get(name):
            return exact
        matches = [option for option in self.options if name and option.long.startswith(name)]
        if len(matches) == 1:
            return matches[0]
        if matches:
            names = " ".join(f"'--{option.long}'" for option in matches)
            raise self._error(f"option '--{name}' is ambiguous; possibilities: {names}")
        raise self._error(f"unrecognized option '--{name}'")

    def _cluster(self, letters: str, words: list[str]) -> Iterator[Found]:
        while letters:
            letter, letters = letters[0], letters[1:]
            option = self.by_short.get(letter)
            if option is None:
                raise self._error(f"invalid option -- '{letter}'")
            if option.value == NO:
                yield option, None
                continue
            if letters or option.value == MAYBE:
                yield option, letters or None
                return
            if not words:
                raise self._error(f"option requires an argument -- '{letter}'")
            yield option, words.pop(0)

    def _error(self, what: str) -> SlurmError:
        return SlurmError(
            f"{self.program}: {what}",
            f'Try "{self.program} --help" for more information',
            code=self.error_code,
        )


def check_supported(table: Table, found: Sequence[Found]) -> None:
    """Raise SlurmError if one of the options of a list is refused: another text would be shown."""
    for option, _ in found:
        if option.fate == REFUSED:
            what = f"--{option.long} is not supported here; {option.note}"
            raise SlurmError(f"{table.program}: error: {what}")


def help_of(table: Table, usage: str) -> str:
    """Return the help of a command: its options, and what becomes of them."""
    lines = [f"Usage: {usage}", "", "Options:"]
    for option in table.options:
        short = f"-{option.short}" if option.short else ""
        long = f"--{option.long}{'=VALUE' if option.value else ''}" if option.long else ""
        names = ", ".join(filter(None, (short, long)))
        fate = "" if option.fate == SAME else option.fate
        lines.append(f"  {names:34} {': '.join(filter(None, (fate, option.note)))}".rstrip())
    return "\n".join(lines)
