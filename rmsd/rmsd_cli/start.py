"""Start the daemon, and with it this machine as a node. With no options and no configuration this
is a working single-machine system for the user who starts it.

The daemon stays in the foreground and logs to stderr until SIGTERM, SIGINT or `rmsd stop`; running
jobs are not touched by its end, and the next start takes them up again.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import select
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

from rmsd_cli.errors import fail

_fail = partial(fail, "start")

EPILOG = """\
configuration:
  A TOML file with the long options' names as keys (state_dir, socket, listen,
  emulate, local_node, rate, recipe, capacity, log_level), and further:
    tls_cert, tls_key         PEM files, for listen (default: of `rmsd tls new`)
    operators = ["ann"]       accounts, @groups that see and end all jobs, ...
    admins = ["@wheel"]       ... and stop the daemon; root always may
    as_users = true           jobs run as their users (default: if this is root)
    allow_root_jobs = false   whether the local agent runs jobs as root
    kill_grace = "10s"        from SIGTERM to SIGKILL at a limit
    overrun = "0s"            what a job gets beyond its limit before SIGTERM
    default_time = "1h"       limit of a job that asks for none ("UNLIMITED")
    default_mem = "2G"        likewise its memory on each node
    max_processes, max_output_size     of a job on one node
    restartable, trial_output          jobs under recipes with trial runs
    node_dead = "5m"          a silent node's jobs are requeued after that
    max_script_size, max_request_size, max_jobs_per_request, max_jobs_per_user,
    max_request_rate, max_connections  what one caller may ask for
  Looked for at: --config, $RMSD_CONFIG, /etc/rmsd/rmsd.toml,
  $XDG_CONFIG_HOME/rmsd/rmsd.toml. The command line wins over the file.

signals:
  SIGTERM, SIGINT   stop; jobs run on
  SIGHUP            with listen: take the certificate that is in the files now;
                    stop, where it logs to a terminal, which is gone then

environment:
  RMSD_STATE_DIR    default of --state-dir; clients honour it too
  RMSD_CONFIG       default of --config
  NO_COLOR          no colours in the log on a terminal

exit codes:
  0   stopped on request (with --detach: it is ready)
  1   cannot start; the message says why
  2   wrong usage, or an unusable value in the configuration

examples:
  rmsd start --detach
  rmsd start --emulate 64x4 --no-local-node --rate 100 --recipe easy
  rmsd tls new && rmsd start --listen 0.0.0.0:7632
