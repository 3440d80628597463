"""`rmsd replay`: jobs through a real daemon and its agent, held against the simulation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rmsd_cli.fidelity import fidelity
from rmsd_core.job import SECOND_US
from rmsd_core.schedule import Scheduled
from tests.cli.test_simulate import rmsd, rows

SWF = "; MaxProcs: 4\n" + "".join(
    f"{number} {100 + 60 * number} -1 {run} {size} -1 -1 {size} {estimate} -1 1 {user}"
    " -1 -1 -1 -1 -1 -1\n"
    for number, run, size, estimate, user in [
        (1, 1000, 4, 2000, 1),
        (2, 600, 3, 600, 2),
        (3, 400, 4, 500, 1),
        (4, 300, 1, 300, 2),
        (5, 900, 2, 450, 3),
        (6, 0, 1, 60, 3),
    ]
)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.swf"
    path.write_text(SWF)
    return path


@pytest.mark.live
@pytest.mark.parametrize("execute", ["timer", "process"])
def test_a_replay_gives_the_simulated_schedule_but_for_latency(
    trace: Path, tmp_path: Path, execute: str
) -> None:
    """Arrivals are a model minute, 120 ms, apart; the order of decisions is that of simulation."""
    out, reference = tmp_path / "live.csv", tmp_path / "simulated.csv"
    common = ["--recipe", "easy", "--json", "--schedule"]
    arguments = ["--rate", "500", "--exec", execute, *common]
    report = json.loads(rmsd("replay", trace, *arguments, out).stdout)
    simulated = json.loads(rmsd("simulate", trace, *common, reference).stdout)
    assert report["schema"] == "rmsd.run/1"
    assert report["jobs"] == simulated["jobs"]
    assert (report["rate"], report["exec"]) == (500, execute)
    assert set(simulated) < set(report)
    live, expected = (
        [list(map(float, row)) for row in rows(path)[1:]] for path in (out, reference)
    )
    order = [sorted(range(6), key=lambda at: schedule[at][2]) for schedule in (live, expected)]
    assert order[0] == order[1]
    for ours, theirs in zip(live, expected, strict=True):
        assert ours[0] == theirs[0]
        assert ours[1] >= theirs[1]
        run_s, simulated_run_s = ours[3] - ours[2], theirs[3] - theirs[2]
        if execute == "timer":
            assert run_s == pytest.approx(simulated_run_s, abs=0.001)
        else:
            assert run_s >= simulated_run_s - 1


@pytest.mark.live
def test_jobs_are_cut_at_their_estimate_only_when_asked(trace: Path, tmp_path: Path) -> None:
    out = tmp_path / "live.csv"
    arguments = ["replay", trace, "--rate", "2000", "--schedule", out]
    rmsd(*arguments)
    fifth = list(map(float, rows(out)[5]))
    assert fifth[3] - fifth[2] == pytest.approx(900, abs=0.001)
    rmsd(*arguments, "--kill-at-estimate")
    fifth = list(map(float, rows(out)[5]))
    assert fifth[3] - fifth[2] == pytest.approx(450, abs=0.001)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--rate", "0"], 2, "must run forwards"),
        (["--rate", "-5"], 2, "must run forwards"),
        (["--recipe", "magic"], 2, "no recipe 'magic'"),
        (["--server", "unix:/nonexistent/rmsd.sock"], 75, "/nonexistent/rmsd.sock"),
        (["--server", "gopher:x"], 2, "gopher"),
    ],
)
def test_wrong_options_are_explained(
    trace: Path, arguments: list[str], code: int, said: str
) -> None:
    done = rmsd("replay", trace, *arguments, expect=code)
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_fidelity_by_hand() -> None:
    def job(submit: int, start: int, run: int) -> Scheduled:
        end_us = (start + run) * SECOND_US
        return Scheduled(0, submit * SECOND_US, start * SECOND_US, end_us, run * SECOND_US, 1)

    simulated = [job(0, 0, 100), job(0, 100, 100)]
    live = [job(0, 1, 100), job(1, 105, 100)]
    figures = fidelity(live, simulated, [0, SECOND_US], 1)
    assert figures["wait_mean_deviation"] == pytest.approx(((1 + 104) / 2 - 50) / 50)
    assert figures["start_error_s"] == {"p50": 1.0, "p99": 5.0}
    assert figures["clock_lag_s"] == {"max": 1.0}
    at_once = [job(0, 0, 100)]
    assert fidelity(at_once, at_once, [0], 1)["wait_mean_deviation"] is None
