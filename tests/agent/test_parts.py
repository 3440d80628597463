"""Parts of the agent that need no agent."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import AsyncMock

import msgspec
import pytest
from aiohttp import WSMessage, WSMsgType

from rmsd_agent.attempts import specs
from rmsd_agent.attempts.attempt import HeldAttempts, NodeAttempt
from rmsd_agent.attempts.attempts import Attempts
from rmsd_agent.attempts.errors import TaskOver, TooManyTasks
from rmsd_agent.attempts.tasks import Tasks
from rmsd_agent.link import link
from rmsd_agent.link.link import LinkError
from rmsd_agent.reports import Reports
from rmsd_agent.shepherd.standalone import ending, processes
from rmsd_agent.shepherd.standalone.unit_spec import UnitSpec
from rmsd_agent.state.files import read_record, remove_tree, replace_record, write_record
from rmsd_agent.state.records import ClaimedUnit, SavedAttempt, status_now
from rmsd_agent.state.state_dir import AgentStateDir, StateError
from rmsd_agent.units import adoption, leftovers
from rmsd_agent.units.adoption import Keeper, StopOrder
from rmsd_agent.units.orphans import Orphans
from rmsd_agent.units.overdue import Overdue
from rmsd_core.vocabulary import Cause
from rmsd_process.model_clock import ModelClock, boot_id
from rmsd_wire.link import Ack, ExitedReport, Launch, LaunchedReport, Report, WarnSignal, encoder
from rmsd_wire.link_calls import StartTask
from tests.agent.parts import KEY, attempts_in, running_record
from tests.waiting import wait_until


@pytest.mark.parametrize("name", ["sh", "a b", "odd) S 1 (name", "))", ""])
def test_a_process_may_have_any_name(name: str) -> None:
    fields = ["S", "7", "8", "9", *map(str, range(7, 50))]
    found = processes.Process(f"42 ({name}) {' '.join(fields)}\n")
    assert (found.pid, found.ppid, found.session) == (42, 7, 9)
    assert found.start_ticks == 22  # proc(5): field 22
    assert not found.zombie


def test_a_zombie_is_not_alive() -> None:
    with subprocess.Popen(["true"]) as child:
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        found = processes.process(child.pid)
        assert found is not None
        assert found.zombie
        assert not processes.is_alive(child.pid, found.start_ticks)
        assert child.pid not in processes.descendants(os.getpid())
    assert processes.process(child.pid) is None


@pytest.mark.parametrize("tells_children", [True, False])
def test_what_is_below_a_process_is_found(
    monkeypatch: pytest.MonkeyPatch, tells_children: bool
) -> None:
    """Children of its children, and those of a thread that is not its first one."""
    monkeypatch.setattr(processes, "TELLS_CHILDREN", tells_children)
    tree = """
import subprocess, threading
def start(): subprocess.Popen(["sh", "-c", "sleep 60 & echo $$ $!; wait"])
threading.Thread(target=lambda: (start(), threading.Event().wait())).start()
"""
    with subprocess.Popen([sys.executable, "-c", tree], stdout=subprocess.PIPE) as root:
        assert root.stdout is not None
        below = {int(word) for word in root.stdout.readline().split()}
        try:
            assert processes.descendants(root.pid) == below
        finally:
            ending.kill(lambda: processes.descendants(root.pid) | {root.pid})


def test_a_search_below_a_process_looks_at_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of shepherds that looked at all processes at once kept a node from its work."""
    if not processes.TELLS_CHILDREN:
        pytest.skip("this kernel does not tell the children of a process")
    looked_at: list[int] = []
    look = processes.process
    monkeypatch.setattr(processes, "process", lambda pid: looked_at.append(pid) or look(pid))
    with subprocess.Popen(["sh", "-c", "sleep 60 & wait"]) as ours:
        wait_until(lambda: processes.descendants(ours.pid))
        looked_at.clear()
        found = processes.descendants(ours.pid)
        assert looked_at == list(found)
        ending.kill(lambda: found | {ours.pid})


