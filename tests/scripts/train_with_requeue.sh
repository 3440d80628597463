#!/bin/bash
#SBATCH --job-name=train
#SBATCH --time=00:01:00
#SBATCH --signal=B:USR1@57
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=train-%j.out
# Training that writes a checkpoint shortly before its limit, and goes on in a second run.
epoch=$(cat checkpoint 2>/dev/null || echo 0)
checkpoint() {
    echo "checkpoint at epoch $epoch"
    echo "$epoch" > checkpoint
    scontrol requeue "$SLURM_JOB_ID"
    wait
}
trap checkpoint USR1
echo "run ${SLURM_RESTART_COUNT:-0} begins at epoch $epoch"
while [ "$epoch" -lt 5 ]; do
    [ "${SLURM_RESTART_COUNT:-0}" -gt 0 ] || { sleep 600 & wait $!; }
    epoch=$((epoch + 1))
done
echo "done at epoch $epoch"
