"""Move from Slurm."""

from __future__ import annotations

COMMANDS = {
    "import": ("rmsd_cli.slurm.importing", "make a configuration of a site's slurm.conf"),
}

EPILOG = """\
exit codes:
  0  done
  1  failed; the message says why
  2  wrong usage
"""
