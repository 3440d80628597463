"""Tab after rmsd and the other commands: in bash, zsh and fish, with what a daemon knows."""

from __future__ import annotations

import contextlib
import os
import pty
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from rmsd_cli.completion import words
from rmsd_cli.completion.shells import SHELLS
from rmsd_cli.completion.words import PROGRAMS, candidates
from tests.commands import BIN
from tests.live import Daemon
from tests.waiting import wait_until

PARTITIONS = """
[partitions.batch]
nodes = "e[1-2]"
default = true

[partitions.short]
nodes = "e2"
"""


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_program_has_its_options_proposed(program: str) -> None:
    found = candidates([program, "--"])
    assert "--help" in found
    assert all(flag.startswith("--") for flag in found)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (["rsub", "--ti"], {"--time"}),
        (["rsub", "--time", "10", "--wra"], {"--wrap"}),
        (["rdel", "-t", "PD,C"], {"PD,CF", "PD,CG", "PD,CD", "PD,CA"}),
        (["rdel", "--states=P"], {"--states=PD", "--states=PR"}),
        (["rjob", "h"], {"hold"}),
        (["rmsd", "verif"], {"verify"}),
        (["rmsd", "trace", "fil"], {"filter"}),
        (["rmsd", "simulate", "--recipe", "easy-s"], {"easy-sjbf"}),
        (["rmsd", "recipes", "easy-s"], {"easy-sjbf"}),
        (["rmsd", "completions", ""], {"bash", "zsh", "fish"}),
        (["rmsd", "top", "--mi"], {"--mine"}),
        (["rmsd", "mcp", "--to"], {"--token-file"}),
        (["rmsd", "nothing", ""], set()),
        (["rsub", "--wrap", ""], set()),
        (["rrun", "--", "--la"], set()),
        (["another", "--"], set()),
    ],
)
def test_what_can_follow_is_proposed(line: list[str], expected: set[str]) -> None:
    assert set(candidates(line)) == expected


@pytest.fixture(scope="module")
def daemon() -> Iterator[Daemon]:
    daemon = Daemon("--emulate", "2x2", config=PARTITIONS)
    try:
        yield daemon.start()
    finally:
        daemon.close()


def _complete(daemon: Daemon, *line: str) -> dict[str, str]:
    done = daemon.run("rmsd-complete", *line)
    assert (done.returncode, done.stderr) == (0, "")
    return dict(line.partition("\t")[::2] for line in done.stdout.splitlines())


def test_a_daemon_tells_its_jobs_nodes_and_partitions(daemon: Daemon) -> None:
    job = daemon.emulate(3600, name="a: b")
    assert _complete(daemon, "rdel", "")[str(job)].endswith("a: b")
    assert _complete(daemon, "rnode", "drain", "").keys() >= {"e1", "e2"}
    assert _complete(daemon, "rnode", "reboot", "").keys() >= {"e1", "e2"}
    others = _complete(daemon, "rsub", "-w", "e1,")
    assert "e1,e2" in others
    assert "e1,e1" not in others
    assert set(_complete(daemon, "rsub", "--partition=s")) == {"--partition=short"}


def test_no_word_is_proposed_that_a_shell_would_carry_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A daemon that lies could have a node of the name `$(command)`, which Tab inserts."""
    odd = [
        "$(id)",
        "`id`",
        "a;id",
        "a b",
        "a|id",
        "a>b",
        "~root",
        "*",
        "a\nb",
        "'",
        "\\",
        "é",
        "!!",
    ]
    proposed = dict.fromkeys(["e1", "rack-1.example:x", "12_[3-5]", *odd], "about")
    monkeypatch.setattr(words, "candidates", lambda _: proposed)
    monkeypatch.setattr("sys.argv", ["rmsd-complete", "--plain", "rnode", ""])
    assert words.main() == 0
    assert capsys.readouterr().out.split("\n") == ["12_[3-5]", "e1", "rack-1.example:x", ""]


def test_without_a_daemon_nothing_is_proposed_and_nothing_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RMSD_SERVER", f"unix:{tmp_path}/none.sock")
    assert candidates(["rdel", ""]) == {}


def _environment(daemon: Daemon) -> dict[str, str]:
    return {**daemon.env, "PATH": f"{BIN}:{os.environ['PATH']}", "TERM": "dumb"}


def _script(shell: str, daemon: Daemon) -> Path:
    path = daemon.root / f"complete.{shell}"
    path.write_text(daemon.run("rmsd", "completions", shell).stdout)
    return path


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("rsub --ti", ["--time"]),
        ("/usr/bin/rsub --ti", ["--time"]),
        ("rsub --partition=s", ["short"]),  # bash has = end a word, and replaces what follows it
        ("rsub -p ", ["batch", "short"]),
        ("rnode drain e2", ["e2"]),
        ("rsub $(touch made) --ti", ["--time"]),
    ],
)
def test_bash_proposes(daemon: Daemon, line: str, expected: list[str]) -> None:
    code = """
    source "$1"; COMP_LINE=$2; COMP_POINT=${#2}
    _rmsd_complete
    printf '%s\\n' "${COMPREPLY[@]}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", code, "bash", str(_script("bash", daemon)), line],
        env=_environment(daemon),
        cwd=daemon.work,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout.split(), done.stderr) == (expected, "")
    assert not (daemon.work / "made").exists()


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_proposes(daemon: Daemon) -> None:
    code = 'source $argv[1]; complete -C "rsub --partition s"; complete -C "rsub --ti"'
    done = subprocess.run(
        ["fish", "--no-config", "-c", code, str(_script("fish", daemon))],
        env={**_environment(daemon), "HOME": str(daemon.work)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["short", "--time"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_proposes(daemon: Daemon) -> None:
    """A shell on a terminal completes the word that is unique, and runs the line."""
    ours, theirs = pty.openpty()
    (daemon.work / ".zshrc").write_text(
        f"autoload -Uz compinit; compinit -u\nsource {_script('zsh', daemon)}\n"
        "rsub() { print -r -- got $* }\nprint ready\n"
    )
    shell = subprocess.Popen(
        ["zsh", "-i"],
        env={**_environment(daemon), "HOME": str(daemon.work), "ZDOTDIR": str(daemon.work)},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    os.set_blocking(ours, False)
    shown = bytearray()

    def shows(text: bytes) -> bool:
        with contextlib.suppress(BlockingIOError):
            shown.extend(os.read(ours, 65536))
        return text in shown

    try:
        wait_until(lambda: shows(b"ready"), "zsh has started")
        os.write(ours, b"rsub --parti\t")
        wait_until(lambda: shows(b"--partition"), "the option is completed")
        os.write(ours, b"sho\t\n")
        wait_until(lambda: shows(b"got --partition short"), shown.decode(errors="replace"))
    finally:
        shell.kill()
        shell.wait()
        os.close(ours)


@pytest.mark.slow
def test_there_is_a_script_for_each_shell(daemon: Daemon) -> None:
    for shell in SHELLS:
        assert all(program in _script(shell, daemon).read_text() for program in PROGRAMS)
    assert daemon.rmsd("completions", "tcsh").returncode == 2
