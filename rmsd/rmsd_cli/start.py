"""Start the daemon, and with it this machine as a node. With no options and no configuration this
is a working single-machine system for the user who starts it.

The daemon stays in the foreground and logs to stderr until SIGTERM, SIGINT or `rmsd stop`. Running
jobs run on after its end, and the next start takes them up again.
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
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from rmsd_cli.errors import fail
from rmsd_daemon.setup.config import SETTINGS
from rmsd_process.lean_start import no_collections
from rmsd_process.ownership import closed_to_others
from rmsd_wire.settings import add_options, environment_help, keys_help

_fail = partial(fail, "start")

_OPTIONS = [row for row in SETTINGS if row.option]

EPILOG = f"""\
configuration:
  A TOML file. Its keys are those of the long options ({_OPTIONS[0].key}, ...), and further:
{keys_help(SETTINGS)}
  Looked for at: --config, $RMSD_CONFIG, $XDG_CONFIG_HOME/rmsd/rmsd.toml,
  /etc/rmsd/rmsd.toml (root: the latter first). The command line wins over the file.

signals:
  SIGTERM, SIGINT   stop; jobs run on
  SIGHUP            take the certificate and the settings that are in the files now, as far
                    as they need no restart, and open daemon.log anew if it was moved away;
                    stop, where it logs to a terminal, which is gone then

environment:
{environment_help(SETTINGS)}; clients honour it too
  RMSD_CONFIG       for the default of --config
  NO_COLOR          no colours in the log on a terminal

exit codes:
  0   stopped on request (with --detach: it is ready; with --check: it could start)
  1   cannot start; the message says why
  2   wrong usage, or an unusable value in the configuration

examples:
  rmsd start --detach
  rmsd start --check --config rmsd.toml
  rmsd start --emulate 64x4 --no-local-node --rate 100 --recipe easy
  rmsd tls new && rmsd start --listen 0.0.0.0:7632
"""

_READY_FD = "RMSD_READY_FD"
_READY_WITHIN_S = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, SETTINGS, parse=False)
    parser.add_argument("--config", metavar="FILE", help="configuration file, see below")
    parser.add_argument(
        "--check",
        action="store_true",
        help="start nothing: check the configuration, the certificate, the state directory and "
        "the address, and print what is wrong",
    )
    parser.add_argument(
        "--detach",
        action="store_true",
        help="return once the daemon answers and its nodes are up; it logs to daemon.log in the "
        "state directory",
    )


def run(args: argparse.Namespace) -> int:
    code = _run(args)
    if code:
        _name_the_system_file(args.config)
    return code


def _name_the_system_file(given: str | None) -> None:
    """Say to an account other than root whose start has failed that the settings are those of the
    machine's own daemon. A user's daemon gets its state directory and address from there, too."""
    from rmsd_daemon.setup import loading

    ours = os.geteuid() != 0 and _READY_FD not in os.environ
    if ours and loading.find_file(given, os.environ) == loading.SYSTEM:
        print(
            f"rmsd start: the settings were those of {loading.SYSTEM}, which is for the machine's "
            "own daemon; a daemon of yours needs --config with a file of your own, which may be "
            "empty",
            file=sys.stderr,
        )


def _run(args: argparse.Namespace) -> int:
    from rmsd_daemon.setup.loading import ConfigError, load

    given = {row.key: getattr(args, row.key) for row in _OPTIONS if row.key in args}
    try:
        config = load(given, args.config)
    except ConfigError as error:
        return _fail(str(error), 2)
    if args.check:
        from rmsd_cli.start_check import check

        return check(config, args.config)
    if config.has_users_jobs and _READY_FD not in os.environ:
        _warn_if_out_of_reach(Path(sys.executable))
    return (
        _detach(config.state_dir)
        if args.detach
        else _serve(config, lambda: load(given, args.config))
    )


def _warn_if_out_of_reach(program: Path) -> None:
    """Say that users cannot run the commands, if a directory on the way to their interpreter, or to
    the program that this is a link to, is closed to them."""
    closed = closed_to_others(program.parent) or closed_to_others(program.resolve().parent)
    if closed is not None:
        print(
            f"rmsd start: warning: no other account can run {program}, since {closed} is closed to "
            "them: rsub and the like fail for users. Install rmsd with a Python that all may run, "
            "such as /usr/bin/python3",
            file=sys.stderr,
        )


def _serve(config: Any, read_again: Callable[[], Any]) -> int:
    with no_collections():
        from rmsd_daemon.server import StartError, serve
        from rmsd_daemon.setup.unknown_names import log_unknown
        from rmsd_daemon.setup.without_effect import log_without_effect
        from rmsd_process import logs

    pipe = os.environ.pop(_READY_FD, None)

    def ready(trouble: str | None) -> None:
        if pipe is not None:
            tell_ready(int(pipe), trouble)

    logs.configure(config.log_level)
    log_unknown(config)
    log_without_effect(config)
    try:
        serve(config, ready, read_again)
    except StartError as error:
        return _fail(str(error), 1)
    return 0


def tell_ready(pipe: int, trouble: str | None) -> None:
    """Tell the process that has started this one that it need not wait any longer."""
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
            # -P: nothing is imported from the current directory.
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
            # the daemon goes on without this process, which need not wait for it
            process.returncode = 0
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
    process.returncode = 0  # the daemon goes on without this process, which need not wait for it
    print(f"rmsd is running (pid {process.pid}): socket {state_dir / 'rmsd.sock'}, log {log_path}")
    return 0


def _read_answer(reader: int) -> bytes:
    """Return the daemon's line; empty if it ended without one.

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
