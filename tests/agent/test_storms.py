"""Jobs whose processes multiply or end faster than anybody can look at them, without cgroups.

Long: very many processes are started and looked at.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from rmsd_agent import shepherd
from rmsd_agent.machine.limits import max_more_tasks
from rmsd_agent.shepherd.standalone import ending, processes
from rmsd_agent.shepherd.standalone.unit import REAPED_AT_ONCE, UnitProcesses
from rmsd_agent.shepherd.standalone.unit_spec import UnitSpec
from rmsd_agent.shepherd.standalone.urgent import Urgent
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import ExitedReport, LaunchedReport
from rmsd_wire.link_calls import StartTask
from tests.agent.users import MultiUserRig
from tests.waiting import wait_until

pytestmark = pytest.mark.long

if TYPE_CHECKING:
    from collections.abc import Iterator

OTHER = "daemon"
CORES = psutil.cpu_count() or 1
CLONE = {"x86_64": 56, "aarch64": 220, "riscv64": 220, "ppc64le": 120}.get(platform.machine())
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can start others' processes")

STORM = f"""
import ctypes, os, resource, signal, sys
resource.setrlimit(resource.RLIMIT_NPROC, (1500, 1500))  # for the sake of the machine
for number in (signal.SIGTERM, signal.SIGCONT):
    signal.signal(number, signal.SIG_IGN)
clone, siblings = ctypes.CDLL(None).syscall, 0x8000 | signal.SIGCHLD  # CLONE_PARENT
for _ in range(3):
    if clone({CLONE}, siblings, 0, 0, 0, 0) == 0:
        os.setsid()
        break
first = True
while True:
    if clone({CLONE}, siblings, 0, 0, 0, 0) == 0:
        os._exit(0)
    if first:
        os.write(1, b"x")
    first = False
"""
"""Four processes start children of the shepherd's, which end at once."""

THREADS = """
import resource, sys, threading
soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
assert soft == hard != int(sys.argv[1]), "no limit of its own"
threading.stack_size(65536)
go = threading.Event()
try:
    for _ in range(soft):  # beside the main thread
        threading.Thread(target=go.wait).start()
except RuntimeError:
    print("refused")
go.set()
"""

SHEPHERD = """
import json, os, signal, sys, time
sys.argv[1:], folder = [], sys.argv[1]
sys.path.insert(0, folder)
from standalone import main, processes
from standalone.unit import UnitProcesses
from standalone.unit_spec import UnitSpec
unit = UnitProcesses("1.1.n1/batch", UnitSpec.of(json.loads(sys.stdin.read())), "")
def children(count):
    for _ in range(count):
        if os.fork() == 0:
            os._exit(0)
def zombies():
    table = processes.process_table()
    return sum(one.ppid == os.getpid() and one.zombie for one in table)
"""
"""The beginning of a script that is a shepherd with a unit; it has no other children."""


class UsersRig(MultiUserRig):
    """A rig whose agent runs root's jobs as well."""

    root_jobs = True


@pytest.fixture
def users_rig() -> Iterator[UsersRig]:
    made = UsersRig()
    yield made
    made.close()


def spec() -> UnitSpec:
    return UnitSpec(
        argv=["true"], cwd="/", env={}, stdout="", stderr="", killed_after_s=None, kill_grace_s=5.0
    )


def python(code: str) -> str:
    return f"python3 -I -S -c {shlex.quote(code)}"


def as_shepherd(code: str) -> str:
    """Return what a script prints that begins with `SHEPHERD`."""
    folder = str(Path(shepherd.__file__).parent)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", SHEPHERD + code, folder],
        input=json.dumps(spec().fields()), text=True, stdout=subprocess.PIPE, check=True,
    )  # fmt: skip
    return done.stdout.strip()


# ---------------------------------------------------------------- the shepherd


def test_only_so_many_children_are_collected_before_other_things_get_their_turn() -> None:
    at_once = REAPED_AT_ONCE
    ended = as_shepherd(f"""
children({at_once})
while zombies() < {at_once}:
    time.sleep(0.01)
before = unit.reap(), zombies()
children(1)
while zombies() < 1:
    time.sleep(0.01)
children({at_once})
while zombies() < {at_once + 1}:
    time.sleep(0.01)
print(before, unit.reap(), zombies(), unit.reap(), zombies())
""")
    assert ended == "(False, 0) False 1 True 0"


