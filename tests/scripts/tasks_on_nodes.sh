#!/bin/bash
#SBATCH --job-name=ranks
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=2
#SBATCH --output=ranks.out
# Eight ranks on four nodes, as a program with MPI has them.
echo "$SLURM_NNODES nodes, $SLURM_NTASKS tasks: $(scontrol show hostnames "$SLURM_JOB_NODELIST" | xargs)"
srun --label bash -c 'echo "$SLURM_PROCID on $SLURMD_NODENAME, local $SLURM_LOCALID"' | sort -n
