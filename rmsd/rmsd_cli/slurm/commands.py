"""Move from Slurm, or have one for tests."""

from __future__ import annotations

COMMANDS = {
    "import": ("rmsd_cli.slurm.importing", "make a configuration of a site's slurm.conf"),
    "up": ("rmsd.testing.up", "run a command with a Slurm for tests, a private cluster"),
    "fail": ("rmsd.testing.fail", "let something fail in the private cluster around"),
}

EPILOG = """\
exit codes:
  0  done
  1  failed; the message says why
  2  wrong usage
"""
