"""`rmsd flurries`: surges and robots of a trace, their effect, and the trace without them."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
from pathlib import Path
from typing import Any

import pytest

from rmsd_lab.anomalies.flurries import WEEK_S
from rmsd_lab.anomalies.made import FLURRY_USER, with_flurry
from rmsd_lab.workloads.swf import format_swf
from rmsd_lab.workloads.swf_log import LogJob, format_log
from rmsd_lab_cli.workload import read_trace
from tests.commands import rmsd

DATA = os.environ.get("RMSD_TEST_DATA")
SURGE, NIGHTLY = 99, 7


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Return ten weeks of some users, a nightly robot, and 100 jobs within an hour of the fifth
    week."""
    draw = random.Random(1)
    jobs = [_job(n, draw.randrange(10 * WEEK_S), n % 5) for n in range(400)]
    jobs.append(_job(400, 10 * WEEK_S, 5))
    jobs += [_job(1000 + n, n * 86400 + 3 * 3600, NIGHTLY) for n in range(60)]
    jobs += [_job(2000 + n, 4 * WEEK_S + n * 30, SURGE) for n in range(100)]
    jobs.sort(key=lambda job: job.submit_s)
    path = tmp_path / "trace.swf"
    header = [("UnixStartTime", "1800000000"), ("TimeZone", "0"), ("MaxProcs", "8")]
    path.write_text("".join(format_log([*header, ("MaxJobs", str(len(jobs)))], jobs)))
    return path


def _job(number: int, submit_s: int, user: int) -> LogJob:
    return LogJob(number, submit_s, 0, 600, 4, estimate_s=900, status=1, user=user)


def reported(*arguments: str | Path) -> dict[str, Any]:
    done = rmsd("flurries", "--json", *arguments)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_report(trace: Path) -> None:
    report = reported(trace, "--recipe", "easy")
    [flurry] = report["flurries"]
    assert (flurry["user"], flurry["jobs"]) == (SURGE, 100)
    assert flurry["first_submit"] == "2027-02-12T08:00:00+00:00"
    assert flurry["jobs_share"] == pytest.approx(100 / 561)
    [robot] = report["robots"]
    assert (robot["user"], robot["kind"], robot["jobs"]) == (NIGHTLY, "time of day", 60)
    effect = report["effect"]
    assert effect["part"]["jobs"] == 100
    assert effect["part"]["bounded_slowdown"] > 5 * effect["without"]["bounded_slowdown"]
    shown = rmsd("flurries", trace, "--recipe", "easy").stdout
    assert "1 flurry" in shown
    assert "in the half hour from 11:00" in shown
    assert "simulated without it" in shown


