"""rsub as a process, against a server that keeps what it is sent."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rmsd_client.submit.rlimits import fields_of

from .small_server import Answer, Request, SmallServer, json_answer, serve_unix

RSUB = str(Path(sys.executable).with_name("rsub"))


def _accept(request: Request) -> Answer:
    if request.method == "GET":
        ended = {"state": "FAILED", "exit_code": None, "signal": 9, "message": ""}
        return json_answer({"job": {"job_id": 12, **ended}})
    accepted = {"job_id": 12, "name": "x", "tasks": 1, "cpus": 1, "nodes": None, "mem_mib": 0,
                "time_limit_s": None, "stdout": "/tmp/rms-12.out"}  # fmt: skip
    return json_answer({"schema": "rmsd.submitted/1", "jobs": [accepted]}, 201)


@pytest.fixture
def server(short_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SmallServer]:
    monkeypatch.setenv("RMSD_STATE_DIR", str(short_dir))
    with serve_unix(short_dir / "rmsd.sock", _accept) as server:
        yield server


def _rsub(*args: str, stdin: bytes = b"", **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([RSUB, *args], input=stdin, capture_output=True, timeout=60, **options)


def _spec(server: SmallServer) -> dict[str, Any]:
    [spec] = json.loads(server.requests[0].body)["jobs"]
    assert isinstance(spec, dict)
    return spec


def test_a_script_with_all_sources(server: SmallServer, tmp_path: Path) -> None:
    script = tmp_path / "job.sh"
    script.write_text(
        "#!/bin/sh\n#SBATCH -n 2 -c 2 -t 1 -p debug --wckey long\n#RSUB -t 2 --mem 1G\ntrue\n"
    )
    config = tmp_path / "xdg_config_home" / "rmsd"
    config.mkdir(parents=True)
    (config / "config.toml").write_text("[rsub]\nntasks = 9\ncomment = 'conf'\nnodes = 4\n")
    environ = {**os.environ, "RSUB_TIME": "3", "RSUB_NODES": "3", "RMS_JOB_ID": "1", "MINE": "x"}
    done = _rsub("-N", "2", str(script), "a b", "-n", cwd=tmp_path, env=environ)
    assert (done.returncode, done.stdout) == (0, b"Submitted batch job 12\n")
    assert done.stderr == b""  # no terminal: nobody is told that --wckey is passed over
    spec = _spec(server)
    environment = spec.pop("env")
    assert environment["MINE"] == "x"
    assert not [name for name in environment if name.startswith(("RMS_", "RMSD_"))]
    assert spec == {
        **fields_of(None),
        "name": "job.sh",
        "script": script.read_text(),
        "args": ["a b", "-n"],
        "workdir": str(tmp_path),
        "stdout": "rms-%j.out",
        "submit_host": os.uname().nodename,
        "submit_dir": str(tmp_path),
        "tasks": 2,
        "cpus_per_task": 2,
        "time_limit_s": 180.0,
        "mem_mib": 1024,
        "nodes": 2,
        "comment": "conf",
        "partition": "debug",
    }


@pytest.mark.usefixtures("server")
def test_a_terminal_is_told_what_is_passed_over(tmp_path: Path) -> None:
    script = tmp_path / "job.sh"
    script.write_text("#!/bin/sh\n#SBATCH --wckey debug\n")
    master, slave = pty.openpty()
    try:
        subprocess.run([RSUB, "-Q", "job.sh"], cwd=tmp_path, stderr=slave, timeout=60, check=True)
        told = os.read(master, 10_000).decode()
    finally:
        os.close(master)
        os.close(slave)
    assert told.startswith("rsub: warning: job.sh:2: #SBATCH --wckey: rsub has no such option")


def test_every_mistake_of_a_script_has_a_line(server: SmallServer) -> None:
    done = _rsub(stdin=b"#!/bin/sh\n#SBATCH --array=9-1\n#RSUB -n x\n")
    assert (done.returncode, server.requests) == (2, [])
    first, second = done.stderr.decode().splitlines()
    assert first.startswith("rsub: error: stdin:2: #SBATCH --array=9-1: ")
    assert second.startswith("rsub: error: stdin:3: #RSUB -n x: ")


def test_no_amount_of_memory_asks_for_all_of_it(server: SmallServer) -> None:
    done = _rsub("--mem=0", "--wrap", "x")
    assert (done.returncode, _spec(server)["all_mem"]) == (0, True)


def test_slurms_words_for_tasks_and_memory(server: SmallServer) -> None:
    done = _rsub("-p", "gpu", "--ntasks-per-node=2", "--mem-per-cpu=1G", "-N2", "--wrap", "x")
    assert (done.returncode, done.stderr) == (0, b"")
    spec = _spec(server)
    assert (spec["tasks"], spec["nodes"], spec["mem_per_cpu_mib"]) == (4, 2, 1024)
    assert "mem_mib" not in spec


def test_standard_input(server: SmallServer) -> None:
    done = _rsub("--parsable", "--export=NONE", stdin=b"#!/bin/sh\n#RSUB -J named\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"12\n", b"")
    assert (_spec(server)["name"], _spec(server)["env"]) == ("named", {})


def test_a_command(server: SmallServer) -> None:
    done = _rsub("-t", "UNLIMITED", "-D", "/tmp", "--", "/bin/echo", "a b", "--wait")
    assert done.returncode == 0
    spec = _spec(server)
    assert spec["script"].startswith("#!/bin/sh\n")
    assert spec["script"].endswith("\nexec '/bin/echo' 'a b' '--wait'\n")
    assert (spec["name"], spec["workdir"], spec["time_limit_s"]) == ("echo", "/tmp", 0)


def test_without_a_current_directory(server: SmallServer, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    submit = f"rmdir {gone}; exec {RSUB} --wrap x"
    done = subprocess.run(["sh", "-c", submit], cwd=gone, capture_output=True, timeout=60)
    assert (done.returncode, server.requests) == (2, [])
    assert b"the current directory does not exist any more" in done.stderr
    gone.mkdir()
    done = subprocess.run(["sh", "-c", f"{submit} -D /tmp"], cwd=gone, timeout=60)
    assert done.returncode == 0
    assert (_spec(server)["workdir"], _spec(server)["submit_dir"]) == ("/tmp", "")


def test_wrap_and_json(server: SmallServer) -> None:
    done = _rsub("--json", "--wrap", "#RSUB -n 5\nls", "--no-requeue")
    assert json.loads(done.stdout)["jobs"][0]["job_id"] == 12
    spec = _spec(server)
    assert spec["script"] == "#!/bin/sh\n#RSUB -n 5\nls\n"
    assert (spec["name"], spec["requeue"], "tasks" in spec) == ("wrap", False, False)


def test_wait_exits_as_the_job_does(server: SmallServer) -> None:
    done = _rsub("-W", "--wrap", "x")
    assert (done.returncode, done.stdout) == (137, b"Submitted batch job 12\n")
    assert server.requests[1].target == "/v1/jobs/12?wait_s=30.0"


@pytest.mark.parametrize(
    ("state", "cause", "said"),
    [
        ("TIMEOUT", "limit", "job 12: killed at its limit of 00:00:02"),
        ("CANCELLED", "user", "job 12: cancelled"),
    ],
)
def test_wait_says_why_a_job_was_killed(short_dir: Path, state: str, cause: str, said: str) -> None:
    def answered(request: Request) -> Answer:
        if request.method != "GET":
            return _accept(request)
        ended = {"state": state, "cause": cause, "exit_code": None, "signal": 15, "message": "",
                 "time_limit_s": 2.0, "start_us": 1, "attempt": 1}  # fmt: skip
        return json_answer({"job": {"job_id": 12, **ended}})

    with serve_unix(short_dir / "s", answered):
        done = _rsub("--server", f"unix:{short_dir}/s", "-W", "--wrap", "x")
    assert (done.returncode, done.stderr.decode()) == (143, f"rsub: error: {said}\n")


def test_a_variable_that_is_not_utf8_is_told(server: SmallServer) -> None:
    done = _rsub("--wrap", "x", env={**os.environb, b"ODD": b"\xff", b"EVEN": b"\xc3\xbc"})
    assert done.returncode == 0
    assert b"warning: 'ODD': the variable is not UTF-8" in done.stderr
    environment = _spec(server)["env"]
    assert environment["EVEN"] == "ü"
    assert "ODD" not in environment


@pytest.mark.parametrize(
    ("args", "stdin", "message"),
    [
        (["/nowhere/job.sh"], b"", "/nowhere/job.sh: no such file; to submit a command"),
        (["/tmp"], b"", "/tmp: Is a directory"),
        ([], b"", "stdin: the script is empty"),
        ([], b"#!/bin/sh\n#RSUB --foo\n", "stdin:2: #RSUB --foo: there is no such option"),
        (["--"], b"", "--: expected a command"),
        (["--wrap", "x", "job.sh"], b"", "--wrap stands for a script, but 'job.sh' is given too"),
        (["-n", "x", "--wrap", "x"], b"", "-n x: 'x' is not a number"),
        (["--server", "head", "--wrap", "x"], b"", "--server: 'head' is not a server"),
    ],
)
def test_mistakes(server: SmallServer, args: list[str], stdin: bytes, message: str) -> None:
    done = _rsub(*args, stdin=stdin)
    assert done.returncode == 2
    assert done.stderr.decode().startswith(f"rsub: error: {message}")
    assert (done.stdout, server.requests) == (b"", [])


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([b"-J", b"a\xff", b"--wrap", b"x"], "-J a?: --job-name is not UTF-8 text"),
        ([b"-o", b"a\xff", b"--wrap", b"x"], "-o a?: --output is not UTF-8 text"),
        ([b"--wrap=echo \xff"], "--wrap=echo ?: --wrap is not UTF-8 text"),
        ([b"--", b"echo", b"\xff"], "the command is not UTF-8 text: "),
        ([b"job.sh", b"\xff"], "the argument is not UTF-8 text: '\\udcff'"),
    ],
)
def test_what_is_not_utf8_is_named(
    server: SmallServer, tmp_path: Path, args: list[bytes], message: str
) -> None:
    (tmp_path / "job.sh").write_text("#!/bin/sh\n")
    done = subprocess.run([RSUB.encode(), *args], capture_output=True, cwd=tmp_path, timeout=60)
    assert done.stderr.decode().startswith(f"rsub: error: {message}")
    assert (done.returncode, server.requests) == (2, [])


def test_minus_one_is_no_limit(server: SmallServer) -> None:
    assert _rsub("-t", "-1", "--wrap", "x").returncode == 0
    assert _spec(server)["time_limit_s"] == 0


def test_no_daemon(tmp_path: Path) -> None:
    done = _rsub("--server", f"unix:{tmp_path}/x", "--wrap", "x")
    assert done.returncode == 75
    assert b"start one with 'rmsd start'" in done.stderr


def test_help_and_version() -> None:
    assert _rsub("--help").stdout.startswith(b"usage: rsub [options] SCRIPT")
    assert _rsub("-V").stdout.startswith(b"rsub 0.")


def test_a_closed_pipe_is_quiet(server: SmallServer) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        done = subprocess.run(
            [RSUB, "--wrap", "x"], stdout=write_end, stderr=subprocess.PIPE, timeout=60
        )
    finally:
        os.close(write_end)
    assert (done.returncode, done.stderr, len(server.requests)) == (141, b"", 1)


def test_a_full_output_does_not_hide_that_the_job_is_in(server: SmallServer) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [RSUB, "--parsable", "--wrap", "x"], stdout=full, stderr=subprocess.PIPE, timeout=60
        )
    assert (done.returncode, len(server.requests)) == (1, 1)
    told, error = done.stderr.decode().splitlines()
    assert told.startswith("rsub: job 12 was submitted, but")
    assert error == "rsub: error: standard output: No space left on device"


def test_closed_streams_are_dev_null(server: SmallServer) -> None:
    closed = ["sh", "-c", f"exec {RSUB} --wrap x <&- >&- 2>&-"]
    assert subprocess.run(closed, timeout=60).returncode == 0
    assert len(server.requests) == 1


@pytest.mark.parametrize("command", ["rmsd recipes", "rmsd --version", "rsub --help", "rstat -V"])
def test_every_command_tells_of_a_full_output(command: str) -> None:
    program = command.split()[0]
    shell = ["sh", "-c", f"{Path(RSUB).parent}/{command} >/dev/full"]
    done = subprocess.run(shell, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.stderr == f"{program}: error: standard output: No space left on device\n"
    assert done.returncode == 1
    shell = ["sh", "-c", f"{Path(RSUB).parent}/{command} >&-"]
    done = subprocess.run(shell, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_start_up_imports_nothing_heavy() -> None:
    code = "import sys, rmsd_client.rsub as r; print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    for heavy in ("typing", "argparse", "dataclasses", "subprocess", "http.client", "msgspec"):
        assert heavy not in modules.decode().split()
