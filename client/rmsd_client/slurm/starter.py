"""The way from a starter, a file of a few lines, to its command."""

from __future__ import annotations

import sys

from rmsd_client.submit.login import started_from


def start(command: str, path: str) -> None:
    """Run a command of Slurm's, and end the process with its exit code."""
    started_from(path)
    module = __import__(f"rmsd_client.slurm.{_MODULES.get(command, command)}", fromlist=["main"])
    main = getattr(module, "main", None) or getattr(module, f"main_{command}")
    sys.exit(main())


_MODULES = dict.fromkeys(("sacctmgr", "sshare", "sprio", "sdiag"), "accounting") | {
    "sstat": "usage",
    "seff": "usage",
}
"""The modules of commands that share one."""
