"""Cgroups of tests' own, and files of devices that open there or not."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rmsd_agent.machine import delegation
from rmsd_agent.shepherd.standalone import cgroups
from tests.waiting import wait_until


def find_root() -> Path | None:
    """Return a directory in which a test may make a cgroup."""
    mounted = delegation.cgroup_mount(Path("/proc/self/mountinfo").read_text())
    return Path(mounted[1]) if mounted and os.access(mounted[1], os.W_OK) else None


ROOT = find_root()
HAS_MEMORY = ROOT is not None and "memory" in (ROOT / "cgroup.subtree_control").read_text()
needs_cgroups = pytest.mark.skipif(
    ROOT is None or os.geteuid() != 0, reason="only root can make a cgroup, and not everywhere"
)
needs_memory = pytest.mark.skipif(
    not HAS_MEMORY, reason="cgroup version 2 has no memory controller here"
)
NUMBERS = {"a0": 5, "a1": 7}
"""The minor numbers of /dev/zero and /dev/full, whose major number is 1."""


@contextmanager
def cgroup_tree() -> Iterator[Path]:
    """Yield a cgroup of our own."""
    assert ROOT is not None
    path = ROOT / f"rmsd-test-{uuid.uuid4().hex[:8]}"
    path.mkdir()
    yield path
    cgroups.kill(str(path))
    wait_until(lambda: cgroups.remove(str(path)), "the cgroup is empty")


@contextmanager
def device_files() -> Iterator[Path]:
    """Yield a directory with the files of two devices, `a0` and `a1`: /dev/zero and /dev/full by
    other names."""
    folder = Path("/dev", f"rmsd-test-{uuid.uuid4().hex[:8]}")
    folder.mkdir()
    try:
        for name, minor in NUMBERS.items():
            os.mknod(folder / name, 0o20666, os.makedev(1, minor))
        yield folder
    finally:
        shutil.rmtree(folder)


def tries(files: Path) -> str:
    """Return commands that say which of the devices open."""
    return f"for one in {files}/a0 {files}/a1 /dev/null; do (: < $one) && echo ${{one##*/}}; done"
