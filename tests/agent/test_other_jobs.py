"""Attacks of a job on the jobs of others on its node, and its tries to stay for longer than it may.

Long: agents are started, and the ends of all processes of their jobs waited for.
"""

from __future__ import annotations

import fcntl
import os
import shlex
import shutil
import signal

import psutil
import pytest

from rmsd_agent.shepherd.standalone import processes
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import ExitedReport, LaunchedReport
from rmsd_wire.link_calls import StartTask
from tests.agent.keys import ADD_KEY, CALL, KEYCTL, SESSION, KeyringRig
from tests.agent.users import OTHER, UID, MultiUserRig
from tests.waiting import wait_until

SEARCH, READ = 10, 11  # linux/keyctl.h
PTRACE_SEIZE = 0x4206

pytestmark = [
    pytest.mark.live,
    pytest.mark.long,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can start processes as other users"),
]


@pytest.fixture
def rig_type() -> type[MultiUserRig]:
    return MultiUserRig


def python(code: str) -> str:
    return f"exec python3 -I -S -c {shlex.quote(CALL + code)}"


@pytest.mark.skipif(not KEYCTL, reason="the number of keyctl(2) is not known here")
@pytest.mark.skipif(not os.path.exists("/proc/keys"), reason="this kernel has no keyrings")
def test_a_job_does_not_possess_the_keys_of_other_jobs() -> None:
    """Kerberos and AFS keep what a login gave them in the session keyring."""
    rig = KeyringRig()
    try:
        rig.start()
        added = f'call({ADD_KEY}, b"user", b"ticket", b"secret", 6, {SESSION})'
        rig.launch(1, python(f"print({added}, flush=True)\ntime.sleep(300)"))
        wait_until(lambda: rig.output(1).endswith("\n"), "the first job's key")
        assert int(rig.output(1)) > 0, "the kernel gives nobody a key here"
        read = f"""
read = ctypes.create_string_buffer(100)
print(call({KEYCTL}, {SEARCH}, {SESSION}, b"user", b"ticket", 0) > 0)
print(call({KEYCTL}, {READ}, {rig.output(1)}, read, 100) > 0)
own = b"_uid.%d" % os.getuid()
print(call({KEYCTL}, {SEARCH}, {SESSION}, b"keyring", own, 0) > 0)
"""
        for job_id, user in ((2, OTHER), (3, "nobody")):
            rig.run(job_id, python(read), user=user)
        found, is_read, own = rig.output(2).split()
        assert (found, is_read, own) == ("False", "False", "True")
        assert rig.output(3).split()[0] == "False"
    finally:
        rig.close()


THREAD = """
import os, threading
threading.Thread(target=time.sleep, args=(300,)).start()
print(max(map(int, os.listdir("/proc/self/task"))), flush=True)
"""


def test_a_job_is_over_though_a_tracer_elsewhere_does_not_let_go_of_a_thread(
    rig: MultiUserRig,
) -> None:
    """A process is a zombie, and not to be collected, until none of its threads is left."""
    rig.start()
    rig.launch(1, python(THREAD), kill_grace_s=0.1)
    pid = rig.peer.wait(LaunchedReport, 1).pid
    wait_until(lambda: rig.output(1).endswith("\n"), "the thread")
    thread = int(rig.output(1))
    assert thread != pid
    trace = f"print(libc.ptrace({PTRACE_SEIZE}, {thread}, 0, 0), flush=True)\ntime.sleep(300)"
    rig.launch(2, python(trace))
    wait_until(lambda: rig.output(2).endswith("\n"), "the tracer")
    assert rig.output(2) == "0\n"
    rig.stop(1)
    assert rig.peer.wait(ExitedReport, 1).cause is Cause.USER
    assert not rig.peer.all(ExitedReport, 2)


