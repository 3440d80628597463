"""The pages of `rmsd ui` over a daemon with 200,000 jobs on 10,000 nodes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import psutil

from rmsd_client.api import Client
from tests.bench.measure import BIN, Figures
from tests.bench.private_daemon import private_daemon

_NODES = 10_000
_JOBS = 200_000
_OVER = 2000
_USERS = 50
_AT_ONCE = 1000
_LOOKERS = 50
_QUIET_S = 20.0
_WHOLE_S = 120.0
_PATIENCE_S = 600.0
"""The time for which a submit is tried: a pass that starts a thousand jobs on 10,000 nodes takes
seconds."""
_LATE = b' data-late="'
_STEPS = Path(__file__).parent / "loop_steps"
_PAGES = (
    *("/", "/?states=all", "/?user=user07", "/?name=none", f"/jobs/{_OVER + 1000}"),
    *(f"/jobs/{_JOBS - 1000}", "/nodes", "/nodes?text=e0500", "/cluster", "/map", "/gantt"),
    *("/gantt?past=7d&ahead=7d", "/series", "/submit"),
)


def bench() -> Figures:
    """Ask for each page twice, the second time without a change in between, beside an open stream
    of events. A page that says that it is late is asked for again until it is whole. The time of
    the event loop is processor time: the daemon's own scheduling is left out."""
    figures: Figures = {}
    with tempfile.TemporaryDirectory() as folder, _watched(Path(folder, "steps")) as steps:
        options = ["--no-local-node", "--emulate", f"{_NODES}x4"]
        with private_daemon(options) as client:
            client.retry_for_s = _PATIENCE_S
            _fill(client)
            with _Dashboard(client) as seen, seen.looked_at(1):
                for path in _PAGES:
                    for what in (path, f"{path} again"):
                        figures[f"{what}: first answer, whole page"] = seen.measured(path, steps)
            figures[f"{_LOOKERS} open pages while nothing changes"] = _quiet(client)
    return figures


@contextlib.contextmanager
def _watched(steps: Path) -> Iterator[Path]:
    """Have daemons that begin meanwhile note the long steps of their event loops."""
    steps.touch()
    names = {"PYTHONPATH": str(_STEPS), "RMSD_BENCH_STEPS": str(steps)}
    os.environ |= names
    try:
        yield steps
    finally:
        for name in names:
            del os.environ[name]


def _fill(client: Client) -> None:
    """Submit the jobs: some that are over at once, and others that run or wait for days."""

    def specs(first: int, run_s: float) -> list[dict[str, object]]:
        return [
            {
                "emulate": {"run_s": run_s},
                "user": f"user{number % _USERS:02}",
                "name": ("align", "train", "post")[number % 3],
                "tasks": 1 + 3 * (number % 2),
                "time_limit_s": 3600.0 * (1 + number % 97),
            }
            for number in range(first, first + _AT_ONCE)
        ]

    for first in range(0, _JOBS, _AT_ONCE):
        client.submit(specs(first, 0.0 if first < _OVER else 7 * 86400.0))
        if sys.stderr.isatty():
            print(f"\r{first + _AT_ONCE:,} of {_JOBS:,} jobs", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print(file=sys.stderr)


class _Dashboard:
    """A running `rmsd ui`, and the time that it and the daemon take."""

    def __init__(self, client: Client) -> None:
        self._daemon = psutil.Process(client.status()["pid"])
        state_dir = str(Path(client.server.removeprefix("unix:")).parent)
        self._process = subprocess.Popen(
            [str(BIN / "rmsd"), "ui"],
            env=os.environ | {"RMSD_STATE_DIR": state_dir},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        address = self._process.stdout.readline().strip().removeprefix("http://")
        self._host, _, secret = address.partition("/open/")
        self._cookie = ""
        connection = self._asked(f"/open/{secret}")
        self._cookie = connection.getresponse().headers["Set-Cookie"].partition(";")[0]
        connection.close()

    def __enter__(self) -> _Dashboard:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGINT)
        self._process.communicate()

    def _asked(self, path: str) -> HTTPConnection:
        connection = HTTPConnection(self._host, timeout=_WHOLE_S)
        connection.request("GET", path, headers={"Cookie": self._cookie})
        return connection

    def _get(self, path: str) -> bytes:
        with contextlib.closing(self._asked(path)) as connection:
            answer = connection.getresponse()
            body = answer.read()
            if answer.status != 200:
                raise RuntimeError(f"{path}: {answer.status} {body.decode()}")
            return body

    @contextlib.contextmanager
    def looked_at(self, pages: int) -> Iterator[None]:
        """Keep streams of events open, as so many pages in browsers do."""
        connections = [self._asked("/events") for _ in range(pages)]
        answers = [connection.getresponse() for connection in connections]
        for answer in answers:
            threading.Thread(target=_read_all, args=(answer,), daemon=True).start()
        try:
            yield
        finally:
            for connection in connections:
                connection.close()

    def daemon_s(self) -> float:
        """Return the processor time of the daemon."""
        times = self._daemon.cpu_times()
        return times.user + times.system

    def measured(self, path: str, steps: Path) -> str:
        """Return the figures of a page."""
        noted, used_s, began_s = len(_steps_ms(steps)), self.daemon_s(), time.perf_counter()
        body = self._get(path)
        first_s = time.perf_counter() - began_s
        while _LATE in body:
            time.sleep(0.05)
            body = self._get(path)
        whole_s = time.perf_counter() - began_s
        longest_ms = max(_steps_ms(steps)[noted:], default=0.0)
        step = f"{longest_ms:.0f} ms" if longest_ms else "< 5 ms"
        return (
            f"{1e3 * first_s:.0f} ms, {1e3 * whole_s:.0f} ms; {len(body):,} bytes; daemon "
            f"{1e3 * (self.daemon_s() - used_s):.0f} ms, at a stretch {step}"
        )


def _read_all(answer: object) -> None:
    with contextlib.suppress(HTTPException, OSError, ValueError, AttributeError):
        while answer.read1(65536):  # type: ignore[attr-defined]
            pass


def _steps_ms(steps: Path) -> list[float]:
    """Return the long steps of the daemon's loop that were noted, but for the scheduler's own."""
    lines = steps.read_text().splitlines()
    return [float(line.split()[0]) for line in lines if "Scheduler.run" not in line]


def _quiet(client: Client) -> str:
    """Return the daemon's share of a core beside many open pages, and beside none."""
    with _Dashboard(client) as seen:
        shares = []
        for pages in (0, _LOOKERS):
            with seen.looked_at(pages):
                time.sleep(2.0)
                used_s = seen.daemon_s()
                time.sleep(_QUIET_S)
                shares.append((seen.daemon_s() - used_s) / _QUIET_S)
    return f"{shares[1]:.1%} of a core; without them {shares[0]:.1%}"
