"""Commands of `rmsd` whose libraries are loaded: each is a process, forked from one that has them.

The libraries of a command take several times as long as most commands of the tests do.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rmsd_cli.main import COMMANDS, main

_LOADED = [
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_pdf",
    "matplotlib.backends.backend_svg",
    *(module for module, _ in COMMANDS.values() if module.startswith("rmsd_lab_cli")),
]


def run_warm(arguments: list[str]) -> subprocess.CompletedProcess[bytes]:
    """Run `rmsd` to its end, in the present environment and folder, with nothing to read."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_LOADED)
    with tempfile.TemporaryDirectory() as name:
        out, err = Path(name, "out"), Path(name, "err")
        process = context.Process(
            target=_run, args=(arguments, out, err, os.getcwd(), dict(os.environ))
        )
        process.start()
        try:
            process.join()
        finally:
            process.kill()
            process.join()
        told = subprocess.CompletedProcess(
            ["rmsd", *arguments], process.exitcode or 0, out.read_bytes(), err.read_bytes()
        )
        process.close()
    return told


def _run(arguments: list[str], out: Path, err: Path, folder: str, env: dict[str, str]) -> None:
    """Be the command; the forked process does nothing else."""
    for number, path in enumerate((Path(os.devnull), out, err)):
        opened = os.open(path, os.O_RDWR | os.O_CREAT)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin, sys.stdout, sys.stderr = (
        open(0, encoding="utf-8", closefd=False),  # noqa: SIM115
        open(1, "w", encoding="utf-8", closefd=False),  # noqa: SIM115
        open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False),  # noqa: SIM115
    )
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    sys.argv = ["rmsd", *arguments]
    main()
