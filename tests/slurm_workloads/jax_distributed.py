# mypy: ignore-errors
"""jax.distributed.initialize() without arguments, in the two tasks of a job's step."""

import subprocess
import sys
from pathlib import Path

TASK = """
import jax
jax.distributed.initialize()
print("process", jax.process_index(), "of", jax.process_count(), len(jax.devices()), flush=True)
jax.distributed.shutdown()
"""


def main():
    Path("task.py").write_text(TASK)
    Path("job.sh").write_text(
        "#!/bin/bash\n#SBATCH --ntasks=2 --ntasks-per-node=2 --mem=2G -t 5 -o jax.out\n"
        f"export JAX_PLATFORMS=cpu\nsrun {sys.executable} task.py\n"
    )
    done = subprocess.run(
        ["sbatch", "--wait", "job.sh"], capture_output=True, text=True, check=False
    )
    said = Path("jax.out").read_text()
    assert done.returncode == 0, (done.stderr, said)
    assert {"process 0 of 2 2", "process 1 of 2 2"} <= set(said.splitlines()), said


if __name__ == "__main__":
    main()
    print("jax.distributed passes", flush=True)
