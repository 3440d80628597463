"""Slurm's commands over rmsd, for the programs and the people that know Slurm.

`rmsd slurm-commands` writes a starter for each. They answer as Slurm's own do, of the version that
`site` names.
"""
