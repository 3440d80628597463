"""The script of a job: from a file, from standard input, or made from a command."""

from __future__ import annotations

import os
import sys

from rmsd_client.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_SCRIPT_BYTES = 64 << 20
"""The size beyond which a script is not even read. The limit that counts is the daemon's."""


def read_script(path: str) -> str:
    """Return the text of a script file.

    Raises:
        UsageError: it cannot be read, or is no script that can run (see `check_script`).
    """
    try:
        with open(path, "rb") as file:
            content = file.read(MAX_SCRIPT_BYTES + 1)
    except FileNotFoundError:
        raise UsageError(
            f"{path}: no such file; to submit a command, not a script, say: rsub -- {path} ..."
        ) from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    return check_script(content, path)


def read_stdin() -> str:
    """Return the script on standard input. Raises UsageError as `read_script`, and on a
    terminal."""
    if sys.stdin.isatty():
        raise UsageError("no script: name a file, pipe one in, or say --wrap COMMAND or -- COMMAND")
    return check_script(sys.stdin.buffer.read(MAX_SCRIPT_BYTES + 1), "stdin")


def check_script(content: bytes, name: str) -> str:
    """Return the script as text.

    Raises:
        UsageError: empty, too long, without `#!`, binary, with DOS line ends, or not UTF-8.
    """
    if len(content) > MAX_SCRIPT_BYTES:
        raise UsageError(f"{name}: the script is longer than {MAX_SCRIPT_BYTES >> 20} MiB")
    if not content.strip():
        raise UsageError(f"{name}: the script is empty")
    if not content.startswith(b"#!"):
        raise UsageError(
            f"{name}: this does not look like a batch script: the first line must start with #! "
            "followed by the path to an interpreter, for instance: #!/bin/sh"
        )
    if b"\0" in content:
        raise UsageError(f"{name}: the script contains a NUL byte: is it a program?")
    if (line := _line_at(content, content.find(b"\r\n"))) > 0:
        raise UsageError(
            f"{name}:{line}: the script has DOS line ends (\\r\\n); convert it with "
            "sed -i 's/\\r$//' or dos2unix"
        )
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = _line_at(content, error.start)
        raise UsageError(f"{name}:{line}: the script is not UTF-8 text") from None


def _line_at(content: bytes, position: int) -> int:
    """Return the number of the line of a position; 0 for a position that was not found (-1)."""
    return 0 if position < 0 else content.count(b"\n", 0, position) + 1


def wrap(command: str) -> str:
    """Return a script that runs a shell command."""
    return f"#!/bin/sh\n{command}\n"


def exec_script(words: Sequence[str]) -> str:
    """Return a script that becomes a program with its arguments.

    The script looks for the program first: the shell's own complaint would name the file of this
    script, which the user has never seen.
    """
    program = _quote(words[0])
    missing = _quote(f"{words[0]}: command not found, or not executable")
    return (
        f"#!/bin/sh\ncommand -v {program} >/dev/null || {{ echo {missing} >&2; exit 127; }}\n"
        f"exec {' '.join(map(_quote, words))}\n"
    )


def _quote(word: str) -> str:
    return "'" + word.replace("'", "'\"'\"'") + "'"


def base_name(path: str) -> str:
    """Return the name of a job after its script or program."""
    return os.path.basename(path.rstrip("/")) or path
