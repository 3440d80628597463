"""The environment of a login, and the folder of the starters, which belongs into its PATH."""

from __future__ import annotations

import os

from rmsd_wire.job_environment import LOGIN_PATH

_bin_dir = [""]


def started_from(path: str) -> None:
    """Note the starter that started this process."""
    _bin_dir[0] = os.path.dirname(os.path.abspath(path))


def login_environment() -> dict[str, str]:
    """Return the variables that a login has, with the folder of the starters in PATH."""
    import pwd

    # First: a Slurm may be installed as well.
    path = f"{_bin_dir[0]}:{LOGIN_PATH}" if _bin_dir[0] else LOGIN_PATH
    try:
        account = pwd.getpwuid(os.getuid())
    except KeyError:
        return {"PATH": path}
    name = account.pw_name
    return {
        "PATH": path, "HOME": account.pw_dir, "USER": name, "LOGNAME": name,
        "SHELL": account.pw_shell or "/bin/sh",
    }  # fmt: skip
