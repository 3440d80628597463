"""Moving from Slurm."""
