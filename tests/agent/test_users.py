"""An agent of root runs jobs as their users, and does what concerns their files with their rights.

The users are accounts that every Linux machine has; nothing is added to any.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import shlex
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from rmsd_agent.state.files import read_record
from rmsd_agent.state.records import ClaimedUnit
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import ExitedReport, Hello, LaunchedReport
from rmsd_wire.link_calls import ReadFile, StartTask
from tests.agent.rig import sleeping
from tests.agent.users import OTHER, UID, USER, MultiUserRig, home_of
from tests.waiting import wait_until

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can start processes as other users"),
]


@pytest.fixture
def rig_type() -> type[MultiUserRig]:
    return MultiUserRig


def test_a_job_is_its_user_with_all_groups_and_no_other_rights(rig: MultiUserRig) -> None:
    rig.start()
    home = home_of(rig, "private")
    end = rig.run(
        1,
        "id -un; id -G; umask; ulimit -c; pwd; echo here > file\n"
        "grep -E '^(NoNewPrivs|Cap(Inh|Prm|Eff|Amb)):' /proc/self/status",
        workdir=str(home),
        stdout=str(home / "out"),
    )
    assert end.exit_code == 0
    out = home / "out"
    account = pwd.getpwnam(USER)
    groups = os.getgrouplist(USER, account.pw_gid)
    name, group_ids, *rest = out.read_text().splitlines()
    assert name == USER
    assert {int(gid) for gid in group_ids.split()} == set(groups)
    assert rest[:3] == ["0022", "0", str(home)]
    rights = dict(line.split(":\t") for line in rest[3:])
    assert rights.pop("NoNewPrivs") == "1"
    assert [int(value, 16) for value in rights.values()] == [0, 0, 0, 0]
    assert {out.stat().st_uid, (home / "file").stat().st_uid} == {UID}


def test_the_record_of_a_unit_says_whose_it_is(rig: MultiUserRig) -> None:
    rig.start()
    rig.launch(1, "sleep 60")
    rig.peer.wait(LaunchedReport, 1)
    running = read_record(rig.jobs_dir / "1.1.n1/batch/running.json", ClaimedUnit)
    assert running is not None
    assert running.uid == UID
    rig.stop(1)
    rig.peer.wait(ExitedReport, 1)


def test_the_environment_is_the_accounts_and_nothing_of_the_agents(rig: MultiUserRig) -> None:
    rig.start()
    rig.run(1, "env; ls -l /proc/$$/fd", env={"HOME": "/root", "USER": "root", "COLOUR": "red"})
    lines = rig.output(1).splitlines()
    env = dict(line.split("=", 1) for line in lines if "=" in line)
    account = pwd.getpwnam(USER)
    assert (env["USER"], env["LOGNAME"], env["HOME"]) == (USER, USER, account.pw_dir)
    assert (env["SHELL"], env["COLOUR"]) == (account.pw_shell, "red")
    assert "RMSD_TOKEN_FILE" not in env
    known = {"RMS_UNIT", "RMS_JOB_START_TIME", "RMS_JOB_END_TIME", "RMSD_SERVER"}
    known |= {"USER", "LOGNAME", "HOME", "SHELL", "PATH", "COLOUR"}
    assert env.keys() - known <= {"PWD", "SHLVL", "_", "OLDPWD"}
    opened = [line.split(" -> ")[1] for line in lines if " -> " in line]
    assert not [path for path in opened if "socket" in path or "pipe" in path or "shepherd" in path]


def test_a_job_of_slurms_commands_keeps_the_home_of_its_submit(rig: MultiUserRig) -> None:
    rig.start()
    named = {"SLURM_JOB_ID": "1", "HOME": "/scratch"}
    rig.run(1, "echo $HOME $USER $LOGNAME", env=named)
    assert rig.output(1) == f"/scratch {USER} {USER}\n"


def test_a_job_of_slurms_commands_that_names_no_home_has_the_accounts(rig: MultiUserRig) -> None:
    """`rsub --export=NONE` of a script with `#SBATCH` lines named the home of the agent."""
    rig.start()
    rig.run(1, "echo $HOME $USER $LOGNAME $SHELL", env={"SLURM_JOB_ID": "1"})
    account = pwd.getpwnam(USER)
    assert rig.output(1) == f"{account.pw_dir} {USER} {USER} {account.pw_shell}\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("user", "expected"),
    [
        ("root", "would be root's"),
        ("no-such-user", "there is no account 'no-such-user' on this node"),
        ("0", "there is no account '0'"),
        ("", "does not say whose it is"),
        ("\0", "there is no account"),
        ("../root", "there is no account"),
    ],
)
def test_nobody_becomes_root_by_a_name(rig: MultiUserRig, user: str, expected: str) -> None:
    rig.start()
    end = rig.run(1, "touch ran", user=user)
    assert end.cause is Cause.LAUNCH
    assert expected in end.message
    assert not (rig.work / "ran").exists()
    rig.launch(2, "sleep 60")
    rig.peer.wait(LaunchedReport, 2)
    assert rig.run(3, "true").exit_code == 0


def test_root_jobs_are_run_where_they_are_allowed(rig: MultiUserRig) -> None:
    rig.start("--allow-root-jobs")
    rig.run(1, "id -u", user="root")
    assert rig.output(1) == "0\n"
    rig.run(2, "id -u", user="")
    assert rig.output(2) == "0\n"


def test_a_job_cannot_touch_its_shepherd(rig: MultiUserRig) -> None:
    rig.start()
    attack = """
