"""The commands, as processes that are run to their end."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.warm import run_warm

BIN = Path(sys.executable).parent


def run_program(
    program: str,
    *arguments: str | Path,
    expect: int | None = 0,
    stdin: str | bytes = b"",
    encoding: str = "utf-8",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout_s: float | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run one of our programs, and return it with the text that it wrote.

    Its exit code must be `expect`; None allows any. `encoding` is that of standard input and
    output; standard error is UTF-8 always.
    """
    done = subprocess.run(
        [BIN / program, *map(str, arguments)],
        input=stdin.encode(encoding) if isinstance(stdin, str) else stdin,
        capture_output=True,
        check=False,
        env=env,
        cwd=cwd,
        timeout=timeout_s,
    )
    return _told(done, expect, encoding)


def _told(
    done: subprocess.CompletedProcess[bytes], expect: int | None, encoding: str
) -> subprocess.CompletedProcess[str]:
    told = subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(encoding), done.stderr.decode()
    )
    assert expect is None or told.returncode == expect, told.stderr
    assert "Traceback" not in told.stderr, told.stderr
    return told


def rmsd(
    *arguments: str | Path,
    expect: int | None = 0,
    stdin: str | bytes = b"",
    encoding: str = "utf-8",
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run `rmsd` as `run_program` does, but with its libraries loaded where nothing but its
    arguments is given."""
    if env is None and not stdin:
        return _told(run_warm([str(one) for one in arguments]), expect, encoding)
    return run_program("rmsd", *arguments, expect=expect, stdin=stdin, encoding=encoding, env=env)
