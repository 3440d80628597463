"""A root of its own: this machine's root with changes that stay in a folder."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

_SCRIPT = """\
set -e
mount -t overlay overlay -o "lowerdir=/,upperdir=$0/upper,workdir=$0/work" "$0/root"
mount --bind /dev "$0/root/dev"
mount -t proc proc "$0/root/proc"
exec chroot "$0/root" "$@"
"""


class Overlay:
    """A root into which commands write without a trace on this machine.

    Each command has mounts, processes and a network of its own, which end with it. It finds the
    files that earlier ones have written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for name in ("upper", "work", "root"):
            (folder / name).mkdir(parents=True)

    def run(self, *command: str | Path, expect: int = 0) -> str:
        """Run a command as root in it; return all that the command wrote."""
        unshared = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--net", "--ipc"]
        done = subprocess.run(
            [*unshared, "sh", "-c", _SCRIPT, self._folder, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"},
            cwd="/",
        )
        assert done.returncode == expect, done.stdout
        return done.stdout

    def path(self, path: str) -> Path:
        """Return where a file lies that commands have written or changed."""
        return self._folder / "upper" / path.lstrip("/")

    def changed(self) -> set[str]:
        """Return the files that differ from this machine's."""
        upper = self._folder / "upper"
        return {
            f"/{path.relative_to(upper)}"
            for path in upper.rglob("*")
            if path.is_symlink() or not path.is_dir()
        }


def needs_overlay() -> pytest.MarkDecorator:
    can = os.geteuid() == 0 and shutil.which("unshare") is not None
    return pytest.mark.skipif(not can, reason="root and unshare are needed to change a root")
