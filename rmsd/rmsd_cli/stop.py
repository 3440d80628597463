"""Stop the daemon and its local agent, and wait until they are gone. Running jobs run on; the next
`rmsd start` on the same state directory takes them up again.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import time
from pathlib import Path

from rmsd_daemon.config import default_state_dir
from rmsd_daemon.state_dir import StateDirError, running_pid

EPILOG = """\
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


def run(args: argparse.Namespace) -> int:
    state_dir: Path = args.state_dir or default_state_dir(os.environ)
    try:
        pid = running_pid(state_dir)
        if pid is None:
            return _fail(f"no daemon runs on {state_dir}", 75)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + args.within
        while running_pid(state_dir) == pid:
            if time.monotonic() > deadline:
                return _fail(f"the daemon (pid {pid}) is still there; see its log", 1)
            time.sleep(_POLL_S)
    except StateDirError as error:
        return _fail(str(error), 1)
    except PermissionError:
        return _fail(f"the daemon (pid {pid}) belongs to somebody else", 1)
    return 0


def _fail(message: str, code: int) -> int:
    print(f"rmsd stop: error: {message}", file=sys.stderr)
    return code
