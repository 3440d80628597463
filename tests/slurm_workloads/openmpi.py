# mypy: ignore-errors
"""Open MPI's mpirun in jobs: on one node, on two nodes, and with a rank that fails."""

import subprocess
from pathlib import Path


def run(name, directives, command):
    """Return the exit code of a job, and the lines of its output."""
    Path(f"{name}.sh").write_text(
        f"#!/bin/bash\n#SBATCH {directives} -p two -t 3 -o {name}.out\n"
        f"mpirun --allow-run-as-root sh -c '{command}'\n"
    )
    done = subprocess.run(["sbatch", "--wait", f"{name}.sh"], capture_output=True, check=False)
    return done.returncode, Path(f"{name}.out").read_text().splitlines()


def main():
    rank = "echo rank $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE"
    for name, directives, size in (("one", "-N 1 -n 2", 2), ("both", "-N 2 -n 4", 4)):
        code, lines = run(name, directives, rank)
        assert code == 0, lines
        assert sorted(lines) == [f"rank {i} of {size}" for i in range(size)], lines
    code, lines = run("fails", "-N 2 -n 2", "exit $((OMPI_COMM_WORLD_RANK * 7))")
    assert code == 7, (code, lines)


if __name__ == "__main__":
    main()
    print("Open MPI passes", flush=True)
