"""Files of users that say the machine has nothing left, on a machine that has."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from rmsd_agent import attempts, shepherd
from rmsd_agent.attempts import Unit
from rmsd_agent.pool import Spec, shepherd_line
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import Launch

from .test_parts import KEY, attempts_in

NO_MEMORY = "Cannot allocate memory"


def fail(number: int) -> NoReturn:
    raise OSError(number, os.strerror(number))


def unit_that_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Unit, list[str]]:
    """An agent's, its one unit, and how often that was given to the shepherds."""
    given: list[str] = []
    later: list[Callable[[], None]] = []

    class Loop:
        def call_later(self, _delay_s: float, call: Callable[..., None], *args: Any) -> Any:
            later.append(lambda: call(*args))
            return None

    monkeypatch.setattr(attempts.asyncio, "get_running_loop", Loop)

    def run(name: str, _make_spec: Callable[[], Spec]) -> None:
        given.append(name)

    agent = attempts_in(tmp_path, run)
    agent.launch(KEY, Launch(1, 1, "n1", True, 0, 60.0, 1.0, 1), 1.0, model_now_us=0)
    unit = agent.unit(KEY, "batch")
    assert unit is not None

    def refuse(*, suspect: bool) -> None:
        agent.unit_unable(unit.name, NO_MEMORY, suspect=suspect)
        if later:
            later.pop()()

    return refuse, unit, given


def test_a_unit_that_alone_cannot_be_started_is_ended_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse, unit, given = unit_that_waits(tmp_path, monkeypatch)
    for tries in range(1, attempts._MAX_SUSPECT_TRIES):
        refuse(suspect=True)
        assert len(given) == tries + 1
    refuse(suspect=True)
    assert unit.status is not None
    assert (unit.status.cause, unit.status.message) == (Cause.LAUNCH, NO_MEMORY)
    assert len(given) == attempts._MAX_SUSPECT_TRIES


def test_a_unit_waits_for_a_machine_that_can_start_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse, unit, given = unit_that_waits(tmp_path, monkeypatch)
    for _ in range(3 * attempts._MAX_SUSPECT_TRIES):
        refuse(suspect=False)
    assert unit.status is None
    assert len(given) == 3 * attempts._MAX_SUSPECT_TRIES + 1


@pytest.mark.parametrize("number", [errno.ENOMEM, errno.EMFILE, errno.ENFILE])
@pytest.mark.parametrize("alone", [True, False])
def test_an_output_file_is_suspect_if_other_files_can_be_opened(
    monkeypatch: pytest.MonkeyPatch, number: int, alone: bool
) -> None:
    monkeypatch.setattr(shepherd.outputs, "_open_output", lambda _: fail(number))
    if not alone:
        monkeypatch.setattr(shepherd.outputs.os, "open", lambda *_: fail(number))
    with pytest.raises(shepherd.NodeError, match="output file /out: ") as failed:
        shepherd.outputs.open_output("/out")
    assert failed.value.suspect is alone


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ENOMEM])
@pytest.mark.parametrize("alone", [True, False])
def test_a_program_is_suspect_if_others_can_be_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, alone: bool
) -> None:
    program = "/usr/bin/env"
    start = shepherd._start

    def start_others(path: str, *how: Any) -> int:
        if path == program or not alone:
            fail(number)
        return start(path, *how)

    monkeypatch.setattr(shepherd, "_start", start_others)
    out = str(tmp_path / "out")
    spec = {
        "user": None, "env": {}, "cwd": "/", "argv": [program], "script": False, "stdout": out,
        "stderr": "", "own_output": False, "keep_as": "", "max_output_bytes": 0, "cgroup": None,
        "max_more_tasks": 0,
    }  # fmt: skip
    here = Path.cwd()
    try:
        with pytest.raises(shepherd.NodeError, match=f"{program}: ") as failed:
            shepherd._spawn(spec, lambda _: None)
    finally:
        os.chdir(here)
    assert failed.value.suspect is alone


def test_shepherds_of_earlier_versions_suspect_nothing() -> None:
    said: Any = shepherd_line.decode(b'{"op":"unable","unit":"1.1.n1/batch","message":""}')
    assert said.suspect is False


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start programs as other users")
@pytest.mark.parametrize("stand_in", ["/bin/true", "/no/such/program"])
def test_a_program_is_tried_as_the_same_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stand_in: str
) -> None:
    monkeypatch.setattr(shepherd, "_STAND_IN", stand_in)
    account = shepherd.accounts.find("nobody", False)
    with (tmp_path / "out").open("wb") as out:
        assert shepherd._can_start(account, 1000, [out.fileno()])
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)  # it leaves no child