"""

_READY_FD = "RMSD_READY_FD"
_READY_WITHIN_S = 60.0
_OPTIONS = (
    "state_dir",
    "socket",
    "listen",
    "emulate",
    "local_node",
    "rate",
    "recipe",
    "capacity",
    "log_level",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--emulate",
        metavar="N[xCORES]",
        help="add N emulated nodes of CORES cores (default: 1), which run timers and scripts",
    )
    parser.add_argument(
        "--local-node",
        action=argparse.BooleanOptionalAction,
        help="offer this machine as a node (default: yes)",
    )
    parser.add_argument(
        "--socket",
        metavar="PATH",
        help="for a daemon that root starts: a Unix socket that serves every account of this "
        "machine, as /run/rmsd/rmsd.sock, where clients look (default: none but the private one in "
        "the state directory)",
    )
    parser.add_argument(
        "--listen",
        metavar="HOST:PORT",
        help="open TCP, with TLS, for agents and clients that have a token; see `rmsd tls` and "
        "`rmsd token`",
    )
    parser.add_argument(
        "--rate",
        metavar="R",
        help="model seconds per real second (default: 1): time for jobs, predictions and emulated "
        "jobs runs R times as fast, limits of real scripts stay real",
    )
    parser.add_argument(
        "--recipe",
        metavar="NAME",
        help="the scheduler (default: easy++); `rmsd recipes` lists them",
    )
    parser.add_argument(
        "--capacity",
        choices=("nodes", "counted"),
        help="nodes with cores and memory (default), or one pool of counted processors",
    )
    parser.add_argument(
        "--state-dir",
        metavar="DIR",
        help="database, socket, lock and the local agent's state (default: $RMSD_STATE_DIR, "
        "$XDG_STATE_HOME/rmsd or ~/.local/state/rmsd)",
    )
    parser.add_argument("--config", metavar="FILE", help="configuration file, see below")
    parser.add_argument(
        "--detach",
        action="store_true",
        help="return once the daemon answers and its nodes are up; it logs to daemon.log in the "
        "state directory",
    )
    parser.add_argument(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        help="least level to log (default: info)",
    )


def run(args: argparse.Namespace) -> int:
    from rmsd_daemon.setup.config import ConfigError, load

    try:
        config = load({key: getattr(args, key) for key in _OPTIONS}, args.config)
    except ConfigError as error:
        return _fail(str(error), 2)
    return _detach(config.state_dir) if args.detach else _serve(config)


def _serve(config: Any) -> int:
    from rmsd_daemon.server import StartError, serve
    from rmsd_daemon.setup import logs

    pipe = os.environ.pop(_READY_FD, None)

    def ready(trouble: str | None) -> None:
        if pipe is not None:
            _tell_ready(int(pipe), trouble)

    logs.configure(config.log_level)
    try:
        serve(config, ready)
    except StartError as error:
        return _fail(str(error), 1)
    return 0


def _tell_ready(pipe: int, trouble: str | None) -> None:
    """Whoever has started us may wait no longer."""
    try:
        with contextlib.suppress(BrokenPipeError):
            os.write(pipe, json.dumps({"trouble": trouble}).encode() + b"\n")
    finally:
        os.close(pipe)


def _detach(state_dir: Path) -> int:
    """Start the daemon as a process of its own, and wait until it says that it is ready."""
    from rmsd_daemon.setup.state_dir import StateDirError, private, safe_directory

    try:
        safe_directory(state_dir)
        log_path = state_dir / "daemon.log"
        with open(log_path, "ab", opener=private) as out:
            begin = out.tell()
            reader, writer = os.pipe()
            # -P: nothing is imported from the directory that we happen to be in.
            arguments = [arg for arg in sys.argv[1:] if arg != "--detach"]
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "rmsd_cli.main", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
                pass_fds=[writer],
                env=os.environ | {_READY_FD: str(writer)},
            )
    except StateDirError as error:
        return _fail(str(error), 1)
    except OSError as error:
        return _fail(f"{error.filename}: {error.strerror}", 1)
    os.close(writer)
    try:
        answer = _read_answer(reader)
    except TimeoutError:
        if process.poll() is None:
            process.returncode = 0  # it goes on without us: not a child to be waited for
            return _fail(
                f"the daemon (pid {process.pid}) is not ready after {_READY_WITHIN_S:g} s and "
                f"goes on starting; see {log_path}",
                1,
            )
        answer = b""
    finally:
        os.close(reader)
    if not answer:
        code = process.wait() if process.poll() is not None or _gone(process) else 1
        return _report_failure(log_path, begin, code or 1)
    if trouble := json.loads(answer)["trouble"]:
        return _fail(f"the daemon runs (pid {process.pid}), but {trouble}", 1)
    process.returncode = 0  # it goes on without us: not a child to be waited for
    print(f"rmsd is running (pid {process.pid}): socket {state_dir / 'rmsd.sock'}, log {log_path}")
    return 0


def _read_answer(reader: int) -> bytes:
    """The daemon's line; empty when it ended without one.

    Raises:
        TimeoutError: it took too long.
    """
    deadline = time.monotonic() + _READY_WITHIN_S
    answer = b""
    while not answer.endswith(b"\n"):
        ready, _, _ = select.select([reader], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise TimeoutError
        chunk = os.read(reader, 4096)
        if not chunk:
            return b""
        answer += chunk
    return answer


def _gone(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.returncode = 0
        return False
    return True


def _report_failure(log_path: Path, begin: int, code: int) -> int:
    with log_path.open("rb") as file:
        file.seek(begin)
        lines = file.read().decode(errors="replace").splitlines()
    messages = [line for line in lines if line.startswith("rmsd start: error: ")] or lines[-5:]
    print("\n".join(messages) or f"rmsd start: error: no answer; see {log_path}", file=sys.stderr)
    return code