def test_children_that_end_while_the_shepherd_looks_for_its_processes_are_collected() -> None:
    left = as_shepherd("""
children(300)
while zombies() < 300:
    time.sleep(0.01)
print(len(unit.descendants()), zombies())
""")
    assert left == "0 0"


@pytest.mark.parametrize("tells_children", [True, False])
def test_what_escapes_every_look_for_it_is_not_taken_for_ended(tells_children: bool) -> None:
    """Sixty times, a process goes on as another one, and ends, before it is looked at."""
    found = as_shepherd(f"""
main._prctl(main._PR_SET_CHILD_SUBREAPER, "")
processes.TELLS_CHILDREN = {tells_children}
if not processes.TELLS_CHILDREN:
    processes.children = lambda _pid: []
told, orders = os.pipe(), os.pipe()
if os.fork() == 0:
    os.close(orders[1])
    for _ in range(60):
        os.write(told[1], b"%10d" % os.getpid())
        os.read(orders[0], 1)
        if os.fork():
            os._exit(0)
    os._exit(0)
look = processes.process
alive = int(os.read(told[0], 10))
def process(pid):
    global alive
    if pid == alive:
        os.write(orders[1], b"x")
        while not (found := look(pid)).zombie:
            time.sleep(0.001)
        alive = int(os.read(told[0], 10) or 0)
    return look(pid)
processes.process = process
os.close(told[1])
looks = 0
while not unit.reap():
    unit.look_for_life()
    looks += 1
    if unit.is_held:
        break
print("held" if unit.is_held else "over", looks)
""")
    state, looks = found.split()
    assert state == "over"
    if tells_children:
        assert int(looks) < 60, "it was killed without a look"


