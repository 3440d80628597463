# mypy: ignore-errors
"""Ray's documented script for Slurm: a head and a worker in steps that go on in the background, on
nodes that are named, and a program that uses both."""

import subprocess
from pathlib import Path

# The script is that of Ray's documentation, "Deploying on Slurm", without GPUs.
SCRIPT = """\
#!/bin/bash
#SBATCH --job-name=test
#SBATCH --cpus-per-task=2
#SBATCH --mem-per-cpu=1GB
#SBATCH --nodes=2
#SBATCH --tasks-per-node=1
#SBATCH --time=00:10:00
#SBATCH --partition=two
#SBATCH --output=ray.out
set -x
nodes=$(scontrol show hostnames "$SLURM_JOB_NODELIST")
nodes_array=($nodes)
head_node=${nodes_array[0]}
head_node_ip=$(srun --nodes=1 --ntasks=1 -w "$head_node" hostname --ip-address)
if [[ "$head_node_ip" == *" "* ]]; then
IFS=' ' read -ra ADDR <<<"$head_node_ip"
if [[ ${#ADDR[0]} -gt 16 ]]; then
  head_node_ip=${ADDR[1]}
else
  head_node_ip=${ADDR[0]}
fi
fi
port=6379
ip_head=$head_node_ip:$port
export ip_head
srun --nodes=1 --ntasks=1 -w "$head_node" \\
    ray start --head --node-ip-address="$head_node_ip" --port=$port \\
    --num-cpus "${SLURM_CPUS_PER_TASK}" --num-gpus "${SLURM_GPUS_PER_TASK:-0}" --block &
sleep 10
worker_num=$((SLURM_JOB_NUM_NODES - 1))
for ((i = 1; i <= worker_num; i++)); do
    node_i=${nodes_array[$i]}
    srun --nodes=1 --ntasks=1 -w "$node_i" \\
        ray start --address "$ip_head" \\
        --num-cpus "${SLURM_CPUS_PER_TASK}" --num-gpus "${SLURM_GPUS_PER_TASK:-0}" --block &
    sleep 5
done
python -u program.py "$SLURM_CPUS_PER_TASK"
"""
PROGRAM = """\
import os
import sys
import time
import ray

ray.init(address=os.environ["ip_head"])
until = time.monotonic() + 60
while ray.cluster_resources().get("CPU") != 4 and time.monotonic() < until:
    time.sleep(0.5)
print("processors:", int(ray.cluster_resources()["CPU"]))

@ray.remote(num_cpus=int(sys.argv[1]))
def place():
    time.sleep(2)
    return ray.get_runtime_context().get_node_id()

print("places:", len(set(ray.get([place.remote() for _ in range(4)]))))
"""


def main():
    Path("ray.sh").write_text(SCRIPT)
    Path("program.py").write_text(PROGRAM)
    done = subprocess.run(
        ["sbatch", "--wait", "ray.sh"], capture_output=True, text=True, check=False
    )
    said = Path("ray.out").read_text()
    assert done.returncode == 0, (done.stderr, said)
    assert {"processors: 4", "places: 2"} <= set(said.splitlines()), said


if __name__ == "__main__":
    main()
    print("Ray's script passes", flush=True)
