"""A daemon of one's own, for as long as a command needs it."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil

from rmsd_cli.errors import CommandError
from rmsd_cli.termination import ended_in_order, scratch_directory, undisturbed
from rmsd_client.api import Client
from rmsd_client.errors import ClientError
from rmsd_daemon.agents.local_agent import end_agent

_READY_S = 30.0
_STOP_S = 20.0
_LOOK_EVERY_S = 0.02


@contextmanager
def private_state() -> Iterator[Path]:
    """Make a state directory for a daemon that is private to this command."""
    with ended_in_order(), scratch_directory("rmsd-") as state_dir:
        yield state_dir


@contextmanager
def running_daemon(state_dir: Path, options: Sequence[str]) -> Iterator[Client]:
    """Run `rmsd start OPTIONS`, and yield a client of its Unix socket once the daemon answers.

    The daemon, its agent and its jobs are gone afterwards.

    Raises:
        CommandError: it does not come up; the message has the end of its log.
    """
    with ExitStack() as stack:
        with undisturbed():
            daemon = _begin(state_dir, options)
            stack.callback(_end, daemon, state_dir)
        with Client(f"unix:{state_dir / 'rmsd.sock'}", retry_for_s=0.0) as client:
            _await_daemon(client, daemon, state_dir)
            yield client


def _begin(state_dir: Path, options: Sequence[str]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", "-m", "rmsd_cli.main", "start", "--state-dir", str(state_dir)]
    with log_of(state_dir).open("wb") as output:
        return subprocess.Popen(
            [*command, *options], stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd="/"
        )


@undisturbed()
def _end(daemon: subprocess.Popen[bytes], state_dir: Path) -> None:
    daemon.terminate()
    try:
        daemon.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()
    # A daemon that was killed has left its agent, which would look for it for ever.
    with ThreadPoolExecutor(1) as pool:  # in a notebook this thread has a running loop
        pool.submit(asyncio.run, end_agent(state_dir / "agent")).result()
    end_jobs(state_dir)


def end_jobs(state_dir: Path) -> None:
    """End the jobs of a stopped daemon, since they outlive the daemon and its agent. Their
    shepherds, which name the directory, are killed before the jobs, so that none reports an end."""
    deadline = time.monotonic() + _STOP_S
    looks_in_vain = 0  # one is not enough: while it is in an exec, a process has no words
    while looks_in_vain < 2 and time.monotonic() < deadline:
        left: list[psutil.Process] = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if any(word.startswith(f"{state_dir}/") for word in process.cmdline()):
                    left += [process, *process.children(recursive=True)]
        for process in left:
            with contextlib.suppress(psutil.Error):
                process.kill()
        looks_in_vain = 0 if left else looks_in_vain + 1
        time.sleep(_LOOK_EVERY_S)


def log_of(state_dir: Path) -> Path:
    """Return the log of a private daemon, which has its agents' lines as well."""
    return state_dir / "private.log"


def _await_daemon(client: Client, daemon: subprocess.Popen[bytes], state_dir: Path) -> None:
    deadline = time.monotonic() + _READY_S
    while daemon.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(ClientError):
            client.status()
            return
        time.sleep(_LOOK_EVERY_S)
    raise _did_not_come_up(state_dir)


def await_nodes(client: Client, state_dir: Path, count: int = 1) -> None:
    """Wait until so many nodes, and all that there are, are idle. Raises CommandError if they do
    not come up."""
    deadline = time.monotonic() + _READY_S
    while time.monotonic() < deadline:
        try:
            nodes = client.nodes()
        except ClientError as error:
            raise _did_not_come_up(state_dir) from error
        if len(nodes) >= count and all(node["state"] == "idle" for node in nodes):
            return
        time.sleep(_LOOK_EVERY_S)
    raise _did_not_come_up(state_dir)


def _did_not_come_up(state_dir: Path) -> CommandError:
    ending = log_of(state_dir).read_text(errors="replace").strip()[-2000:]
    if not ending:
        return CommandError(
            f"the private daemon did not come up within {_READY_S:g} s, and has logged nothing: "
            "is the machine very busy?"
        )
    return CommandError(f"the private daemon did not come up; its log ends with:\n{ending}")
