"""The facts about this site that the commands of PBS tell, and the switch between strict and
lenient."""

from __future__ import annotations

import os

VERSION = "23.06.06"
"""The version of OpenPBS whose options, texts, exit codes and JSON the commands have."""

COMMANDS = ("qsub", "qstat", "qdel", "qhold", "qrls")

MODES = ("strict", "lenient")
MODE_VARIABLE = "RMSD_PBS"
"""The variable with the mode, as RMSD_SLURM for Slurm's commands.

`strict`: an option without an effect here is an error.
`lenient`: none is, not even one without which another job runs; that is told on standard error.
Neither: one that changes nothing is passed over in silence, one that changes the job is an
error."""


def mode() -> str:
    """Return `strict`, `lenient`, or `""` for the usual way."""
    found = os.environ.get(MODE_VARIABLE, "").lower()
    return found if found in MODES else ""
