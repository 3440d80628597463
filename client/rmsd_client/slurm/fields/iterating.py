"""Lists that squeue and sinfo show again and again, with -i."""

from __future__ import annotations

import time

from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_client.slurm.fields.formats import print_date

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def repeated(program: str, options: Mapping[str, str], once: Callable[[], int]) -> int:
    """Show a list once, or every so many seconds if the options say so. Returns the exit code."""
    if "iterate" not in options:
        return once()
    pause_s = _pause_s(program, options["iterate"])
    while True:
        print_date()
        once()
        print(flush=True)
        time.sleep(pause_s)


def _pause_s(program: str, text: str) -> int:
    digits = text.removeprefix("+")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10 and int(digits)):
        raise SlurmError(f"{program}: error: Invalid --iterate value '{text}': a number of seconds")
    return int(digits)
