"""Options in a script: `#RSUB` lines, and the `#SBATCH` lines of scripts written for Slurm."""

from __future__ import annotations

from rmsd_client.errors import UsageError
from rmsd_client.submit.options import Words, pass_over
from rmsd_wire.sizes import slurms_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rmsd_client.submit.options import FoundOption, Settings

_PBS_LINES = "lines of PBS are not read; the qsub that `rmsd pbs-commands` writes reads them"
_OTHER_LINES = "lines of another batch system are not read; write #RSUB or #SBATCH lines"
_FOREIGN = {"#PBS": _PBS_LINES, "#BSUB": _OTHER_LINES, "#$": _OTHER_LINES}
_LATE = "options behind the first command have no effect; move them above it"
_MOST_PROBLEMS = 20  # problems shown of one script
_LONGEST_LINE = 1 << 16
"""The most characters of a line of options. The time that shlex takes for a word grows with the
square of the word's length."""


def parse_directives(script: str, name: str, warn: Callable[[str], None]) -> Settings:
    """Return the settings of a script; `#RSUB` wins over `#SBATCH`, and a later line over an
    earlier one.

    The block ends at the first line that is neither blank nor a comment. `warn` is called for
    `#SBATCH` options that are ignored, because the same job runs without them, and for lines that
    look like options and are not read.

    Raises:
        UsageError: any other unknown option, a malformed line or value; all of them are told, with
            `name` and the line's number.
    """
    settings: dict[str, Settings] = {"#SBATCH": {}, "#RSUB": {}}
    problems: list[str] = []
    for number, kind, text in _lines(script):
        origin = f"{name}:{number}: {kind}"
        try:
            walk = Words(split_words(text, origin))
        except UsageError as error:
            problems.append(str(error))
            continue
        warnings: list[str] = []
        told = _read_line(walk, kind, settings[kind], warnings.append)
        problems += (f"{origin}{problem}" for problem in told)
        for warning in warnings:
            warn(f"{origin} {warning}")
    if problems:
        left = len(problems) - _MOST_PROBLEMS
        more = [f"{name}: and {left} more like these"] if left > 0 else []
        raise UsageError(*problems[:_MOST_PROBLEMS], *more)
    for number, kind, reason in _unread(script):
        warn(f"{name}:{number}: {kind}: {reason}")
    return {**settings["#SBATCH"], **settings["#RSUB"]}


def _lines(script: str) -> Iterator[tuple[int, str, str]]:
    """Yield line number, `#RSUB` or `#SBATCH`, and the rest of the line."""
    for number, line in enumerate(script.split("\n"), 1):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            return
        for kind in ("#RSUB", "#SBATCH"):
            if _begins_with(line, kind):
                yield number, kind, line[len(kind) :]


def _begins_with(line: str, kind: str) -> bool:
    return line.startswith(kind) and line[len(kind) :][:1].isspace()


def _unread(script: str) -> Iterator[tuple[int, str, str]]:
    """Yield line number, first word and the reason of lines that look like options and are not
    read: the first option of another batch system in a script without any of `rsub`, and the first
    option behind the first command."""
    foreign: tuple[int, str, str] | None = None
    ours = late = False
    for number, line in enumerate(script.split("\n"), 1):
        if not line.startswith("#"):
            late = late or not (line.strip() or "#").startswith("#")
            continue
        kind = next((one for one in ("#RSUB", "#SBATCH", *_FOREIGN) if _begins_with(line, one)), "")
        if not kind:
            continue
        if kind not in _FOREIGN:
            ours = True
            if late:
                yield number, kind, _LATE
                break
        elif foreign is None and not late and line[len(kind) :].lstrip().startswith("-"):
            foreign = number, kind, _FOREIGN[kind]
    if foreign is not None and not ours:
        yield foreign


def split_words(text: str, origin: str) -> list[str]:
    """Return the shell words; a word that begins with `#` starts a comment.

    Raises:
        UsageError: the quotes do not match, or the line is too long.
    """
    if len(text) > _LONGEST_LINE:
        raise UsageError(
            f"{origin}: the line has {len(text)} characters; options may have {_LONGEST_LINE}"
        )
    text = _before_comment(text)
    if "'" in text or '"' in text or "\\" in text:
        import shlex  # needed for few scripts

        try:
            return shlex.split(text)
        except ValueError as error:
            raise UsageError(f"{origin}{text}: {str(error).lower()}") from None
    return text.split()


def _before_comment(text: str) -> str:
    """Return the text before a comment. shlex cannot find the comment. Quotes in the comment need
    not match, and the words that shlex returns do not tell which `#` was quoted."""
    quote, escaped, in_word = "", False, False
    for i, char in enumerate(text):
        if escaped:
            escaped = False
        elif char == "\\" and quote != "'":
            escaped = in_word = True
        elif quote:
            quote = "" if char == quote else quote
        elif char == "#" and not in_word:
            return text[:i]
        else:
            quote = char if char in "'\"" else ""
            in_word = not char.isspace()
    return text


def _read_line(
    words: Words, kind: str, settings: Settings, warn: Callable[[str], None]
) -> list[str]:
    """Read the options of one line into `settings`. Returns what is wrong with them."""
    problems = []
    try:
        for found in words.options():
            try:
                _read_option(found, words, kind, settings, warn)
            except UsageError as error:
                problems.append(f" {error}")
    except UsageError as error:  # a problem of the walk, which ends
        return [*problems, f" {error}"]
    if words.rest or words.dashes:
        stray = words.rest[0] if words.rest else "--"
        problems.append(f": '{stray}' is not an option")
    return problems


def _read_option(
    found: FoundOption, words: Words, kind: str, settings: Settings, warn: Callable[[str], None]
) -> None:
    option = found.option
    if option is not None and option.everywhere:
        if found.text is None:
            raise UsageError(f"{found.flag}: expected a value: {option.meta}")
        is_memory = kind == "#SBATCH" and option.dest == "mem"
        text = slurms_size(found.text) if is_memory else found.text
        settings[option.dest] = option.value(text, found.written)
        return
    try:
        if kind == "#RSUB" or option is not None:
            raise UsageError(f"{found.flag}: there is no such option in a script")
        warn(pass_over(found, words))
    finally:
        _skip_value(words)


def _skip_value(words: Words) -> None:
    while words.rest and not words.rest[0].startswith("-"):
        words.rest.pop(0)
