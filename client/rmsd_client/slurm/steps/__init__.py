"""The steps of srun."""
