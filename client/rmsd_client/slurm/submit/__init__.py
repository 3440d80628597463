"""The way from the options of sbatch, srun and salloc to the submit of a job."""
