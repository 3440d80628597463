"""The commands that scontrol reads on standard input, one a line."""

from __future__ import annotations

import re
import sys

from rmsd_client.console.cli import tell
from rmsd_client.console.stdout import StdoutError
from rmsd_client.errors import ClientError
from rmsd_client.slurm.command_lines.ending import SlurmError, failure_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Options = dict[str, str]

_PROMPT = "scontrol: "
_ENDS = ("exit", "quit")
_AGAIN = "!!"
_WORD = re.compile(r"""(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^\s"'])+""")
"""A word. Blanks in quotes are part of it, and the quotes too, as in Slurm."""
_SWITCHES = {
    "all": ("all", ""),
    "details": ("details", ""),
    "hide": ("hide", ""),
    "oneliner": ("oneliner", ""),
    "quiet": ("quiet", "verbose"),
    "verbose": ("verbose", "quiet"),
}
"""The commands that switch an option on for those behind them, and the option that each switches
off."""


def carry_out_lines(
    carry_out: Callable[[Sequence[str], Options], int], options: Options, failed: str
) -> int:
    """Carry out the commands on standard input until its end, `exit` or `quit`. Returns 1 if one of
    them failed. `failed`: see `failure_of`.

    Each line is written behind the prompt, as Slurm does it where no terminal shows what is typed.
    """
    code, latest, is_typed = 0, "", sys.stdin.isatty()
    print(end=_PROMPT, flush=True)
    for line in sys.stdin.buffer:
        text = line.decode("utf-8", "replace").strip()
        if not is_typed:
            print(text)
        latest = latest if text == _AGAIN else text
        words = _WORD.findall(latest)
        if words[:1] and words[0].lower() in _ENDS:
            return code
        code |= _code_of(carry_out, words, options, failed)
        print(end=_PROMPT, flush=True)
    print()
    return code


def _code_of(
    carry_out: Callable[[Sequence[str], Options], int],
    words: Sequence[str],
    options: Options,
    failed: str,
) -> int:
    """Carry out one command, and tell its error; returns its exit code."""
    if not words:
        return 0
    if words[0].lower() in _SWITCHES:
        on, off = _SWITCHES[words[0].lower()]
        options[on] = ""
        options.pop(off, None)
        return 0
    try:
        return carry_out(words, options)
    except SlurmError as error:
        tell(*error.lines)
    except StdoutError:
        raise
    except ClientError as error:
        tell(*failure_of("scontrol", failed, error).lines)
    return 1
