#!/bin/bash
#SBATCH --job-name=farm
#SBATCH --nodes=2
#SBATCH --ntasks=4
#SBATCH --ntasks-per-node=2
#SBATCH --output=farm.out
# More steps than processors: each step waits until it has one of its own.
for i in $(seq 8); do
    srun --ntasks=1 --nodes=1 --exact --quiet bash -c \
        'echo "$(date +%s%N) begin $1 $SLURMD_NODENAME"; sleep 0.3; echo "$(date +%s%N) end $1 $SLURMD_NODENAME"' \
        step "$i" &
done
wait
echo "all steps are over"
