#!/bin/bash
#SBATCH --job-name=farm
#SBATCH --ntasks=4
#SBATCH --output=farm.out
# Many steps at once in one allocation.
for i in $(seq 8); do
    srun --ntasks=1 --nodes=1 --exact bash -c "echo begin $i; sleep 0.3; echo end $i" &
done
wait
echo "all steps are over"
