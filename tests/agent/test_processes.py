"""Processes that the agent finds and ends, and none beside them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rmsd_agent.shepherd.standalone import ending, processes
from rmsd_agent.units.orphans import Orphans
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
    """The search finds children of children, and those of a thread that is not the first one."""
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
    """Under hidepid=1, an account of no rights may not look at the processes of others. The test
    mounts a /proc of its own."""
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
            """Stand in for what a signal by the pid reaches."""
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
    """The other processes are reached all the same, and no descriptor stays open."""
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
