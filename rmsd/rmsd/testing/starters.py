"""The starters of Slurm's commands, in a folder of a private cluster."""

from __future__ import annotations

from pathlib import Path

import rmsd
from rmsd_cli.slurm_commands import starter, write_starter
from rmsd_client.slurm.command_lines.site import COMMANDS


def write_starters(folder: Path) -> None:
    """Write a starter for each command. It finds its cluster by its own place."""
    above = str(Path(rmsd.__path__[0]).parent)
    for command in COMMANDS:
        write_starter(folder / command, starter(command, None, None, "rmsd.testing.starter", above))
