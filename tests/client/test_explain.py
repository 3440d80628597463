"""The words of `rstat --explain`."""

from __future__ import annotations

from typing import Any

import pytest

from rmsd_client.show.explain_text import explain, unwrapped, why_it_waits
from tests.client.shown_jobs import T0, S, job, waiting

pytestmark = pytest.mark.usefixtures("utc")

_HEAD = {"job_id": 7, "name": "next", "user": "bert", "state": "PENDING", "cpus": 8,
         "start_us": T0 + 600 * S, "end_us": T0 + 900 * S, "promised_us": None}  # fmt: skip
_START = {"job_id": 42, "start_us": T0 + 900 * S, "basis": "projection"}
_MADE = {"predict": "estimate", "times": 1.0, "correct": "no", "metric": "average", "used": [],
         "used_known": True}  # fmt: skip


_T0 = "2023-11-14T22:13:20"


def wait(**changes: Any) -> dict[str, Any]:
    waits = {"place": 2, "waiting": 3, "free_cpus": 2, "fits_now": False, "in_turn": False,
             "head": _HEAD, "beside_cpus": 1, "holders": [], "holders_count": 0, "before": [],
             "before_count": 0, "awaits": [], "unavailable": [], "unavailable_count": 0,
             "never_fits": None}  # fmt: skip
    return {**waits, **changes}


def told(about: dict[str, Any], **changes: Any) -> dict[str, Any]:
    facts = {"job": about, "recipe": "easy", "plan_us": T0, "start": None, "expected_end_us": None,
             "prediction": _MADE, "changes": [], "promised_us": None, "promised_at_us": None,
             "wait": None, "held_up": [], "held_up_count": 0, "attempts": []}  # fmt: skip
    return {**facts, **changes}


@pytest.mark.parametrize(
    ("reason", "changes", "words"),
    [
        ("Priority", {}, "it needs 6 cpus, and 2 cpus are free now; first in the queue is job 7 "
                         "next (bert), which nothing may delay"),
        ("Priority", {"head": {**_HEAD, "name": "", "user": ""}},
         "it needs 6 cpus, and 2 cpus are free now; first in the queue is job 7, which nothing may "
         "delay"),
        ("Priority", {"in_turn": True}, "it needs 6 cpus, and 2 cpus are free now; first in the "
                                        "queue is job 7 next (bert), which nothing may pass"),
        ("Resources", {"head": None, "free_cpus": 1}, "it needs 6 cpus, and 1 cpu is free now"),
        ("Resources", {"head": None, "free_cpus": 6},
         "it needs 6 cpus, and 6 cpus are free now, but not with all else that it asks for in one "
         "place: 2G of memory a node"),
        ("Priority", {"fits_now": True},
         "there is space for it, but job 7 next (bert) is first in the queue and may not be "
         "delayed: it is to start at 2023-11-14T22:23:20, while this job is expected to run "
         "00:02:00 and 1 cpu is left beside it"),
        ("Priority", {"fits_now": True, "in_turn": True},
         "there is space for it, but job 7 next (bert) is first in the queue, and nothing may pass "
         "it"),
        ("Priority", {"fits_now": True, "head": None},
         "there is space for it, but not without delaying a job that has a reservation before it"),
        ("JobArrayTaskLimit", {"fits_now": True, "head": None},
         "as many tasks of its array run, or are next in the queue, as may at a time"),
        ("ReqNodeNotAvail", {"never_fits": "9 x 1 core asked for; the cluster has one"},
         "it can never run here: 9 x 1 core asked for; the cluster has one"),
        ("ReqNodeNotAvail", {},
         "no set of nodes that are up could hold it, even if nothing ran there"),
        ("ReqNodeNotAvail", {"refused_by": ["n1", "n2"]},
         "no other set of nodes that are up could hold it, even if nothing ran there"),
        ("DeadLine", {},
         "it can no longer end before its deadline, and is ended in a moment"),
        ("Claimed", {"awaits": [3, 5]},
         "its processors are its own once the jobs that are killed there have left: job 3, 5"),
    ],
)  # fmt: skip
def test_why_it_waits(reason: str, changes: dict[str, Any], words: str) -> None:
    assert why_it_waits(told(waiting(reason=reason), wait=wait(**changes))) == words


