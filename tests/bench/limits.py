"""The delay between a job's limit and its kill, seen from outside."""

from __future__ import annotations

import os
import select
import tempfile
import time
from pathlib import Path
from statistics import median

from rmsd_client.api import Client
from tests.bench.measure import Figures, percentile
from tests.bench.private_daemon import private_daemon

_LIMIT_S = 1.0
_JOBS = 100
_AT_ONCE = 10


def bench() -> Figures:
    """Run 100 jobs with a limit of 1 s, alone and 10 at a time. The output of each is a pipe. The
    first byte marks the start of the script, a few milliseconds after that of the limit. The end of
    the pipe is the death of the last process that holds it."""
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        options = ["--no-local-node", "--emulate", f"1x{_AT_ONCE}"]
        with private_daemon(options) as client:
            for at_once in (1, _AT_ONCE):
                late_s = [
                    late
                    for first in range(0, _JOBS, at_once)
                    for late in _late_s(client, Path(folder), range(first, first + at_once))
                ]
                what = f"killed after a limit of 1 s, {at_once} at a time, late by, median"
                figures[what] = f"{1e3 * median(late_s):.1f} ms"
                figures[f"... {at_once} at a time, 99th percentile"] = (
                    f"{1e3 * percentile(late_s, 99):.1f} ms"
                )
    return figures


def _late_s(client: Client, folder: Path, numbers: range) -> list[float]:
    """Return how many seconds after its limit each of these jobs was dead."""
    pipes = {_open_pipe(folder / str(number)): number for number in numbers}
    specs = [
        {
            "script": "#!/bin/sh\necho; exec sleep 60\n",
            "workdir": "/",
            "stdout": str(folder / str(number)),
            "time_limit_s": _LIMIT_S,
            "env": {"PATH": os.environ["PATH"]},
        }
        for number in numbers
    ]
    ids = [told["job_id"] for told in client.submit(specs)]
    late_s = _watch(pipes)
    for job_id, number in zip(ids, numbers, strict=True):
        (folder / str(number)).unlink()
        state = client.wait(job_id)["state"]
        if state != "TIMEOUT":
            raise RuntimeError(f"job {job_id} is {state}")
    return late_s


def _open_pipe(path: Path) -> int:
    os.mkfifo(path)
    return os.open(path, os.O_RDONLY | os.O_NONBLOCK)


def _watch(pipes: dict[int, int]) -> list[float]:
    """Read all pipes to their ends; the times from first byte to end beyond the limit."""
    poll = select.poll()
    for fd in pipes:
        poll.register(fd, select.POLLIN)
    begun_s: dict[int, float] = {}
    late_s: list[float] = []
    while len(late_s) < len(pipes):
        for fd, _ in poll.poll():
            now_s = time.perf_counter()
            if os.read(fd, 100):
                begun_s[fd] = now_s
            else:
                late_s.append(now_s - begun_s[fd] - _LIMIT_S)
                poll.unregister(fd)
                os.close(fd)
    return late_s
