"""`python -m tests.pbs_clients [NAME...]`: real programs that use PBS, unmodified, against rmsd's
commands.

The programs come from PyPI into virtual environments in the folder that CLIENTS names, in the
versions of `PROGRAMS`. The environments are kept: to make them anew takes minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.commands import BIN
from tests.live import Daemon

PROGRAMS: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "psij_pbs": (("psij-python==0.9.11",), ("pbs", "pbs_classic")),
    "parsl_pbs": (("parsl==2026.10.26",), ()),
    "dask_pbs": (("dask-jobqueue==0.9.0", "distributed==2026.8.0"), ()),
}
"""The packages that each workload needs, and its arguments."""

_SITE = """\
limit_memory = false
[partitions.main]
nodes = "e[1-4]"
default = true
[partitions.short]
nodes = "e[1-2]"
"""
_WORKLOADS = Path(__file__).parent / "pbs_workloads"


def run(names: Sequence[str], clients: Path) -> int:
    """Run the programs on a daemon of their own; returns how many have failed."""
    daemon = Daemon("--no-local-node", "--emulate", "4x8", config=_SITE)
    try:
        daemon.start()
        commands = daemon.root / "bin"
        server = f"unix:{daemon.state}/rmsd.sock"
        subprocess.run([BIN / "rmsd", "pbs-commands", "--server", server, commands], check=True)
        failed = 0
        for name in names:
            python = python_with(clients / name, PROGRAMS[name][0])
            work = daemon.work / name
            work.mkdir()
            path = f"{commands}:{python.parent}:{os.environ['PATH']}"
            done = subprocess.run(
                [python, _WORKLOADS / f"{name}.py", *PROGRAMS[name][1]],
                cwd=work,
                env={**daemon.env, "PATH": path, "HOME": str(work)},
                check=False,
            )
            print(f"{name}: {'passed' if done.returncode == 0 else 'FAILED'}", flush=True)
            failed += done.returncode != 0
            for job in daemon.client.jobs():
                daemon.client.cancel(job["job_id"])
        daemon.stop()
        return failed
    finally:
        daemon.close()


def python_with(folder: Path, packages: Sequence[str]) -> Path:
    """Return the Python of an environment with the packages, which is made if need be."""
    python, ready = folder / "bin/python", folder / ".ready"
    if not ready.exists():
        venv.create(folder, clear=True, with_pip=True)
        if packages:
            subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
        ready.touch()
    return python


def main() -> int:
    clients = Path(os.environ.get("CLIENTS") or "~/.cache/rmsd-pbs-clients").expanduser()
    return min(1, run(tuple(sys.argv[1:]) or tuple(PROGRAMS), clients))


if __name__ == "__main__":
    sys.exit(main())
