"""The errors of clients, as exceptions that know their message and their exit code."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

EXIT_OK = 0
EXIT_FAILURE = 1  # also the exit code for a job that does not exist
EXIT_USAGE = 2
EXIT_NEVER_FITS = 65
EXIT_UNREACHABLE = 75
EXIT_NOT_PERMITTED = 77
EXIT_NOT_STARTED = 127  # a task's program cannot be run, as in shells
EXIT_SIGNAL = 128  # + the signal

LATER = (503, 504, 507)
"""HTTP: the node's agent is not connected, or does not answer, or the daemon's disk is full. That
may pass."""


class ClientError(Exception):
    """A command failed. Its messages are for the user: what, where, and what to do about it."""

    exit_code = EXIT_FAILURE

    @property
    def messages(self) -> Sequence[str]:
        """Return the messages, each of them for a line of its own."""
        return [str(message) for message in self.args]

    def __str__(self) -> str:
        return "; ".join(self.messages)


class UsageError(ClientError):
    """The command line, a directive, a setting or a script is wrong."""

    exit_code = EXIT_USAGE


class Unreachable(ClientError):
    """No daemon answers, also after the retries.

    `sent`: the request, or a part of it, was sent; the daemon may have carried it out.
    """

    exit_code = EXIT_UNREACHABLE

    def __init__(self, message: str, sent: bool = False) -> None:
        super().__init__(message)
        self.sent = sent


class NotPermitted(ClientError):
    """The daemon's socket or the token file may not be opened, or the server is not the daemon."""

    exit_code = EXIT_NOT_PERMITTED


class ApiError(ClientError):
    """The daemon answered with a problem: `status` is of HTTP, `exit_code` for a command.

    `field`: the field of a submit that alone keeps the job from ever running; "" if the error is
    another one, or it is no one field.
    """

    def __init__(
        self, status: int, detail: str, exit_code: int = EXIT_FAILURE, field: str = ""
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.exit_code = exit_code
        self.field = field
