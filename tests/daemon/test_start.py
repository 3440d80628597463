"""`rmsd start`, `stop`, `status`: the daemon's process, its sockets, and who may call.

Long: daemons are started and stopped, by some tests several times.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from rmsd_cli.start import tell_ready
from rmsd_client.errors import ApiError
from tests.commands import BIN
from tests.live import Daemon
from tests.tcp import Tcp
from tests.waiting import DEADLINE_S, wait_until

pytestmark = [pytest.mark.live, pytest.mark.long]


@pytest.mark.skipif(os.getuid() != 0, reason="only root serves other accounts")
def test_a_start_says_that_users_cannot_run_the_commands(
    start_daemon: Callable[..., Daemon], tmp_path: Path
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    python = closed / "python"
    python.symlink_to(sys.executable)
    daemon = start_daemon(begin=False)
    daemon.root.chmod(0o755)
    asked = ("--socket", str(daemon.root / "run" / "rmsd.sock"), "--recipe", "easy")
    command = [str(python), "-P", "-m", "rmsd_cli.main", *daemon.command("--detach", *asked)[1:]]
    env = daemon.env | {"PYTHONPATH": os.pathsep.join(sys.path)}
    started = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert f"rmsd start: warning: no other account can run {python}, since " in started.stderr
    assert started.returncode == 0, started.stderr
    assert daemon.rmsd("stop").returncode == 0


def test_detach_status_stop(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(begin=False)
    assert daemon.rmsd("stop").returncode == 75
    assert daemon.rmsd("status").returncode == 75
    started = daemon.rmsd("start", "--detach", "--emulate", "3x2")
    assert started.returncode == 0, started.stderr
    # The nodes are up when it returns: one real, three emulated.
    status = json.loads(daemon.rmsd("status", "--json").stdout)
    assert status["nodes"] == {"idle": 4}
    assert str(status["pid"]) in started.stdout
    assert re.search(r"nodes: 4 idle", daemon.rmsd("status").stdout)
    kinds = sorted(node["kind"] for node in daemon.client.nodes())
    assert kinds == ["emulated"] * 3 + ["real"]
    again = daemon.rmsd("start", "--detach")
    assert again.returncode == 1
    assert f"already running on {daemon.state} (pid {status['pid']})" in again.stderr
    daemon.client.close()
    assert daemon.rmsd("stop").returncode == 0
    assert not (daemon.state / "rmsd.sock").exists()
    for name in ("daemon.log", "agent.log", "agent/shepherd.log"):
        assert stat.S_IMODE((daemon.state / name).stat().st_mode) == 0o600
    log = (daemon.state / "daemon.log").read_text().splitlines()
    events = [json.loads(line) for line in log if line.startswith("{")]
    assert [event["event"] for event in events if event["event"] == "ready"]
    assert all({"ts", "level", "event"} <= event.keys() for event in events)


def test_a_reload_of_nothing_changes_nothing(start_daemon: Callable[..., Daemon]) -> None:
    """This is `systemctl reload` of a daemon that has no certificate."""
    daemon = start_daemon("--no-local-node")
    assert daemon.process is not None
    daemon.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "nothing-to-reload" in daemon.log.read_text())
    assert daemon.client.status()["pid"] == daemon.pid


def test_a_reload_reopens_the_log_and_reads_the_configuration(
    start_daemon: Callable[..., Daemon],
) -> None:
    """`operators` holds at once, `recipe` needs a restart, and a file with an error changes
    nothing."""
    daemon = start_daemon("--no-local-node", config='operators = ["ann"]\n')
    assert daemon.process is not None
    config, moved = daemon.root / "rmsd.toml", daemon.root / "moved.log"
    daemon.log.rename(moved)
    config.write_text('operators = ["bob", "@root", "root"]\nrecipe = "fcfs"\n')
    daemon.process.send_signal(signal.SIGHUP)
    wait_until(lambda: daemon.log.exists() and "accounts-unknown" in daemon.log.read_text())
    told = {event["event"]: event for event in map(json.loads, daemon.log.read_text().splitlines())}
    assert told["log-reopened"]["file"] == str(daemon.log)
    assert told["config-reloaded"]["settings"] == ["operators"]
    assert told["config-needs-restart"]["settings"] == ["recipe"]
    assert daemon.client.status()["operators"] == ["bob", "@root", "root"]
    assert daemon.client.status()["recipe"] != "fcfs"
    assert daemon.client.status()["awaits_restart"] == ["recipe"]
    later = "reload: changed in the configuration, and in force after a restart: recipe\n"
    assert later in daemon.rmsd("status", expect=0).stdout
    assert told["accounts-unknown"]["names"] == ["bob"]
    assert "unknown: bob: operators or admins" in daemon.rmsd("status", expect=0).stdout
    config.write_text("operators = 3\n")
    daemon.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "config-refused" in daemon.log.read_text())
    assert daemon.client.status()["operators"] == ["bob", "@root", "root"]
    assert "config-reloaded" not in moved.read_text()
    [why] = daemon.client.status()["reload_refused"]
    assert str(config) in why
    assert f"reload: refused at the latest SIGHUP, and what was in force still is: {why}" in (
        daemon.rmsd("status", expect=0).stdout
    )
    config.write_text('recipe = "fcfs"\n')
    daemon.process.send_signal(signal.SIGHUP)
    wait_until(lambda: not daemon.client.status()["reload_refused"])
    assert not daemon.client.status()["unknown_accounts"]


def test_sighup_changes_the_size_of_the_local_node_under_jobs_that_run(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon(config='cores = 4\nmem = "100M"\n')
    assert daemon.process is not None
    runs = daemon.submit("until [ -e go ]; do sleep 0.05; done", tasks=3)
    daemon.wait_for(runs, "RUNNING")
    before = daemon.agent_pid

    def size() -> tuple[int, int, str]:
        [node] = daemon.client.nodes()
        return node["cores"], node["mem_mib"], node["state"]

    daemon.configure_anew('cores = 2\nmem = "50M"\n')
    daemon.process.send_signal(signal.SIGHUP)
    wait_until(lambda: size()[:2] == (2, 50))
    waits = daemon.submit("true", tasks=2)
    with pytest.raises(ApiError, match="can never be met"):
        daemon.submit("true", tasks=3)
    assert daemon.state_of(runs) == "RUNNING"
    assert daemon.agent_pid != before
    (daemon.work / "go").touch()
    assert [daemon.wait(job_id)["state"] for job_id in (runs, waits)] == ["COMPLETED"] * 2
    assert "agent-ended" not in daemon.log.read_text()
    daemon.configure_anew("")
    daemon.process.send_signal(signal.SIGHUP)
    wait_until(lambda: size()[:2] != (2, 50))


def test_the_end_of_its_terminal_stops_it(start_daemon: Callable[..., Daemon]) -> None:
    """The end stops the daemon's agent as well, which would look for the daemon for ever."""
    daemon = start_daemon(begin=False)
    ours, its = os.openpty()
    command = ["setsid", "--ctty", *daemon.command()]
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run under `nohup`
    try:
        process = subprocess.Popen(command, env=daemon.env, stdin=its, stdout=its, stderr=its)
    finally:
        signal.signal(signal.SIGHUP, before)
    with process:
        os.close(its)
        wait_until((daemon.state / "rmsd.sock").exists)
        wait_until(lambda: daemon.nodes_up() == 1)
        agent = psutil.Process(daemon.agent_pid)
        daemon.client.close()
        os.close(ours)
        assert process.wait(DEADLINE_S) == 0
    wait_until(lambda: not agent.is_running())


