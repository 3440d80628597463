"""Errors that end a command with a message and a documented exit code."""

from __future__ import annotations

import sys

from rmsd_client.console.cli import printable
from rmsd_client.errors import ClientError

EXIT_FAILURE = 1
EXIT_USAGE = 2

INSTALL_LAB = "pip install '.[lab]' in rmsd's folder"
"""The advice in messages if a package of the extra is missing."""


def fail(command: str, message: str, code: int) -> int:
    """Print the error with which `rmsd COMMAND` ends on stderr; return its exit code."""
    print(f"rmsd {command}: error: {printable(message)}", file=sys.stderr)
    return code


class CommandError(Exception):
    """A command failed. Shown as `rmsd: error: MESSAGE`; the command exits with `exit_code`."""

    def __init__(self, message: str, exit_code: int = EXIT_FAILURE) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def told_by(error: ClientError) -> CommandError:
    """Return the error for a client's error. Its words may be those of the server."""
    return CommandError(printable(str(error)), error.exit_code)


class CommandUsageError(CommandError):
    """The command line asks for something impossible."""

    def __init__(self, message: str) -> None:
        super().__init__(message, EXIT_USAGE)
