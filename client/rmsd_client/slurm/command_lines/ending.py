"""The ends of Slurm's commands: errors, in Slurm's words, and exit codes."""

from __future__ import annotations

import os

from rmsd_client.console.cli import CommandFailed, run_as
from rmsd_client.console.stdout import StdoutError
from rmsd_client.errors import ApiError, ClientError, NotPermitted, Unreachable
from rmsd_client.slurm.command_lines.site import MODE_VARIABLE, MODES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NO_CONTROLLER = "Unable to contact slurm controller (connect failure)"
INVALID_JOB = "Invalid job id specified"
ALREADY_OVER = "Job/step already completing or completed"
PERMISSION_DENIED = "Access/permission denied"


class SlurmError(CommandFailed):
    """A command of Slurm failed."""


def reason_of(error: ClientError) -> str:
    """Return the reason for a failed call in Slurm's words, or in the daemon's."""
    if isinstance(error, Unreachable):
        return NO_CONTROLLER
    if _is_not_permitted(error):
        return PERMISSION_DENIED
    if isinstance(error, ApiError) and error.status == 404:
        return INVALID_JOB
    return str(error)


def _is_not_permitted(error: ClientError) -> bool:
    return isinstance(error, NotPermitted) or (isinstance(error, ApiError) and error.status == 403)


def run(program: str, command: Callable[[Sequence[str]], int], failed: str = "") -> int:
    """Run a command on the process's arguments, and return its exit code. `failed` is what the
    command says of a call to the daemon that fails."""

    def failure(error: ClientError) -> SlurmError:
        return _with_chosen_code(program, failure_of(program, failed, error))

    def checked(argv: Sequence[str]) -> int:
        check_mode(program)
        try:
            return command(argv)
        except SlurmError as error:
            raise _with_chosen_code(program, error) from None

    return run_as(checked, failure)


_FAILURE = 1


def _with_chosen_code(program: str, error: SlurmError) -> SlurmError:
    """Return the error of a command that runs programs with the exit code that SLURM_EXIT_ERROR
    says, so that scripts tell it from the programs' own codes."""
    if error.code == _FAILURE and program in ("sbatch", "srun", "salloc"):
        error.code = code_of_variable("SLURM_EXIT_ERROR", error.code)
    return error


def code_of_variable(name: str, code: int) -> int:
    """Return the exit code that a variable says, or else `code`. It is never 0, a success."""
    text = os.environ.get(name, "")
    return int(text) & 255 or code if text.isascii() and text.isdigit() and len(text) < 9 else code


def failure_of(program: str, failed: str, error: ClientError) -> SlurmError:
    """Return what a command says of a call to the daemon that fails."""
    if isinstance(error, StdoutError):
        return SlurmError(f"{program}: error: {error}")
    lines = [f"{failed or f'{program}: error'}: {reason_of(error)}"]
    if str(error) and (isinstance(error, Unreachable) or _is_not_permitted(error)):
        lines.append(f"{program}: {error}")  # Slurm's words do not tell what to do
    return SlurmError(*lines)


def check_mode(program: str) -> None:
    """Raise SlurmError if the variable of the mode has a value that it does not know."""
    found = os.environ.get(MODE_VARIABLE, "")
    if found.lower() not in ("", *MODES):
        raise SlurmError(
            f"{program}: error: {MODE_VARIABLE} is '{found}': it must be {' or '.join(MODES)}, "
            "or not be set"
        )
