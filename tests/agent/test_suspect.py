"""Files of users that say the machine has nothing left, on a machine that has."""

from __future__ import annotations

import errno
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import psutil
import pytest

from rmsd_agent.attempts import runner
from rmsd_agent.attempts.attempt import Unit
from rmsd_agent.shepherd.standalone import main_process, outputs, spawning, user_paths
from rmsd_agent.shepherd.standalone.outputs import NodeError
from rmsd_agent.shepherd.standalone.unit_spec import UnitSpec
from rmsd_agent.units.shepherd_lines import shepherd_line
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import Launch
from tests.agent.parts import KEY, attempts_in
from tests.waiting import DEADLINE_S

NO_MEMORY = "Cannot allocate memory"


def fail(number: int) -> NoReturn:
    raise OSError(number, os.strerror(number))


def unit_that_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Unit, list[str]]:
    """Return an agent's units, the one unit that waits, and how often that was given to the
    shepherds."""
    given: list[str] = []
    later: list[Callable[[], None]] = []

    class Loop:
        def call_later(self, _delay_s: float, call: Callable[..., None], *args: Any) -> Any:
            later.append(lambda: call(*args))
            return None

    monkeypatch.setattr("asyncio.get_running_loop", Loop)

    def run(name: str, _make_spec: Callable[[], UnitSpec]) -> None:
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
    for tries in range(1, runner.MAX_SUSPECT_TRIES):
        refuse(suspect=True)
        assert len(given) == tries + 1
    refuse(suspect=True)
    assert unit.status is not None
    assert (unit.status.cause, unit.status.message) == (Cause.LAUNCH, NO_MEMORY)
    assert len(given) == runner.MAX_SUSPECT_TRIES


def test_a_unit_waits_for_a_machine_that_can_start_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse, unit, given = unit_that_waits(tmp_path, monkeypatch)
    for _ in range(3 * runner.MAX_SUSPECT_TRIES):
        refuse(suspect=False)
    assert unit.status is None
    assert len(given) == 3 * runner.MAX_SUSPECT_TRIES + 1


@pytest.mark.parametrize("number", [errno.ENOMEM, errno.EMFILE, errno.ENFILE])
@pytest.mark.parametrize("alone", [True, False])
def test_an_output_file_is_suspect_if_other_files_can_be_opened(
    monkeypatch: pytest.MonkeyPatch, number: int, alone: bool
) -> None:
    monkeypatch.setattr(outputs, "look_at", lambda _: fail(number))
    if not alone:
        monkeypatch.setattr(outputs.os, "open", lambda *_: fail(number))
    with pytest.raises(NodeError, match="output file /out: ") as failed:
        outputs.open_output("/out")
    assert failed.value.suspect is alone


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ENOMEM])
@pytest.mark.parametrize("alone", [True, False])
def test_a_program_is_suspect_if_others_can_be_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, alone: bool
) -> None:
    program = "/usr/bin/env"
    monkeypatch.setattr(main_process, "execute", lambda *_: fail(number))
    if not alone:
        monkeypatch.setattr(os, "posix_spawn", lambda *_: fail(number))
    started = spawn(tmp_path, program)
    assert started.problem == (main_process.SUSPECT if alone else main_process.NODE)
    assert started.text == f"{program}: {os.strerror(number)}"


def test_a_program_that_cannot_be_read_fails_its_job_and_not_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file server may show a script to the kernel, and answer EIO to the next that reads it."""
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o700)
    monkeypatch.setattr(user_paths, "open_regular", lambda path: os.open(path, os.O_WRONLY))
    started = spawn(tmp_path, str(script))
    assert started.problem == main_process.LAUNCH
    assert started.text == f"{script}: No such file or directory"


def spawn(folder: Path, program: str) -> spawning.StartedProcess:
    """Start a program as a shepherd does, with its output in `out`."""
    spec = UnitSpec(
        argv=[program], cwd="/", env={}, stdout=str(folder / "out"), stderr="",
        killed_after_s=None, kill_grace_s=0.0, max_output_bytes=1,
    )  # fmt: skip
    (folder / "1.1.n1/batch").mkdir(parents=True)
    order = json.dumps({"op": "run", "unit": "1.1.n1/batch", **spec.fields()}).encode()
    return spawning.spawn(order, str(folder), "a boot", [os.getpid(), 1])


def test_what_runs_is_not_started_again_for_an_error_when_its_output_is_closed_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NFS says EDQUOT to a process that closes a file for what others have written to the file."""
    out, close, failed = tmp_path / "out", os.close, threading.Event()

    def close_on_nfs(fd: int) -> None:
        outputs = out.exists() and os.path.samestat(os.fstat(fd), out.stat())
        close(fd)
        if outputs:
            failed.set()
            fail(errno.EDQUOT)

    with monkeypatch.context() as patched:
        patched.setattr(os, "close", close_on_nfs)
        unit = spawn(tmp_path, "/bin/true").unit
        assert unit is not None
        assert unit.quota is not None
        unit.quota.close()
        assert failed.wait(DEADLINE_S)
    assert unit.pid is not None
    assert os.waitpid(unit.pid, 0)[1] == 0


@pytest.mark.parametrize(
    ("number", "problem"),
    [(errno.EIO, main_process.LAUNCH), (errno.ENOMEM, main_process.SUSPECT)],
)
def test_a_file_that_does_not_tell_its_size_is_the_jobs_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, problem: str
) -> None:
    """A unit that is never started has no end: it would be tried for ever."""
    quota_of = outputs.Quota.of

    def of_a_broken_file(fds: list[int], script: str | None, max_bytes: int) -> object:
        with monkeypatch.context() as patched:
            patched.setattr(os, "dup", lambda _: fail(number))
            return quota_of(fds, script, max_bytes)

    monkeypatch.setattr(outputs.Quota, "of", of_a_broken_file)
    assert spawn(tmp_path, "/bin/true").problem == problem


def test_shepherds_of_earlier_versions_suspect_nothing() -> None:
    said: Any = shepherd_line.decode(b'{"op":"unable","unit":"1.1.n1/batch","message":""}')
    assert said.suspect is False


@pytest.mark.parametrize("stand_in", ["/bin/true", "/no/such/program"])
def test_a_machine_is_able_to_start_what_it_has_looked_for(
    monkeypatch: pytest.MonkeyPatch, stand_in: str
) -> None:
    monkeypatch.setattr(main_process, "STAND_IN", stand_in)
    children = set(psutil.Process().children())  # made by tests before this one
    assert main_process.can_start()
    assert set(psutil.Process().children()) <= children
