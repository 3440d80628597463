"""`python -m tests.slurm_clients [NAME...]`: real programs that use Slurm, unmodified, against
rmsd's commands: `make clients`.

The programs and what they do are in the folder `slurm` of RMSD_TEST_DATA: `setup.sh` makes a
virtual environment for each, `run.sh` runs them. The programs of `PROGRAMS` come from PyPI, and
what they do is in the folder `slurm_workloads`. CLIENTS names the folder for the environments. They
are kept: to make them anew takes minutes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.commands import BIN
from tests.live import Daemon
from tests.pbs_clients import python_with

PROGRAMS: Mapping[str, Sequence[str]] = {
    "cluster_futures": ("clusterfutures==0.5",),
    "cluster_viewers": (
        "reportseff==2.10.3",
        "slurm-usage==3.1.0",
        "slurm2sql==0.9.9",
        "ClusterShell==1.10.1",
        "python-hostlist==2.3.0",
    ),
    "dpdispatcher_jobs": ("dpdispatcher==1.1.0",),
    "executorlib_slurm": ("executorlib[cluster]==1.11.0",),
    "maestro_study": ("maestrowf==1.2.1",),
    "qtoolkit_manager": ("qtoolkit==0.1.7",),
    "reframe_checks": ("reframe-hpc==4.10.4",),
    "saga_jobs": ("radical.saga==1.103.0",),
    "signac_projects": ("signac-flow==0.29.1",),
    "simple_slurm_jobs": ("simple-slurm==0.3.6",),
    "snakemake_generic": (
        "snakemake==9.27.1",
        "snakemake-executor-plugin-cluster-generic==1.0.9",
    ),
    "hydra_submitit": ("hydra-submitit-launcher==1.2.0",),
    "jax_distributed": ("jax==0.4.38",),
    "openmpi": (),  # needs mpirun: Debian's openmpi-bin
    "ray_cluster": ("ray[default]==2.60.0",),
    "toil_workflow": ("toil==9.6.0",),
    "cylc_workflow": ("cylc-flow==8.5.4",),
    "ipyparallel_cluster": ("ipyparallel==9.2.0",),
    "nipype_workflow": ("nipype==1.11.0",),
    "aiida_calculations": ("aiida-core==2.9.4",),
    "fireworks_queue": ("FireWorks[mongomock]==2.1.4",),
    "torchx_apps": ("torchx==0.7.0",),
    "batchspawner_hub": ("batchspawner==1.3.0", "jupyterhub==6.1.1", "jupyter_server==2.21.1"),
}
"""The packages of the workloads that are our own."""
_WORKLOADS = Path(__file__).parent / "slurm_workloads"
_OWN_SITE = f"""\
limit_memory = false
[partitions.main]
nodes = "{os.uname().nodename}"
default = true
[partitions.two]
nodes = "e[1-2]"
"""

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


def run_own(names: Sequence[str], clients: Path) -> int:
    """Run programs of `PROGRAMS` on a daemon with this machine as a node, since some look up the
    names of nodes, and with two emulated ones; returns how many have failed."""
    daemon = Daemon("--cores", "8", "--emulate", "2x4", config=_OWN_SITE)
    failed = 0
    try:
        daemon.start()
        commands = daemon.root / "bin"
        server = f"unix:{daemon.state}/rmsd.sock"
        subprocess.run([BIN / "rmsd", "slurm-commands", "--server", server, commands], check=True)
        for name in names:
            python = python_with(clients / name, PROGRAMS[name])
            work = daemon.work / name
            work.mkdir()
            path = f"{commands}:{python.parent}:{os.environ['PATH']}"
            env = {**daemon.env, "PATH": path, "HOME": str(work)}
            done = subprocess.run(
                [python, _WORKLOADS / f"{name}.py"], cwd=work, env=env, check=False
            )
            print(f"{name}: {'passed' if done.returncode == 0 else 'FAILED'}", flush=True)
            failed += done.returncode != 0
        daemon.stop()
        return failed
    finally:
        daemon.close()


def main() -> int:
    names = tuple(sys.argv[1:])
    own = [name for name in names or PROGRAMS if name in PROGRAMS]
    others = tuple(name for name in names or ("all",) if name not in PROGRAMS)
    data = os.environ.get("RMSD_TEST_DATA")
    if others and data is None:
        print("RMSD_TEST_DATA names no folder with slurm/", file=sys.stderr)
        return 2
    clients = Path(os.environ.get("CLIENTS") or "~/.cache/rmsd-slurm-clients").expanduser()
    failed = run_own(own, clients) if own else 0
    code = run(others, Path(data) / "slurm", clients) if others and data else 0
    return code or min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
