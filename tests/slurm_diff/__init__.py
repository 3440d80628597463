"""The same scenarios under Slurm 22.05 and under rmsd's commands, compared field by field.

`make slurm-diff` brings up a real Slurm (Debian's slurm-wlm) on this machine's loopback interface,
plays the scenarios, and writes what the commands said into `recorded.json` and the form of the
output of --json into `json_form.json`. A test plays the scenarios under rmsd and compares. The
differences that are meant are in one table, `meant.py`.
"""
