#!/bin/bash
#SBATCH --job-name=chain
#SBATCH --dependency=singleton
#SBATCH --output=/dev/null
# A long computation in short jobs: each submits the next, which waits for its end.
count=$(($(cat chain 2>/dev/null || echo 0) + 1))
echo "$count" > chain
[ "$count" -ge 3 ] || sbatch "$(dirname "$CHAIN")/resubmits_itself.sh"
