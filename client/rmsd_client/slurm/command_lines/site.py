"""The facts about this site that Slurm's commands tell, and the switch between strict and
lenient."""

from __future__ import annotations

import os

VERSION = "22.05.8"
"""The version of Slurm whose options, texts and JSON the commands have."""

CLUSTER = "rmsd"
DEFAULT_PARTITION = "main"
MIN_JOB_AGE_S = 300
MAX_ARRAY_SIZE = 1_000_001

COMMANDS = (
    *("sbatch", "squeue", "sacct", "scancel", "scontrol", "sinfo", "srun", "salloc"),
    *("sacctmgr", "sshare", "sprio", "sstat", "sdiag", "seff"),
)

MODES = ("strict", "lenient")
MODE_VARIABLE = "RMSD_SLURM"
"""`strict`: an option without an effect here is an error. `lenient`: none is, not even one without
which another job runs; that is told on standard error. Neither: one that changes nothing is passed
over in silence, one that changes the job is an error."""


def mode() -> str:
    """Return `strict`, `lenient`, or `""` for the usual way."""
    found = os.environ.get(MODE_VARIABLE, "").lower()
    return found if found in MODES else ""
