"""The Debian package: built, installed, used, removed and purged, in a root of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rmsd_process.installed import installed_version
from tests.overlay import Overlay, needs_overlay

ROOT = Path(__file__).parents[1]
PYTHON = Path("/usr/bin/python3")
UNITS = [f"rmsd{name}.service" for name in ("", "-root", "-machine", "-agent", "-agent-root")]
USED = """\
set -e
rmsd start --detach --state-dir /tmp/state > /dev/null
export RMSD_STATE_DIR=/tmp/state
cd /tmp
rsub --quiet --wait --output=said --wrap 'rrun echo a job' > /dev/null
cat said
rmsd stop > /dev/null
rm -r state said
"""

pytestmark = [
    pytest.mark.long,  # pip fetches the libraries, and all modules are compiled: half a minute
    pytest.mark.timeout(900),
    needs_overlay(),
    pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="dpkg-deb is not installed here"),
    pytest.mark.skipif(not PYTHON.exists(), reason=f"the package is for {PYTHON}"),
]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("package")
    command = [sys.executable, ROOT / "deploy/package/build_deb.py", "--output", folder]
    subprocess.run(command, check=True, stdout=subprocess.PIPE)
    (package,) = folder.glob("rmsd_*.deb")
    return package


def test_the_package_is_installed_used_removed_and_purged(package: Path, tmp_path: Path) -> None:
    """The overlay has the machine's list of packages, so that dependencies count as they are."""
    system = Overlay(tmp_path)
    system.run("dpkg", "--install", package)
    for program in ("rmsd", "rmsd-agent", "rsub"):
        version = installed_version(program).partition(" (")[0]
        said = system.run(program, "--version").strip()
        assert said.partition(" (")[0] == version
    assert "rmsd:" in system.path("etc/passwd").read_text()
    assert system.run("man", "--where", "rmsd-start").endswith("/man1/rmsd-start.1.gz\n")
    assert system.run("sh", "-c", USED) == "a job\n"
    for unit in UNITS:
        said = system.run("systemd-analyze", "verify", f"/usr/lib/systemd/system/{unit}")
        about = [line for line in said.splitlines() if "/rmsd" in line and "Delegate" not in line]
        assert about == []
    assert system.path("etc/rmsd/rmsd.toml").read_text().count("\n# listen = ") == 1
    (system.path("etc/rmsd") / "ca.pem").touch()  # a file of the administrator's

    system.run("dpkg", "--remove", "rmsd")
    left = {path for path in system.changed() if "rmsd" in path}
    assert left == {
        "/etc/rmsd/ca.pem",
        "/etc/rmsd/rmsd.toml",
        "/etc/logrotate.d/rmsd",
        "/var/lib/dpkg/info/rmsd.list",
        "/var/lib/dpkg/info/rmsd.postrm",
    }

    system.run("dpkg", "--purge", "rmsd")
    assert {path for path in system.changed() if "rmsd" in path} == {"/etc/rmsd/ca.pem"}
    assert not Path("/usr/lib/rmsd").exists()