def test_the_latest_of_very_many_attempts_are_told() -> None:
    began = {"start_us": T0, "end_us": T0 + S, "nodelist": "n1", "cause": "node", "message": ""}
    many = [{**began, "attempt": number} for number in range(201, 311)]
    lines = [text for name, text in explain(told(waiting(), attempts=many))]
    at = lines.index("290 earlier attempts")
    assert lines[at + 1].startswith("291: 2023-11-14T22:13:20 on n1, ended ")


def test_an_array_tells_how_many_tasks_may_run() -> None:
    about = waiting(reason="JobArrayTaskLimit", array_tasks=6, array_max_tasks=2)
    why = why_it_waits(told(about, wait=wait(fits_now=True, head=None)))
    assert why == "as many tasks of its array run, or are next in the queue, as may at a time: 2"


def test_what_does_not_fit_without_memory_or_devices_is_not_in_one_place() -> None:
    about = waiting(mem_mib=0)
    why = why_it_waits(told(about, wait=wait(head=None, free_cpus=6)))
    assert why.endswith("6 cpus are free now, but not all that it asks for in one place")
    elsewhere = waiting(mem_mib=0, partition="small")
    why = why_it_waits(told(elsewhere, wait=wait(head=None, free_cpus=6)))
    assert why.endswith("but not all that it asks for in one place of the partition small")
    request = [{"gres": "gpu:1", "gres_per_unit": ""}]
    about = waiting(mem_mib=0, request=request, constraint="fast")
    why = why_it_waits(told(about, wait=wait(head=None, free_cpus=6)))
    assert why.endswith("asks for in one place: gpu:1 a node, on nodes with fast")


def who_is_waited_for(others: dict[str, Any]) -> list[str]:
    """Return the first three lines of the explanation."""
    lines = explain(told(waiting(), wait=others, start=_START))
    at = [name for name, _ in lines].index("Waits for")
    return [value for _, value in lines[at : at + 3]]


def test_a_page_gets_each_text_in_one_piece() -> None:
    """Lines of eighty columns were broken once more on a phone."""
    runs = {**_HEAD, "state": "RUNNING", "end_us": T0}
    others = wait(holders=[runs, {**runs, "state": "COMPLETING"}], holders_count=2)
    lines = explain(told(waiting(), wait=others, start=_START))
    texts = unwrapped(lines)
    assert [name for name, _ in texts if name] == [name for name, _ in lines if name]
    assert " ".join(" ".join(text for _, text in lines).split()) == " ".join(
        text for _, text in texts
    )
    at = [name for name, _ in texts].index("Waits for")
    assert texts[at : at + 2] == [
        (
            "Waits for",
            "7 next (bert), 8 cpus, runs on, though predicted to end 2023-11-14T22:13:20",
        ),
        ("", "7 next (bert), 8 cpus, is being ended"),
    ]
    why = [text for _, text in lines].index(dict(lines)["Why"])
    assert lines[why + 1][0] == ""
    assert lines[why + 1][1] in dict(texts)["Why"]


def test_who_runs_on_or_is_being_ended_is_not_said_to_end_in_the_past() -> None:
    runs = {**_HEAD, "state": "RUNNING", "end_us": T0}
    others = wait(holders=[runs, {**runs, "state": "COMPLETING"}], holders_count=2)
    assert who_is_waited_for(others) == [
        "7 next (bert), 8 cpus, runs on, though predicted to end",
        "   2023-11-14T22:13:20",
        "7 next (bert), 8 cpus, is being ended",
    ]


@pytest.mark.parametrize(
    ("changes", "end_us", "words"),
    [
        ({}, T0 + S, {"Expected": "to end 2023-11-14T22:13:21, as predicted",
                        "Limit": "2023-11-14T23:14:20, when it is killed"}),
        ({}, T0, {"Expected": "to have ended 2023-11-14T22:13:20, as predicted, and runs on",
                   "Limit": "2023-11-14T23:14:20, when it is killed"}),
        ({"elapsed_s": 3601.0}, T0 + S, {}),
        ({"state": "COMPLETING", "stop_cause": "user"}, None, {}),
    ],
)  # fmt: skip
def test_until_when_a_job_runs(
    changes: dict[str, Any], end_us: int | None, words: dict[str, str]
) -> None:
    lines = dict(explain(told(job(**changes), expected_end_us=end_us)))
    assert {name: lines[name] for name in ("Expected", "Limit") if name in lines} == words


