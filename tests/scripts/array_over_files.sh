#!/bin/bash
#SBATCH --job-name=count
#SBATCH --array=1-5%2
#SBATCH --time=00:05:00
#SBATCH --output=count-%A_%a.out
# One task for each line of a list of files, two tasks at a time.
file=$(sed -n "${SLURM_ARRAY_TASK_ID}p" files.txt)
echo "task $SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_COUNT: $file $(wc -c < "$file")"
