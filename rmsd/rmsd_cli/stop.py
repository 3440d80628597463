"""Stop the daemon and its local agent, and wait until they are gone. Running jobs run on; the next
`rmsd start` on the same state directory takes them up again.

The daemon of a state directory is sent SIGTERM, by root and its own account. Without one in the
caller's own state directory, the machine's own daemon is asked to stop, and with --server any
daemon; both take an administrator.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import time
from functools import partial
from pathlib import Path

from rmsd_cli.errors import fail
from rmsd_cli.server_options import add_server_arguments, client_of
from rmsd_client.api import Client
from rmsd_client.connection.server import find_server
from rmsd_client.errors import ApiError, ClientError, Unreachable
from rmsd_daemon.setup.config import default_state_dir
from rmsd_daemon.setup.state_dir import StateDirError, holder, running_pid, terminate

_fail = partial(fail, "stop")

EPILOG = """\
environment:
  RMSD_SERVER, RMSD_STATE_DIR, RMSD_TOKEN_FILE, RMSD_CA_FILE  as for all clients

exit codes:
  0   stopped
  1   it does not stop, or may not be stopped by you
  2   wrong usage
  75  no daemon runs on the state directory
"""

_POLL_S = 0.02


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--state-dir",
        metavar="DIR",
        type=Path,
        help="the daemon's state directory (default: $RMSD_STATE_DIR, $XDG_STATE_HOME/rmsd or "
        "~/.local/state/rmsd)",
    )
    parser.add_argument(
        "--within",
        metavar="SECONDS",
        type=float,
        default=30.0,
        help="how long to wait for it to go (default: 30)",
    )
    add_server_arguments(parser)


def run(args: argparse.Namespace) -> int:
    named = args.state_dir is not None or bool(os.environ.get("RMSD_STATE_DIR"))
    if args.server is not None or (os.environ.get("RMSD_SERVER") and not named):
        return _ask(args)
    if args.token_file is not None or args.ca_file is not None:
        return _fail("--token-file and --ca-file go with --server", 2)
    state_dir: Path = args.state_dir or default_state_dir(os.environ)
    try:
        daemon = holder(state_dir)
        if daemon is None and not named and find_server().of_system:
            return _ask(args)
        if daemon is None:
            return _fail(f"no daemon runs on {state_dir}", 75)
        pid = daemon.pid
        terminate(daemon)
        deadline = time.monotonic() + args.within
        while running_pid(state_dir) == pid:
            if time.monotonic() > deadline:
                return _fail(f"the daemon (pid {pid}) is still there; see its log", 1)
            time.sleep(_POLL_S)
    except StateDirError as error:
        return _fail(str(error), 1)
    except PermissionError:
        return _fail(f"the daemon (pid {pid}) belongs to another account", 1)
    return 0


def _ask(args: argparse.Namespace) -> int:
    """Ask a daemon by its API to stop."""
    if args.state_dir is not None:
        return _fail("give a --state-dir or a --server, not both", 2)
    try:
        with client_of(args) as client:
            client.shutdown()
            if _gone(client, time.monotonic() + args.within):
                return 0
    except ClientError as error:
        return _fail(str(error), error.exit_code)
    return _fail("the daemon is still there; see its log", 1)


def _gone(client: Client, deadline: float) -> bool:
    """Return whether the daemon has ceased to answer in time, and on this machine left its state
    directory."""
    client.retry_for_s = 0.0
    while time.monotonic() < deadline:
        try:
            client.status()
        except Unreachable:
            if not _is_on(client.server):
                return True
        except ApiError:  # the daemon still answers
            pass
        time.sleep(_POLL_S)
    return False


def _is_on(server: str) -> bool:
    """Return whether a daemon has the directory of this socket."""
    with contextlib.suppress(StateDirError):
        return server.startswith("unix:") and bool(
            running_pid(Path(server.removeprefix("unix:")).parent)
        )
    return False
