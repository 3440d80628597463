"""`rmsd start --check` says what keeps a daemon from starting, and starts none."""

from __future__ import annotations

import argparse
import os
import subprocess
from pathlib import Path

import pytest

from rmsd_cli import start
from rmsd_daemon.setup import loading
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
    text = 'operators = ["no-operator", "root"]\n[partitions.short]\nusers = ["no-such-account"]\n'
    text += "[accounts.lab]\nshares = 2\n"
    code, out, err = _check(tmp_path, text)
    assert (code, out) == (0, f"{tmp_path}/rmsd.toml is usable; nothing was started\n")
    assert err.splitlines() == [
        "rmsd start: warning: operators: not known here: no-operator",
        "rmsd start: warning: partitions.short.users: not known here: no-such-account",
        "rmsd start: warning: accounts.lab.shares has no effect: the recipe rmsd-gentle does not "
        "divide the machine by accounts; fair-share,by=account does",
    ]
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


@pytest.mark.parametrize(
    ("uid", "own", "named"), [(1000, "", True), (1000, "own", False), (0, "", False)]
)
def test_a_user_is_told_of_the_machines_configuration(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    uid: int,
    own: str,
    named: bool,
) -> None:
    """Name the file whose state directory and address make a user's start fail."""
    system, file = tmp_path / "system.toml", tmp_path / "own.toml"
    for each in (system, file):
        each.write_text(f'state_dir = "{tmp_path}/no/such/state"\nlisten = "203.0.113.7:7632"\n')
    monkeypatch.setattr(loading, "SYSTEM", system)
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    monkeypatch.delenv("RMSD_CONFIG", raising=False)
    parser = argparse.ArgumentParser()
    start.add_arguments(parser)
    given = parser.parse_args(["--check", *(["--config", str(file)] if own else [])])
    assert start.run(given) == 1
    told = f"the settings were those of {system}" in capsys.readouterr().err
    assert told == named
