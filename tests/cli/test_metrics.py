"""`--metrics` of simulate and replay, and `rmsd metrics` on files and on a daemon's history."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rmsd_core.model_time import SECOND_US
from rmsd_lab.measures.measures import GROUPS
from rmsd_lab_cli.history.schedule import history_of
from tests.cli.replayed import SWF
from tests.commands import rmsd
from tests.live import Daemon

FROM_FILE = ("waits", "categories", "failures", "fairness", "load")
"""The groups for which submit, start, end and the trace suffice."""


@pytest.fixture
def swf_text() -> str:
    return SWF


def metrics_of(*arguments: str | Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(rmsd(*arguments, "--json").stdout)["metrics"]
    return found


def test_simulate_measures_the_groups_asked_for(swf: Path) -> None:
    found = metrics_of("simulate", swf, "--recipe", "easy", "--metrics", "all")
    assert list(found) == list(GROUPS)
    report = json.loads(rmsd("simulate", swf, "--metrics", "load, waits", "--json").stdout)
    assert list(report["metrics"]) == ["waits", "load"]
    assert report["metrics"]["waits"]["wait_s"]["mean"] == pytest.approx(report["wait_s"]["mean"])
    assert "metrics" not in json.loads(rmsd("simulate", swf, "--json").stdout)


def test_the_trial_length_of_the_recipe_says_what_is_short(swf: Path) -> None:
    arguments = ["simulate", swf, "--metrics", "failures", "--recipe"]
    assert metrics_of(*arguments, "easy")["failures"]["short_up_to_s"] == 90
    assert metrics_of(*arguments, "easy,trial=300")["failures"]["short_up_to_s"] == 300
    found = metrics_of(*arguments, "easy,trial=300", "--short-up-to", "400")["failures"]
    assert (found["short_up_to_s"], found["short"]["jobs"]) == (400, 3)


def test_boundaries_are_the_user_s(swf: Path) -> None:
    arguments = ["simulate", swf, "--metrics", "categories"]
    found = metrics_of(*arguments, "--long-above", "400", "--wide-above", "2")["categories"]
    assert {name: found[name]["jobs"] for name in ("SN", "SW", "LN", "LW")} == {
        "SN": 2,
        "SW": 1,
        "LN": 1,
        "LW": 2,
    }


@pytest.mark.parametrize("trim", ["none", "thesis"])
def test_a_schedule_file_is_measured_as_the_simulation_was(
    swf: Path, tmp_path: Path, trim: str
) -> None:
    out = tmp_path / "out.csv"
    options = ["--metrics", "all", "--trim", trim]
    simulated = metrics_of("simulate", swf, "--recipe", "easy++", "--schedule", out, *options)
    found = metrics_of("metrics", out, "--trace", swf, *options)
    assert {group: found[group] for group in FROM_FILE} == {
        group: simulated[group] for group in FROM_FILE
    }


def test_a_schedule_file_does_not_tell_decisions(swf: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    simulated = metrics_of("simulate", swf, "--schedule", out, "--metrics", "all")
    found = metrics_of("metrics", out, "--trace", swf)
    for group in ("accuracy", "predictability", "dynamics", "trials"):
        assert all(value is None for value in found[group].values())
        assert any(value is not None for value in simulated[group].values())


def test_tables_fit_a_terminal_whatever_is_known(swf: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    simulated = rmsd("simulate", swf, "--recipe", "timed-easy", "--metrics", "all")
    rmsd("simulate", swf, "--schedule", out)
    for shown in (simulated.stdout, rmsd("metrics", out, "--trace", swf).stdout):
        lines = shown.splitlines()[1:]  # all but the file's name
        assert set(GROUPS) < set(lines)
        assert all(len(line) <= 80 for line in lines)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["simulate", "TRACE", "--metrics", "magic"], 2, "no group 'magic'; there are: waits"),
        (["simulate", "TRACE", "--metrics", ","], 2, "names no group"),
        (["simulate", "TRACE", "--metrics", "waits", "--wide-above", "-1"], 2, "below zero"),
        (["replay", "TRACE", "--metrics", "magic"], 2, "no group 'magic'"),
        (["metrics", "OUT"], 2, "--trace TRACE"),
        (["metrics", "--trace", "TRACE"], 2, "belongs to a SCHEDULE"),
        (["metrics", "OUT", "--trace", "TRACE", "--jobs", "5"], 2, "daemon's history"),
        (["metrics", "OUT", "--trace", "TRACE", "--procs", "0"], 2, "at least one processor"),
        (["metrics", "OUT", "--trace", "TRACE", "--procs", "3"], 2, "job 1 had 4 processors"),
        (["metrics", "/nonexistent.csv", "--trace", "TRACE"], 1, "cannot read /nonexistent.csv"),
        (["metrics", "TRACE", "--trace", "TRACE"], 1, "its first line is not job_id"),
        (["metrics", "BAD", "--trace", "TRACE"], 1, "line 3 is no schedule of this trace"),
        (["metrics", "EMPTY", "--trace", "TRACE"], 1, "no job that ran to an end"),
        (["metrics", "--server", "unix:/nonexistent.sock"], 75, "/nonexistent.sock"),
        (["metrics", "--jobs", "0"], 2, "at least one job"),
    ],
)
def test_what_is_wrong_is_explained(
    swf: Path, tmp_path: Path, arguments: list[str], code: int, said: str
) -> None:
    head = "job_id,submit,start,end\n"
    files = {
        "OUT": head + "1,160,160,1160\n2,220,1160,1760\n",
        "BAD": head + "1,160,160,1160\n7,220,1160,1760\n",
        "EMPTY": head,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    paths = {name: str(tmp_path / name) for name in files} | {"TRACE": str(swf)}
    done = rmsd(*(paths.get(argument, argument) for argument in arguments), expect=code)
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_the_cost_of_restarts_is_in_the_schedule_file(tmp_path: Path) -> None:
    trace, out = tmp_path / "made.swf", tmp_path / "out.csv"
    made = rmsd("generate", "--jobs", "400", "--procs", "32", "--seed", "5").stdout
    trace.write_text(made)
    asked = ("--recipe", "timed-easy++", "--restart-cost", "120", "--schedule", out)
    simulated = rmsd("simulate", trace, *asked, "--metrics", "waits,categories", "--json").stdout
    measured = rmsd(
        "metrics", out, "--trace", trace, "--metrics", "waits,categories", "--json"
    ).stdout
    of_file, of_run = (json.loads(text)["metrics"] for text in (measured, simulated))
    # The file does not have the killed trials.
    assert of_file["waits"].pop("utilization") < of_run["waits"].pop("utilization")
    assert of_file == of_run
    assert out.read_text().startswith("job_id,submit,start,end,run\n")
    without = tmp_path / "without.csv"
    rmsd("simulate", trace, "--recipe", "timed-easy++", "--schedule", without)
    compared = json.loads(rmsd("compare", without, out, "--json").stdout)["comparisons"]
    [slowdown] = [one for one in compared if one["metric"] == "bounded_slowdown"]
    in_all = json.loads(simulated)["metrics"]["waits"]["bounded_slowdown"]["mean"]
    assert slowdown["mean"] == pytest.approx(in_all)


def test_a_schedule_of_another_trace_is_refused(tmp_path: Path) -> None:
    traces = [tmp_path / "one.swf", tmp_path / "other.swf"]
    for seed, trace in enumerate(traces):
        asked = ("--jobs", "300", "--procs", "32", "--seed", str(seed))
        trace.write_text(rmsd("generate", *asked).stdout)
    out = tmp_path / "out.csv"
    rmsd("simulate", traces[0], "--schedule", out)
    said = rmsd("metrics", out, "--trace", traces[1], expect=1).stderr
    assert "is no schedule of this trace: " in said
    assert "of 300 jobs ran for another time than the trace tells" in said


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("1,160,160", "3 fields instead of 4"),
        ("1,160,100,1160", "job 1 is not submitted, started and ended in this order"),
        ("99,1,2,3", "the trace has no job 99"),
        ("1,160,x,1160", "start is 'x', which is no time in seconds"),
        ("1,160,160,nan", "end is 'nan', which is no time in seconds"),
        ("1,-Infinity,160,170", "submit is '-Infinity', which is no time in seconds"),
        ("1,160,160,1e999999999", "end is '1e999999999', which is no time in seconds"),
        ("1,160,160,1e12", "end is '1e12', which is no time in seconds"),
    ],
)
def test_rows_that_are_no_job_of_the_trace(swf: Path, tmp_path: Path, row: str, said: str) -> None:
    out = tmp_path / "out.csv"
    out.write_text(f"job_id,submit,start,end\n{row}\n")
    done = rmsd("metrics", out, "--trace", swf, expect=1)
    assert f"{out}, line 2 is no schedule" in done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_job_that_is_twice_in_a_schedule_is_refused(swf: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    rmsd("simulate", swf, "--schedule", out)
    again = out.read_text().splitlines(keepends=True)[1]
    out.write_text(out.read_text() + again)
    last = len(out.read_text().splitlines())
    said = f"{out}, line {last}: job 1 is in line 2 already\n"
    assert rmsd("metrics", out, "--trace", swf, expect=1).stderr.endswith(said)
    convert = ("trace", "convert", swf, "--schedule", out, "-o", tmp_path / "jobs.csv")
    assert rmsd(*convert, expect=1).stderr.endswith(said)
    assert not (tmp_path / "jobs.csv").exists()


def test_a_number_that_is_twice_in_the_trace_says_which_job_is_which_to_nobody(
    swf: Path, tmp_path: Path
) -> None:
    trace, out = tmp_path / "twice.swf", tmp_path / "out.csv"
    [job] = [line for line in swf.read_text().splitlines() if line.split()[0] == "1"]
    trace.write_text(f"{swf.read_text()}{job}\n")
    rmsd("simulate", trace, "--schedule", out)
    said = rmsd("metrics", out, "--trace", trace, expect=1).stderr
    assert "and twice in the trace" in said
    assert "`rmsd trace clean`" in said


def view(job_id: int, **more: object) -> dict[str, object]:
    """Return a job as the API lists it, that waited 5 s and ran 10."""
    known = {
        "job_id": job_id,
        "user": "ann",
        "state": "COMPLETED",
        "submit_us": job_id * SECOND_US,
        "start_us": (job_id + 5) * SECOND_US,
        "end_us": (job_id + 15) * SECOND_US,
        "cpus": 2,
        "backfilled": True,
        "estimate_s": 60.0,
        "prediction_s": 20.0,
        "corrections": 0,
        "attempt": 1,
        "cause": "exit",
        "lost_s": 0.0,
    } | more
    return {"eligible_us": known["submit_us"]} | known


def test_a_job_waits_from_when_its_conditions_came_true() -> None:
    [job] = history_of([view(1, eligible_us=4 * SECOND_US)], propagated=False).jobs
    assert job.wait_us == 2 * SECOND_US
    assert job.bounded_slowdown == 1.2
    assert job.predictions == ((4 * SECOND_US, 20 * SECOND_US),)


def test_a_history_keeps_what_it_knows_and_guesses_nothing() -> None:
    history = history_of(
        [
            view(3, state="TIMEOUT", corrections=1),
            view(1),
            view(2, state="FAILED", attempt=2, lost_s=1.5),
            view(4, state="RUNNING", end_us=None, cause=None),
            view(5, state="CANCELLED", start_us=None, cause="user"),
            view(6, state="FAILED", cause="launch"),
            view(7, estimate_s=None, state="CANCELLED", cause="user"),
        ],
        propagated=False,
    )
    assert (history.live, history.never_started) == (1, 2)
    first, second, third, cancelled = history.jobs
    assert [job.job_id for job in history.jobs] == [1, 2, 3, 7]
    assert [job.failed for job in history.jobs] == [False, True, True, False]
    assert (first.wait_us, first.run_us, first.size) == (5 * SECOND_US, 10 * SECOND_US, 2)
    assert first.predictions == ((SECOND_US, 20 * SECOND_US),)
    assert second.predictions == third.predictions == ()
    assert (second.attempts, second.lost_us, first.lost_us) == (2, 1_500_000, 0)
    assert first.rank == -1
    assert cancelled.estimate_us > 10**15
    assert history_of([view(1)], propagated=True).jobs[0].predictions == ()


@pytest.fixture
def daemon() -> Iterator[Daemon]:
    options = ("--no-local-node", "--emulate", "1x4", "--capacity", "counted", "--rate", "1000")
    one = Daemon(*options, "--recipe", "easy++")
    try:
        yield one.start()
    finally:
        one.close()


@pytest.mark.slow
@pytest.mark.live
def test_the_history_of_a_daemon(daemon: Daemon) -> None:
    jobs = [{"emulate": {"run_s": run_s}, "tasks": 4} for run_s in (600, 300, 900)]
    ids = [job["job_id"] for job in daemon.client.submit(jobs)]  # none knows how another ended
    waits_s = [daemon.wait(job_id)["wait_s"] for job_id in ids]
    daemon.emulate(10**6, tasks=1)
    server = f"unix:{daemon.state}/rmsd.sock"
    report = json.loads(rmsd("metrics", "--server", server, "--json").stdout)
    assert (report["schema"], report["source"], report["procs"]) == ("rmsd.metrics/1", server, 4)
    assert report["jobs"] == {"measured": 3, "counted": 3}
    assert report["left_out"] == {"live": 1, "never_started": 0}
    found = report["metrics"]
    assert list(found) == list(GROUPS)
    assert found["waits"]["wait_s"]["maximum"] == pytest.approx(max(waits_s))
    assert found["accuracy"]["corrections_mean"] == 0
    assert found["predictability"]["reserved_rate"] is not None
    assert found["dynamics"]["heel_and_toe"]["sjfness"] is not None
    assert found["fairness"]["slowdown_over_fair"]["jobs"] == 3
    shown = rmsd("metrics", "--server", server, "--jobs", "2", "--metrics", "waits").stdout
    assert "1 job, 1 left out (live)" in shown


@pytest.mark.slow
@pytest.mark.live
def test_the_history_of_a_daemon_tells_how_long_each_order_was_in_force() -> None:
    daemon = Daemon("--no-local-node", "--emulate", "1x4", "--rate", "1000", "--recipe", "dynp")
    try:
        daemon.start().wait(daemon.emulate(600, tasks=4))
        server = f"unix:{daemon.state}/rmsd.sock"
        asked = rmsd("metrics", "--server", server, "--metrics", "orders", "--json")
    finally:
        daemon.close()
    assert json.loads(asked.stdout)["metrics"]["orders"]["share_of_time"] == {"arrival": 1.0}


@pytest.mark.long  # replays a trace on a real daemon
@pytest.mark.live
def test_a_replay_is_measured_too(swf: Path) -> None:
    arguments = ["replay", swf, "--rate", "2000", "--recipe", "easy", "--metrics"]
    found = metrics_of(*arguments, "waits,trials,fairness")
    assert list(found) == ["waits", "fairness", "trials"]
    assert found["trials"]["attempts_mean"] == 1
    assert found["fairness"]["against_exact"]["unfairness_s"] is not None
    assert "metrics of the replay" in rmsd(*arguments, "waits").stdout


def test_help_lists_the_groups() -> None:
    for command in ("simulate", "replay", "metrics"):
        shown = rmsd(command, "--help").stdout
        assert all(f"\n  {group}" in shown for group in GROUPS)
    assert "metrics" in rmsd("--help").stdout
