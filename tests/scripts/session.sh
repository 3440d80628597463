#!/bin/bash
# A session at a terminal: an allocation with a shell in it, which starts steps and leaves.
salloc --ntasks=2 --time=00:05:00 --job-name=session bash <<'EOF'
echo "job $SLURM_JOB_ID has $SLURM_NTASKS tasks"
srun --input=none --label bash -c 'echo "rank $SLURM_PROCID"' | sort
squeue --noheader --format="%j %t" --jobs="$SLURM_JOB_ID"
srun --input=none --ntasks=1 false || echo "the step failed, and the session goes on"
exit 3
EOF
