"""The command lines of Slurm's commands: their options, and the ends of bad ones."""
