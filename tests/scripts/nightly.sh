#!/bin/bash
#SBATCH --job-name=nightly
#SBATCH --begin=02:00
#SBATCH --time=00:05:00
#SBATCH --output=nightly.out
#SBATCH --open-mode=append
# A job of each night. It submits that of the next night first, so that no failure ends the series.
sbatch --parsable --begin="02:00 tomorrow" "$NIGHTLY" > next-night
echo "the backup of night $(($(cat nights 2>/dev/null || echo 0) + 1))" | tee backup
echo 1 > nights
