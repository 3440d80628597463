"""The files of `systemd/` are what systemd and logrotate read, and start what rmsd has."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SYSTEMD = ROOT / "systemd"
UNITS = sorted(SYSTEMD.rglob("*.service"))

_NEWER = "Unknown key 'DelegateSubgroup' in section"
"""A warning of systemd before 254, which passes over this key."""


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(
        shutil.which(program) is None, reason=f"{program} is not installed here"
    )


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def installed(unit: Path, tmp_path: Path) -> Path:
    """Return a copy of the unit whose programs are there."""
    text = re.sub(r"(?:/opt/rmsd|%h/rmsd)/bin/[a-z-]+", "/bin/true", unit.read_text())
    copy = tmp_path / unit.name
    copy.write_text(text)
    return copy


@needs("systemd-analyze")
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: str(unit.relative_to(SYSTEMD)))
def test_systemd_understands_each_line(unit: Path, tmp_path: Path) -> None:
    said = run("systemd-analyze", "verify", str(installed(unit, tmp_path)))
    about = [line for line in said.splitlines() if str(tmp_path) in line and _NEWER not in line]
    assert about == []


@needs("systemd-analyze")
@pytest.mark.parametrize("name", ["rmsd-root.service", "rmsd.service"])
def test_a_daemon_without_jobs_is_sandboxed(name: str, tmp_path: Path) -> None:
    """A daemon of root's is exposed no more than 3.5 of 10, as systemd counts."""
    unit = str(installed(SYSTEMD / name, tmp_path))
    run("systemd-analyze", "security", "--offline=true", "--threshold=35", unit)


@needs("systemd-sysusers")
def test_sysusers_makes_the_account(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    run("systemd-sysusers", f"--root={tmp_path}", str(SYSTEMD / "rmsd.sysusers.conf"))
    (line,) = [
        line
        for line in (tmp_path / "etc/passwd").read_text().splitlines()
        if line.startswith("rmsd:")
    ]
    assert line.split(":")[4:6] == ["rmsd batch resource manager", "/var/lib/rmsd"]


@needs("systemd-tmpfiles")
def test_tmpfiles_makes_the_directories_of_root(tmp_path: Path) -> None:
    run("systemd-tmpfiles", "--create", f"--root={tmp_path}", str(SYSTEMD / "rmsd.tmpfiles.conf"))
    assert {(tmp_path / path).stat().st_mode & 0o777 for path in ("etc/rmsd", "run/rmsd")} == {
        0o755
    }


@needs("logrotate")
def test_logrotate_understands_its_file(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    said = run("logrotate", "-d", "-s", state, str(SYSTEMD / "rmsd.logrotate"))
    assert "error" not in said.lower()
    assert "considering log /var/lib/rmsd/agent.log" in said
