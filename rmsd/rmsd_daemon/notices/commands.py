"""Commands of notices. Each has a minder (`command_minder`), which ends all that it starts."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path

from rmsd_daemon.notices import command_minder
from rmsd_process.open_files import with_given_open_files
from rmsd_process.processes import end

_COMMAND_S = 60.0
_GRACE_S = 10.0
"""The time beyond a command's own in which its minder must have ended all of it."""


async def run_command(
    command: str, body: bytes, user: str = "", timeout_s: float = _COMMAND_S
) -> str:
    """Run a shell command with JSON on its standard input. Returns "", or the error.

    The command is run as `user`, whom only root can give, or else as the daemon's own account. Its
    processes are ended with it: when it is done, when it takes longer than `timeout_s` seconds, or
    when this call is cancelled.
    """
    minder = [sys.executable, "-I", "-S", str(Path(command_minder.__file__))]
    try:
        process = await asyncio.create_subprocess_exec(
            *with_given_open_files([*minder, user, f"{timeout_s:.3f}", command]),
            stdin=PIPE, stdout=PIPE, stderr=DEVNULL, cwd="/", start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        return f"{sys.executable}: {error.strerror}"
    try:
        async with asyncio.timeout(timeout_s + _GRACE_S):
            told, _ = await process.communicate(body)
    except TimeoutError:
        return f"the command was not done within {timeout_s:g} s, and could not be ended"
    finally:
        await end(process, _GRACE_S)
    if process.returncode != 0:
        return f"the minder of the command ended with {process.returncode}"
    return told.decode(errors="replace")
