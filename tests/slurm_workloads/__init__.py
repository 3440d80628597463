"""Workloads of real programs that use Slurm. Each is run by the Python of its own environment."""
