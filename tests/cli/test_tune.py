"""`rmsd tune`: evidence and objections as pure functions, and whole runs on small histories."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from rmsd_cli.main import main as rmsd_main
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.workloads.sample import sample_trace
from rmsd_lab.workloads.swf import format_swf
from rmsd_lab_cli.tune.candidates import FAMILIES, NEAR, families, overridden
from rmsd_lab_cli.tune.evidence import (
    LEAST_JOBS,
    PARTS,
    TunedRun,
    evidence,
    objections,
    score,
    within_bounds,
)
from tests.cli.past_jobs import history
from tests.client.small_server import Answer, Request, json_answer, serve_unix
from tests.commands import rmsd

JOBS = 20 * PARTS


def noise(seed: int, mean: float, spread: float = 0.1) -> list[float]:
    draw = random.Random(seed)
    return [mean * draw.uniform(1 - spread, 1 + spread) for _ in range(JOBS)]


def run_with(waits_s: Sequence[float], slowdown: float = 10.0) -> TunedRun:
    return TunedRun(waits_s, [slowdown] * len(waits_s))


RUNNING = run_with(noise(1, 1000))


def refused(run: TunedRun, running: TunedRun = RUNNING, regret: float = 0.1) -> str:
    return "; ".join(objections(evidence(run, running), regret))


def test_what_is_better_beyond_noise_is_proposed() -> None:
    assert refused(run_with([0.9 * wait_s for wait_s in RUNNING.waits_s])) == ""
    assert refused(TunedRun(RUNNING.waits_s, noise(2, 5))) == ""


def test_what_is_not_beyond_noise_is_refused() -> None:
    assert "better beyond noise" in refused(run_with(noise(3, 1000)))
    assert "better beyond noise" in refused(RUNNING)


def test_a_gain_in_one_does_not_pay_for_a_loss_in_the_other() -> None:
    faster = TunedRun([0.5 * wait_s for wait_s in RUNNING.waits_s], noise(4, 12, 0.01))
    assert refused(faster) == "the mean bounded slowdown is worse beyond noise"


def test_the_longest_wait_has_a_bound() -> None:
    def with_longest(times: float) -> TunedRun:
        waits_s = [0.5 * wait_s for wait_s in RUNNING.waits_s]
        waits_s[7] = times * RUNNING.longest_s
        return run_with(waits_s)

    assert refused(with_longest(1.2)) == ""
    assert "longest wait is more than 1.2 times" in refused(with_longest(1.21))
    assert within_bounds(with_longest(1.2), RUNNING)
    assert not within_bounds(with_longest(1.21), RUNNING)


def test_the_percentile_has_a_bound() -> None:
    def with_tail(times: float) -> TunedRun:
        waits_s = [0.5 * wait_s for wait_s in RUNNING.waits_s]
        waits_s[::50] = [times * RUNNING.percentile_s] * len(waits_s[::50])
        return run_with(waits_s)

    assert refused(with_tail(1.1)) == ""
    assert "99th percentile" in refused(with_tail(1.11))


def test_a_minute_more_is_nothing() -> None:
    idle = run_with([0.0] * JOBS)
    assert within_bounds(run_with([60.0] * JOBS), idle)
    assert not within_bounds(run_with([61.0] * JOBS), idle)


def test_the_regret_has_a_bound() -> None:
    """All parts wait for less but one, whose jobs wait for twice as long."""
    part = JOBS // PARTS
    waits_s = [500.0] * JOBS
    waits_s[:part] = [2000.0] * part
    running = run_with([1000.0] * (JOBS - part) + [2000.0] * part)
    found = evidence(run_with(waits_s), running)
    assert found.regret == pytest.approx(part * 1000 / sum(running.waits_s))
    assert objections(found, found.regret) == []
    assert "regret is 4.8%" in "; ".join(objections(found, found.regret - 0.001))


def test_too_few_jobs_are_no_evidence() -> None:
    short = run_with(RUNNING.waits_s[: LEAST_JOBS - 1])
    with pytest.raises(ValueError, match="fewer than"):
        evidence(short, short)


def test_scores_are_ratios() -> None:
    assert score(RUNNING, RUNNING) == pytest.approx(1)
    assert score(TunedRun(RUNNING.waits_s, [2.5] * JOBS), RUNNING) == pytest.approx(0.5)


def test_every_candidate_is_a_live_recipe() -> None:
    names = [one.name for one in families(kills=True)]
    assert names == list(FAMILIES)
    assert {one.name for one in families(kills=False)} < set(names)
    assert not any(one.disposes for one in families(kills=False))
    for family, overrides in NEAR.items():
        for override in overrides:
            recipe = overridden(family, override)
            assert recipe is not None, (family, override)
            assert recipe.predict != "perfect"


def test_an_override_replaces_one_of_its_parameter() -> None:
    again = overridden("timed-easy++,order=lxfw,trial=60", "trial=300")
    assert again is not None
    assert again.name == "timed-easy++,order=lxfw,trial=300"
    assert overridden("easy", "fraction=0.5") is None


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tune") / "sample.swf"
    lines = format_swf(sample_trace(900, 100, seed=2), {"MaxProcs": "100"})
    path.write_text("".join(lines))
    return path


def tuned(*arguments: str | Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(rmsd("tune", "--json", *arguments).stdout)
    return report


def test_a_trace_is_halved_and_judged(trace: Path) -> None:
    report = tuned(trace, "--running", "fcfs", "--simulations", "5")
    assert report["schema"] == "rmsd.tune/1"
    assert report["jobs"] == {"first": 450, "other": 450}
    assert [one["recipe"] for one in report["tried"]] == ["fcfs", *FAMILIES[:4]]
    assert report["search_ended"] == "after 5 simulations"
    found = report["evidence"]
    bounded = [one for one in report["tried"] if one["within_bounds"]]
    assert found["recipe"] == min(bounded, key=lambda one: one["score"])["recipe"]
    assert report["proposal"] == found["recipe"]  # on FCFS, all gain
    assert report["line"] == f'recipe = "{found["recipe"]}"'
    whole = json.loads(rmsd("simulate", trace, "--recipe", "fcfs", "--json").stdout)
    halves = (450 * report["tried"][0]["wait_mean_s"] + 450 * found["running"]["wait_mean_s"]) / 900
    assert halves == pytest.approx(whole["wait_s"]["mean"], rel=0.05)


def test_no_recipe_that_kills_is_tried_where_none_may(trace: Path) -> None:
    report = tuned(trace, "--no-kills", "--simulations", "9")
    assert not any(parse_recipe(one["recipe"]).disposes for one in report["tried"])
    assert all(one["kills_per_job"] == 0 for one in report["tried"])


def test_a_person_sees_the_evidence_and_that_nothing_changed(trace: Path) -> None:
    shown = rmsd("tune", trace, "--running", "fcfs", "--simulations", "3").stdout
    assert max(map(len, shown.splitlines())) <= 100
    assert "450 jobs choose, the 450 after them judge" in shown
    assert 'proposed: recipe = "' in shown
    assert "Nothing was changed." in shown
    assert "95% interval" in shown


@pytest.mark.slow
def test_the_running_recipe_stays_if_nothing_gains(trace: Path) -> None:
    best = tuned(trace, "--running", "fcfs")["evidence"]["recipe"]
    report = tuned(trace, "--running", best, "--simulations", "2")
    assert report["proposal"] is None
    assert report["objections"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--simulations", "1"], 2, "at least 2"),
        (["--regret", "101"], 2, "0 to 100"),
        (["--for", "soon"], 2, "--for"),
        (["--since", "7d"], 2, "--since is for a daemon's history"),
        (["--server", "unix:/x"], 2, "not both"),
        (["--running", "never"], 2, "never"),
        (["--for", "0.001s"], 1, "too short for 900 jobs"),
    ],
)
def test_wrong_usage_is_explained(trace: Path, arguments: list[str], code: int, said: str) -> None:
    done = rmsd("tune", trace, *arguments, expect=code)
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_short_history_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "short.swf"
    path.write_text("".join(format_swf(sample_trace(300, 100, seed=1), {"MaxProcs": "100"})))
    done = rmsd("tune", path, expect=1)
    assert f"each half needs {LEAST_JOBS}" in done.stderr


@pytest.mark.slow
def test_a_daemon_is_asked_for_its_history(
    short_dir: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rmsd_client.console.stdout.mark_errors", lambda: None)
    views = history(random.Random(5), 700)
    now_us = max(view["end_us"] for view in views) + 1
    status = {"recipe": "fcfs", "capacity": "nodes", "you": {"role": "admin", "user": "root"},
              "clock": {"model_us": now_us, "rate": 1.0}}  # fmt: skip
    node = {"name": "a", "state": "idle", "reason": "", "cores": 4, "mem_mib": 0, "features": []}
    answers = {
        "/v1/status": status,
        "/v1/nodes": {"nodes": [node]},
        "/v1/partitions": {"partitions": []},
        "/v1/reservation-changes": {"changes": []},
        "/v1/accounts": {"accounts": [], "qos": []},
        "/v1/jobs": {"jobs": views, "before": None},
    }

    def respond(request: Request) -> Answer:
        assert request.method == "GET"  # nothing is switched
        return json_answer(answers[urlsplit(request.target).path])

    words = ["tune", "--json", "--simulations", "4", "--server", f"unix:{short_dir}/s"]
    with serve_unix(short_dir / "s", respond), pytest.raises(SystemExit) as end:
        rmsd_main(words)
    shown = capsys.readouterr()
    assert end.value.code == 0, shown.err
    report = json.loads(shown.out)
    assert report["running"] == "fcfs"
    counted = [view for view in views if view["state"] == "COMPLETED"]
    assert sum(report["jobs"].values()) == len(counted)
    assert len(report["tried"]) == 4
    assert report["tried"][1]["wait_mean_s"] != report["tried"][0]["wait_mean_s"]
