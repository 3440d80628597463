"""`rmsd what-if`: a real daemon's history and queue under other recipes, beside what happened.

Long: daemons are started, and run the jobs of a history.
"""

from __future__ import annotations

import json
import random
import subprocess
from argparse import Namespace
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from rmsd_cli.errors import CommandError
from rmsd_core.jobs.accounts import AccountPolicy, JobLimits, License, Policies, QosPolicy
from rmsd_core.jobs.gres import Share
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.nodes import Node
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import LIVE_DEPTH, parse_recipe
from rmsd_core.vocabulary import LIVE_STATES
from rmsd_daemon.store.past_reservations import ReservationChange
from rmsd_lab.simulation.what_if import HeldSpan
from rmsd_lab.simulation.what_if import what_if as what_if_under
from rmsd_lab_cli.history.log import HistorySource
from rmsd_lab_cli.history.source import source_of_directory, source_of_server
from rmsd_lab_cli.what_if.past import past_of
from tests.live import Daemon
from tests.waiting import wait_until

pytestmark = pytest.mark.long

SHORT, LONG = 16, 12
NEAR_S = 5.0  # model time: half a second of real time


@pytest.fixture(scope="module")
def daemon() -> Iterator[Daemon]:
    """Run exact timers in two batches, of which the second comes when the first is over: beside it,
    whatever is late by more than a plan allows for would have to wait for the long ones."""
    daemon = Daemon(
        *("--no-local-node", "--emulate", "4x4", "--rate", "10", "--recipe", "conservative")
    )
    try:
        daemon.start()
        draw = random.Random(2)
        short = [_timer(draw.randint(4, 12), draw.choice([1, 2, 4, 8, 12])) for _ in range(SHORT)]
        for job in daemon.client.submit(short):
            daemon.wait(job["job_id"])
        daemon.client.submit([_timer(1000 + 7 * n, draw.choice([4, 8, 12])) for n in range(LONG)])
        gone = daemon.emulate(5.0, tasks=16, time_limit_s=5.0, name="gone")
        daemon.client.cancel(gone)
        wait_until(lambda: all(node["cores_used"] for node in daemon.client.nodes()))
        yield daemon
    finally:
        daemon.close()


def _timer(run_s: int, tasks: int) -> dict[str, Any]:
    return {"emulate": {"run_s": float(run_s)}, "tasks": tasks, "time_limit_s": float(run_s)}


def what_if(daemon: Daemon, *options: str, columns: int = 80) -> subprocess.CompletedProcess[str]:
    return daemon.run("rmsd", "what-if", *options, env={"COLUMNS": str(columns)})


def reported(daemon: Daemon, *options: str) -> dict[str, Any]:
    done = what_if(daemon, "--json", *options)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.live
def test_the_recipe_in_force_does_what_happened_and_what_is_planned(daemon: Daemon) -> None:
    plan = {one["job_id"]: one["start_us"] for one in daemon.client.plan()["starts"]}
    report = reported(daemon, "--recipe", "easy++", "--recipe", "fcfs")
    in_force = f"conservative,depth={LIVE_DEPTH}"
    assert [one["recipe"] for one in report["recipes"]] == [in_force, "easy++", "fcfs"]
    assert report["jobs"]["counted"] == SHORT + LONG
    assert report["jobs"]["ended"] == SHORT
    assert report["jobs"]["cancelled_waiting"] == 1
    again, happened = report["recipes"][0], report["happened"]
    assert happened["wait_s"]["mean"] > 2 * NEAR_S
    assert again["wait_s"]["mean"] == pytest.approx(happened["wait_s"]["mean"], rel=0.5)
    assert again["utilization"] == pytest.approx(happened["utilization"], abs=0.1)
    assert {job["job_id"] for job in report["waiting"]} == set(plan)
    for job in report["waiting"]:
        start_us = job["starts"][in_force]["start_us"]
        assert start_us == pytest.approx(plan[job["job_id"]], abs=NEAR_S * SECOND_US)
    assert report["recipes"][2]["wait_s"]["mean"] != again["wait_s"]["mean"]


