"""`make deb`: a Debian package of rmsd with its libraries, in a virtual environment of its own.

The environment is made for Debian's /usr/bin/python3, whose minor version the package depends on:
libraries of other versions would not load. pip fetches the libraries in the versions that the
Python which runs this program has, as they are those that the tests ran with. Needs `dpkg-deb` and
a pip of 22.3 or later. Standard library only.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PARTS = Path(__file__).parent / "debian"
HOME = "usr/lib/rmsd"
"""The virtual environment, in the package."""
_CLIENTS = ("rsub", "rstat", "rdel", "rjob", "rnode", "rlog", "rattach", "rrun", "ralloc")
COMMANDS = ("rmsd", "rmsd-agent", "rmsd-complete", *_CLIENTS)
UNITS = ("rmsd-root", "rmsd-machine", "rmsd", "rmsd-agent-root", "rmsd-agent")
_SHELLS = {
    "bash": "usr/share/bash-completion/completions/{}",
    "fish": "usr/share/fish/vendor_completions.d/{}.fish",
}
"""The file that a shell loads when Tab follows a command."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="the folder (dist)")
    parser.add_argument("--wheel", type=Path, help="a wheel of rmsd (made from this folder)")
    parser.add_argument("--python", default="/usr/bin/python3", help="the target's Python")
    parser.add_argument("--lintian", action="store_true", help="have lintian look at the package")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        wheel = args.wheel or _wheel(Path(scratch))
        package = _build(Path(scratch), wheel, args.python, args.output)
    if args.lintian:
        subprocess.run(
            ["lintian", "--fail-on", "error", "--tag-display-limit", "0", package], check=True
        )
    print(package)


def _wheel(scratch: Path) -> Path:
    _run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(scratch), str(ROOT))
    (wheel,) = scratch.glob("*.whl")
    return wheel


def _build(scratch: Path, wheel: Path, python: str, output: Path) -> Path:
    """Build the package of a wheel in an empty folder; return the file."""
    os.umask(0o022)
    tree = scratch / "tree"
    _install(tree, wheel, python)
    version = _run(str(tree / HOME / "bin/python3"), "-I", "-m", "rmsd_cli.main", "--version")
    number = version.split()[1]
    _add_commands(tree)
    _add_units(tree)
    _add_manual(tree)
    _add_completions(tree)
    _add_documents(tree, number)
    _add_configuration(tree)
    for cache in list((tree / HOME).rglob("__pycache__")):  # postinst compiles
        shutil.rmtree(cache)
    architecture = _run("dpkg", "--print-architecture")
    _add_control(tree, number, architecture, python)
    output.mkdir(parents=True, exist_ok=True)
    package = output / f"rmsd_{number}_{architecture}.deb"
    _run("dpkg-deb", "--root-owner-group", "-Zxz", "-z2", "--build", str(tree), str(package))
    return package


def _install(tree: Path, wheel: Path, python: str) -> None:
    """Make the virtual environment, whose paths are those that it has once it is installed."""
    home = tree / HOME
    _run(python, "-m", "venv", "--without-pip", str(home))
    frozen = _run(sys.executable, "-m", "pip", "freeze", "--exclude-editable")
    constraints = tree.parent / "constraints.txt"
    constraints.write_text("\n".join(line for line in frozen.splitlines() if "==" in line))
    options = ["--quiet", "--no-compile", "--no-warn-script-location", "-c", str(constraints)]
    target = ["--python", str(home / "bin/python3")]
    check = "--disable-pip-version-check"
    _run(sys.executable, "-m", "pip", *target, "install", check, *options, str(wheel))
    for script in list((home / "bin").iterdir()):
        if script.is_symlink():
            continue
        if script.name not in COMMANDS:  # those of the libraries, and `activate`
            script.unlink()
            continue
        script.write_text(script.read_text().replace(str(tree), ""))
    shutil.rmtree(home / "include", ignore_errors=True)
    configuration = home / "pyvenv.cfg"
    lines = configuration.read_text().splitlines()
    configuration.write_text("\n".join(line for line in lines if "command" not in line) + "\n")


def _add_commands(tree: Path) -> None:
    folder = tree / "usr/bin"
    folder.mkdir(parents=True)
    for command in COMMANDS:
        assert (tree / HOME / "bin" / command).exists(), command
        (folder / command).symlink_to(f"../lib/rmsd/bin/{command}")