def test_what_a_tracer_lets_go_one_by_one_is_still_known_to_have_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A tracer elsewhere could hold the processors of a job for as long as it likes."""
    unit = UnitProcesses("1.1.n1/batch", spec(), "")
    held = {10, 11, 12, 13}
    monkeypatch.setattr(processes, "below", lambda *_: (set(), set(held)))
    monkeypatch.setattr(unit, "chase", lambda: None)
    for pid in (10, 11):
        unit.look_for_life()
        assert not unit.is_held
        held.remove(pid)
        unit.collected.add(pid)
    unit.look_for_life()
    assert unit.is_held


def test_the_grace_includes_what_it_takes_to_reach_all_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reached_s = 0.0

    def terminate(*_: object) -> None:
        nonlocal reached_s
        reached_s = time.monotonic()

    monkeypatch.setattr(ending, "terminate", terminate)
    unit = UnitProcesses("1.1.n1/batch", spec(), "")
    unit.end("user")
    assert unit.kill_at_s is not None
    assert unit.kill_at_s <= reached_s + unit.grace_s


def test_a_process_group_that_is_not_the_units_goes_on() -> None:
    """The main process's number may be another's by the time its group is stopped."""
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as stranger:
        ending.kill(set, stranger.pid)
        found = processes.process(stranger.pid)
        assert found is not None
        assert not found.zombie
        wait_until(lambda: not processes.process(stranger.pid).stopped)  # type: ignore[union-attr]
        stranger.kill()


def test_a_thread_is_urgent_for_as_long_as_it_says() -> None:
    def how() -> tuple[int, int]:
        return os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)

    before = how()
    with Urgent():
        within = how()
        with Urgent():
            assert how() == within
        assert how() == within
    assert how() == before


@pytest.mark.live
@pytest.mark.skipif(CLONE is None, reason="the number of clone(2) is not known here")
@needs_root
def test_a_job_whose_children_end_at_once_ends_and_so_does_all_of_it(
    users_rig: UsersRig,
) -> None:
    rig = users_rig
    rig.start()
    rig.launch(1, f"exec {python(STORM)}", max_processes=10_000, kill_grace_s=0.1)
    pid = rig.peer.wait(LaunchedReport, 1).pid
    assert pid is not None
    shepherd_pid = rig.shepherd_of(pid).pid
    wait_until(lambda: rig.output(1) == "xxxx")
    rig.stop(1)
    while not rig.peer.all(ExitedReport, 1):  # others can start processes meanwhile
        subprocess.run(["true"], user=OTHER, check=True)
    assert rig.peer.wait(ExitedReport, 1).cause is Cause.USER
    words = [process.info["cmdline"] or () for process in psutil.process_iter(["cmdline"])]
    assert not any(STORM in some for some in words)
    assert not [one for one in processes.process_table() if one.ppid == shepherd_pid]
    # Nothing of its haste is left to the shepherd's next unit.
    wait_until(lambda: os.sched_getscheduler(shepherd_pid) == os.SCHED_OTHER)
    wait_until(lambda: blocked_signals(shepherd_pid) == 0)


def blocked_signals(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("\nSigBlk:")[2].split()[0], 16)


# ---------------------------------------------------------------- the kernel's limit for a user


SHOW_LIMIT = "import resource; print(*resource.getrlimit(resource.RLIMIT_NPROC), flush=True)"


def limits_in(text: str) -> tuple[int, int]:
    soft, hard = map(int, text.split())
    return soft, hard


def test_a_user_may_have_what_all_jobs_of_a_node_may_and_half_of_the_machine() -> None:
    most = min(
        int(Path("/proc/sys/kernel", name).read_text()) for name in ("pid_max", "threads-max")
    )
    assert max_more_tasks(100, 4) == 400
    assert max_more_tasks(most // 2, 1) == most // 2
    assert max_more_tasks(most // 2 + 1, 1) == most // 2
    assert max_more_tasks(None, 4) == 0


@pytest.mark.live
@needs_root
def test_the_kernel_refuses_a_users_unit_more_processes_than_all_jobs_may_have(
    users_rig: UsersRig,
) -> None:
    """The agent is away meanwhile, since its guard would end the job."""
    users_rig.start()
    given = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    wait = "until [ -e go ]; do sleep 0.05; done"
    users_rig.launch(1, f"{wait}\n{python(THREADS)} {given}", max_processes=10)
    users_rig.peer.wait(LaunchedReport, 1)
    users_rig.end_agent()
    (users_rig.work / "go").touch()
    wait_until(lambda: users_rig.output(1) == "refused\n")


@pytest.mark.live
@needs_root
def test_a_lower_limit_of_the_agents_stays(users_rig: UsersRig) -> None:
    """The limit leaves room for a storm of the same account in another test."""
    users_rig.wrapper = ("prlimit", "--nproc=3456:4567")
    users_rig.start()
    users_rig.run(1, python(SHOW_LIMIT), max_processes=4567)
    assert limits_in(users_rig.output(1)) == (3456, 4567)


@pytest.mark.live
@needs_root
def test_tasks_have_that_limit_as_well(users_rig: UsersRig) -> None:
    users_rig.start()
    task = ["python3", "-I", "-S", "-c", SHOW_LIMIT]
    users_rig.launch(1, "sleep 60", max_processes=10)
    users_rig.peer.wait(LaunchedReport, 1)
    users_rig.peer.send(StartTask(1, 1, 1, "n1", "s", 0, task, {}, "/"))
    out = users_rig.jobs_dir / "1.1.n1/s.0/stdout"
    wait_until(lambda: out.exists() and out.read_text().endswith("\n"))
    soft, hard = limits_in(out.read_text())
    assert soft == hard > 10 * CORES
    assert hard != resource.getrlimit(resource.RLIMIT_NPROC)[1]


@pytest.mark.live
@needs_root
@pytest.mark.parametrize(
    "changes", [{"user": "root", "max_processes": 10}, {"max_processes": 0}, {"user": ""}]
)
def test_root_and_jobs_without_a_limit_have_what_the_agent_was_given(
    users_rig: UsersRig, changes: dict[str, Any]
) -> None:
    users_rig.start()
    users_rig.run(1, python(SHOW_LIMIT), **changes)
    assert limits_in(users_rig.output(1)) == resource.getrlimit(resource.RLIMIT_NPROC)
