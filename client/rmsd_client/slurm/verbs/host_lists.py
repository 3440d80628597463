"""`scontrol show hostnames`, `hostlist` and `hostlistsorted`."""

from __future__ import annotations

import os
import sys

from rmsd_client.console.cli import tell
from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_wire.hostlist import HostlistError, compress, expand

_MOST_HOSTS = 100_000


def show_hostnames(text: str) -> int:
    """Print the names of a host list, one a line; by default those of the present job. Returns the
    exit code."""
    if not text:
        text = os.environ.get("SLURM_NODELIST") or os.environ.get("SLURM_JOB_NODELIST", "")
    if not text:
        tell("scontrol: error: host list is empty")
        return 0
    try:
        names = expand(text)[:_MOST_HOSTS]
    except HostlistError as error:
        raise SlurmError(f"Invalid hostlist: {text}: {error}") from None
    sys.stdout.write("".join(f"{name}\n" for name in names))
    return 0


def show_hostlist(text: str, kind: str) -> int:
    """Print the host list of names, or of those in a file. Returns the exit code."""
    if not text:
        raise SlurmError("invalid argument host list")
    if os.path.isfile(text):
        with open(text, encoding="utf-8", errors="replace") as file:
            text = ",".join(file.read(1 << 20).split())
    try:
        names = expand(text)
    except HostlistError as error:
        raise SlurmError(f"Invalid hostlist: {text}: {error}") from None
    print(compress(sorted(names) if kind == "hostlistsorted" else names))
    return 0
