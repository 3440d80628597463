"""`python -m tests.slurm_clients [NAME...]`: real programs that use Slurm, unmodified, against
rmsd's commands: `make clients`.

The programs and what they do are in the folder `slurm` of RMSD_TEST_DATA: `setup.sh` makes a
virtual environment for each, `run.sh` runs them. CLIENTS names the folder for the environments.
They are kept: to make them anew takes minutes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.commands import BIN
from tests.live import Daemon

CHEAP = ("parsl", "psij", "dask", "nextflow")
_SITE = """\
limit_memory = false
[partitions.main]
nodes = "e[1-4]"
default = true
[partitions.short]
nodes = "e[1-4]"
"""


def run(names: tuple[str, ...], folder: Path, clients: Path) -> int:
    """Run the programs on a daemon of their own; returns the exit code of `run.sh`."""
    daemon = Daemon("--no-local-node", "--emulate", "4x8", config=_SITE)
    try:
        copy = daemon.root / "tests"  # the folder may be one that nobody writes to
        shutil.copytree(folder, copy)
        daemon.start()
        commands = daemon.root / "bin"
        server = f"unix:{daemon.state}/rmsd.sock"
        subprocess.run([BIN / "rmsd", "slurm-commands", "--server", server, commands], check=True)
        env = {**daemon.env, "CLIENTS": str(clients), "SLURM_BIN": str(commands)}
        subprocess.run([copy / "setup.sh", *names], env=env, check=True)
        code = subprocess.run([copy / "run.sh", *names], env=env, check=False).returncode
        daemon.stop()
        return code
    finally:
        daemon.close()


def main() -> int:
    data = os.environ.get("RMSD_TEST_DATA")
    if data is None:
        print("RMSD_TEST_DATA names no folder with slurm/", file=sys.stderr)
        return 2
    clients = Path(os.environ.get("CLIENTS") or "~/.cache/rmsd-slurm-clients").expanduser()
    return run(tuple(sys.argv[1:]) or ("all",), Path(data) / "slurm", clients)


if __name__ == "__main__":
    sys.exit(main())
