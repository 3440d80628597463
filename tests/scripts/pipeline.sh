#!/bin/bash
# Prepare, work on all parts, and collect. Prints the numbers of the three jobs.
set -e
prepare=$(sbatch --parsable --job-name=prepare --output=/dev/null --wrap 'seq 1 4 > parts')
work=$(sbatch --parsable --job-name=work --array=1-4 --output=/dev/null \
    --dependency=afterok:"$prepare" --wrap 'expr $(sed -n ${SLURM_ARRAY_TASK_ID}p parts) \* 10 > part-$SLURM_ARRAY_TASK_ID')
collect=$(sbatch --parsable --job-name=collect --output=/dev/null \
    --dependency=afterok:"$work" --wrap 'cat part-1 part-2 part-3 part-4 > result')
clean=$(sbatch --parsable --job-name=clean --output=/dev/null \
    --dependency=afternotok:"$collect" --kill-on-invalid-dep=yes --wrap 'echo failed > result')
echo "$prepare $work $collect $clean"
