"""Jobs, steps, partitions and times in Slurm's words."""
