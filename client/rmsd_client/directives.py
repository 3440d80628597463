"""Options in a script: `#RSUB` lines, and the `#SBATCH` lines of scripts written for Slurm."""

from __future__ import annotations

from rmsd_client.errors import UsageError
from rmsd_client.options import Words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rmsd_client.options import Found, Settings

_PASSED_OVER = frozenset(
    (
        *("-A", "--account", "-p", "--partition", "-q", "--qos", "--nice", "--priority"),
        *("--wckey", "--mcs-label", "--mail-type", "--mail-user", "--acctg-freq", "--profile"),
        *("--hint", "--mem-bind", "--cpu-freq", "--switches", "-s", "--oversubscribe"),
        *("--time-min", "--ignore-pbs", "-v", "--verbose"),
    )
)
"""The options of Slurm without which the same job runs: account, queue, mail, tuning."""


def parse_directives(script: str, name: str, warn: Callable[[str], None]) -> Settings:
    """Return the settings of a script; `#RSUB` wins over `#SBATCH`, and a later line over an
    earlier one.

    The block ends at the first line that is neither blank nor a comment. `warn` is called for
    `#SBATCH` options that are ignored, because the same job runs without them.

    Raises:
        UsageError: any other unknown option, a malformed line or value; `name` and the line's
            number are in the message.
    """
    settings: dict[str, Settings] = {"#SBATCH": {}, "#RSUB": {}}
    for number, kind, text in _lines(script):
        origin = f"{name}:{number}: {kind}"
        walk = Words(_split(text, origin))
        _read_line(walk, kind, origin, settings[kind], warn)
    return {**settings["#SBATCH"], **settings["#RSUB"]}


def _lines(script: str) -> Iterator[tuple[int, str, str]]:
    """Yield line number, `#RSUB` or `#SBATCH`, and the rest of the line."""
    for number, line in enumerate(script.split("\n"), 1):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            return
        for kind in ("#RSUB", "#SBATCH"):
            if line.startswith(kind) and line[len(kind) :][:1].isspace():
                yield number, kind, line[len(kind) :]


def _split(text: str, origin: str) -> list[str]:
    """Return the shell words; a word that begins with `#` starts a comment."""
    text = _before_comment(text)
    if "'" in text or '"' in text or "\\" in text:
        import shlex  # needed for few scripts

        try:
            return shlex.split(text)
        except ValueError as error:
            raise UsageError(f"{origin}{text}: {str(error).lower()}") from None
    return text.split()


def _before_comment(text: str) -> str:
    """Return the text before a comment. shlex cannot find the comment: quotes in it need not match,
    and the words that shlex returns do not tell which `#` was quoted."""
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
    words: Words, kind: str, origin: str, settings: Settings, warn: Callable[[str], None]
) -> None:
    try:
        for found in words.options():
            option = found.option
            if option is None or not option.everywhere:
                _check_may_be_passed_over(found, kind)
                warn(f"{origin} {found.flag}: rsub has no such option, the job does without it")
                _skip_value(words)
            elif found.text is None:
                raise UsageError(f"{found.flag}: expected a value: {option.meta}")
            else:
                settings[option.dest] = option.value(found.text, found.written)
    except UsageError as error:
        raise UsageError(f"{origin} {error}") from None
    if words.rest or words.dashes:
        stray = words.rest[0] if words.rest else "--"
        raise UsageError(f"{origin}: '{stray}' is not an option")


def _check_may_be_passed_over(found: Found, kind: str) -> None:
    if kind == "#RSUB":
        raise UsageError(f"{found.flag}: there is no such option in a script")
    if found.flag not in _PASSED_OVER:
        raise UsageError(
            f"{found.flag}: rsub has no such option, and without it another job would run; "
            "take it out of the script if that is as good"
        )


def _skip_value(words: Words) -> None:
    while words.rest and not words.rest[0].startswith("-"):
        words.rest.pop(0)