def test_a_job_is_over_though_a_tracer_elsewhere_does_not_let_go_of_it(rig: MultiUserRig) -> None:
    """The kernel tells the tracer of an end first, and the parent once the tracer has heard it."""
    rig.start()
    rig.launch(1, "exec sleep 300", kill_grace_s=0.1)
    pid = rig.peer.wait(LaunchedReport, 1).pid
    trace = f"print(libc.ptrace({PTRACE_SEIZE}, {pid}, 0, 0), flush=True)\ntime.sleep(300)"
    rig.launch(2, python(trace))
    wait_until(lambda: rig.output(2).endswith("\n"), "the tracer")
    assert rig.output(2) == "0\n"
    rig.stop(1)
    end = rig.peer.wait(ExitedReport, 1)
    assert (end.cause, end.signal) == (Cause.USER, signal.SIGKILL)
    assert rig.run(3, "exit 3").exit_code == 3
    assert {one.job_id for one in rig.peer.all(ExitedReport)} == {1, 3}
    found = processes.process(pid)
    assert found is not None
    assert found.zombie  # the tracer's still


NEWUSER, NEWPID = 0x10000000, 0x20000000
FIRST_OF_A_NAMESPACE = f"""
import sys, threading
if libc.unshare({NEWUSER | NEWPID}) != 0:
    print(-ctypes.get_errno(), flush=True)
    sys.exit()
ready = os.pipe()
pid = os.fork()
if pid == 0:
    threading.Thread(target=time.sleep, args=(300,)).start()
    os.write(ready[1], b"x")
    if sys.argv[1] == "main":
        libc.pthread_exit(0)
    time.sleep(300)
os.read(ready[0], 1)
print(pid, flush=True)
time.sleep(300)
"""
IN_IT = """
for name, kind in (("user", {NEWUSER}), ("pid", {NEWPID})):
    if libc.setns(os.open(f"/proc/{first}/ns/{{name}}", os.O_RDONLY), kind) != 0:
        raise OSError(ctypes.get_errno(), name)
if os.fork() == 0:
    time.sleep(300)
print("in", flush=True)
time.sleep(300)
"""


@pytest.mark.parametrize("ends_first", ["none", "main"])
def test_a_job_is_over_though_a_process_elsewhere_keeps_its_pid_namespace(
    rig: MultiUserRig, ends_first: str
) -> None:
    """The first process of a namespace ends when all others in there have been collected."""
    rig.start()
    rig.launch(1, f"{python(FIRST_OF_A_NAMESPACE)} {ends_first}", kill_grace_s=0.1)
    wait_until(lambda: rig.output(1).endswith("\n"), "the namespace")
    first = int(rig.output(1))
    if first < 0:
        pytest.skip(f"no namespaces for users: {os.strerror(-first)}")
    rig.launch(2, python(IN_IT.format(first=first, NEWUSER=NEWUSER, NEWPID=NEWPID)))
    wait_until(lambda: rig.output(2) == "in\n", "a process of another job in there")
    rig.stop(1)
    assert rig.peer.wait(ExitedReport, 1).cause is Cause.USER
    assert rig.run(3, "exit 3").exit_code == 3
    assert {one.job_id for one in rig.peer.all(ExitedReport)} == {1, 3}


def beginners(rig: MultiUserRig) -> list[psutil.Process]:
    """Return the processes that are the user's already, and have not executed the user's program
    yet."""
    return [
        child
        for shepherd in rig.shepherds()
        for child in shepherd.children()
        if child.uids().real == UID and "rmsd_agent/shepherd" in " ".join(child.cmdline())
    ]


def test_what_is_kept_from_its_start_does_not_outlive_its_job(
    rig: MultiUserRig,
) -> None:
    """A user can stop a process from the moment when it is the user's. A lease delays its exec."""
    rig.start()
    program = rig.work / "program"
    shutil.copy("/bin/sleep", program)
    with program.open("r+b") as leased:
        signal.signal(signal.SIGIO, signal.SIG_IGN)  # the broken pipe does not matter here
        fcntl.fcntl(leased, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        rig.launch(1, "sleep 300", kill_grace_s=0.1)
        rig.peer.wait(LaunchedReport, 1)
        rig.peer.send(StartTask(1, 1, 1, "n1", "s", 0, [str(program), "300"], {}, "/"))
        (kept,) = wait_until(lambda: beginners(rig), "the task's process")
        os.kill(kept.pid, signal.SIGSTOP)
        found = processes.process(kept.pid)
        assert found is not None
        rig.stop(1)
        rig.peer.wait(ExitedReport, 1)
        wait_until(lambda: not processes.is_alive(kept.pid, found.start_ticks), "its end")
