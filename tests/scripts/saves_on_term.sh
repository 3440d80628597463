#!/bin/bash
#SBATCH --job-name=scratch
#SBATCH --output=scratch.out
# Results in a scratch directory are saved when the job is cancelled, or at its limit.
scratch=$(mktemp -d)
save() { cp "$scratch"/* . ; rm -rf "$scratch"; echo saved; exit 143; }
trap save TERM
echo partial > "$scratch/partial-result"
touch computing
sleep 600 &
wait
