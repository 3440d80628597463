"""Paths that users name lead where the users may go, and nowhere into the kernel.

The users are accounts that every Linux machine has; nothing is added to any.

Long: agents are started, with jobs of other accounts.
"""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rmsd_agent.shepherd.standalone import accounts, outputs
from rmsd_agent.shepherd.standalone.accounts import AccountError, ActingAs
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import Hello, LaunchedReport
from rmsd_wire.link_calls import ReadFile
from tests.agent.caller import Caller
from tests.agent.users import OTHER, UID, USER, MultiUserRig, home_of
from tests.waiting import DEADLINE_S

pytestmark = [
    pytest.mark.live,
    pytest.mark.long,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as other users"),
]

SYSCTL = "/proc/sys/kernel/printk_ratelimit"
"""Root may write to it; nothing here does."""
SPY = """
import ctypes, os, sys
pid, tid = map(int, sys.argv[1:])
libc = ctypes.CDLL(None, use_errno=True)
def trace():
    if libc.ptrace(16, tid, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")
thread = f"/proc/{pid}/task/{tid}"
attempts = {
    "signal": lambda: os.kill(tid, 0),
    "trace": trace,
    "nice": lambda: os.setpriority(os.PRIO_PROCESS, tid, 19),
    "processors": lambda: os.sched_setaffinity(tid, os.sched_getaffinity(0)),
    "idle": lambda: os.sched_setscheduler(tid, os.SCHED_IDLE, os.sched_param(0)),
    "memory": lambda: open(f"{thread}/mem", "rb"),
    "environment": lambda: open(f"{thread}/environ", "rb").read(),
    "open files": lambda: os.listdir(f"{thread}/fd"),
    "working directory": lambda: os.listdir(f"{thread}/cwd"),
    "out of memory": lambda: open(f"{thread}/oom_score_adj", "w"),
}
for what, attempt in attempts.items():
    try:
        attempt()
        print(what)
    except PermissionError:
        pass
"""
"""Prints what an account can do to a thread: nothing, it is hoped."""


@pytest.fixture
def rig_type() -> type[MultiUserRig]:
    return MultiUserRig


@contextmanager
def others_process(cwd: Path) -> Iterator[int]:
    """Yield the pid of a process of `OTHER` that works in a directory of its own account's."""
    with subprocess.Popen(["sleep", "600"], user=OTHER, group=0, extra_groups=[], cwd=cwd) as child:
        try:
            yield child.pid
        finally:
            child.kill()