def test_a_pid_of_a_child_that_is_a_strangers_by_now_is_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not processes.TELLS_CHILDREN:
        pytest.skip("this kernel does not tell the children of a process")
    with subprocess.Popen(["sleep", "60"]) as ours, subprocess.Popen(["sleep", "60"]) as stranger:
        monkeypatch.setattr(processes, "children", lambda _pid: [stranger.pid])
        assert processes.descendants(ours.pid) == set()
        ours.kill()
        stranger.kill()


def test_a_process_that_may_not_be_looked_at_is_none() -> None:
    """Others' under hidepid=1: seen by an account of no rights, on a /proc of our own."""
    look = """
import os, sys
sys.path.append(sys.argv[1])
from standalone import ending, processes
os.setgroups([]); os.setgid(61234); os.setuid(61234)  # nobody else's
try:
    open("/proc/1/stat")
    sys.exit(99)
except PermissionError:
    pass
assert processes.process(1) is None and ending._name(1) == ""
assert [p.pid for p in processes.process_table()] == [os.getpid()]
"""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a /proc")
    mount = 'mount -t proc -o hidepid=1 proc /proc || exit 99; exec "$@"'
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0:
        pytest.skip("there is no mount namespace to be had")
    python = [sys.executable, "-I", "-S", "-c", look, str(Path(processes.__file__).parents[1])]
    command = ["unshare", "--mount", "sh", "-c", mount, "sh", *python]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 99:
        pytest.skip("/proc cannot be hidden here")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("end", [ending.kill, ending.terminate])
@pytest.mark.parametrize("own_group", [False, True])
def test_what_got_a_pid_between_two_looks_is_left_alone(
    end: Callable[[Callable[[], set[int]]], None], own_group: bool
) -> None:
    """The first look has found the pid's last owner, the second finds it no more."""
    with subprocess.Popen(["sleep", "60"], start_new_session=own_group) as stranger:
        looks = iter([{stranger.pid}])
        end(lambda: next(looks, set()))
        found = wait_until(lambda: processes.process(stranger.pid))
        wait_until(lambda: not processes.process(stranger.pid).stopped)  # type: ignore[union-attr]
        assert not found.zombie
        assert stranger.poll() is None
        stranger.kill()


@pytest.mark.parametrize("by_pid", [False, True])
def test_what_got_a_pid_after_the_last_look_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, by_pid: bool
) -> None:
    """Somebody ends a stopped process after the last look, and a stranger gets the pid."""
    if by_pid:
        monkeypatch.setattr(ending, "MOST_HELD", 0)
    killed: list[int] = []
    with subprocess.Popen(["sleep", "60"]) as ours:
        looks = 0

        def kill(pid: int, number: int) -> None:
            """Stands for what a signal by the pid reaches."""
            if number == signal.SIGKILL:
                killed.append(pid)

        def look() -> set[int]:
            nonlocal looks
            looks += 1
            if looks == 2:
                ours.kill()
                ours.wait()
                monkeypatch.setattr(os, "kill", kill)
            return {ours.pid}

        ending.kill(look)
    assert killed == ([ours.pid] if by_pid else [])


@pytest.mark.parametrize("others", [False, True])
def test_a_signal_goes_to_exactly_the_process_that_was_meant(others: bool) -> None:
    with subprocess.Popen(["sleep", "60"]) as child:
        found = processes.process(child.pid)
        assert found is not None
        found.start_ticks -= others  # the process that had the pid before
        ending.send_to(found, signal.SIGTERM)
        if others:
            assert child.poll() is None
            child.kill()
    assert child.returncode == (-signal.SIGKILL if others else -signal.SIGTERM)


def test_what_is_found_once_gets_no_signal() -> None:
    with subprocess.Popen(["sleep", "60"]) as gone, subprocess.Popen(["sleep", "60"]) as ours:
        looks = iter([{gone.pid, ours.pid}, {ours.pid}])
        ending.send_all(lambda: next(looks), [signal.SIGTERM])
        assert ours.wait() == -signal.SIGTERM
        assert gone.poll() is None
        gone.kill()


