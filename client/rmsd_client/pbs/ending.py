"""The ends of PBS's commands: errors, in the words of OpenPBS, and exit codes.

The exit code for an error of the server is the last byte of its number, as in OpenPBS: 153 for
15001 (unknown job), 170 for 15018 (unknown queue).
"""

from __future__ import annotations

import os
from functools import partial

from rmsd_client.console.cli import CommandFailed, run_as
from rmsd_client.errors import (
    EXIT_NEVER_FITS,
    ApiError,
    ClientError,
    NotPermitted,
    Unreachable,
)
from rmsd_client.pbs.site import MODE_VARIABLE, MODES
from rmsd_wire.pbs_names import SERVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

USAGE = 2
UNKNOWN_JOB = 15001 & 255
UNAUTHORIZED = 15007 & 255
NO_SERVER = 15010 & 255
BAD_STATE = 15016 & 255
UNKNOWN_QUEUE = 15018 & 255
UNKNOWN_RESOURCE = 15035 & 255
EXCEEDS_LIMITS = 15036 & 255
JOB_FINISHED = 15139 & 255


class PbsError(CommandFailed):
    """A command of PBS failed."""


def refusal(program: str, error: ClientError) -> PbsError:
    """Return the error for a call that the daemon refused, in the words of OpenPBS where it has
    some, else in the daemon's."""
    if isinstance(error, Unreachable):
        why = [f"{program}: {error}"] if str(error) else []
        return PbsError(
            "Connection refused",
            f"{program}: cannot connect to server {SERVER} (errno=15010)",
            *why,
            code=NO_SERVER,
        )
    if isinstance(error, NotPermitted) or (isinstance(error, ApiError) and error.status == 403):
        says_why = isinstance(error, NotPermitted) or "token" in str(error)
        more = [f"{program}: {error}"] if says_why and str(error) else []
        return PbsError(f"{program}: Unauthorized Request ", *more, code=UNAUTHORIZED)
    if "there is no partition" in str(error):
        return PbsError(f"{program}: Unknown queue", code=UNKNOWN_QUEUE)
    if isinstance(error, ApiError) and error.exit_code == EXIT_NEVER_FITS:
        return PbsError(
            f"{program}: Job violates queue and/or server resource limits",
            f"{program}: {error}",
            code=EXCEEDS_LIMITS,
        )
    return PbsError(f"{program}: {error}")


def run(program: str, command: Callable[[Sequence[str]], int]) -> int:
    """Run a command on the process's arguments, and return its exit code."""

    def checked(argv: Sequence[str]) -> int:
        check_mode(program)
        return command(argv)

    return run_as(checked, partial(refusal, program))


def check_mode(program: str) -> None:
    """Raise PbsError if the variable of the mode has a value that it does not know."""
    found = os.environ.get(MODE_VARIABLE, "")
    if found.lower() not in ("", *MODES):
        raise PbsError(
            f"{program}: {MODE_VARIABLE} is '{found}': it must be {' or '.join(MODES)}, "
            "or not be set",
            code=USAGE,
        )
