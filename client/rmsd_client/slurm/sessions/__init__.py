"""The jobs that hold nodes for salloc and srun."""