def test_only_so_many_processes_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are reached all the same, and no descriptor stays open."""
    monkeypatch.setattr(ending, "MOST_HELD", 1)
    opened = set(os.listdir("/proc/self/fd"))
    with subprocess.Popen(["sleep", "60"]) as first, subprocess.Popen(["sleep", "60"]) as second:
        ending.kill(lambda: {first.pid, second.pid})
        assert {first.wait(), second.wait()} == {-signal.SIGKILL}
    assert set(os.listdir("/proc/self/fd")) == opened


def test_orphans_are_not_found_behind_a_reused_pid() -> None:
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as child:
        main = processes.process(child.pid)
        assert main is not None
        start = main.start_ticks
        assert Orphans("/no/unit", start, (child.pid, start)).find() == {child.pid}
        assert Orphans("/no/unit", start - 1, (child.pid, start - 1)).find() == set()
        assert Orphans("/no/unit", start + 1, (child.pid, start)).find() == set()
        child.kill()


def test_orphans_are_found_by_exactly_their_mark_and_then_remembered(tmp_path: Path) -> None:
    go = tmp_path / "go"
    script = f"until [ -e {go} ]; do sleep 0.02; done; exec env -i sleep 60"
    env = {"PATH": os.defpath, "RMS_UNIT": f"{tmp_path}/1.1.n1/batch"}
    with subprocess.Popen(["sh", "-c", script], env=env, start_new_session=True) as child:
        own = processes.process(child.pid)
        assert own is not None
        marked = Orphans(f"{tmp_path}/1.1.n1/batch", own.start_ticks, None)
        # The kernel shows an environment a moment after it is known that the program was executed.
        wait_until(lambda: marked.oldest() == (child.pid, own.start_ticks))
        assert Orphans(f"{tmp_path}/1.1.n1/batc", own.start_ticks, None).oldest() is None
        much_later = own.start_ticks + 10**9  # the script starts a `sleep` every moment
        assert Orphans(f"{tmp_path}/1.1.n1/batch", much_later, None).find() == set()
        go.touch()
        wait_until(lambda: Path(f"/proc/{child.pid}/environ").read_bytes() == b"")
        assert child.pid in marked.find()
        child.kill()


async def test_a_unit_that_lost_its_shepherd_is_known_to_have_started(tmp_path: Path) -> None:
    """Also if that died after it had recorded so, and before it could tell."""
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as main:
        write_record(tmp_path / "running.json", running_record(main))
        told: list[int] = []
        order = StopOrder(Cause.USER, time.monotonic())
        keeper = Keeper(
            connected=lambda: False,
            stop=lambda: order,
            new_deadline_s=lambda: None,
            suspended=lambda: False,
            was_suspended=lambda: False,
            started=told.append,
        )
        status = await adoption.outcome(tmp_path, None, keeper)
        main.kill()
    assert status is not None
    assert (told, status.cause) == ([main.pid], Cause.USER)


async def test_a_server_that_answers_pings_is_not_silent() -> None:
    pong = WSMessage(WSMsgType.PONG, b"", None)
    ack = WSMessage(WSMsgType.BINARY, encoder.encode([Ack(7)]), None)

    ping = AsyncMock()

    async def hear(*heard: WSMessage | type[TimeoutError]) -> list[Any]:
        ws: Any = SimpleNamespace(receive=AsyncMock(side_effect=heard), ping=ping)
        return list(await link.receive(ws, 5.0))

    assert await hear(TimeoutError, pong, TimeoutError, pong, ack) == [Ack(7)]
    assert ping.await_count == 2
    with pytest.raises(LinkError, match="nothing heard for 10 s"):
        await hear(TimeoutError, TimeoutError)


def test_the_model_clock_goes_on_from_where_the_daemon_was() -> None:
    now_ns = time.monotonic_ns()
    clock = ModelClock(5000.0, 10**15, now_ns - 10**9, boot_id())
    assert clock.now_us() >= 10**15 + 5000 * 10**6
    assert clock.monotonic_ns(10**15 + 5000 * 10**6) == now_ns
    elsewhere = ModelClock(5000.0, 10**15, 0, "there")
    assert elsewhere.now_us() < 10**15 + 5000 * 10**6 * 60


def test_reports_are_numbered_anew_in_every_session_and_kept_until_acknowledged() -> None:
    sent: list[Report] = []
    reports = Reports(sent.append)
    reports.launched(KEY, 42)
    reports.launched(KEY, 42)  # not acknowledged: said already
    reports.exited(KEY, status_now(Cause.EXIT))
    assert [(type(r), r.seq) for r in sent] == [(LaunchedReport, 1), (ExitedReport, 2)]
    assert [type(r) for r in reports.acknowledge(1)] == [LaunchedReport]
    assert [(type(r), r.seq) for r in reports.open_session()] == [(ExitedReport, 1)]
    reports.launched(KEY, 42)
    assert sent[-1].seq == 2
    assert len(reports.acknowledge(2)) == 2
    assert reports.open_session() == []


def test_an_end_is_said_once_while_it_is_not_acknowledged() -> None:
    sent: list[Report] = []
    reports = Reports(sent.append)
    for _ in range(2):  # a daemon may ask twice for the end of what was never here
        reports.exited(KEY, status_now(Cause.USER))
    assert [r.seq for r in sent] == [1]
    assert len(reports.acknowledge(1)) == 1
    reports.exited(KEY, status_now(Cause.USER))
    assert [r.seq for r in reports.pending()] == [2]


@pytest.mark.parametrize("cores", [1, 300])
def test_a_job_has_so_many_tasks_at_a_time(tmp_path: Path, cores: int) -> None:
    """Each of them has a shepherd, which is not the job's to pay for."""
    launch = Launch(1, 1, "n1", False, 0, None, 1.0, cores)
    attempt = NodeAttempt(SavedAttempt(launch, 0.0, None, ""), tmp_path)
    held, unused = HeldAttempts(), cast("Any", None)
    held.add(attempt)
    for number in range(max(256, cores)):
        held.add_unit(attempt, f"s.{number}")
    task = StartTask(1, 1, 1, "n1", "s", attempt.most_tasks + 1, ["true"], {}, "")
    with pytest.raises(TooManyTasks, match="as many as may run"):
        Tasks(held, unused, unused, unused).start(KEY, task)


