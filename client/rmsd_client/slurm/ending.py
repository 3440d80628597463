"""The ends of Slurm's commands: errors, in Slurm's words, and exit codes."""

from __future__ import annotations

import sys

from rmsd_client import stdout
from rmsd_client.cli import printable
from rmsd_client.errors import EXIT_SIGNAL, ApiError, ClientError, NotPermitted, Unreachable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_SIGINT, _SIGPIPE = 2, 13

NO_CONTROLLER = "Unable to contact slurm controller (connect failure)"
INVALID_JOB = "Invalid job id specified"


class SlurmError(Exception):
    """A command failed. `lines` go to standard error as they are."""

    def __init__(self, *lines: str, code: int = 1) -> None:
        super().__init__(*lines)
        self.lines = lines
        self.code = code


def reason_of(error: ClientError) -> str:
    """Return the reason for a failed call in Slurm's words, or in the daemon's."""
    if isinstance(error, Unreachable):
        return NO_CONTROLLER
    if isinstance(error, NotPermitted) or (isinstance(error, ApiError) and error.status == 403):
        return "Access/permission denied"
    if isinstance(error, ApiError) and error.status == 404:
        return INVALID_JOB
    return str(error)


def run(program: str, command: Callable[[Sequence[str]], int], failed: str = "") -> int:
    """Run a command on the process's arguments, and return its exit code. `failed` is what the
    command says of a call to the daemon that fails."""
    stdout.mark_errors()
    try:
        code = command(sys.argv[1:])
        sys.stdout.flush()
    except SlurmError as error:
        tell(*error.lines)
        return error.code
    except stdout.StdoutError as error:
        stdout.abandon()
        tell(f"{program}: error: {error}")
        return 1
    except ClientError as error:
        what = failed or f"{program}: error"
        tell(f"{what}: {reason_of(error)}")
        if isinstance(error, Unreachable) and str(error):
            tell(f"{program}: {error}")
        return 1
    except BrokenPipeError:
        stdout.abandon()
        return EXIT_SIGNAL + _SIGPIPE
    except KeyboardInterrupt:
        return EXIT_SIGNAL + _SIGINT
    return code


def tell(*lines: str) -> None:
    """Print lines on standard error."""
    sys.stdout.flush()
    for line in lines:
        print(printable(line), file=sys.stderr)
