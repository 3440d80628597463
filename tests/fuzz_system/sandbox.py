"""Namespaces that keep everything that is fuzzed from the processes, files and networks of the
machine. Root alone can make them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

OUT = Path("/tmp/out")
"""The directory in a sandbox for what is to be kept."""

_SETUP = """
set -e
mount --bind "$1" /mnt
mount -t tmpfs -o size=4g,mode=1777 tmpfs /tmp
mkdir /tmp/out
mount --move /mnt /tmp/out
mount -o remount,bind,ro /
ip link set lo up
shift
"$@"  # not with exec: the shell collects the processes that lose their parents
"""
_UNSHARE = (
    "unshare", "--mount", "--pid", "--net", "--fork", "--kill-child", "--mount-proc",
    "--propagation", "private",
)  # fmt: skip


def is_possible() -> bool:
    """Return whether this account can make the namespaces."""
    if os.geteuid() != 0:
        return False
    try:
        done = subprocess.run([*_UNSHARE, "ip", "link"], capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0


def run(out: Path, arguments: list[str]) -> int:
    """Run this program again in a sandbox with `out` as its OUT, and return the exit code."""
    command = [sys.executable, "-m", "tests.fuzz_system", *arguments]
    return subprocess.run(
        [*_UNSHARE, "sh", "-c", _SETUP, "sh", str(out.absolute()), *command], check=False
    ).returncode