async def test_ended_tasks_beyond_a_number_are_deleted_and_what_they_used_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job may start tasks without end, and the disk and the memory are the node's."""
    monkeypatch.setattr("rmsd_agent.attempts.attempt.MAX_TASKS", 1)
    kept = 4
    used = msgspec.structs.replace(status_now(Cause.EXIT), cpu_s=1.0, max_rss_mib=3)

    async def end_tasks(agent: Attempts, tasks: range) -> None:
        for task in tasks:
            call = StartTask(1, 1, 1, "n1", "s", task, ["true"], {}, "")
            unit = agent.tasks.start(KEY, call)
            assert unit.make_spec is not None
            write_record(unit.dir / "status.json", used)
            agent.unit_ended(unit.name, used)
            assert unit.make_spec is None
        if agent.cleaner.cleaning is not None:
            await agent.cleaner.cleaning

    agent = attempts_in(tmp_path, lambda *_: None)
    agent.launch(KEY, Launch(1, 1, "n1", False, 0, None, 1.0, 1), 1.0, model_now_us=0)
    await end_tasks(agent, range(10))
    names = {f"s.{task}" for task in range(10 - kept, 10)}
    assert {path.name for path in (tmp_path / "1.1.n1").iterdir() if path.is_dir()} == names
    attempt = agent.attempt(KEY)
    assert attempt is not None
    assert set(attempt.units) == names
    assert len(agent.held_here.units) == kept

    sent: list[Report] = []
    later = attempts_in(tmp_path, lambda *_: None, sent.append)
    later.recover()
    await end_tasks(later, range(10, 12))
    sent.clear()
    later.stop(KEY, Cause.USER)
    (exited,) = sent
    assert isinstance(exited, ExitedReport)
    assert (exited.cpu_s, exited.max_rss_mib) == (12.0, 3)