import ctypes, os, signal
shepherd = os.getppid()
for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM):
    try:
        os.kill(shepherd, number)
        print("signalled")
    except PermissionError:
        print("no")
libc = ctypes.CDLL(None, use_errno=True)
print("traced" if libc.ptrace(16, shepherd, 0, 0) == 0 else "no")
for path in (f"/proc/{shepherd}/mem", f"/proc/{shepherd}/environ", f"/proc/{shepherd}/fd"):
    try:
        os.listdir(path) if path.endswith("fd") else open(path, "rb").read(1)
        print("read", path)
    except (PermissionError, OSError):
        print("no")
unit = os.environ["RMS_UNIT"]
for name in ("running.json", "status.json", "new", "../attempt.json", "../../../control.sock"):
    for flags in (os.O_WRONLY | os.O_CREAT, os.O_RDONLY):
        try:
            os.open(os.path.join(unit, name), flags, 0o666)
            print("opened", name, flags)
        except (PermissionError, FileNotFoundError, OSError):
            print("no")
for change in (os.unlink, os.rmdir):
    try:
        change(os.path.join(unit, "running.json"))
        print("removed")
    except (PermissionError, OSError):
        print("no")
"""
    end = rig.run(1, f"exec python3 -c {shlex.quote(attack)}")
    assert (end.cause, end.exit_code) == (Cause.EXIT, 0)
    assert set(rig.output(1).split("\n")) == {"no", ""}


def test_a_script_is_readable_by_its_user_alone(rig: MultiUserRig) -> None:
    rig.start()
    rig.launch(1, "cat $0; sleep 60 # secret", stdout=str(rig.work / "1.out"))
    rig.peer.wait(LaunchedReport, 1)
    wait_until(lambda: "secret" in rig.output(1), "its own script")
    script = rig.jobs_dir / "1.1.n1/batch/script"
    spy = f"cat {script}; ls {rig.jobs_dir}; cat {rig.jobs_dir}/1.1.n1/attempt.json"
    end = rig.run(2, f"({spy}) 2>&1 | grep -v denied", user=OTHER)
    assert end.exit_code == 1
    assert rig.output(2) == ""
    assert "secret" in script.read_text()


def test_an_output_file_is_opened_with_the_users_rights(rig: MultiUserRig) -> None:
    rig.start()
    target = rig.root / "roots"
    target.write_text("root's\n")
    target.chmod(0o600)
    link = rig.work / "link"
    link.symlink_to(target)
    closed = rig.root / "closed"
    closed.mkdir(mode=0o700)
    inside = rig.work / "inside"
    inside.symlink_to(closed)
    for job_id, path in enumerate((link, target, closed / "new", inside / "new"), 1):
        end = rig.run(job_id, "echo overwritten", stdout=str(path))
        assert end.cause is Cause.LAUNCH
        assert f"output file {path}: Permission denied" in end.message
    assert target.read_text() == "root's\n"
    assert not list(closed.iterdir())


def test_earlier_output_is_kept_with_the_users_rights(rig: MultiUserRig) -> None:
    """The agent renames neither what a link leads to nor a file where the user may not rename
    it."""
    rig.start()
    roots = rig.root / "shared"
    roots.mkdir(mode=0o755)
    (roots / "config").write_text("root's\n")
    link = rig.work / "link"
    link.symlink_to(roots / "config")
    end = rig.run(1, "true", stdout=str(link), keep_output_of=1)
    assert end.cause is Cause.LAUNCH
    assert "cannot be kept" in end.message
    assert [path.name for path in roots.iterdir()] == ["config"]
    mine = home_of(rig, "mine")
    rig.run(2, "echo first", stdout=str(mine / "out"))
    rig.run(3, "echo second", stdout=str(mine / "out"), keep_output_of=1)
    assert (mine / "out.attempt1").read_text() == "first\n"
    assert (mine / "out").read_text() == "second\n"


def test_the_working_directory_is_entered_as_the_user(rig: MultiUserRig) -> None:
    rig.start()
    closed = rig.root / "closed"
    closed.mkdir(mode=0o700)
    end = rig.run(1, "true", workdir=str(closed))
    assert end.cause is Cause.LAUNCH
    assert f"working directory {closed}: Permission denied" in end.message


def test_output_is_read_with_the_users_rights(rig: MultiUserRig) -> None:
    rig.start()
    secret = rig.root / "secret"
    secret.write_text("root's\n")
    secret.chmod(0o600)
    out = rig.work / "1.out"
    rig.run(1, "echo mine")
    read = ReadFile(1, 1, 1, "n1", "stdout", 0, 100, path=str(out), user=USER)
    rig.peer.send(read)
    assert rig.peer.reply(1).data == b"mine\n"
    out.unlink()
    out.symlink_to(secret)
    for call, user in ((2, USER), (3, "no-such-user"), (4, "")):
        rig.peer.send(ReadFile(call, 1, 1, "n1", "stdout", 0, 100, path=str(out), user=user))
        reply = rig.peer.reply(call)
        assert (reply.data, reply.status >= 400) == (b"", True)
    out.unlink()
    out.write_text("again\n")
    out.chmod(0o644)
    rig.peer.send(ReadFile(5, 1, 1, "n1", "stdout", 0, 100, path=str(out), user=USER))
    assert rig.peer.reply(5).data == b"again\n"


def test_what_the_agent_knows_of_itself_is_no_output(rig: MultiUserRig) -> None:
    """In /proc/self a process finds more than its rights to files open to it."""
    rig.start()
    rig.run(1, "true")
    for call, name in enumerate(("maps", "status", "environ", "fd/0"), 1):
        path = f"/proc/self/{name}"
        rig.peer.send(ReadFile(call, 1, 1, "n1", "stdout", 0, 100, path=path, user=USER))
        assert rig.peer.reply(call).data == b""


def test_a_lease_on_an_output_file_holds_nothing_up(rig: MultiUserRig) -> None:
    rig.start()
    with (rig.work / "1.out").open("w") as file:
        os.fchown(file.fileno(), UID, -1)
        signal.signal(signal.SIGIO, signal.SIG_IGN)  # the broken pipe does not matter here
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        end = rig.run(1, "true")
    assert end.cause is Cause.LAUNCH
    assert "1.out: Resource temporarily unavailable" in end.message


def test_a_program_that_can_be_executed_and_not_read_fails_with_words(rig: MultiUserRig) -> None:
    rig.start()
    rig.launch(1, "sleep 60")
    rig.peer.wait(LaunchedReport, 1)
    program = rig.work / "program"
    program.write_text("#!/no/such/interpreter\n")
    program.chmod(0o711)
    rig.peer.send(StartTask(1, 1, 1, "n1", "s", 0, [str(program)], {}, str(rig.work)))
    reply = rig.peer.reply(1)
    assert (reply.status, "No such file" in reply.error) == (422, True)


def test_a_task_is_its_users_too_and_its_output_can_be_read(rig: MultiUserRig) -> None:
    rig.start()
    rig.launch(1, "sleep 60")
    rig.peer.wait(LaunchedReport, 1)
    argv = ["sh", "-c", "id -un; echo again > /dev/stderr"]
    rig.peer.send(StartTask(1, 1, 1, "n1", "s", 0, argv, {}, str(rig.work)))
    assert rig.peer.reply(1).status == 200
    for call, stream, text in ((2, "stdout", f"{USER}\n"), (3, "stderr", "again\n")):
        rig.peer.send(
            ReadFile(call, 1, 1, "n1", stream, 0, 100, 10.0, step="s", user=USER)  # type: ignore[arg-type]
        )
        assert rig.peer.reply(call).data.decode() == text


def test_a_setuid_program_gives_a_job_nothing(rig: MultiUserRig) -> None:
    rig.start()
    program = rig.work / "become-root"
    program.write_bytes(Path("/usr/bin/id").read_bytes())
    program.chmod(0o4755)
    assert subprocess.run(
        [program, "-u"], capture_output=True, text=True, user=USER, check=True
    ).stdout in ("0\n", f"{UID}\n")  # 0 unless the file system is mounted nosuid
    rig.run(1, f"{program} -u")
    assert rig.output(1) == f"{UID}\n"


def test_what_a_user_submits_is_not_used_by_root(rig: MultiUserRig) -> None:
    """The user sets variables for the loader, Python and the shell, and has commands in a PATH."""
    rig.start()
    trap = rig.work / "bin"
    trap.mkdir()
    for name in ("sh", "python3", "rrun", "setpriv", "env"):
        (trap / name).write_text(f"#!/bin/bash -p\nid -u >> {rig.work}/ran-as\n")
    (trap / "sitecustomize.py").write_text(
        f"import os\nopen('{rig.work}/ran-as', 'a').write(f'{{os.geteuid()}}\\n')\n"
    )
    for path in (trap, *trap.iterdir()):
        path.chmod(0o755)
    env = {"PATH": f"{trap}:/usr/bin:/bin", "PYTHONPATH": str(trap), "BASH_ENV": str(trap / "sh"),
           "ENV": str(trap / "sh"), "LD_LIBRARY_PATH": str(trap)}  # fmt: skip
    rig.run(1, "", script="#!/usr/bin/env sh\n", env=env)
    rig.run(2, "", script="#!/usr/bin/python3\n", env=env)
    rig.run(3, "python3; rrun; true", env=env)
    ran_as = (rig.work / "ran-as").read_text().split()
    assert ran_as
    assert set(ran_as) == {str(UID)}


def test_a_stop_ends_all_processes_of_the_job_and_none_of_another(rig: MultiUserRig) -> None:
    rig.start()
    mark, other = rig.marker(), rig.marker()
    rig.launch(1, f"(setsid env -i sleep {mark} &); trap '' TERM; sleep {mark}", kill_grace_s=0.2)
    rig.launch(2, f"sleep {other}")
    wait_until(lambda: len(sleeping(mark)) == 2 and len(sleeping(other)) == 1)
    assert {process.uids().real for process in sleeping(mark)} == {UID}
    rig.stop(1)
    assert rig.peer.wait(ExitedReport, 1).cause is Cause.USER
    assert not sleeping(mark)
    assert len(sleeping(other)) == 1


def test_what_cannot_be_started_says_why_and_costs_nothing(rig: MultiUserRig) -> None:
    rig.start()
    hidden = rig.root / "hidden"
    hidden.write_text("#!first line of a file that is root's alone\n")
    hidden.chmod(0o700)
    end = rig.run(1, "", script=f"#!{hidden}\n")
    assert end.cause is Cause.LAUNCH
    assert "first line" not in end.message
    rig.launch(2, "sleep 60")
    rig.peer.wait(LaunchedReport, 2)
    rig.peer.send(StartTask(1, 2, 1, "n1", "s", 0, [str(hidden)], {}, str(rig.work)))
    assert "Permission denied" in rig.peer.reply(1).error
    rig.peer.send(StartTask(2, 2, 1, "n1", "s", 1, ["no-such-command"], {}, str(rig.work)))
    assert "command not found" in rig.peer.reply(2).error


def test_the_true_end_of_a_users_job_is_known_after_a_restart_of_the_agent(
    rig: MultiUserRig,
) -> None:
    rig.start()
    go = rig.work / "go"
    rig.launch(1, f"until [ -e {go} ]; do sleep 0.02; done; kill -9 $$")
    rig.peer.wait(LaunchedReport, 1)
    rig.end_agent()
    rig.start()
    go.touch()
    end = rig.peer.wait(ExitedReport, 1)
    assert (end.cause, end.signal) == (Cause.EXIT, signal.SIGKILL)


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="setpriv (util-linux) is needed")
def test_an_agent_that_is_not_root_runs_its_own_accounts_jobs_alone(rig: MultiUserRig) -> None:
    rig.root.chmod(0o755)
    state = rig.root / "agent"
    state.mkdir(mode=0o700)
    os.chown(state, UID, -1)
    rig.peer.socket_path.chmod(0o777)
    # The interpreter may be where only root can read, which is not what this is about.
    become = ["setpriv", f"--reuid={USER}", "--regid=nogroup", "--clear-groups"]
    become += ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
    if subprocess.run([*become, "true"], capture_output=True).returncode != 0:
        pytest.skip("may not leave an agent the capability to read everything")
    with open(rig.root / "agent.log", "ab") as log:
        rig.agent = subprocess.Popen([*become, *rig.command()], stderr=log, cwd="/")
    rig.peer.wait(Hello)
    end = rig.run(1, "id -un", user=OTHER)
    assert end.cause is Cause.LAUNCH
    assert f"runs as '{USER}' and that account's jobs alone, not those of 'daemon'" in end.message
    for job_id, user in ((2, USER), (3, "")):
        assert rig.run(job_id, "id -un", user=user).exit_code == 0
        assert rig.output(job_id) == f"{USER}\n"
