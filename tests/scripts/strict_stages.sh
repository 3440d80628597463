#!/bin/bash
#SBATCH -J stages -n 2 -t 0-00:05 --mem-per-cpu=100M
#SBATCH -o stages-%x-%j.out -e stages-%x-%j.err
#SBATCH --mail-type=NONE --wckey=none
set -euo pipefail
module() { :; }  # as clusters have it
module purge
cd "$SLURM_SUBMIT_DIR"
echo "job $SLURM_JOB_NAME on $SLURM_JOB_NUM_NODES node with $SLURM_NTASKS tasks"
srun -n 2 bash -c 'echo stage one, rank $SLURM_PROCID' | sort
srun -n 1 bash -c 'echo stage two >&2'
