"""The commands of PBS: `qsub`, `qstat`, `qdel`, `qhold` and `qrls`.

`rmsd pbs-commands` writes a starter for each. They answer as those of OpenPBS do, and take the
words of Torque that programs send as well. docs/pbs.md has what is the same and what differs.
"""