def terminals_of(pid: int) -> int:
    """Return the device number of a process's controlling terminal; 0 if it has none."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[4])


# ---------------------------------------------------------------- acting as a user


def test_a_thread_that_acts_as_a_user_has_that_users_rights_alone() -> None:
    account = accounts.find(USER, allow_root=False)
    with ActingAs(account):
        assert os.getresuid() == (0, UID, 0)
        assert os.getresgid() == (0, account.gid, 0)
        assert set(os.getgroups()) == set(account.groups)
        rights = Path("/proc/thread-self/status").read_text().splitlines()
        assert "CapEff:\t0000000000000000" in rights
        with pytest.raises(PermissionError):
            os.open(SYSCTL, os.O_WRONLY)
        with pytest.raises(PermissionError):
            os.stat("/proc/1/cwd/")
    assert os.getresuid() == (0, 0, 0)
    assert os.getresgid() == (0, 0, 0)
    os.close(os.open(SYSCTL, os.O_WRONLY))


@contextmanager
def thread_that_acts_as(account: accounts.Account) -> Iterator[int]:
    """Yield the id of a thread of ours that acts as an account."""
    acts, over = threading.Event(), threading.Event()
    ids: list[int] = []

    def act() -> None:
        with ActingAs(account):
            ids.append(threading.get_native_id())
            acts.set()
            over.wait()

    thread = threading.Thread(target=act)
    thread.start()
    try:
        assert acts.wait(DEADLINE_S)
        yield ids[0]
    finally:
        over.set()
        thread.join()


def test_a_user_cannot_touch_a_thread_that_acts_as_that_user() -> None:
    account = accounts.find(USER, allow_root=False)
    with thread_that_acts_as(account) as thread:
        spy = subprocess.run(
            ["python3", "-c", SPY, str(os.getpid()), str(thread)],
            env={"PATH": os.defpath},
            user=account.uid,
            group=account.gid,
            extra_groups=account.groups,
            cwd="/",
            capture_output=True,
            text=True,
        )
    assert (spy.stdout, spy.stderr) == ("", "")


def test_on_an_unknown_machine_nothing_is_done_as_a_user(monkeypatch: pytest.MonkeyPatch) -> None:
    account = accounts.find(USER, allow_root=False)
    unknown = os.uname_result(("Linux", "n1", "6.1", "#1", "pdp11"))
    monkeypatch.setattr(os, "uname", lambda: unknown)
    before = os.getgroups()
    with pytest.raises(AccountError, match="a machine 'pdp11'"), ActingAs(account):
        pytest.fail("it acts as the user, with fewer rights than the user has or with more")
    assert (os.getresuid(), os.getgroups()) == ((0, 0, 0), before)


# ---------------------------------------------------------------- output files


@pytest.mark.parametrize("user", [USER, "root"])
@pytest.mark.parametrize("by_link", [False, True])
def test_no_sysctl_is_opened_for_output(rig: MultiUserRig, user: str, by_link: bool) -> None:
    rig.start("--allow-root-jobs")
    path = SYSCTL
    if by_link:
        path = str(rig.work / "link")
        (rig.work / "link").symlink_to(SYSCTL)
    end = rig.run(1, "true", stdout=path, user=user)
    assert end.cause is Cause.LAUNCH
    assert end.message == f"output file {path}: it is on proc, a file system of the kernel's own"


def test_no_device_is_opened_for_output_but_those_without_effects(rig: MultiUserRig) -> None:
    rig.start()
    link = rig.work / "link"
    link.symlink_to("/dev/urandom")
    for job_id, refused in enumerate(("/dev/urandom", str(link)), 1):
        end = rig.run(job_id, "true", stdout=refused)
        assert end.cause is Cause.LAUNCH
        assert f"output file {refused}: it is a device" in end.message
    for job_id, path in enumerate(("/dev/null", "/dev/zero", "/dev/full"), 3):
        assert rig.run(job_id, "true", stdout=path, keep_output_of=1).exit_code == 0


def test_what_replaces_a_file_after_the_first_look_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test acts as root, for whom the kernel itself refuses nothing."""
    path = tmp_path / "out"
    look_at = outputs.look_at

    def look_then_swap(name: str) -> None:
        look_at(name)
        path.symlink_to(SYSCTL)

    monkeypatch.setattr(outputs, "look_at", look_then_swap)
    opened = set(os.listdir("/proc/self/fd"))
    with pytest.raises(outputs.LaunchError, match="it is on proc"):
        outputs.open_output(str(path))
    assert set(os.listdir("/proc/self/fd")) == opened


def test_what_a_job_finds_open_in_its_shepherd_is_no_output_file(rig: MultiUserRig) -> None:
    """The paths are the shepherd's own names for its files: its log, its socket, its pipes."""
    rig.start()
    for job_id, path in enumerate(("/dev/stdout", "/dev/fd/2", "/proc/self/fd/3", "/dev/fd/4"), 1):
        assert rig.run(job_id, "echo written", stdout=path).cause is Cause.LAUNCH
    assert "written" not in (rig.root / "agent" / "shepherd.log").read_text()


def test_output_files_are_made_with_the_umask_of_users(rig: MultiUserRig) -> None:
    before = os.umask(0)
    try:
        rig.start()
    finally:
        os.umask(before)
    rig.run(1, "true")
    assert stat.S_IMODE((rig.work / "1.out").stat().st_mode) == 0o644


def test_a_job_and_its_output_files_have_the_umask_that_it_was_given(rig: MultiUserRig) -> None:
    rig.start()
    rig.run(1, "umask; touch made", umask=0o027)
    out = rig.work / "1.out"
    assert out.read_text() == "0027\n"
    assert [stat.S_IMODE(one.stat().st_mode) for one in (out, rig.work / "made")] == [0o640] * 2


def test_a_fifo_that_is_read_takes_output(rig: MultiUserRig) -> None:
    rig.start()
    fifo = rig.work / "fifo"
    os.mkfifo(fifo)
    fifo.chmod(0o666)
    end = rig.run(1, "true", stdout=str(fifo))
    assert "No such device or address" in end.message  # the FIFO has no reader
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert rig.run(2, "echo words", stdout=str(fifo)).exit_code == 0
        assert os.read(reader, 100) == b"words\n"
    finally:
        os.close(reader)


# ---------------------------------------------------------------- others' directories