@pytest.mark.live
def test_a_daemon_is_not_tuned_by_a_few_jobs(daemon: Daemon) -> None:
    recipe = daemon.client.status()["recipe"]
    done = daemon.run("rmsd", "tune")
    assert done.returncode == 1
    assert f"the daemon's history: {SHORT} and {LONG} jobs are too few" in done.stderr
    assert daemon.client.status()["recipe"] == recipe


@pytest.mark.live
def test_what_a_person_sees_fits_a_terminal(daemon: Daemon) -> None:
    recipes = ["easy", "timed-easy", "easy,reserve=3,backfill=shortest"]
    options = [word for name in recipes for word in ("--recipe", name)]
    done = what_if(daemon, *options, "--limit", "2")
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert f"{SHORT} of which ran to an end" in done.stdout
    assert "in force: conservative" in done.stdout
    assert "recipe-4 is easy,reserve=3,backfill=shortest" in done.stdout
    assert "mean wait" in done.stdout
    assert "more wait; --limit shows them" in done.stdout


@pytest.mark.live
def test_since_leaves_earlier_jobs_out_of_the_averages(daemon: Daemon) -> None:
    report = reported(daemon, "--recipe", "easy", "--since", "1s")
    assert report["jobs"]["counted"] == 0
    assert report["happened"]["wait_s"]["mean"] is None
    assert report["waiting"]
    assert (
        "no job was submitted since then"
        in what_if(daemon, "--recipe", "easy", "--since", "1s").stdout
    )


@pytest.mark.live
def test_a_state_directory_tells_the_same(daemon: Daemon) -> None:
    asked = reported(daemon, "--recipe", "easy", "--assume", "estimate")
    read = reported(daemon, "--recipe", "easy", "--assume", "estimate", str(daemon.state))
    assert read["jobs"] == asked["jobs"]
    assert [one["job_id"] for one in read["waiting"]] == [one["job_id"] for one in asked["waiting"]]
    assert read["now_us"] <= asked["now_us"]


@pytest.mark.live
@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--recipe", "perfect++"), 2, "predict=perfect needs the run time of every job"),
        (("--recipe", "esay"), 2, "--recipe"),
        (("--recipe", "easy", "--recipe", "easy"), 2, "given twice"),
        (("--recipe", "easy", "--limit", "-1"), 2, "--limit -1"),
        (("--recipe", "easy", "--server", "unix:/x", "/y"), 2, "not both"),
        (("--recipe", "easy", "/nowhere"), 1, "is no state directory"),
        (("--recipe", "easy", "--since", "soon"), 2, "--since"),
        ((), 2, "--recipe"),
    ],
)
def test_what_cannot_be_is_refused(
    daemon: Daemon, options: tuple[str, ...], code: int, words: str
) -> None:
    done = what_if(daemon, *options)
    assert done.returncode == code
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def view(job_id: int, **more: object) -> dict[str, Any]:
    """Return a job as the API lists it: 10 s of a core, submitted at the job's own second."""
    second = job_id * SECOND_US
    known = {
        "job_id": job_id,
        "user": "anna",
        "name": "job",
        "state": "COMPLETED",
        "cause": "exit",
        "submit_us": second,
        "eligible_us": second,
        "start_us": second,
        "end_us": second + 10 * SECOND_US,
        "cpus": 1,
        "nodelist": "",
        "partition": "",
        "account": "",
        "qos": "normal",
        "request": [{"units": 1, "cores": 1, "mem_mib": 0, "spread": False, "feature": None}],
        "estimate_s": 60.0,
        "prediction_s": 30.0,
        "corrections": 0,
        "backfilled": False,
        "attempt": 1,
        "lost_s": 0.0,
        "restartable": True,
    }
    return known | more


