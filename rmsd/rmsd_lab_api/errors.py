"""The error of the lab from Python."""

from __future__ import annotations

from rmsd_cli.errors import CommandError

LabError = CommandError
"""All functions of the lab raise this error if a file, a daemon or an argument is of no use. The
message is that of the command, and names the command's options."""
