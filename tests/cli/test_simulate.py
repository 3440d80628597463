"""`rmsd simulate` and `generate` as commands."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from rmsd_core.recipes.presets import PRESETS
from tests.cli.simulated import SWF, rows
from tests.commands import rmsd


def test_json_is_one_object_with_the_documented_keys(swf: Path) -> None:
    report = json.loads(rmsd("simulate", swf, "--recipe", "easy", "--json").stdout)
    assert report.pop("elapsed_s") > 0
    assert report.pop("manifest")["recipe"] == "easy"
    assert report == {
        "schema": "rmsd.run/1",
        "trace": "tiny",
        "recipe": "easy",
        "procs": 4,
        "jobs": {"read": 4, "dropped": 1, "simulated": 3, "counted": 3},
        "wait_s": {"mean": (0 + 90 + 80) / 3, "max": 90.0},
        "bounded_slowdown": {"mean": (1 + 140 / 50 + 90 / 10) / 3},
        "response_s": {"mean": (100 + 140 + 90) / 3},
        "utilization": (400 + 100 + 20) / (4 * 150),
        "backfilled": 0,
    }


def test_averages_over_no_job_are_not_defined(swf: Path) -> None:
    trim = ["simulate", swf, "--trim", "thesis"]  # all jobs end after the last arrival
    report = json.loads(rmsd(*trim, "--json").stdout)
    assert report["jobs"]["counted"] == 0
    assert report["wait_s"] == {"mean": None, "max": None}
    assert (report["bounded_slowdown"], report["response_s"]) == ({"mean": None}, {"mean": None})
    lines = [line.split() for line in rmsd(*trim).stdout.splitlines()]
    assert ["mean", "wait", "-"] in lines
    assert ["bounded", "slowdown", "-"] in lines


def test_the_schedule_is_written_in_the_trace_s_seconds(swf: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    rmsd("simulate", swf, "--recipe", "easy", "--schedule", out)
    assert rows(out) == [
        ["job_id", "submit", "start", "end"],
        ["1", "0", "0", "100"],
        ["2", "10", "100", "150"],
        ["3", "20", "100", "110"],
    ]


def test_options_change_the_workload(swf: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    rmsd("simulate", swf, "--recipe", "fcfs", "--kill-at-estimate", "--schedule", out)
    assert rows(out)[2] == ["2", "10", "100", "140"]
    rmsd("simulate", swf, "--recipe", "fcfs", "--procs", "9", "--schedule", out)
    assert rows(out)[4] == ["4", "30", "100", "110"]
    report = json.loads(rmsd("simulate", swf, "--jobs", "2", "--json").stdout)
    assert report["jobs"]["simulated"] == 2
    rmsd("simulate", swf, "--load", "13", "--schedule", out)
    assert [row[1] for row in rows(out)[1:]] == ["0", "5", "10"]


def test_exact_estimates_are_run_times(tmp_path: Path) -> None:
    """Only an estimate by which the first job ends at 100 lets the third one start behind the
    head."""
    trace, out = tmp_path / "t.swf", tmp_path / "out.csv"
    trace.write_text(
        "; MaxProcs: 4\n"
        "1 0 -1 100 3 -1 -1 3 1000 -1 1 1 -1 -1 -1 -1 -1 -1\n"
        "2 10 -1 50 4 -1 -1 4 100 -1 1 1 -1 -1 -1 -1 -1 -1\n"
        "3 20 -1 500 1 -1 -1 1 500 -1 1 1 -1 -1 -1 -1 -1 -1\n"
    )
    rmsd("simulate", trace, "--recipe", "easy", "--schedule", out)
    assert [row[2] for row in rows(out)[1:]] == ["0", "520", "20"]
    rmsd("simulate", trace, "--recipe", "easy", "--estimates", "exact", "--schedule", out)
    assert [row[2] for row in rows(out)[1:]] == ["0", "100", "150"]


def test_a_table_for_people(swf: Path) -> None:
    lines = rmsd("simulate", swf, "--recipe", "easy").stdout.splitlines()
    assert lines[0] == "tiny, 4 processors, recipe easy"
    assert lines[1] == "3 jobs of 4 read (1 dropped)"
    assert all(len(line) <= 80 for line in lines)


TRIALS = """\
; MaxProcs: 4
1 0 -1 1000 4 -1 -1 4 1000 -1 1 1 -1 -1 -1 -1 -1 -1
2 10 -1 50 4 -1 -1 4 100 -1 1 1 -1 -1 -1 -1 -1 -1
"""
"""The first job's trial is over at 90 and killed then for the second's, which is its whole run."""


def test_what_trials_cost_is_reported(tmp_path: Path) -> None:
    trace, out = tmp_path / "t.swf", tmp_path / "out.csv"
    trace.write_text(TRIALS)
    arguments = ["simulate", trace, "--recipe", "timed-fcfs"]
    report = json.loads(rmsd(*arguments, "--json", "--schedule", out).stdout)
    assert [row[2:] for row in rows(out)[1:]] == [["140", "1140"], ["90", "140"]]
    lost = 4 * 90
    assert report["trials"] == {
        "length_s": 90,
        "restart_cost_s": 0,
        "exempt": 0,
        "attempts_mean": 1.5,
        "restarted_share": 0.5,
        "lost_processor_s": lost,
        "lost_share": lost / (lost + 4 * 1050),
    }
    words = " ".join(rmsd(*arguments).stdout.split())
    assert "restarted jobs 50.0% lost to trials 7.9%" in words


def test_restarting_can_cost_time(tmp_path: Path) -> None:
    trace, out = tmp_path / "t.swf", tmp_path / "out.csv"
    trace.write_text(TRIALS)
    arguments = ["simulate", trace, "--recipe", "timed-fcfs", "--restart-cost", "30", "--json"]
    report = json.loads(rmsd(*arguments, "--schedule", out).stdout)
    # a start, an end, and the run time, which the cost is no part of
    assert [row[2:] for row in rows(out)[1:]] == [["140", "1170", "1000"], ["90", "140", "50"]]
    assert report["wait_s"]["max"] == 170  # the killed trial and the slow start count as waiting
    assert report["trials"]["restart_cost_s"] == 30
    assert report["trials"]["lost_processor_s"] == 4 * (90 + 30)
    arguments[arguments.index("30")] = "0.25"
    report = json.loads(rmsd(*arguments).stdout)
    assert report["trials"]["lost_processor_s"] == 4 * (90 + 0.25)
    arguments[arguments.index("0.25")] = "nan"
    assert "0 to 4294967296 s" in rmsd(*arguments, expect=2).stderr


def test_jobs_can_be_exempt_from_trials(tmp_path: Path) -> None:
    trace = tmp_path / "sample.swf"
    trace.write_text(rmsd("generate", "--jobs", "200", "--procs", "16").stdout)

    def restarted(*options: str) -> tuple[int, float]:
        command = ["simulate", trace, "--recipe", "timed-easy", "--json", *options]
        trials = json.loads(rmsd(*command).stdout)["trials"]
        return trials["exempt"], trials["restarted_share"]

    none, half, all_jobs = (restarted("--exempt", share) for share in ("0", "0.5", "1"))
    assert (none[0], half[0], all_jobs[0]) == (0, 100, 200)
    assert none[1] > half[1] > all_jobs[1] == 0
    assert restarted("--exempt", "0.5", "--seed", "1") == half
    assert restarted("--exempt", "0.5", "--seed", "2") != half


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--recipe", "easy", "--exempt", "0.5"], 2, "easy has no trial runs; take timed-easy"),
        (["--recipe", "easy", "--restart-cost", "0"], 2, "--restart-cost: recipe easy has no"),
        (["--recipe", "timed-easy", "--restart-cost", "-1"], 2, "it is 0 to 4294967296 s"),
        (["--recipe", "timed-easy", "--exempt", "1.5"], 2, "from 0 to 1"),
        (["--recipe", "timed-easy", "--exempt", "nan"], 2, "from 0 to 1"),
        (["--recipe", "timed-easy", "--seed", "3"], 2, "give that as well"),
        (["--recipe", "magic"], 2, "no recipe 'magic'; there are: fcfs"),
        (["--recipe", "fcfs", "--recipe", "easy++"], 2, "there can be one --recipe here"),
        (["--procs", "-3"], 2, "at least one processor"),
        (["--jobs", "0"], 2, "at least one job"),
        (["--load", "0"], 2, "above zero"),
        (["--load", "nan"], 2, "above zero"),
        (["--load", "inf"], 2, "finite"),
        (["--procs", "0"], 2, "at least one processor"),
        (["--trim", "some"], 2, "invalid choice"),
        (["--nonsense"], 2, "unrecognized arguments"),
        (["--schedule", "/nonexistent/out.csv"], 1, "cannot write /nonexistent/out.csv"),
    ],
)
def test_wrong_options_are_explained(swf: Path, arguments: list[str], code: int, said: str) -> None:
    done = rmsd("simulate", swf, *arguments, expect=code)
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_without_a_command_all_are_listed() -> None:
    done = rmsd(expect=2)
    for command in ("simulate", "recipes", "paper", "start"):
        assert f"\n  {command} " in done.stderr


def test_broken_traces_are_explained(tmp_path: Path) -> None:
    path = tmp_path / "broken.swf"
    path.write_text(SWF + "5 40 oops\n")
    assert f"{path}, line 6: 3 fields" in rmsd("simulate", path, expect=1).stderr
    path.write_text("; no size\n" + SWF.partition("\n")[2])
    assert "--procs" in rmsd("simulate", path, expect=2).stderr
    path.write_text("; MaxProcs: 4\n")
    assert f"{path}: there is no job in it" in rmsd("simulate", path, expect=1).stderr
    path.write_bytes(gzip.compress(SWF.encode())[:-9])
    assert f"cannot read {path}, line " in rmsd("simulate", path, expect=1).stderr
    path.write_text(SWF + f"9 {2**53} -1 1 1" + " -1" * 13)
    said = f"{path}, line 6: field 2 (submit time) is out of range"
    assert said in rmsd("simulate", path, expect=1).stderr


def test_references_that_would_last_for_centuries_are_refused(tmp_path: Path) -> None:
    """In order of arrival the longest job comes last, beside nothing."""
    path = tmp_path / "long.swf"
    line = "{0} 0 0 {1} 1 -1 -1 1 {1} -1 1 5 -1 -1 -1 -1 -1 -1\n"
    runs_s = [1_825_000_000] * 16 + [2**32]
    path.write_text("; MaxProcs: 2\n" + "".join(map(line.format, range(17), runs_s)))
    longest_first = ("simulate", path, "--recipe", "easy,order=longest")
    schedule = tmp_path / "schedule.csv"
    rmsd(*longest_first, "--schedule", schedule)
    measure = ("metrics", schedule, "--trace", path, "--metrics", "fairness")
    sweep = ("replay", path, "--fidelity-sweep", "--recipe", "easy")
    for command in ((*longest_first, "--metrics", "fairness"), measure, sweep):
        done = rmsd(*command, expect=1)
        assert "the schedule would last longer than 571 years" in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_generate_is_reproducible_and_can_be_simulated(tmp_path: Path) -> None:
    first = rmsd("generate", "--jobs", "50", "--seed", "3").stdout
    assert rmsd("generate", "--jobs", "50", "--seed", "3").stdout == first
    assert "--jobs 50" in first
    trace = tmp_path / "sample.swf"
    trace.write_text(first)
    for recipe in PRESETS:
        report = json.loads(rmsd("simulate", trace, "--recipe", recipe, "--json").stdout)
        assert report["jobs"]["counted"] == 50
    assert "at least 2 jobs" in rmsd("generate", "--jobs", "1", expect=2).stderr


def test_simulating_needs_none_of_the_daemon_s_libraries(swf: Path) -> None:
    code = (
        "import sys; from rmsd_cli.main import run; run(['simulate', sys.argv[1]]); "
        "print(sorted({'aiohttp', 'sqlalchemy', 'sqlmodel', 'asyncio'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, swf], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_strict_refuses_a_trace_with_a_job_larger_than_the_machine(swf: Path) -> None:
    done = rmsd("simulate", swf, "--strict", expect=1)
    assert "1 of 4 jobs are larger than the machine of 4 processors" in done.stderr
    assert "job 4 with 9" in done.stderr
    larger = json.loads(rmsd("simulate", swf, "--strict", "--procs", "9", "--json").stdout)
    assert larger["jobs"]["dropped"] == 0


def test_no_job_runs_into_a_reservation(swf: Path, tmp_path: Path) -> None:
    """The first job needs all processors for 200 s, by its estimate; the others end before."""
    out, reserved = tmp_path / "out.csv", tmp_path / "reserved.txt"
    reserved.write_text("# twice\nrepair 130 300 4\nagain 320 400 1  # one processor\n\n")
    options = ("--recipe", "easy", "--reservations", reserved, "--schedule", out, "--json")
    report = json.loads(rmsd("simulate", swf, *options).stdout)
    assert report["reservations"] == 2
    assert [row[2] for row in rows(out)[1:]] == ["400", "10", "20"]


def test_reservations_that_cannot_be_made_say_why(swf: Path, tmp_path: Path) -> None:
    reserved = tmp_path / "reserved.txt"
    for text, more, code, message in (
        ("repair 100 x 4", (), 2, "line 1: expected NAME START END PROCESSORS"),
        ("repair 100 200 5", (), 1, "5 processors asked for, 4 are left at that time"),
        ("a 1 9 1\na 1 9 1", (), 1, "there is one of this name already"),
        ("a 1 9 1", ("--metrics", "all"), 2, "the runs that fairness is taken from have none"),
        ("a 1 9 1", ("--recipe", "selective"), 2, "the run that thresholds are taken from"),
    ):
        reserved.write_text(text)
        recipe = () if "--recipe" in more else ("--recipe", "easy")
        done = rmsd("simulate", swf, *recipe, *more, "--reservations", reserved, expect=code)
        assert message in done.stderr
    done = rmsd("simulate", swf, "--reservations", tmp_path / "none", expect=1)
    assert "--reservations: " in done.stderr
