"""The fields of squeue, sacct and sstat, and their formats."""
