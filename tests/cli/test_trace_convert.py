"""`rmsd trace convert` and `fetch`: other forms, and other places."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import os
import threading
from collections.abc import Iterator
from datetime import UTC
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_lab.traces.jobset import COLUMNS, jobset
from rmsd_lab.traces.problems import Problems, Tolerance
from rmsd_lab.workloads.swf import MOST, parse_swf
from rmsd_lab.workloads.swf_log import LogJob
from rmsd_lab_cli.trace.archive import LOGS, named
from rmsd_lab_cli.trace.sacct import read_sacct
from tests.cli.trace_command import SWF, TRACES, header, needs_traces, numbers, trace

SACCT = (
    "JobIDRaw|JobID|User|Group|Submit|Start|End|Elapsed|Timelimit|AllocCPUS|ReqCPUS|NNodes|ReqMem"
    "|TotalCPU|State|JobName|Partition|QOS\n"
    "7|7|anna|chem|2024-03-01T10:00:00|2024-03-01T10:00:30|2024-03-01T11:00:30|01:00:00|"
    "02:00:00|8|8|2|4Gn|06:00:00|COMPLETED|relax|batch|normal\n"
    "7.batch|7.batch||chem|2024-03-01T10:00:30|2024-03-01T10:00:30|2024-03-01T11:00:30|01:00:00|"
    "|4|4|1||05:59:00|COMPLETED|batch||\n"
    "8|8_1|ben|chem|2024-03-01T09:59:00|2024-03-01T10:00:00|2024-03-02T10:00:10|1-00:00:10|"
    "1-00:00:00|4|4|1|500Mc|00:00.500|TIMEOUT|sweep|batch|long\n"
    "9|9|ben|chem|2024-03-01T10:05:00|None|2024-03-01T10:06:00|00:00:00|"
    "Partition_Limit|0|4|1|0|00:00:00|CANCELLED by 1001|sweep|batch|long\n"
    "10|10|anna|chem|2024-03-01T10:07:00|Unknown|Unknown|00:00:00|"
    "UNLIMITED|0|1|1|1G|00:00:00|PENDING|relax|batch|normal\n"
)


@pytest.mark.slow
def test_sacct_becomes_a_trace(tmp_path: Path) -> None:
    done = trace("convert", "--timezone", "Europe/Berlin", "--procs", "64", "-", stdin=SACCT)
    jobs = [line.split() for line in done.stdout.splitlines() if line[0] != ";"]
    assert [list(map(float, job)) for job in jobs] == [
        [8, 0, 60, 86410, 4, 0.12, -1, 4, 86400, 512000, 0, 2, 1, 2, 2, 1, -1, -1],
        [7, 60, 30, 3600, 8, 2700, -1, 8, 7200, 1048576, 1, 1, 1, 1, 1, 1, -1, -1],
        [9, 360, -1, -1, -1, -1, -1, 4, -1, -1, 5, 2, 1, 2, 2, 1, -1, -1],
    ]
    lines = header(done.stdout)
    assert "; UnixStartTime: 1709283540" in lines
    assert "; TimeZoneString: Europe/Berlin" in lines
    assert "; StartTime: Fri Mar 01 09:59:00 CET 2024" in lines
    assert "; MaxProcs: 64" in lines
    assert "; Note: left out: 1 steps, 1 not over" in lines
    assert "; Note: user 1 is anna" in lines
    parsable = SACCT.replace("\n", "|\n")  # the form of sacct -p
    assert trace("convert", "-", stdin=parsable).stdout == trace("convert", "-", stdin=SACCT).stdout
    anonymous = trace("convert", "--anonymous", "-", stdin=SACCT).stdout
    assert "anna" not in anonymous
    assert "; MaxProcs: 12" in anonymous
    out = tmp_path / "ours.swf.gz"
    trace("convert", "-", "-o", out, stdin=gzip.compress(SACCT.encode()))
    assert "of which 2 can be simulated" in trace("info", out).stdout


NAMELESS = (
    "12|ann|chem|2026-03-01T10:00:00|2026-03-01T10:00:30|2026-03-01T10:01:30|60|{limit}|2|2|1|"
    "{memory}|00:01.500|COMPLETED|ab|batch|normal\n"
    "12.batch||chem|2026-03-01T10:00:30|2026-03-01T10:00:30|2026-03-01T10:01:30|60||2|2|1||"
    "00:01.500|COMPLETED|batch||\n"
    "13|ann|chem|2026-03-01T10:00:05|Unknown|2026-03-01T10:00:09|0|UNLIMITED|0|1|1|"
    "0|00:00:00|CANCELLED by 1001|ab|batch|normal\n"
)
"""Lines that `sacct -n -P --format=FORMAT` prints."""


@pytest.mark.slow
@pytest.mark.parametrize("memory", ["2097152K", "2048M", "2G", "2.00G"])
@pytest.mark.parametrize(("limit", "estimate_s"), [("5", 300), ("UNLIMITED", -1), ("", -1)])
@pytest.mark.parametrize("end", ["\n", "|\n"])
def test_sacct_without_its_line_of_names(
    memory: str, limit: str, estimate_s: int, end: str
) -> None:
    told = NAMELESS.format(memory=memory, limit=limit).replace("\n", end)
    done = trace("convert", "-", stdin=told)
    jobs = [line.split() for line in done.stdout.splitlines() if line[0] != ";"]
    assert [list(map(float, job)) for job in jobs] == [
        [12, 0, 30, 60, 2, 0.75, -1, 2, estimate_s, 1048576, 1, 1, 1, 1, 1, 1, -1, -1],
        [13, 5, -1, -1, -1, -1, -1, 1, -1, -1, 5, 1, 1, 1, 1, 1, -1, -1],
    ]
    assert "; Note: left out: 1 steps" in header(done.stdout)


def test_other_records_without_their_names_are_explained() -> None:
    done = trace("convert", "-", stdin="12|COMPLETED|2026-03-01T10:00:00\n", expect=1)
    assert "leave out sacct's --noheader, or ask for --format=JobIDRaw," in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SACCT.replace("JobID", "Number", 2), "line 1 names no field JobIDRaw or JobID: leave"),
        (
            "JobID|JobName|State\n",
            "line 1: no column submit; ask for it: sacct -P --format=JobIDRaw,",
        ),
        (SACCT.replace("|Start|", "|Begin|", 1), "no column start"),
        (SACCT.replace("10:00:30|2024", "noon|2024", 1), "line 2"),
        (SACCT.replace("|relax|", "|re|lax|", 1), "line 2: 19 fields, the first line names 18"),
        (SACCT.replace("2024-03-01T10:00:00", "9" * 30, 1), "line 2: the submit time is out of"),
        (
            SACCT.replace("02:00:00|8|8|", "02:00:00|-8|8|", 1),
            "line 2: allocated is out of range: -8",
        ),
        (SACCT.replace("02:00:00|8|8|", "inf|8|8|", 1), "line 2: cannot convert float infinity"),
        (SACCT.splitlines()[0], "no job that is over"),
    ],
)
def test_what_of_sacct_is_not_understood(text: str, said: str) -> None:
    stderr = trace("convert", "-", stdin=text, expect=1).stderr
    assert said in stderr


def test_a_line_of_sacct_can_be_left_out() -> None:
    done = trace("convert", "--tolerant", "-", stdin=SACCT.replace("|relax|", "|re|lax|", 1))
    assert numbers(done.stdout) == [8, 9]
    assert "line 2: 19 fields, the first line names 18; the line is left out" in done.stderr
    assert "too few or many fields: 1" in done.stdout


cells = st.text(st.characters(exclude_characters="|\r\n", codec="utf-8"), max_size=12) | (
    st.sampled_from(["1", "COMPLETED", "2024-01-01T00:00:00", "1-02:03:04", "4Gn", "nan", "inf:1"])
)


@pytest.mark.slow
@given(st.lists(st.lists(cells, min_size=18, max_size=18).map("|".join), max_size=5))
def test_no_line_of_sacct_is_beyond_a_tolerant_reader(lines: list[str]) -> None:
    found = read_sacct([SACCT.splitlines()[0], *lines], UTC, Problems(Tolerance.TOLERANT))
    assert all(job.submit_s >= 0 for job in found.jobs)
    assert all(-1 <= value <= MOST for job in found.jobs for value in job)
    assert found.processors >= 0


def test_a_size_and_problems_are_in_the_header() -> None:
    lines = header(
        trace("convert", "--procs", "9", "-", stdin=f"{SWF}{SWF.splitlines()[-1]}\n").stdout
    )
    assert "; MaxProcs: 9" in lines
    assert lines[-2:] == [
        "; Note: rmsd trace convert --procs 9",
        "; Note: problems of the trace that was read: number twice: 1",
    ]


def test_a_trace_is_the_same_after_two_conversions(tmp_path: Path) -> None:
    text = SWF + "; a comment between\n"
    zipped = tmp_path / "a.swf.gz"
    trace("convert", "-", "-o", zipped, stdin=text)
    assert trace("convert", zipped).stdout == text
    assert "there is no job" in trace("convert", "-", stdin="; a: b\n", expect=1).stderr
    assert (
        "is for sacct's output" in trace("convert", "--anonymous", "-", stdin=SWF, expect=2).stderr
    )


happened = st.builds(
    LogJob,
    number=st.integers(1, 99),
    submit_s=st.integers(0, 200),
    wait_s=st.integers(0, 200),
    run_s=st.integers(0, 200),
    allocated=st.integers(1, 8),
    estimate_s=st.integers(-1, 200),
    status=st.sampled_from([-1, 0, 1, 5]),
)


@given(st.lists(happened))
def test_a_job_set_has_what_happened_and_no_processor_twice(jobs: list[LogJob]) -> None:
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in jobset(jobs, 8, "w")]
    used: dict[tuple[int, int], int] = {}
    for job, row in zip(jobs, rows, strict=True):
        assert row["job_id"] == job.number
        assert row["starting_time"] == job.submit_s + job.wait_s
        assert row["finish_time"] == job.submit_s + job.wait_s + job.run_s
        processors = [
            processor
            for part in str(row["allocated_resources"]).split()
            for first, _, last in [part.partition("-")]
            for processor in range(int(first), int(last or first) + 1)
        ]
        assert len(processors) == len(set(processors)) == job.allocated
        for processor in processors:
            for second in range(job.submit_s + job.wait_s, job.submit_s + job.wait_s + job.run_s):
                assert used.setdefault((processor, second), id(row)) == id(row)


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_csv_of_what_happened_and_of_a_schedule(tmp_path: Path) -> None:
    swf = tmp_path / "tiny.swf"
    swf.write_text(SWF)
    done = trace("convert", "--to", "csv", swf)
    assert "3 of 4 jobs without wait time" in done.stderr
    (row,) = rows_of(done.stdout)
    assert row["workload_name"] == "tiny"
    assert row["allocated_resources"] == "0-3"
    assert (row["starting_time"], row["waiting_time"], row["stretch"]) == ("5", "5", "1.05")
    assert (row["success"], row["requested_time"]) == ("1", "200")
    schedule = tmp_path / "s.csv"
    schedule.write_text("job_id,submit,start,end\n1,0,0,100\n2,10,100,150\n3,20,100,110.6\n")
    out = tmp_path / "jobs.csv"
    trace("convert", "--schedule", schedule, swf, "-o", out)
    rows = rows_of(out.read_text())
    assert [row["finish_time"] for row in rows] == ["100", "150", "111"]
    assert [row["allocated_resources"] for row in rows] == ["0-3", "0-1", "2-3"]
    text = trace("convert", "--schedule", schedule, swf).stdout
    three = SWF[: SWF.index("4 30")]
    assert [job.run_s for job in parse_swf(text.splitlines()).jobs] == [100, 50, 11]
    assert "s.csv: left out: 1 of 4 jobs, which are not in it" in header(text)[-1]
    assert "left out" not in trace("convert", "--schedule", schedule, "-", stdin=three).stderr
    unknown = SWF.replace(" 0 5 100", " 0 -1 100")
    assert "simulate the trace with --schedule" in (
        trace("convert", "--to", "csv", "-", stdin=unknown, expect=1).stderr
    )


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """Yield a folder, and the address of a server for it."""
    folder = tmp_path / "mirror"
    folder.mkdir()
    handler = partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield folder, f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "rmsd" / "traces"


def test_a_log_is_fetched_once(mirror: tuple[Path, str], cache: Path) -> None:
    folder, url = mirror
    served = folder / "l_hpc2n" / "HPC2N-2002-2.2-cln.swf.gz"
    served.parent.mkdir()
    served.write_bytes(gzip.compress(SWF.encode()))
    done = trace("fetch", "hpc2n", "--from", url)
    assert Path(done.stdout.strip()) == cache / served.name
    assert "the SHA-256 is not known here" in done.stderr
    served.unlink()
    assert trace("fetch", "HPC2N-2002-2.2-cln", "--from", url).stdout == done.stdout
    assert trace("fetch").stdout.splitlines()[0].split() == ["name", "SHA-256", "kept"]
    assert sum("yes" in line for line in trace("fetch").stdout.splitlines()) == 1


def test_what_is_fetched_must_be_the_log(mirror: tuple[Path, str], cache: Path) -> None:
    folder, url = mirror
    served = folder / "l_kth_sp2" / "KTH-SP2-1996-2.1-cln.swf.gz"
    served.parent.mkdir()
    served.write_bytes(b"<html>not here</html>")
    stderr = trace("fetch", "KTH", "--from", url, expect=1).stderr
    assert f"{served.name} is not the log, and not kept: its SHA-256 is" in stderr
    cut = folder / "l_hpc2n" / "HPC2N-2002-2.2-cln.swf.gz"
    cut.parent.mkdir()
    for content in (b"<html>not here</html>", gzip.compress(SWF.encode())[:-9]):
        cut.write_bytes(content)
        stderr = trace("fetch", "HPC2N", "--from", url, expect=1).stderr
        assert "is not the log, and not kept: it is" in stderr
    assert os.listdir(cache) == []
    cut.unlink()
    stderr = trace("fetch", "HPC2N", "--from", url, expect=1).stderr
    assert "File not found" in stderr
    assert f"put it at {cache / 'HPC2N-2002-2.2-cln.swf.gz'}" in stderr
    assert os.listdir(cache) == []
    (cache / served.name).write_bytes(b"tampered with")
    stderr = trace("fetch", "KTH", "--from", url, expect=1).stderr
    assert f"{cache / served.name} is not the log: its SHA-256 is" in stderr
    assert "remove it, and fetch it again" in stderr


def test_without_a_network_it_says_what_to_do(cache: Path) -> None:
    stderr = trace("fetch", "CTC-SP2-1996", "--from", "http://127.0.0.1:9", expect=1).stderr
    assert "Connection refused" in stderr
    assert f"put it at {cache / 'CTC-SP2-1996-3.1-cln.swf.gz'}" in stderr
    assert "may be any of" in trace("fetch", "SDSC", expect=2).stderr
    assert "no log of the archive" in trace("fetch", "xyz", expect=2).stderr


@needs_traces
def test_digests_are_those_of_the_logs() -> None:
    known = [log for log in LOGS if log.sha256 is not None and (TRACES / log.file).exists()]
    assert known
    for log in known:
        assert hashlib.sha256((TRACES / log.file).read_bytes()).hexdigest() == log.sha256
        assert named(log.name) == [log]
