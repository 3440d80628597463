"""The bound of nice values, the points that a submitter takes from a job's priority. It is Slurm's.
Standard library only."""

MOST_NICE = 2_147_483_645