def test_links_of_the_kernel_lead_into_no_closed_directory(rig: MultiUserRig) -> None:
    """A process of another user's works in an open directory below a closed one."""
    rig.start()
    closed = home_of(rig, "closed", OTHER)
    project, drop = closed / "project", closed / "project" / "drop"
    drop.mkdir(parents=True)
    project.chmod(0o755)
    drop.chmod(0o777)
    (project / "key").write_text("secret\n")
    (project / "key").chmod(0o644)
    rig.launch(1, "sleep 60")
    rig.peer.wait(LaunchedReport, 1)
    caller = Caller(rig)
    with others_process(project) as pid:
        cwd = f"/proc/{pid}/cwd"
        by_link = rig.work / "link"
        by_link.symlink_to(cwd)
        for job_id, workdir in enumerate((cwd, str(by_link), f"/proc/{pid}/root"), 2):
            end = rig.run(job_id, "cat key", workdir=workdir)
            assert (end.cause, rig.output(job_id)) == (Cause.LAUNCH, "")
            assert f"working directory {workdir}: Permission denied" in end.message
        end = rig.run(5, "echo planted", stdout=f"{cwd}/drop/planted")
        assert end.cause is Cause.LAUNCH
        assert list(drop.iterdir()) == []
        reply = caller.start(0, "cat", "key", workdir=cwd)
        assert (reply.status, "Permission denied" in reply.error) == (422, True)
        rig.peer.send(ReadFile(9, 9, 1, "n1", "stdout", 0, 9, path=f"{cwd}/key", user=USER))
        reply = rig.peer.reply(9)
        assert (reply.status, reply.data) == (403, b"")


@pytest.mark.parametrize("workdir", ["/proc/sys/kernel", "/sys"])
def test_no_directory_of_the_kernel_is_a_working_directory(rig: MultiUserRig, workdir: str) -> None:
    rig.start()
    end = rig.run(1, "true", workdir=workdir)
    assert end.cause is Cause.LAUNCH
    assert "a file system of the kernel's own" in end.message


# ---------------------------------------------------------------- reading


@pytest.fixture
def terminal() -> Iterator[str]:
    """Yield a terminal of the user's, which is no one's controlling terminal yet."""
    master, slave = os.openpty()
    os.fchown(slave, UID, -1)
    os.fchmod(slave, 0o600)
    yield os.ttyname(slave)
    os.close(slave)
    os.close(master)


def test_a_users_terminal_does_not_become_the_agents(rig: MultiUserRig, terminal: str) -> None:
    """The agent has no terminal and begins a session, as the daemon's own agent and systemd's
    do."""
    with open(rig.root / "agent.log", "ab") as log:
        rig.agent = subprocess.Popen(rig.command(), stderr=log, start_new_session=True)
    rig.peer.wait(Hello)
    link = rig.work / "link"
    link.symlink_to(terminal)
    for call, path in enumerate((terminal, str(link)), 1):
        rig.peer.send(ReadFile(call, 1, 1, "n1", "stdout", 0, 100, path=path, user=USER))
        assert rig.peer.reply(call).data == b""
        assert terminals_of(rig.agent.pid) == 0


def no_directory(path: Path) -> Path:
    path.write_text("")
    return path / "out"


def loop(path: Path) -> Path:
    path.symlink_to(path)
    return path


def closed_file(path: Path) -> Path:
    path.write_text("root's")
    path.chmod(0o600)
    return path


@pytest.mark.parametrize(
    ("make", "status", "reason"),
    [
        (lambda path: path, 404, errno.ENOENT),
        (no_directory, 404, errno.ENOTDIR),
        (closed_file, 403, errno.EACCES),
        (loop, 409, errno.ELOOP),
        (lambda path: path.with_name("x" * 256), 409, errno.ENAMETOOLONG),
        (lambda path: path / ("x/" * 2048), 409, errno.ENAMETOOLONG),
    ],
)
def test_why_output_cannot_be_read_is_told(
    rig: MultiUserRig, make: Callable[[Path], Path], status: int, reason: int
) -> None:
    rig.start()
    path = str(make(rig.work / "out"))
    rig.peer.send(ReadFile(1, 1, 1, "n1", "stdout", 0, 100, path=path, user=USER))
    reply = rig.peer.reply(1)
    assert (reply.status, reply.data) == (status, b"")
    assert reply.error.startswith(path[:1000])
    assert reply.error.endswith(f": {os.strerror(reason)}")
