"""`rmsd what-if --since`: what is read and kept of a long history."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from rmsd_cli.errors import CommandError
from rmsd_cli.main import main as rmsd
from rmsd_core.machine.nodes import Node
from rmsd_core.model_time import NEVER_US, SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.simulation.what_if import what_if
from rmsd_lab_cli.history.log import HistorySource
from rmsd_lab_cli.what_if.command import simulated
from rmsd_lab_cli.what_if.needed import earlier_runs, needed_views
from rmsd_lab_cli.what_if.past import past_of
from tests.cli.past_jobs import HOUR_US, history, view
from tests.client.small_server import Answer, Request, json_answer, serve_unix


@pytest.mark.slow
@pytest.mark.parametrize(
    "recipe", ["easy", "easy++", "easy++,type=extended,window=5", "x2+", "selective-a", "dynp"]
)
def test_what_is_left_out_changes_nothing(recipe: str, fresh_seed: int) -> None:
    views = history(random.Random(fresh_seed))
    since_us = sorted(one["submit_us"] for one in views)[300]
    asked = parse_recipe(recipe)
    kept = needed_views(iter(views), since_us, earlier_runs([asked]))

    def starts_us(some: list[Mapping[str, Any]]) -> dict[int, int]:
        source = HistorySource(some, [Node("a", 4, 0)], "easy", "nodes", 1000 * HOUR_US)
        past = past_of(source, since_us, "prediction")
        course = what_if(past.jobs, past.cluster, asked, since_us, NEVER_US)
        return {one.number: course.jobs[one.number].start_us for one in past.counted}

    assert starts_us(list(kept)) == starts_us(list(views))
    assert len(starts_us(list(kept))) > 80
    if asked.promotes:
        assert len(kept) == len(views)
    else:
        # Some jobs that ran at that time, and a window for each user and estimate.
        assert len(kept) < 100 + 40 + 5 * 3 * 5


def test_matched_predictions_keep_the_runs_of_rare_sizes() -> None:
    """The latest runs of a user had displaced the only one of a size."""
    rare = view(1, SECOND_US, SECOND_US, 2 * SECOND_US, cpus=4)
    common = [view(at, at * SECOND_US, at * SECOND_US, (at + 1) * SECOND_US) for at in range(2, 99)]
    needed = earlier_runs([parse_recipe("rmsd-gentle")])
    kept = needed_views([*reversed(common), rare], HOUR_US, needed)
    assert rare in kept
    assert len(kept) < len(common)


def test_a_long_history_is_not_kept() -> None:
    """The jobs come one page at a time, and hardly any is held."""

    def long() -> Iterator[dict[str, Any]]:
        for job_id in range(100_000, 0, -1):
            yield view(job_id, job_id * SECOND_US, job_id * SECOND_US, (job_id + 1) * SECOND_US)

    needed = earlier_runs([parse_recipe("easy++")])
    assert len(needed_views(long(), 99_990 * SECOND_US, needed)) <= 12 + 2


@pytest.mark.parametrize(("recipe", "reads"), [("easy", "recent"), ("easy++", "all")])
def test_a_recipe_that_learns_nothing_reads_no_more_than_it_needs(
    recipe: str,
    reads: str,
    short_dir: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rmsd_client.console.stdout.mark_errors", lambda: None)
    asked: list[dict[str, list[str]]] = []
    now_us = 100 * HOUR_US
    jobs = [view(1, now_us - HOUR_US, now_us - HOUR_US, now_us - HOUR_US // 2)]
    status = {"recipe": "easy", "capacity": "nodes", "you": {"role": "admin", "user": "root"},
              "clock": {"model_us": now_us, "rate": 1.0}}  # fmt: skip
    node = {"name": "a", "state": "idle", "reason": "", "cores": 4, "mem_mib": 0, "features": []}

    def respond(request: Request) -> Answer:
        path, query = urlsplit(request.target).path, urlsplit(request.target).query
        if path == "/v1/jobs":
            asked.append(parse_qs(query))
            return json_answer({"jobs": jobs, "before": None})
        answers = {
            "/v1/status": status,
            "/v1/nodes": {"nodes": [node]},
            "/v1/partitions": {"partitions": []},
            "/v1/reservation-changes": {"changes": []},
            "/v1/accounts": {"accounts": [], "qos": []},
        }
        return json_answer(answers[path])

    with serve_unix(short_dir / "s", respond), pytest.raises(SystemExit) as end:
        rmsd(["what-if", "--recipe", recipe, "--since", "2h", "--server", f"unix:{short_dir}/s"])
    assert end.value.code == 0, capsys.readouterr().err
    [query] = asked
    recent = query.get("ended_since_us") == [str(now_us - 2 * HOUR_US)]
    assert ("since_us" in query, recent) == (False, reads == "recent")


def test_a_queue_of_the_longest_jobs_is_told_with_what_to_do() -> None:
    """One user's jobs without a limit ended the command in a traceback."""
    now_us = 1000 * HOUR_US
    waits = {"start_us": None, "end_us": None, "state": "PENDING", "cause": None}
    views = [view(1, 0, 0, HOUR_US)] + [
        view(job_id, HOUR_US, 0, 0, estimate_s=None, prediction_s=None) | waits
        for job_id in range(2, 10)
    ]
    past = past_of(
        HistorySource(views, [Node("a", 1, 0)], "easy", "nodes", now_us), None, "prediction"
    )
    with pytest.raises(CommandError, match=r"selective: .* does not end; .*selective,threshold=2"):
        simulated([parse_recipe("selective")], past)
    [one] = simulated([parse_recipe("selective,threshold=2")], past)
    assert one.now is not None