def test_the_end_of_its_terminal_may_be_ignored(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--no-local-node", begin=False)
    ours, its = os.openpty()
    command = ["/bin/sh", "-c", "trap '' HUP; exec \"$@\"", "sh", *daemon.command()]
    with subprocess.Popen(command, env=daemon.env, stdin=its, stdout=its, stderr=its) as process:
        os.close(its)
        with open(ours, "rb", buffering=0) as said:
            while b"ready" not in said.readline():
                pass
            process.send_signal(signal.SIGHUP)
            while b"nothing-to-reload" not in said.readline():  # other parts of it are told first
                pass
            process.terminate()
            assert process.wait(DEADLINE_S) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_while_it_ends_changes_nothing(
    start_daemon: Callable[..., Daemon], number: signal.Signals
) -> None:
    """A signal changes nothing afterwards either, when Python gives back what is left."""
    daemon = start_daemon("--no-local-node", "--emulate", "1x1")
    assert daemon.process is not None
    daemon.client.close()
    daemon.process.terminate()
    while daemon.process.poll() is None:
        daemon.process.send_signal(number)
        time.sleep(0.001)
    assert daemon.process.returncode == 0
    assert "Traceback" not in daemon.log.read_text()


def test_a_daemon_that_takes_long_to_start_goes_on(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(begin=False)
    impatient = (
        "import rmsd_cli.main, rmsd_cli.start as s, select; s._READY_WITHIN_S = 0; "
        "select.select = lambda *_: ([], [], []); rmsd_cli.main.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", impatient, "start", "--detach"],
        env=daemon.env, capture_output=True, text=True, timeout=DEADLINE_S, cwd=daemon.work,
    )  # fmt: skip
    wait_until((daemon.state / "rmsd.sock").exists)
    pid = daemon.client.status()["pid"]
    assert (done.returncode, done.stderr) == (
        1,
        f"rmsd start: error: the daemon (pid {pid}) is not ready after 0 s and goes on starting; "
        f"see {daemon.state}/daemon.log\n",
    )
    wait_until(lambda: daemon.nodes_up() == 1)
    daemon.client.close()
    assert daemon.rmsd("stop").returncode == 0


def test_the_descriptor_is_closed_also_if_nobody_reads() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    tell_ready(writer, None)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(writer)


def test_status_of_a_state_directory(daemon: Daemon) -> None:
    relative = os.path.relpath(daemon.state, daemon.work)
    done = daemon.rmsd("status", "--state-dir", relative)
    assert done.returncode == 0, done.stderr
    assert f"pid {daemon.pid}" in done.stdout
    socket_url = f"unix:{daemon.state}/rmsd.sock"
    done = daemon.rmsd("status", "--state-dir", relative, "--server", socket_url)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "rmsd status: error: give a --state-dir or a --server, not both\n"


def test_the_state_directory_is_private(daemon: Daemon) -> None:
    modes = {
        path.name: stat.S_IMODE(path.stat().st_mode)
        for path in (daemon.state, daemon.state / "rmsd.sock", daemon.state / "rmsd.db")
    }
    assert modes == {"s": 0o700, "rmsd.sock": 0o600, "rmsd.db": 0o600}


def test_a_copy_that_others_can_read_becomes_private(daemon: Daemon) -> None:
    """`cp -r` makes such a copy: the directory is passable where users have jobs, and an account
    that has the key makes the tokens of all jobs."""
    daemon.stop()
    database, key = daemon.state / "rmsd.db", daemon.state / "job-tokens.key"
    before = key.read_bytes()
    for path in (database, key):
        path.chmod(0o644)
    daemon.start()
    for path in daemon.state.glob("rmsd.db*"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert key.read_bytes() != before, "others may have read it"
    assert daemon.log.read_text().count("made-private") == 2


@pytest.mark.parametrize("mode", [0o700, 0o770, 0o777])
def test_a_directory_that_others_can_change_is_refused(
    start_daemon: Callable[..., Daemon], tmp_path: Path, mode: int
) -> None:
    """This holds for the daemon's directory and the agent's. A directory of another account, which
    chose where root would look, is refused as well."""
    daemon = start_daemon(begin=False)
    path = tmp_path / "state"
    path.mkdir()
    path.chmod(mode)
    if mode == 0o700:
        if os.getuid() != 0:
            pytest.skip("only root can give a directory away")
        os.chown(path, 1, -1)
    for command in ("rmsd start --detach", f"rmsd-agent --server unix:{tmp_path}/none"):
        program, *arguments = command.split()
        done = subprocess.run(
            [BIN / program, *arguments, "--state-dir", path],
            env=daemon.env, capture_output=True, text=True, timeout=DEADLINE_S,
        )  # fmt: skip
        assert (done.returncode != 0, "which could replace its files" in done.stderr) == (
            True,
            True,
        ), done.stderr
    assert not list(path.iterdir())


@pytest.mark.parametrize("by_link", [False, True])
def test_a_directory_that_others_can_replace_is_refused(
    start_daemon: Callable[..., Daemon],
    tmp_path_factory: pytest.TempPathFactory,
    by_link: bool,
) -> None:
    """Root's agent deletes, makes and runs what lies in its directory, by name."""
    daemon = start_daemon(begin=False)
    folder = tmp_path_factory.mktemp("d")  # a socket's path must be short
    theirs = folder / "theirs"
    theirs.mkdir()
    (folder / "ours").mkdir()
    (theirs / "link").symlink_to(folder / "ours")
    path = theirs / ("link" if by_link else "parent") / "state"
    if os.getuid() == 0:
        os.chown(theirs, 1, -1)
    else:
        theirs.chmod(0o777)
    for command in ("rmsd start --detach", f"rmsd-agent --server unix:{folder}/none"):
        program, *arguments = command.split()
        done = subprocess.run(
            [BIN / program, *arguments, "--state-dir", path],
            env=daemon.env, capture_output=True, text=True, timeout=DEADLINE_S,
        )  # fmt: skip
        assert done.returncode == 1
        assert f"state directory {path}: {theirs} " in done.stderr, done.stderr
    assert not path.exists() or not list(path.iterdir())


def test_only_daemon_and_agent_take_all_the_files_they_can_have(
    start_daemon: Callable[..., Daemon],
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(512, hard), hard))
    try:
        daemon = start_daemon("--no-local-node", "--emulate", "1x1")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    daemon.wait(daemon.submit("ulimit -S -n", stdout="limit"))
    assert daemon.lines("limit") == ["512"]
    for pid in (daemon.pid, daemon.agent_pid):
        assert psutil.Process(pid).rlimit(psutil.RLIMIT_NOFILE) == (hard, hard)


def test_a_stale_socket_is_replaced(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--no-local-node")
    daemon.kill()
    assert (daemon.state / "rmsd.sock").exists()
    daemon.start()
    assert daemon.client.status()["pid"] == daemon.pid


def test_nothing_is_imported_from_where_it_is_started(
    start_daemon: Callable[..., Daemon],
) -> None:
    """Otherwise root would run what an account that can write there has put there."""
    daemon = start_daemon(begin=False)
    for module in ("argparse", "rmsd_cli", "rmsd_agent"):
        (daemon.work / f"{module}.py").write_text("raise SystemExit(99)\n")
    assert daemon.rmsd("start", "--detach").returncode == 0
    daemon.client.close()
    assert daemon.rmsd("stop").returncode == 0


def test_wrong_usage(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(begin=False)
    for arguments, message in [
        (["start", "--colour"], "unrecognized arguments: --colour"),
        (["start", "--rate", "fast"], "--rate: 'fast' is not a number"),
        (["start", "--recipe", "best"], "--recipe: no recipe 'best'"),
        (["start", "--listen", "7632"], "is not HOST:PORT"),
        (["start", "--state-dir", "/tmp/" + "x" * 120], "too long"),
        (["nonsense"], "invalid choice: 'nonsense'"),
    ]:
        done = daemon.rmsd(*arguments)
        assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    done = daemon.rmsd("start", "--detach", "--state-dir", "/proc/nowhere")
    assert done.returncode == 1
    assert "/proc/nowhere" in done.stderr


def test_help_and_version_import_little(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(begin=False)
    assert daemon.rmsd("--version").stdout.startswith("rmsd ")
    assert "the daemon:" in daemon.rmsd("--help").stdout
    for command in ("start", "stop", "status"):
        assert "exit codes:" in daemon.rmsd(command, "--help").stdout


def test_a_port_that_is_taken(start_daemon: Callable[..., Daemon]) -> None:
    tcp = Tcp(start_daemon("--no-local-node", begin=False))
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(("127.0.0.1", tcp.port))
        sock.listen()
        done = tcp.daemon.rmsd(*tcp.daemon.command()[1:])
    assert done.returncode == 1
    assert "Address already in use" in done.stderr


def test_web_pages_are_not_served(start_daemon: Callable[..., Daemon]) -> None:
    tcp = Tcp(start_daemon("--no-local-node", begin=False))
    tcp.daemon.start()
    with tcp.client(tcp.token(role="admin")) as client:
        assert client.status()["pid"] == tcp.daemon.pid
        headers = {"Origin": "http://example.org"}
        response = client.connection.request("POST", "/v1/shutdown", b"{}", headers, 0.0)
    assert response.status == 403
    assert json.loads(response.body)["exit_code"] == 77


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_other_users_are_not_served(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--no-local-node")
    for path in (daemon.root, daemon.state):
        path.chmod(0o711)  # the database of a directory of everybody's is not read
    (daemon.state / "rmsd.sock").chmod(0o777)
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(DEADLINE_S)
        os.seteuid(65534)
        try:
            sock.connect(str(daemon.state / "rmsd.sock"))
        finally:
            os.seteuid(0)
        sock.sendall(b"GET /v1/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        answer = b"".join(iter(lambda: sock.recv(4096), b"")).decode()
    assert "403" in answer.splitlines()[0]
    assert '"exit_code":77' in answer


def test_shutdown_by_request(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--no-local-node")
    assert daemon.process is not None
    daemon.client.shutdown()
    assert daemon.process.wait(DEADLINE_S) == 0


def test_stopping_answers_long_polls(daemon: Daemon) -> None:
    """A client that waits does not hold up the end of the daemon."""
    job_id = daemon.submit("sleep 600")
    daemon.wait_for(job_id, "RUNNING")
    assert daemon.process is not None
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(str(daemon.state / "rmsd.sock"))
        target = f"/v1/jobs/{job_id}?wait_s=600"
        sock.sendall(f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        daemon.state_of(job_id)  # a later request is answered, so the earlier one waits
        daemon.process.send_signal(signal.SIGTERM)
        assert daemon.process.wait(DEADLINE_S) == 0