def test_long_lists_are_cut_and_lines_wrapped() -> None:
    others = wait(before=[_HEAD], before_count=9, holders=[{**_HEAD, "state": "RUNNING"}],
                  holders_count=1)  # fmt: skip
    assert who_is_waited_for(others) == [
        "7 next (bert), 8 cpus, runs until 2023-11-14T22:28:20",
        "7 next (bert), 8 cpus, 2023-11-14T22:23:20 to 2023-11-14T22:28:20",
        "and 8 more that wait and are expected before these",
    ]
    lines = explain(told(waiting(), wait=others, start=_START))
    assert all(len(value) <= 68 for _, value in lines)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ({"times": 2.0}, "00:02:00, the user's estimate, times 2"),
        ({"predict": "recent"},
         "00:02:00, the user's estimate, as too few jobs of theirs had ended"),
        ({"predict": "recent", "used_known": False}, "00:02:00, from the user's recent jobs"),
        ({"predict": "mine"}, "00:02:00, by the predictor 'mine'"),
    ],
)  # fmt: skip
def test_where_a_prediction_comes_from(made: dict[str, Any], words: str) -> None:
    lines = dict(explain(told(job(), prediction={**_MADE, **made})))
    assert lines["Predicted"] == words


@pytest.mark.parametrize(
    ("no_start", "words"),
    [
        ("", "cannot be told"),
        ("task", "cannot be told: the tasks before it in its array join the queue first"),
        ("laying", "cannot be told yet: it is far behind in the queue, and the plan has not come "
                   "to it; ask again"),
        ("far", "cannot be told: it is so far behind in the queue that the plan ends before it"),
    ],
)  # fmt: skip
def test_why_no_start_is_expected(no_start: str, words: str) -> None:
    lines = explain(told(waiting(), wait=wait(no_start=no_start)))
    at = [name for name, _ in lines].index("Expected")
    end = next(i for i in range(at + 1, len(lines)) if lines[i][0])
    assert " ".join(text for _, text in lines[at:end]) == f"{words} (plan of {_T0})"


def test_a_job_of_a_reservation_that_has_not_begun_is_told_when_it_does() -> None:
    course = {"name": "course", "nodelist": "n2", "start_us": T0 + 60 * S, "end_us": T0 + 90 * S,
              "maintenance": False, "life": "pending"}  # fmt: skip
    about = waiting(reason="Reservation")
    lines = dict(explain(told(about, wait=wait(no_start="reservation", reservations=[course]))))
    assert lines["Expected"] == "not before 2023-11-14T22:14:20, when its reservation begins"


def test_what_has_changed_since() -> None:
    change = {"at_us": T0, "prediction_s": 60.0, "was_end_us": T0, "end_us": T0 + 60 * S,
              "start_us": None}  # fmt: skip
    kinds = ["correct", "repredict", "promote", "promise"]
    lines = explain(told(job(), changes=[{**change, "kind": kind} for kind in kinds]))
    at = [name for name, _ in lines].index("Since then")
    assert [value for _, value in lines[at : at + 4]] == [
        "expected end 2023-11-14T22:13:20 -> 2023-11-14T22:14:20 (00:01:00)",
        "2023-11-14T22:13:20 predicted anew: 00:01:00",
        "2023-11-14T22:13:20 it passed its starvation threshold",
        "2023-11-14T22:13:20 promised a place, with no time in sight",
    ]


def test_a_trial_is_not_the_start_that_was_promised() -> None:
    promise = {"kind": "promise", "at_us": T0, "start_us": T0 + 60 * S}
    lines = explain(told(job(reason="Trial", trial_end_us=T0), changes=[promise]))
    at = [name for name, _ in lines].index("Since then")
    assert [value for _, value in lines[at : at + 2]] == [
        "2023-11-14T22:13:20 promised to start 2023-11-14T22:14:20",
        "the promise is a start at its turn; a trial comes before that",
    ]