def test_what_is_made_of_each_kind_of_job() -> None:
    over = {"start_us": None, "end_us": None, "cause": None}
    now_us = 100 * SECOND_US
    views = [
        view(1),
        view(2, state="RUNNING", end_us=None, cause=None),
        view(3, state="COMPLETING", end_us=None, cause=None),
        view(4, **over, state="PENDING"),
        view(5, **over, state="PENDING", prediction_s=None, estimate_s=None),
        view(6, state="CANCELLED", start_us=None, end_us=50 * SECOND_US, cause="user"),
        view(7, state="FAILED", cause="launch"),
        view(8, request=[view(8)["request"][0] | {"units": 9}]),
        view(9, **over, state="PENDING", lost_s=5.0),
        view(10, **over, state="PENDING", eligible_us=None),
        view(11, **over, state="PENDING", submit_us=0, eligible_us=11 * SECOND_US),
        # cancelled while its conditions stood
        view(12, state="CANCELLED", start_us=None, end_us=50 * SECOND_US, cause="user")
        | {"eligible_us": 50 * SECOND_US},
    ]
    nodes = [Node("a", 2, 0), Node("b", 2, 0, drain_reason="repair"), Node("c", 2, 0, link="down")]
    past = past_of(HistorySource(views, nodes, "easy", "nodes", now_us), None, "prediction")
    seconds = {job.number: job.run_us // SECOND_US for job in past.jobs}
    assert past.happened.lost == [HeldSpan(now_us - 5 * SECOND_US, now_us, 1)]
    assert {number: seconds[number] for number in (1, 2, 3, 4, 6)} == {
        1: 10,
        2: 98,
        3: 97,
        4: 30,
        6: 30,
    }
    assert seconds[5] > 10**9
    assert [job.number for job in past.counted] == [1, 2, 3, 4, 5, 9, 11]
    assert past.ended == 1
    assert [job["job_id"] for job in past.waiting] == [4, 5, 9, 11]
    assert (past.running, past.cancelled, past.never_ran, past.too_large) == (2, 1, 1, 1)
    assert past.ineligible == 2
    assert 12 not in seconds
    assert [job.submit_us for job in past.jobs if job.number == 11] == [11 * SECOND_US]
    assert past.unused == ["b", "c"]
    # job 9 has had its trial
    assert [job.number for job in past.now() if not job.restartable] == [9]
    assert all(job.restartable for job in past.jobs)
    longer = past_of(HistorySource(views, nodes, "easy", "nodes", now_us), None, "estimate")
    assert [job.run_us // SECOND_US for job in longer.jobs if job.number == 4] == [60]
    assert past.happened.jobs[2].end_us == now_us
    assert all(view["state"] in LIVE_STATES for view in past.waiting)


def test_reservations_of_which_the_history_does_not_tell_are_named() -> None:
    """An older daemon tells of none; the events of a reservation may be deleted."""
    source = HistorySource([view(1)], [Node("a", 2, 0)], "easy", "nodes", 100 * SECOND_US)
    assert not past_of(source, None, "prediction").has_untold
    assert past_of(source._replace(reservations=None), None, "prediction").has_untold
    inside = source._replace(views=[view(1, reservation="night")])
    past = past_of(inside, None, "prediction")
    assert (past.has_untold, [job.reservation for job in past.jobs]) == (True, [""])
    night = AdvanceReservation("night", 0, 200 * SECOND_US, ("a", "gone"))
    known = inside._replace(reservations=[ReservationChange(0, "night", night)])
    past = past_of(known, None, "prediction")
    assert (past.has_untold, [job.reservation for job in past.jobs]) == (False, ["night"])
    [change] = past.cluster.reservations
    assert change.made is not None
    assert (change.made.nodes, change.made.users) == (("a",), (view(1)["user"],))


def asks(job_id: int, state: str, cores: int, **more: object) -> dict[str, Any]:
    """Return a job that runs since its submit or waits, and asks for more than cores."""
    request = view(job_id)["request"][0] | {"units": cores} | more
    start_us = view(job_id)["start_us"] if state == "RUNNING" else None
    over = {"state": state, "start_us": start_us, "end_us": None, "cause": None}
    return view(job_id, request=[request], **over)


def starts_s(
    views: list[dict[str, Any]], nodes: list[Node], *partitions: Partition
) -> dict[int, int]:
    """Return when the waiting jobs start under EASY from second 10 on, by their numbers."""
    now_us = 10 * SECOND_US
    source = HistorySource(views, nodes, "easy", "nodes", now_us, 1.0, partitions)
    past = past_of(source, None, "prediction")
    course = what_if_under(past.now(), past.cluster, parse_recipe("easy"), now_us, 10**15)
    waiting = [one["job_id"] for one in past.waiting]
    return {number: course.jobs[number].start_us // SECOND_US for number in waiting}


def test_jobs_stay_in_their_partitions() -> None:
    views = [
        asks(1, "RUNNING", 2, partition="left"),
        asks(2, "PENDING", 1, partition="left"),
        asks(3, "PENDING", 1, partition="right"),
        asks(4, "PENDING", 1, partition="closed"),
        asks(5, "PENDING", 1, partition="short"),
        asks(6, "RUNNING", 1, partition="gone"),
        asks(7, "PENDING", 1, partition="gone"),
    ]
    nodes = [Node("a", 2, 0), Node("b", 2, 0)]
    left, right = Partition("left", ("a",)), Partition("right", ("b",))
    closed, short = Partition("closed", state="down"), Partition("short", max_time_us=1)
    # 1 is predicted to run for 30 s, and 6 runs on a node that the others leave
    assert starts_s(views, nodes, left, right, closed, short) == {2: 31, 3: 10}


def test_limits_that_never_let_a_job_start_leave_it_out() -> None:
    """A job that ran under other limits is free of those that there are now."""
    views = [
        asks(1, "RUNNING", 2, partition=None) | {"account": "physics"},
        asks(2, "PENDING", 2) | {"account": "physics"},
        asks(3, "PENDING", 1) | {"account": "physics"},
        asks(4, "PENDING", 1) | {"qos": "short"},
        asks(5, "PENDING", 1) | {"qos": "none"},
        asks(6, "PENDING", 1) | {"licenses": "matlab"},
        asks(7, "PENDING", 1) | {"licenses": "matlab:2"},
    ]
    policies = Policies(
        (AccountPolicy("site", None, JobLimits(max_cpus=1)), AccountPolicy("physics", "site")),
        (
            QosPolicy("short", JobLimits(max_time_us=1)),
            QosPolicy("none", JobLimits(max_running_per_user=0)),
        ),
        (License("matlab", 1),),
    )
    nodes, now_us = [Node("a", 4, 0)], 10 * SECOND_US
    source = HistorySource(views, nodes, "easy", "nodes", now_us, policies=policies)
    past = past_of(source, None, "prediction")
    assert {job.number: job.account for job in past.jobs} == {1: "", 3: "physics", 6: ""}
    assert (past.over_limit, past.too_large) == (4, 0)


def test_jobs_are_as_nice_as_now() -> None:
    views = [asks(1, "PENDING", 1) | {"nice": 500}, asks(2, "PENDING", 1)]
    source = HistorySource(views, [Node("a", 4, 0)], "fair-share", "nodes", 10 * SECOND_US)
    assert [job.nice for job in past_of(source, None, "prediction").jobs] == [500, 0]


def test_a_higher_tier_comes_first() -> None:
    views = [
        asks(1, "RUNNING", 2, partition="low"),
        asks(2, "PENDING", 2, partition="low"),
        asks(3, "PENDING", 2, partition="high"),
    ]
    low, high = Partition("low"), Partition("high", tier=2)
    assert starts_s(views, [Node("a", 2, 0)], low, high) == {3: 31, 2: 61}


def test_jobs_run_on_where_no_other_starts_now() -> None:
    """Job 1 runs on a node that is drained by now, 2 beside it, and 3 on both, which it needs."""
    drained = Node("b", 2, 0, drain_reason="repair")
    views = [
        asks(1, "RUNNING", 1) | {"nodelist": "b"},
        asks(2, "RUNNING", 1) | {"nodelist": "a", "prediction_s": 40.0},
        asks(3, "RUNNING", 2, spread=True) | {"nodelist": "a,b", "prediction_s": 50.0},
        asks(4, "PENDING", 1),
        asks(5, "PENDING", 2),
    ]
    assert starts_s(views, [Node("a", 2, 0), drained]) == {4: 42, 5: 72}
    source = HistorySource(views, [Node("a", 2, 0), drained], "easy", "nodes", 10 * SECOND_US)
    for since_s, taking_part in ((None, [1, 2, 4, 5]), (9, [1, 2, 3, 4, 5])):
        past = past_of(source, None if since_s is None else since_s * SECOND_US, "prediction")
        assert [job.number for job in past.jobs] == taking_part
        assert [job.number for job in past.now()] == [1, 2, 3, 4, 5]
        assert past.too_large == 5 - len(taking_part)
        assert (past.over_limit, past.unused) == (0, ["b"])


def test_jobs_wait_for_devices() -> None:
    views = [
        asks(1, "RUNNING", 1, gres="gpu:1"),
        asks(2, "PENDING", 1, gres_per_unit="gpu:1"),
        asks(3, "PENDING", 1),
        asks(4, "PENDING", 1, gres="gpu:2"),  # more than there are
    ]
    gpu = (Share("gpu", 1, (0,)),)
    assert starts_s(views, [Node("a", 4, 0, gres=gpu)]) == {2: 31, 3: 10}


@pytest.mark.live
def test_partitions_devices_and_limits_are_told_by_daemon_and_directory(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon(
        *("--no-local-node", "--emulate", "2x2", "--emulate-gres", "gpu:1"),
        config='[partitions.left]\nnodes = "e1"\nmax_time = "1:00:00"\n[partitions.right]\n'
        '[qos.short]\nmax_time = "2:00:00"\nmax_running_per_user = 3\n',
    )
    specs = [{"partition": "left", "gres": "gpu:1"}] * 2 + [{"partition": "right", "gres": "gpu"}]
    for spec in specs:
        daemon.emulate(3000.0, time_limit_s=3000.0, **spec)
    wait_until(lambda: daemon.state_of(3) == "RUNNING")
    sources = [source_of_directory(daemon.state)]
    arguments = Namespace(since=None, server=f"unix:{daemon.state / 'rmsd.sock'}")
    arguments.token_file = arguments.ca_file = None
    with source_of_server(arguments) as source:
        sources.append(source._replace(views=list(source.views)))
    for source in sources:
        past = past_of(source, None, "estimate")
        assert [job["job_id"] for job in past.waiting] == [2]
        hour = Partition("left", ("e1",), max_time_us=3600 * SECOND_US)
        assert [one.name for one in source.partitions] == ["left", "right"]
        assert source.partitions[0] == hour
        short = JobLimits(max_running_per_user=3, max_time_us=7200 * SECOND_US)
        assert QosPolicy("short", short) in source.policies.qos
        course = what_if_under(past.now(), past.cluster, parse_recipe("easy"), past.now_us, 10**18)
        assert course.jobs[2].start_us >= past.now_us + 2000 * SECOND_US


@pytest.mark.parametrize(
    ("views", "nodes", "words"),
    [
        ([], [Node("a", 2, 0)], "^there is no history: no job was ever submitted$"),
        ([view(1)], [Node("a", 2, 0, drain_reason="x")], "no node takes work"),
        ([view(1, state="FAILED", cause="launch")], [Node("a", 2, 0)], "no job can take part"),
    ],
)
def test_nothing_to_simulate(views: list[dict[str, Any]], nodes: list[Node], words: str) -> None:
    with pytest.raises(CommandError, match=words):
        past_of(HistorySource(views, nodes, "easy", "nodes", 0), None, "prediction")


def test_a_history_of_earlier_jobs_alone_is_said_to_be_one() -> None:
    with pytest.raises(CommandError, match="no job was submitted, waited or ran; give a longer"):
        past_of(HistorySource([], [Node("a", 2, 0)], "easy", "nodes", 0), SECOND_US, "prediction")