def test_an_effect_that_would_last_for_centuries_is_refused(trace: Path) -> None:
    late = "{0} 6048000 0 4294967296 8 -1 -1 8 4294967296 -1 1 5 -1 -1 -1 -1 -1 -1\n"
    with trace.open("a") as file:
        file.writelines(map(late.format, range(3000, 3006)))
    done = rmsd("flurries", trace, "--recipe", "easy", expect=1)
    assert "trace.swf: the schedule would last longer than 571 years" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_written_is_without_them(trace: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.swf.gz"
    assert reported(trace, "-o", out)["written"] == {
        "file": str(out),
        "jobs": 461,
        "left_out": 100,
    }
    after = reported(out)
    assert after["flurries"] == []
    assert len(after["robots"]) == 1
    info = json.loads(rmsd("trace", "info", out, "--json").stdout)
    assert info["header"]["MaxJobs"] == "461"
    done = rmsd("flurries", trace, "--drop", "both", "-o", "-")
    assert "1 flurry" in done.stderr
    lines = done.stdout.splitlines()
    assert sum(not line.startswith(";") for line in lines) == 401
    assert f"; Note: left out: user={NIGHTLY} in the half hour from 11:00 (60 jobs)" in lines
    assert any(f"left out: user={SURGE} and (submit>={4 * WEEK_S}" in line for line in lines)


def test_users_and_thresholds_choose(trace: Path) -> None:
    assert reported(trace, "--user", str(NIGHTLY))["flurries"] == []
    assert reported(trace, "--user", str(SURGE))["robots"] == []
    assert reported(trace, "--times", "3")["flurries"] == []
    assert reported(trace, "--times", "3", "--recipe", "easy")["effect"] is None
    peaks = reported(trace, "--by", "jobs")["flurries"][0]["peaks"]
    assert list(peaks) == ["jobs"]


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--times", "0"), 2, "--times 0: it is above 0"),
        (("--times", "nan"), 2, "--times nan"),
        (("--recipe", "esay"), 2, "--recipe"),
        (("--recipe", "selective"), 2, "thresholds come from the whole trace"),
        (("-o", "/nowhere/x.swf"), 1, "cannot write /nowhere/x.swf"),
    ],
)
def test_what_is_refused(trace: Path, options: tuple[str, ...], code: int, words: str) -> None:
    done = rmsd("flurries", trace, *options, expect=code)
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_traces_without_an_answer(tmp_path: Path) -> None:
    short = tmp_path / "short.swf"
    short.write_text("".join(format_log([], [_job(n, n * 1000, 1) for n in range(50)])))
    assert "0 full weeks" in rmsd("flurries", short, expect=1).stderr
    short.write_text("; MaxProcs: 8\n")
    assert "there is no job in it" in rmsd("flurries", short, expect=1).stderr
    far = [*(_job(n, n * WEEK_S // 10, 1) for n in range(90)), _job(90, 2**32, 1)]
    short.write_text("".join(format_log([], far)))
    assert "is a submit time wrong?" in rmsd("flurries", short, expect=1).stderr
    assert "cannot read" in rmsd("flurries", tmp_path / "none.swf", expect=1).stderr


def test_what_cannot_be_read_is_an_error_or_is_told(trace: Path) -> None:
    with trace.open("a") as file:
        file.write("1 2 3\n")
    assert "line 566: 3 fields" in rmsd("flurries", trace, expect=1).stderr
    done = rmsd("flurries", trace, "--tolerant")
    assert "line 566: 3 fields" in done.stderr
    assert "1 flurry" in done.stdout
    rmsd("flurries", trace, "--strict", expect=1)
    problems = reported(trace, "--tolerant")["problems"]
    assert problems["counts"] == {"too few fields": 1}
    assert "line 566: 3 fields" in problems["first"][0]


@pytest.mark.parametrize("more", [(), ("--json",), ("--recipe", "easy")])
def test_of_a_cut_file_nothing_is_written(
    trace: Path, tmp_path: Path, more: tuple[str, ...]
) -> None:
    packed = gzip.compress(trace.read_bytes())
    cut, out = tmp_path / "cut.swf.gz", tmp_path / "out.swf"
    cut.write_bytes(packed[: len(packed) * 9 // 10])
    done = rmsd("flurries", cut, "-o", out, *more, expect=1)
    assert re.search(r"cut.swf.gz, line \d+: the file cannot be read any further", done.stderr)
    assert done.stdout == ""
    assert not out.exists()


@pytest.mark.slow
@pytest.mark.skipif(DATA is None, reason="needs the archive's logs: RMSD_TEST_DATA")
def test_a_cleaned_log_has_no_large_flurry_left() -> None:
    """What the archive's filters took out of SDSC-SP2 was up to ten times the usual (Fig. 6.8)."""
    log = Path(DATA or "") / "traces" / "SDSC-SP2-1998-4.2-cln.swf.gz"
    report = reported(log)
    assert report["processes"] == 821_341
    assert report["highest_week"] == {"jobs": 1298, "processes": 26_773}
    assert {flurry["user"] for flurry in report["flurries"]} == {13, 21, 24, 30, 48, 99, 148}
    assert max(one["peaks"].get("jobs", 0) for one in report["flurries"]) < 1.5


@pytest.mark.slow
@pytest.mark.skipif(DATA is None, reason="needs the archive's logs: RMSD_TEST_DATA")
def test_the_flurry_of_the_thesis_is_found_where_it_is_put_back(tmp_path: Path) -> None:
    """The flurry is one of processes and not of jobs (6.3)."""
    trace = read_trace(Path(DATA or "") / "traces" / "SDSC-SP2-1998-4.2-cln.swf.gz")
    jobs = [
        job._replace(user="328") if job.user == FLURRY_USER else job
        for job in with_flurry(trace.jobs, after=64241)
    ]
    log = tmp_path / "back.swf"
    log.write_text("".join(format_swf(jobs, {})))
    [flurry] = reported(log, "--user", "328")["flurries"]
    assert 375 <= flurry["jobs"] < 400  # the user had some others in these weeks
    assert list(flurry["peaks"]) == ["processes"]
    assert flurry["peaks"]["processes"] > 2
