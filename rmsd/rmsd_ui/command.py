"""Show the queue, jobs and nodes in a browser: pages on a port of the loopback, which follow what
changes. They show what this account may see, and act on jobs and nodes as it may: submit, hold,
cancel, drain. The command runs until Ctrl-C."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_client.connection.server import find_server

EPILOG = """\
The address opens once: the browser gets a cookie for it, and a second use is refused. Run the
command again for another address. Jobs that are submitted there get the environment of this
command, and by default its directory. On another machine, have ssh bring the port here:
  ssh -L 8642:127.0.0.1:8642 HEAD rmsd ui --port 8642

environment:
  RMSD_SERVER, RMSD_STATE_DIR  as for all clients

exit codes:
  0   stopped
  1   the port cannot be had
  2   wrong usage, or the daemon is not on a Unix socket

examples:
  rmsd ui
  rmsd ui --port 8642
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--server", metavar="URL", help="unix:/PATH of the daemon's socket")
    parser.add_argument(
        "--port",
        type=int,
        default=0,
        help="the port on 127.0.0.1 (default: a free one)",
    )


def run(args: argparse.Namespace) -> int:
    if not 0 <= args.port < 65536:
        raise CommandUsageError(
            f"--port is {args.port}; it must be 1 to 65535, or 0 for a free one"
        )
    address = find_server(args.server)
    if not address.path:
        raise CommandUsageError(
            f"{address} is not a Unix socket: run `rmsd ui` on the daemon's machine, and have ssh "
            "bring the port here (see --help)"
        )
    try:
        asyncio.run(_until_stopped(address.path, args.port))
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise CommandError(f"cannot listen on 127.0.0.1:{args.port}: {reason}") from error
    return 0


async def _until_stopped(path: str, port: int) -> None:
    from rmsd_ui.server import serve  # imports aiohttp and Jinja2

    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await serve(path, port, lambda address: print(address, flush=True))
