"""`rmsd start --check` says what keeps a daemon from starting, and starts none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.commands import BIN


def _check(directory: Path, text: str, *options: str) -> tuple[int, str, str]:
    """Return the exit code, standard output and standard error for a configuration."""
    file = directory / "rmsd.toml"
    file.write_text(text)
    command = [BIN / "rmsd", "start", "--check", "--config", file, *options]
    state_dir = ["--state-dir", directory / "state"]
    done = subprocess.run([*command, *state_dir], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_a_usable_configuration_starts_nothing(tmp_path: Path) -> None:
    text = 'recipe = "easy"\n[partitions.short]\nusers = ["no-such-account"]\n'
    code, out, err = _check(tmp_path, text)
    assert (code, out) == (0, f"{tmp_path}/rmsd.toml is usable; nothing was started\n")
    assert err == ("rmsd start: warning: partitions.short.users: not known here: no-such-account\n")
    assert not (tmp_path / "state").exists()


def test_all_that_keeps_a_daemon_from_starting_is_said(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state").chmod(0o777)
    code, out, err = _check(tmp_path, 'recipe = "easy"\n', "--listen", "203.0.113.7:7632")
    assert (code, out) == (1, "")
    directory, certificate, address = err.splitlines()
    assert "can be changed by other accounts" in directory
    assert "there is no" in certificate
    assert "cannot listen on 203.0.113.7:7632" in address
    assert list((tmp_path / "state").iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("text", ['recipe = "easiest"\n', "no_such_key = 1\n"])
def test_an_unusable_value_is_told_with_its_line(tmp_path: Path, text: str) -> None:
    code, out, err = _check(tmp_path, text)
    assert (code, out) == (2, "")
    assert f"{tmp_path}/rmsd.toml:1: " in err