async def test_a_task_whose_record_is_deleted_is_not_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call that starts a task may come again when the task has ended long ago."""
    monkeypatch.setattr("rmsd_agent.attempts.attempt.MAX_TASKS", 1)
    monkeypatch.setattr("rmsd_agent.attempts.tasks.ENDED_TASKS", 1)
    monkeypatch.setattr("rmsd_agent.attempts.tasks.REMEMBERED_TASKS", 2)
    agent = attempts_in(tmp_path, lambda *_: None)
    agent.launch(KEY, Launch(1, 1, "n1", False, 0, None, 1.0, 1), 1.0, model_now_us=0)

    async def start_and_end(task: int) -> None:
        unit = agent.tasks.start(KEY, StartTask(1, 1, 1, "n1", "s", task, ["true"], {}, ""))
        agent.unit_ended(unit.name, status_now(Cause.EXIT))
        if agent.cleaner.cleaning is not None:
            await agent.cleaner.cleaning

    for task in range(3):
        await start_and_end(task)
    for task in range(2):
        with pytest.raises(TaskOver, match=f"task s.{task} of job 1 is over"):
            await start_and_end(task)
    for task in range(3, 9):
        await start_and_end(task)
    attempt = agent.attempt(KEY)
    assert attempt is not None
    assert len(attempt.deleted_tasks) == 2


def test_the_times_of_an_attempt_count_from_when_its_script_is_given_to_a_shepherd(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 100.0
    clock = SimpleNamespace(monotonic=lambda: now_s, time=lambda: 1e9 + now_s)
    for module in ("attempt", "attempts"):
        monkeypatch.setattr(f"rmsd_agent.attempts.{module}.time", clock)
    monkeypatch.setattr(Overdue, "expect_end", lambda *_: None)
    given: list[Callable[[], UnitSpec]] = []
    agent = attempts_in(tmp_path, lambda _, make_spec: given.append(make_spec))
    warn = WarnSignal(10, before_s=10.0)
    launch = Launch(1, 1, "n1", True, 0, 60.0, 1.0, 1, trial_end_us=10**9, warn_signal=warn)
    agent.launch(KEY, launch, 10.0, model_now_us=10**8)  # the trial ends at 190
    attempt = agent.attempt(KEY)
    assert attempt is not None

    (make_spec,) = given
    assert attempt.saved.deadline_s == 160.0
    now_s = 104.0  # after a try that failed
    spec = make_spec()
    assert spec.warn is not None
    assert spec.warn.at_s == attempt.saved.warn_at_s == [154.0, 180.0]
    assert spec.env["RMS_JOB_START_TIME"] == str(10**9 + 104)
    assert spec.env["RMS_JOB_END_TIME"] == str(10**9 + 164)
    assert attempt.saved.deadline_s == 164.0


def test_on_other_nodes_the_times_of_an_attempt_count_from_its_first_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 100.0
    clock = SimpleNamespace(monotonic=lambda: now_s, time=lambda: 1e9 + now_s)
    for module in ("attempt", "attempts"):
        monkeypatch.setattr(f"rmsd_agent.attempts.{module}.time", clock)
    agent = attempts_in(tmp_path, lambda *_: None)
    agent.launch(KEY, Launch(1, 1, "n1", False, 0, 60.0, 1.0, 1), 1.0, model_now_us=0)
    attempt = agent.attempt(KEY)
    assert attempt is not None
    for at_s, task, deadline_s in ((103.0, 0, 163.0), (110.0, 1, 163.0)):
        now_s = at_s
        agent.tasks.start(KEY, StartTask(1, 1, 1, "n1", "s", task, ["true"], {}, ""))
        assert attempt.saved.deadline_s == deadline_s


@pytest.mark.parametrize(("left_s", "expected"), [(10.0, 10.05), (-0.01, 0.04), (-1.0, 0.0)])
def test_a_task_outlasts_its_script_by_less_than_limits_are_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left_s: float, expected: float
) -> None:
    clock = SimpleNamespace(monotonic=lambda: 100.0)
    monkeypatch.setattr("rmsd_agent.attempts.attempt.time", clock)
    launch = Launch(1, 1, "n1", False, 0, 60.0, 1.0, 1)
    attempt = NodeAttempt(SavedAttempt(launch, 0.0, 100.0 + left_s, ""), tmp_path)
    task = StartTask(1, 1, 1, "n1", "s", 0, ["true"], {}, "")
    assert specs.task_spec(attempt, tmp_path / "s.0", task).killed_after_s == pytest.approx(
        expected
    )


def test_a_record_that_cannot_be_replaced_stays(tmp_path: Path) -> None:
    path = tmp_path / "attempt.json"
    first, second = (Launch(n, 1, "n1", True, 0, 60.0, 1.0, 1) for n in (1, 2))
    write_record(path, first)
    path.with_suffix(".new").mkdir()
    with pytest.raises(OSError, match="Is a directory"):
        replace_record(path, second)
    assert read_record(path, Launch) == first
    path.with_suffix(".new").rmdir()
    replace_record(path, second)
    assert read_record(path, Launch) == second


def test_a_unit_that_was_given_up_is_taken_by_no_shepherd(tmp_path: Path) -> None:
    """Whoever has given it up; and what a shepherd has is not given up."""
    saved = SavedAttempt(Launch(1, 1, "n1", True, 0, 60.0, 1.0, 1), 0.0, None, "")
    write_record(tmp_path / "attempt.json", saved)
    units = given_up, earlier, claimed = [tmp_path / name for name in ("a.0", "a.1", "a.2")]
    for unit_dir in units:
        unit_dir.mkdir()
    (earlier / "running.json").write_bytes(b"given up by the agent")
    (claimed / "running.json").touch()
    assert leftovers.claim(given_up)
    assert read_record(given_up / "running.json", ClaimedUnit) is None
    with pytest.raises(FileExistsError):
        os.open(given_up / "running.json", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    replace_record(tmp_path / "attempt.json", saved)
    assert [leftovers.claim(unit_dir) for unit_dir in units] == [True, True, False]


def test_a_unit_that_is_dropped_is_out_of_a_late_shepherds_reach_while_it_is_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = SavedAttempt(Launch(1, 1, "n1", True, 0, 60.0, 1.0, 1), 0.0, None, "boot")
    unit_dir = tmp_path / "1.1.n1" / "batch"
    left = tmp_path / "dropped.1.1.n1.batch"  # an agent that was killed left this
    for path in (unit_dir, left):
        path.mkdir(parents=True)
        (path / "script").touch()
    write_record(unit_dir.parent / "attempt.json", saved)
    deleted: list[Path] = []

    def delete(path: Path) -> None:
        assert unit_dir.exists() == (not deleted)
        remove_tree(path)
        deleted.append(path)

    monkeypatch.setattr(leftovers, "remove_tree", delete)
    assert leftovers.read_attempt(unit_dir.parent, "boot") is None
    assert deleted == [left, left]
    assert [path.name for path in tmp_path.rglob("*")] == ["1.1.n1", "attempt.json"]


def test_a_unit_is_dropped_on_a_full_disk_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    unit_dir = tmp_path / "1.1.n1" / "batch"
    unit_dir.mkdir(parents=True)
    monkeypatch.setattr(Path, "rename", full)
    leftovers.drop(unit_dir)
    assert [path.name for path in tmp_path.rglob("*")] == ["1.1.n1"]


def test_our_commands_are_found_behind_the_users(tmp_path: Path) -> None:
    """Without a look at any of their directories, which may be on a server that is away."""
    ours = os.path.dirname(sys.executable)
    theirs = tmp_path / "rrun"
    theirs.touch(mode=0o700)
    assert specs.with_rrun(f"/bin:{tmp_path}") == f"/bin:{tmp_path}:{ours}"
    assert specs.with_rrun(f"{ours}:/bin") == f"{ours}:/bin"


def test_a_state_directory_without_room_for_our_pid_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    state = AgentStateDir(tmp_path / "agent")
    with pytest.raises(StateError, match="in use by another agent"):
        AgentStateDir(tmp_path / "agent")
    state.close()
