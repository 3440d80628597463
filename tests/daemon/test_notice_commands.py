"""Commands of notices: each is run as its user, with limits, and nothing of it is left."""

from __future__ import annotations

import asyncio
import json
import os
import pwd
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from rmsd_client.errors import ApiError
from rmsd_daemon.notices.commands import run_command
from tests.daemon.accounts import ANN, BOB, OPERATOR, client_of
from tests.live import Daemon
from tests.waiting import wait_until

needs_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")


@pytest.fixture
def anns(tmp_path: Path) -> Iterator[Path]:
    """Yield a directory that ANN can reach and write to."""
    place = Path("/tmp", f"rmsd-{tmp_path.name}-{os.getpid()}")
    place.mkdir(mode=0o755)
    os.chown(place, pwd.getpwnam(ANN).pw_uid, -1)
    yield place
    for path in place.iterdir():
        path.unlink()
    place.rmdir()


def is_gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


async def test_what_becomes_of_a_command(tmp_path: Path) -> None:
    read = tmp_path / "read"
    assert await run_command(f"cat > {read}", b"{}" * 100_000) == ""
    assert read.read_bytes() == b"{}" * 100_000
    assert await run_command("exit 3", b"{}" * 100_000) == "the command exited with 3"
    assert await run_command("kill -9 $$", b"") == "the command exited with -9"
    pid = tmp_path / "pid"
    for timeout_s in (1.0, 10.0, 60.0):  # until the shell has come to writing its file
        slow = run_command(f"sleep 600 & echo $! > {pid}; wait", b"", timeout_s=timeout_s)
        assert await slow == f"the command was not done within {timeout_s:g} s"
        if pid.exists() and pid.read_text().endswith("\n"):
            break
    assert is_gone(int(pid.read_text()))


async def test_nothing_of_a_command_is_left_when_it_is_done(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    left = f"setsid sh -c 'trap : TERM; echo $$ > {pid}.new; mv {pid}.new {pid}; sleep 600' &"
    assert await run_command(f"{left} until test -e {pid}; do :; done", b"") == ""
    assert is_gone(int(pid.read_text()))


async def test_a_command_is_ended_with_the_daemon(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    command = f"echo $$ > {pid}.new; mv {pid}.new {pid}; sleep 600"
    running = asyncio.create_task(run_command(command, b""))
    await asyncio.to_thread(wait_until, pid.exists)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert is_gone(int(pid.read_text()))


@needs_root
async def test_a_users_command_has_its_rights_and_nothing_of_roots(
    anns: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROOTS_SECRET", "secret")
    told = anns / "told"
    command = (
        f"{{ id -u; id -g; id -G; pwd; umask; ulimit -v; ulimit -c; ulimit -n; ulimit -t; env; "
        f"ls -l /proc/self/fd; cat /proc/self/status; }} > {told}"
    )
    assert await run_command(command, b"{}", ANN) == ""
    account = pwd.getpwnam(ANN)
    uid, gid, groups, pwd_, umask, memory, core, files, cpu, *rest = told.read_text().splitlines()
    assert (uid, gid) == (str(account.pw_uid), str(account.pw_gid))
    assert set(map(int, groups.split())) == set(os.getgrouplist(ANN, account.pw_gid))
    assert (pwd_, umask) == (account.pw_dir, "0022")
    assert (memory, core, files, cpu) == (str(1 << 20), "0", "1024", "60")
    assert f"USER={ANN}" in rest
    assert f"HOME={account.pw_dir}" in rest
    assert not [line for line in rest if "ROOTS_SECRET" in line]
    status = dict(line.split(":\t", 1) for line in rest if ":\t" in line)
    assert status["NoNewPrivs"] == "1"
    assert {int(status[kind], 16) for kind in ("CapEff", "CapPrm", "CapInh", "CapAmb")} == {0}
    assert set(status["Uid"].split()) == {uid}
    assert set(status["Gid"].split()) == {gid}
    open_files = {line.rpartition(" -> ")[0].split()[-1] for line in rest if " -> " in line}
    assert open_files == {"0", "1", "2", "3"}  # 3: the directory that ls reads


@needs_root
async def test_a_user_can_neither_signal_nor_outlive_the_minder(anns: Path) -> None:
    """The minder is root's. It also ends what ignores SIGTERM and has left session and parent."""
    pid = anns / "pid"
    command = (
        f"kill -9 $PPID 2>/dev/null && exit 9; "
        f"setsid sh -c 'trap \"\" TERM; echo $$ > {pid}.new; mv {pid}.new {pid}; sleep 600' & "
        f"until test -e {pid}; do :; done"
    )
    assert await run_command(command, b"", ANN) == ""
    assert is_gone(int(pid.read_text()))


@needs_root
@pytest.mark.parametrize(
    ("user", "why"),
    [("root", "none is run as root"), ("no-such-account", "there is no account 'no-such-account'")],
)
async def test_no_command_is_run_as_root_or_as_nobody_known(
    tmp_path: Path, user: str, why: str
) -> None:
    done = tmp_path / "done"
    assert why in await run_command(f"touch {done}", b"", user)
    assert not done.exists()


# ---------------------------------------------------------------- a daemon of root's


def _shared(start_daemon: Callable[..., Daemon], more: str) -> Daemon:
    config = f'operators = ["@{OPERATOR}"]\n{more}'
    daemon = start_daemon("--no-local-node", "--emulate", "1x4", config=config, begin=False)
    daemon.root.chmod(0o755)
    daemon.options = (*daemon.options, "--socket", str(daemon.root / "run" / "rmsd.sock"))
    return daemon.start()


@needs_root
@pytest.mark.live
def test_a_daemon_of_root_runs_commands_as_the_users_of_its_socket(
    start_daemon: Callable[..., Daemon], anns: Path
) -> None:
    daemon = _shared(start_daemon, "notify_commands = true\n")
    told = anns / "told"
    spec = {"emulate": {"run_s": 0.01}, "notify": f"cat > {told}.new && mv {told}.new {told}"}
    with client_of(daemon, ANN) as ann:
        job_id = int(ann.submit([spec])[0]["job_id"])
        wait_until(told.exists)
        assert json.loads(told.read_text())["job"] == ann.job(job_id)
    found = told.stat()
    assert found.st_uid == pwd.getpwnam(ANN).pw_uid
    assert stat.S_IMODE(found.st_mode) == 0o644
    with (
        client_of(daemon, OPERATOR) as operator,
        pytest.raises(ApiError, match=f"a command for a job of '{BOB}' is taken from {BOB} alone"),
    ):
        operator.submit([{**spec, "user": BOB}])
    with pytest.raises(ApiError, match="none for root"):
        daemon.client.submit([spec])


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@needs_root
@pytest.mark.live
def test_a_daemon_of_root_takes_no_commands_unless_it_is_told_to(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = _shared(start_daemon, "")
    with client_of(daemon, ANN) as ann, pytest.raises(ApiError, match="notify_commands") as caught:
        ann.submit([{"emulate": {"run_s": 0.01}, "notify": "true"}])
    assert caught.value.exit_code == 77
