"""`rmsd demo`, ended before its time."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.live import BIN, DEADLINE_S, wait_until, words_of

pytestmark = pytest.mark.live


@pytest.fixture
def scratch() -> Iterator[Path]:
    """A directory for temporary files with a short path, as sockets need it."""
    path = Path(tempfile.mkdtemp(prefix="rt", dir="/tmp"))
    yield path
    shutil.rmtree(path)


@pytest.mark.parametrize(
    ("number", "code", "line"),
    [(signal.SIGINT, 130, b"$ rdel"), (signal.SIGTERM, 143, b"$ rmsd replay")],
)
def test_a_demo_that_is_ended_leaves_nothing_behind(
    scratch: Path, number: signal.Signals, code: int, line: bytes
) -> None:
    """Nor does Ctrl-C, which goes to every process of the terminal's foreground."""

    def of_the_demo() -> list[psutil.Process]:
        return [
            one for one in psutil.process_iter() if any(str(scratch) in w for w in words_of(one))
        ]

    with subprocess.Popen(
        [BIN / "rmsd", "demo"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(scratch)},
        start_new_session=True,
    ) as demo:
        assert demo.stdout is not None
        while not demo.stdout.readline().startswith(line):
            assert demo.poll() is None
        wait_until(of_the_demo)
        os.killpg(demo.pid, number)
        _, said = demo.communicate(timeout=DEADLINE_S)
    assert demo.returncode == code, said
    assert said == b""
    wait_until(lambda: not of_the_demo())
    assert not list(scratch.iterdir())
