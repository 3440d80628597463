"""`rmsd trace` as a command, and the traces that its tests give it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.commands import rmsd

SWF = """\
; Computer: a machine
; MaxJobs: 4
; MaxProcs: 4
; UnixStartTime: 1000000800
; TimeZone: 3600
1 0 5 100 4 -1 -1 4 200 -1 1 1 -1 -1 -1 -1 -1 -1
2 10 -1 50 2 -1 -1 2 40 -1 1 1 -1 -1 -1 -1 -1 -1
3 20 -1 10 2 -1 -1 2 200 -1 1 2 -1 -1 -1 -1 -1 -1
4 30 -1 10 9 -1 -1 9 10 -1 0 2 -1 -1 -1 -1 -1 -1
"""
TRACES = Path(os.environ.get("RMSD_TEST_DATA", "")) / "traces"
needs_traces = pytest.mark.skipif(
    not TRACES.is_dir(), reason="RMSD_TEST_DATA names no folder with traces"
)


def trace(
    *arguments: str | Path, stdin: str | bytes = b"", expect: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run `rmsd trace`, whose input and output may be any bytes."""
    return rmsd("trace", *arguments, stdin=stdin, encoding="latin-1", expect=expect)


def numbers(text: str) -> list[int]:
    return [int(line.split()[0]) for line in text.splitlines() if not line.startswith(";")]


def header(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(";")]
