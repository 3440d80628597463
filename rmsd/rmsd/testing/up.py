"""Run a command with a Slurm for tests: a private cluster whose sbatch, squeue, sacct, scancel,
srun and the others are in PATH. The cluster is there within about two seconds. It ends with the
command, or with this process however it ends, and leaves neither processes nor files.

Without a command a shell is started, on a terminal. Elsewhere the variables are printed as lines
for a shell, and the cluster stays until SIGTERM or SIGINT.
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence

from rmsd.testing.cluster import VARIABLE, ClusterError, running
from rmsd.testing.settings import Settings, SettingsError
from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_cli.termination import ended_in_order
from rmsd_client.errors import EXIT_SIGNAL
from rmsd_wire.sizes import parse_mem_mib

EPILOG = f"""\
environment of the command:
  PATH         begins with the folder of Slurm's commands
  RMSD_SERVER  the cluster's daemon, for rstat and the others
  {VARIABLE}  the cluster's folder, for `rmsd slurm fail`

exit codes:
  that of the command, and further:
  1    the cluster does not come up
  2    wrong usage
  127  the command cannot be run

examples:
  rmsd slurm up -- pytest tests
  rmsd slurm up --nodes 4 --cores 8 --partition cpu --partition gpu -- ./submit-all
  rmsd slurm up -- sh -c 'rmsd slurm fail --refuse 1; sbatch job.sh'
"""
_NOT_RUN = 127


def add_arguments(parser: argparse.ArgumentParser) -> None:
    default = Settings()
    parser.add_argument("--nodes", type=int, default=default.nodes, metavar="N",
                        help=f"the number of nodes (default: {default.nodes})")  # fmt: skip
    parser.add_argument("--cores", type=int, default=default.cores, metavar="C",
                        help=f"the cores of each (default: {default.cores})")  # fmt: skip
    parser.add_argument("--mem", metavar="SIZE", type=_size_mib,
                        help="the memory of each, as 4G (default: 2G for each core)")  # fmt: skip
    parser.add_argument("--partition", metavar="NAME", action="append", dest="partitions",
                        help="a partition of all nodes; the first one is the default, and the "
                        "option may be repeated (default: main)")  # fmt: skip
    parser.add_argument("--rate", type=float, default=default.rate, metavar="R",
                        help="how fast the cluster's clock runs; limits of scripts are real time "
                        "(default: 1)")  # fmt: skip
    parser.add_argument("--seed", type=int, metavar="N",
                        help="let faults come at submits that this number decides")  # fmt: skip
    parser.add_argument("command", nargs="*", metavar="COMMAND", help="what to run, behind --")


def _size_mib(text: str) -> int:
    try:
        return parse_mem_mib(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def run(args: argparse.Namespace) -> int:
    try:
        settings = Settings(
            args.nodes,
            args.cores,
            args.mem,
            tuple(args.partitions or Settings().partitions),
            args.rate,
            args.seed,
        )
    except SettingsError as error:
        raise CommandUsageError(str(error)) from None
    try:
        with ended_in_order(), running(settings) as cluster:
            if args.command:
                return _run(args.command, cluster.env)
            if sys.stdin.isatty() and sys.stdout.isatty():
                print(f"A cluster of {settings.nodes} nodes; it ends with this shell.")
                return _run([os.environ.get("SHELL", "/bin/sh")], cluster.env)
            for name in ("PATH", "RMSD_SERVER", VARIABLE):
                print(f"export {name}={shlex.quote(cluster.env[name])}", flush=True)
            cluster.await_failure()
    except ClusterError as error:
        raise CommandError(str(error)) from None


def _run(command: Sequence[str], env: Mapping[str, str]) -> int:
    """Run a command to its end, and return its exit code as a shell has it."""
    try:
        child = subprocess.Popen(command, env=dict(env))
    except OSError as error:
        print(f"rmsd slurm up: error: {command[0]}: {error.strerror}", file=sys.stderr)
        return _NOT_RUN
    try:
        code = _waited(child)
    finally:
        if child.poll() is None:
            child.terminate()
            child.wait()
    return code if code >= 0 else EXIT_SIGNAL - code


def _waited(child: subprocess.Popen[bytes]) -> int:
    """Wait for the child. Ctrl-C reaches it as well, and it decides what comes of that."""
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return child.wait()
    finally:
        signal.signal(signal.SIGINT, handler)