def _add_units(tree: Path) -> None:
    """Add the files of `systemd/`, with the package's paths."""
    for name in UNITS:
        _put(tree / f"usr/lib/systemd/system/{name}.service", _unit(f"{name}.service"))
    _put(tree / "usr/lib/systemd/user/rmsd.service", _unit("user/rmsd.service"))
    for kind in ("sysusers", "tmpfiles"):
        _put(tree / f"usr/lib/{kind}.d/rmsd.conf", _unit(f"rmsd.{kind}.conf"))
    _put(tree / "etc/logrotate.d/rmsd", _unit("rmsd.logrotate"))


def _unit(name: str) -> str:
    text = (ROOT / "systemd" / name).read_text()
    return re.sub(r"(?:/opt/rmsd|%h/rmsd)/bin/", "/usr/bin/", text)


def _add_manual(tree: Path) -> None:
    """Put the pages that the wheel has installed where `man` looks by itself."""
    manual = tree / HOME / "share/man"
    for page in manual.glob("man*/*"):
        place = tree / "usr/share/man" / page.parent.name / f"{page.name}.gz"
        _put_compressed(place, page.read_bytes())
    shutil.rmtree(manual)


def _add_completions(tree: Path) -> None:
    for shell, place in _SHELLS.items():
        _put(tree / place.format("rmsd"), _rmsd(tree, "completions", shell) + "\n")
        for command in _CLIENTS:
            (tree / place.format(command)).symlink_to(Path(place.format("rmsd")).name)
    text = _rmsd(tree, "completions", "zsh")
    programs = text.splitlines()[-1].removeprefix("compdef _rmsd_complete ")
    text = f'#compdef {programs}\n{text}\n_rmsd_complete "$@"\n'
    _put(tree / "usr/share/zsh/vendor-completions/_rmsd", text)


def _add_documents(tree: Path, version: str) -> None:
    folder = tree / "usr/share/doc/rmsd"
    for name in ("rmsd.toml", "client.toml"):
        _put(folder / "examples" / name, (ROOT / "deploy" / name).read_text())
    shutil.copytree(ROOT / "deploy/monitoring", folder / "examples/monitoring")
    _put(folder / "copyright", (PARTS / "copyright").read_text())
    _put_compressed(folder / "changelog.gz", (ROOT / "CHANGELOG.md").read_bytes())
    entry = (PARTS / "changelog").read_text().replace("@VERSION@", version)
    _put_compressed(folder / "changelog.Debian.gz", entry.encode())
    overrides = (PARTS / "lintian-overrides").read_text()
    _put(tree / "usr/share/lintian/overrides/rmsd", overrides)


def _add_configuration(tree: Path) -> None:
    """Add the example with all keys in comments: a fresh installation has the defaults."""
    lines = (ROOT / "deploy/rmsd.toml").read_text().splitlines()
    text = "\n".join(line if line[:1] in ("", "#") else f"# {line}" for line in lines)
    _put(tree / "etc/rmsd/rmsd.toml", f"{text}\n")


def _add_control(tree: Path, version: str, architecture: str, python: str) -> None:
    for path in tree.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
    folder = tree / "DEBIAN"
    code = "import sys; print(*sys.version_info[:2])"
    major, minor = map(int, _run(python, "-c", code).split())
    told = {
        "@VERSION@": version,
        "@ARCHITECTURE@": architecture,
        "@PYTHON@": f"{major}.{minor}",
        "@NEXT_PYTHON@": f"{major}.{minor + 1}",
        "@SIZE@": str(sum(-(-path.lstat().st_size // 1024) for path in _files(tree))),
        "@UNITS@": " ".join(f"{name}.service" for name in UNITS),
    }
    sums = [
        f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(tree)}\n"
        for path in _files(tree)
        if not path.is_symlink()
    ]
    conffiles = [f"/{path.relative_to(tree)}\n" for path in _files(tree / "etc")]
    _put(folder / "md5sums", "".join(sums))
    _put(folder / "conffiles", "".join(conffiles))
    for name in ("control", "postinst", "prerm", "postrm"):
        text = (PARTS / name).read_text()
        for word, value in told.items():
            text = text.replace(word, value)
        _put(folder / name, text)
        (folder / name).chmod(0o644 if name == "control" else 0o755)


def _files(folder: Path) -> Iterator[Path]:
    """Yield what is no directory, in order."""
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or path.is_file():
            yield path


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _put_compressed(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(content, 9, mtime=0))


def _rmsd(tree: Path, *arguments: str) -> str:
    """Run the package's own `rmsd`."""
    python = str(tree / HOME / "bin/python3")
    return _run(python, "-I", "-B", "-m", "rmsd_cli.main", *arguments)


def _run(*command: str) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"build_deb: error: {' '.join(command)} failed with {done.returncode}")
    return done.stdout.strip()


if __name__ == "__main__":
    main()
