"""The argument that says which state directory a command reads."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from rmsd_daemon.setup.config import default_state_dir


def add_state_dir(parser: argparse.ArgumentParser, more: str = "") -> None:
    """Add STATE_DIR, as `state_dir`; by default the directory of a daemon. `more` ends the help."""
    parser.add_argument(
        "state_dir",
        metavar="STATE_DIR",
        nargs="?",
        type=Path,
        default=default_state_dir(os.environ),
        help="the daemon's state directory (default: $RMSD_STATE_DIR, $XDG_STATE_HOME/rmsd or "
        f"~/.local/state/rmsd){more}",
    )
