"""`rmsd trace`: whole commands, on files, pipes and what is none."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

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
    command = [sys.executable, "-m", "rmsd_cli.main", "trace", *map(str, arguments)]
    data = stdin.encode("latin-1") if isinstance(stdin, str) else stdin
    done = subprocess.run(command, capture_output=True, input=data, check=False)
    assert done.returncode == expect, done.stderr.decode()
    return subprocess.CompletedProcess(
        command, done.returncode, done.stdout.decode("latin-1"), done.stderr.decode()
    )


@pytest.fixture
def swf(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.swf"
    path.write_text(SWF)
    return path


def test_the_commands_are_listed_and_a_wrong_one_is_refused() -> None:
    assert "show what is in a trace" in trace("--help").stdout
    assert "invalid choice: 'nothing'" in trace("nothing", expect=2).stderr
    assert "commands:" in trace(expect=2).stderr


def test_info_as_json(swf: Path) -> None:
    report = json.loads(trace("info", swf, "--json").stdout)
    assert report["schema"] == "rmsd.trace/1"
    assert report["jobs"] == {"read": 4, "usable": 3}
    assert report["load"] == (400 + 100 + 20) / (4 * 20)
    assert report["time"]["first_submit"] == "2001-09-09 03:00:00+01:00"
    assert report["arrivals"]["hours"][3] == 4
    assert report["estimates"]["modes"][0] == {"estimate_s": 200, "jobs": 2, "share": 2 / 3}
    assert report["users"]["count"] == 2
    assert report["inconsistent"]["too large"]["lines"] == [9]
    assert report["inconsistent"]["run over estimate"]["lines"] == [7]
    assert report["missing"]["wait_s"] == 3
    assert report["header_faults"] == []
    assert report["problems"] == {"counts": {}, "first": []}


def test_info_for_people_from_a_pipe() -> None:
    text = trace("info", "-", stdin=SWF).stdout
    assert text.startswith("standard input: a machine\n")
    assert "jobs           4, of which 3 can be simulated" in text
    assert "1 job: more processors than the machine has (line 9)" in text
    assert text == trace("info", "-", stdin=gzip.compress(SWF.encode())).stdout


def test_info_strict_is_a_check(swf: Path) -> None:
    trace("info", swf, "--strict", expect=1)
    good = "\n".join(SWF.splitlines()[:6]).replace("MaxJobs: 4", "MaxJobs: 1")
    trace("info", "-", "--strict", stdin=good)


def test_info_shows_what_it_can_of_a_damaged_trace() -> None:
    done = trace("info", "-", stdin=SWF + "5 40 -1\n", expect=1)
    assert "line 10: 3 fields, an SWF job has 18; the line is left out" in done.stdout
    assert "jobs           4," in done.stdout
    zipped = gzip.compress((SWF * 200).encode())
    done = trace("info", "-", stdin=zipped[:-12], expect=1)
    assert "the file cannot be read any further: Compressed file ended" in done.stdout
    assert (
        "the file cannot be read any further"
        in trace("info", "-", stdin=zipped[:-4] + b"abcd", expect=1).stdout
    )


def test_info_of_nothing(tmp_path: Path) -> None:
    assert "there is no job" in trace("info", "-", expect=1).stdout
    missing = tmp_path / "none.swf"
    assert f"cannot read {missing}: No such file" in trace("info", missing, expect=1).stderr
    assert f"cannot read {tmp_path}: Is a directory" in trace("info", tmp_path, expect=1).stderr


def test_a_header_of_any_bytes_is_no_obstacle() -> None:
    header = b"; Computer: Gr\xf6\xdfe \xff\x00\n; TimeZoneString: ../../etc\n; MaxProcs: 4\n"
    done = trace("info", "-", stdin=header + SWF.encode())
    assert "of which 3 can be simulated" in done.stdout


@needs_traces
@pytest.mark.parametrize("path", sorted(TRACES.glob("*.swf.gz")), ids=lambda path: path.name)
def test_logs_of_the_archive_can_be_read(path: Path) -> None:
    report = json.loads(trace("info", path, "--json").stdout)
    assert report["problems"]["counts"].keys() <= {
        "fraction",
        "number twice",
        "not in arrival order",
    }
    assert report["jobs"]["usable"] > 18_000
    assert 0.2 < report["load"] < 1.2
    assert sum(report["arrivals"]["hours"]) == report["jobs"]["read"]
