"""Parts of the daemon that are functions: clocks, launches, reconciliation."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
import time
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from rmsd_core.jobs.attempt import Attempt, Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import ClaimedPlace, Claiming, OnTrial, StartKind, Stopping
from rmsd_core.jobs.request import Piece, processors
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import Launched, NodeUp, Submit
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause, JobState, Used
from rmsd_daemon.agents.links import AgentLinks
from rmsd_daemon.api.job_io import JobIoApi
from rmsd_daemon.callers import auth
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.callers.growth import Growth
from rmsd_daemon.domain.errors import DaemonError
from rmsd_daemon.domain.submission import NewJob, Payload, Rules, new_job
from rmsd_daemon.domain.turns import Turn
from rmsd_daemon.front.problems import check_reply, problem_of
from rmsd_daemon.loop.dispatch import Dispatcher
from rmsd_daemon.loop.launch import JobRules, Launches, output_path, tasks_per_node
from rmsd_daemon.loop.live_details import LiveDetails
from rmsd_daemon.loop.live_index import LiveIndex
from rmsd_daemon.loop.reconcile import reconcile
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.filters import ANY
from rmsd_daemon.queries.history import JobHistory
from rmsd_daemon.queries.views import job_view
from rmsd_daemon.setup.clock import RealClock, ScaledClock, make_clock, real_delay_s
from rmsd_daemon.store.failures import StoreError
from rmsd_daemon.store.records import changing_columns, given_columns, job_of
from rmsd_wire import link
from rmsd_wire.api.submission import EmulateSpec, SubmitSpec
from rmsd_wire.link import HeldAttempt, StopAttempt
from rmsd_wire.link_calls import Reply
from rmsd_wire.slurm_names import slurm_names
from tests.daemon.scheduling import NoLinks
from tests.jobs import running
from tests.waiting import DEADLINE_S

RULES = Rules("nodes", None, 1 << 20, "/home/ann")
HOUR_US = 3600 * 1_000_000


def utc_us() -> int:
    return time.time_ns() // 1000


def test_a_real_clock_is_utc_and_never_goes_back() -> None:
    clock = make_clock(1.0, 0, was_scaled=False)
    assert isinstance(clock, RealClock)
    before = utc_us()
    readings = [clock.now_us() for _ in range(1000)]
    assert readings == sorted(readings)
    assert abs(readings[0] - before) < HOUR_US


def test_a_scaled_clock_goes_on_where_it_stood() -> None:
    stood = utc_us() - HOUR_US
    clock = make_clock(100.0, stood, was_scaled=True)
    assert isinstance(clock, ScaledClock)
    assert stood <= clock.now_us() < stood + HOUR_US // 2


def test_a_scaled_clock_begins_at_utc_on_its_first_day() -> None:
    before = utc_us()
    assert make_clock(100.0, 0, was_scaled=False).now_us() >= before
    assert make_clock(100.0, before - HOUR_US, was_scaled=False).now_us() >= before


def test_the_past_of_a_state_directory_never_lies_in_the_future() -> None:
    ahead = utc_us() + HOUR_US
    clock = make_clock(1.0, ahead, was_scaled=True)
    assert clock.now_us() >= ahead
    assert clock.rate == 1.0


def test_model_time_becomes_a_real_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = ScaledClock(1000.0, 0)
    monkeypatch.setattr(clock, "now_us", lambda: HOUR_US // 6)
    assert real_delay_s(clock, HOUR_US) == 3.0
    assert real_delay_s(clock, -1) == 0.0


def new_job_of(**spec: object) -> NewJob:
    """Return a job that waits."""
    return new_job(SubmitSpec(**{"script": "#!/bin/sh\n", **spec}), "ann", 1, RULES)  # type: ignore[arg-type]


def made(allocation: tuple[Piece, ...], **spec: object) -> NewJob:
    """Return a job that runs on `allocation`."""
    new = new_job_of(**spec)
    new.job.id = 7
    running(new.job, *allocation, start_us=5, launched=False)
    return new


def attempt_of(job: Job) -> Attempt:
    assert job.phase.attempt is not None
    return job.phase.attempt


TWO = (Piece("n1", 4), Piece("n2", 2))


@pytest.mark.parametrize(
    ("spec", "counts"),
    [
        ({"tasks": 3, "cpus_per_task": 2}, [2, 1]),
        ({"nodes": 2, "tasks": 3}, [2, 1]),
        ({"nodes": 2, "tasks": 5}, [3, 2]),
        ({"nodes": 2}, [1, 1]),
    ],
)
def test_tasks_are_dealt_to_the_nodes(spec: dict[str, object], counts: list[int]) -> None:
    new = made(TWO, **spec)
    assert tasks_per_node(new.job, new.details) == counts


def test_memory_may_be_accounted_alone() -> None:
    new = made(TWO, tasks=3, cpus_per_task=2, mem_mib=100)
    for limited, limit in ((True, 100), (False, 0)):
        rules = JobRules(5.0, limit_memory=limited)
        for launch in Launches(new.job, new.details, new.payload, 1.0, rules):
            assert (launch.mem_mib, launch.env["RMS_MEM_PER_NODE"]) == (limit, "100")


@pytest.mark.parametrize(
    "script", ["#!/bin/sh\n#SBATCH -n 3\n", "#!/bin/sh\nmpirun -np $SLURM_NTASKS a\n"]
)
def test_a_script_for_slurm_finds_slurms_variables(script: str) -> None:
    env = {"SLURM_JOB_ID": "1"}  # the job around the submit sets this
    new = made(TWO, tasks=3, cpus_per_task=2, mem_mib=100, script=script, env=env, submit_dir="/s")
    first, second = Launches(new.job, new.details, new.payload, 1.0, JobRules(5.0))
    named = {name: value for name, value in first.env.items() if name.startswith("SLURM")}
    assert named == {
        **dict.fromkeys(("SLURM_JOB_ID", "SLURM_JOBID"), "7"),
        **dict.fromkeys(("SLURM_JOB_NODELIST", "SLURM_NODELIST"), "n[1-2]"),
        **dict.fromkeys(("SLURM_JOB_NUM_NODES", "SLURM_NNODES"), "2"),
        "SLURM_JOB_PARTITION": "main",
        "SLURM_JOB_QOS": "normal",
        **dict.fromkeys(("SLURM_NTASKS", "SLURM_NPROCS"), "3"),
        **dict.fromkeys(("SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID"), "0"),
        "SLURM_JOB_NAME": "job",
        "SLURM_JOB_USER": new.job.user,
        "SLURM_CPUS_PER_TASK": "2",
        "SLURM_TASKS_PER_NODE": "2,1",
        "SLURM_JOB_CPUS_PER_NODE": "4,2",
        "SLURM_CPUS_ON_NODE": "4",
        "SLURM_MEM_PER_NODE": "100",
        "SLURMD_NODENAME": "n1",
        "SLURM_SUBMIT_DIR": "/s",
        "SLURM_SUBMIT_HOST": "",
    }
    assert (second.env["SLURMD_NODENAME"], second.env["SLURM_CPUS_ON_NODE"]) == ("n2", "2")


def test_slurm_names_the_processors_of_a_task_only_if_they_were_asked_for() -> None:
    for asked in ({"cpus_per_task": 1}, {}):
        new = made(TWO[:1], script="#!/bin/sh\n#SBATCH -n 4\n", **asked)
        [launch] = Launches(new.job, new.details, new.payload, 1.0, JobRules(5.0))
        assert launch.env.get("SLURM_CPUS_PER_TASK") == (str(1) if asked else None)
        assert "SLURM_RESTART_COUNT" not in launch.env
        again = slurm_names({**launch.env, "RMS_RESTART_COUNT": "1"})
        assert again["SLURM_RESTART_COUNT"] == "1"


def test_any_other_script_finds_no_variables_of_slurm() -> None:
    new = made(TWO)
    for launch in Launches(new.job, new.details, new.payload, 1.0, JobRules(5.0)):
        assert not [name for name in launch.env if name.startswith("SLURM")]


def test_every_node_gets_its_launch_and_one_gets_the_script() -> None:
    new = made(TWO, tasks=3, cpus_per_task=2, env={"A": "b"}, args=["x"], time_limit_s=60.0)
    first, second = Launches(new.job, new.details, new.payload, 10.0, JobRules(5.0, 20.0))
    assert (first.node, first.batch, first.script, first.args) == ("n1", True, "#!/bin/sh\n", ["x"])
    assert (second.node, second.batch, second.script, second.args) == ("n2", False, "", [])
    # The limit of a script is real time, whatever the rate.
    assert (first.time_limit_s, first.killed_after_s, second.killed_after_s) == (60.0, 80.0, 80.0)
    assert first.env["RMS_CPUS_ON_NODE"] == "4"
    assert second.env["RMS_CPUS_ON_NODE"] == "2"
    assert first.env["RMS_TASKS_PER_NODE"] == "2,1"
    attempt_of(new.job).open_nodes -= {"n1"}
    assert [
        launch.node for launch in Launches(new.job, new.details, new.payload, 1.0, JobRules(5.0))
    ] == ["n2"]


def test_what_a_node_has_used_is_kept_until_the_others_have_ended() -> None:
    new = made(TWO)
    attempt_of(new.job).used = Used(1.5, 20)
    row = given_columns(new.job, new.details) | changing_columns(new.job)
    again, _ = job_of(row)
    assert again.outcome is None
    assert again.used == (1.5, 20)
    shown = job_view(again, new.details, "", 0)
    assert (shown.cpu_s, shown.max_rss_mib) == (None, None)  # the use is not complete yet
    attempt_of(again).open_nodes = frozenset()
    shown = job_view(again, new.details, "", 0)
    assert (shown.cpu_s, shown.max_rss_mib) == (1.5, 20)


def test_what_a_job_is_stopped_for_is_kept_whatever_its_script_says() -> None:
    new = made(TWO)
    job, attempt = new.job, attempt_of(new.job)
    attempt.open_nodes = frozenset({"n1"})
    job.phase = Stopping(attempt, Cause.MEMORY, message="it used too much on node n2")
    for outcome in (None, Outcome(Cause.EXIT, 137, message="it said something else")):
        attempt.outcome = outcome
        again, _ = job_of(given_columns(job, new.details) | changing_columns(job))
        assert again.stop_message == job.stop_message
        assert job_view(again, new.details, "", 0).message == job.stop_message


@pytest.mark.parametrize(("kind", "end_us"), [("for good", None), ("trial", 9), ("speculation", 0)])
def test_how_a_job_is_to_start_where_it_has_a_claim_is_kept(kind: StartKind, end_us: int) -> None:
    new = made(TWO)
    claim = ClaimedPlace(new.job.allocation, frozenset({7}), kind, end_us or None)
    new.job.phase = Claiming(claim)
    row = given_columns(new.job, new.details) | changing_columns(new.job)
    assert row["trial_end_us"] == end_us
    assert job_of(row)[0].phase == new.job.phase


@pytest.mark.parametrize("is_speculation", [False, True])
def test_whether_a_run_on_trial_is_a_speculation_is_kept(is_speculation: bool) -> None:
    new = made(TWO)
    attempt, trial_us = attempt_of(new.job), 0 if is_speculation else 5
    end_us = attempt.start_us + trial_us
    new.job.phase = OnTrial(attempt, end_us, is_speculation)
    again, _ = job_of(given_columns(new.job, new.details) | changing_columns(new.job))
    assert (again.is_trial, again.trial_end_us) == (True, end_us)
    assert again.is_speculation == is_speculation


def test_agents_hear_of_limits_and_of_users_if_jobs_run_as_them() -> None:
    new = made(TWO, tasks=2, mem_mib=100)
    for as_users, user in ((True, "ann"), (False, "")):
        rules = JobRules(5.0, max_processes=10, max_output_bytes=20, as_users=as_users)
        for launch in Launches(new.job, new.details, new.payload, 1.0, rules):
            assert (launch.user, launch.mem_mib) == (user, 100)
            assert (launch.max_processes, launch.max_output_bytes) == (10, 20)
            assert launch.limits == (100, 10)


def test_no_limit_is_sent_as_0_and_read_as_none() -> None:
    new, rules = made(TWO, tasks=2), JobRules(5.0, max_processes=None, max_output_bytes=None)
    for launch in Launches(new.job, new.details, new.payload, 1.0, rules):
        sent = link.encoder.encode(launch)
        fields = msgspec.msgpack.decode(sent)
        assert (fields["mem_mib"], fields["max_processes"], fields["max_output_bytes"]) == (0, 0, 0)
        read = link.to_agent.decode(sent)
        assert isinstance(read, link.Launch)
        assert read.limits == (None, None)


def test_a_script_that_asks_for_no_memory_gets_the_clusters() -> None:
    rules = dataclasses.replace(RULES, default_mem_mib=64)
    for spec, mem_mib in (
        (SubmitSpec(script="#!/bin/sh\n"), 64),
        (SubmitSpec(script="#!/bin/sh\n", mem_mib=10), 10),
        (SubmitSpec(emulate=EmulateSpec(1.0)), 0),
    ):
        new = new_job(spec, "ann", 0, rules)
        assert new.details.mem_mib == mem_mib
        assert new.job.request.components[0].mem_mib == mem_mib


def test_the_limit_of_an_emulated_job_is_model_time() -> None:
    for limited, expected, killed_after_s in ((True, 6.0, 8.0), (False, None, None)):
        emulate = EmulateSpec(5.0, limited=limited)
        new = made(TWO[:1], script=None, emulate=emulate, time_limit_s=60.0)
        [launch] = Launches(new.job, new.details, new.payload, 10.0, JobRules(5.0, 20.0))
        assert (launch.time_limit_s, launch.killed_after_s) == (expected, killed_after_s)
        assert launch.emulation is not None
        assert launch.emulation.run_us == 5_000_000


def test_output_paths() -> None:
    new = made(TWO, name="a/b", stdout="%x-%j-%u-%N-%t-%n-%s-%%.out", workdir="/w")
    assert output_path(new.job, new.details, "stdout") == "/w/a_b-7-ann-n1-0-0-batch-%.out"
    assert output_path(new.job, new.details, "stderr") == "/w/a_b-7-ann-n1-0-0-batch-%.out"
    waiting = new_job_of(stdout="/abs/%N", stderr="err", workdir="/w")
    assert output_path(waiting.job, waiting.details, "stdout") == "/abs/%N"
    assert output_path(waiting.job, waiting.details, "stderr") == "/w/err"


class Cluster:
    """A core with one node that runs what is submitted."""

    def __init__(self) -> None:
        self.core = Core(parse_recipe("easy"))
        self.core.handle(1, [NodeUp("n1", 8, 1000, ("emulated",))])
        self.details = {}

    def run(self, job_id: int, *, launched: bool = True, **spec: object) -> Job:
        new = new_job(SubmitSpec(**{"script": "#!/bin/sh\n", **spec}), "ann", 2, RULES)  # type: ignore[arg-type]
        new.job.id = job_id
        self.details[job_id] = new.details
        self.core.handle(3, [Submit(new.job)])
        if launched:
            self.core.handle(4, [Launched(job_id, 1)])
        return new.job


def test_what_a_returning_agent_is_told() -> None:
    cluster = Cluster()
    kept, starting, lost = cluster.run(1), cluster.run(2, launched=False), cluster.run(3)
    timer = cluster.run(4, script=None, emulate=EmulateSpec(5.0))
    found = reconcile(
        cluster.core,
        cluster.details,
        {"n1"},
        (),
        [HeldAttempt(1, 1, "n1"), HeldAttempt(1, 2, "n1"), HeldAttempt(99, 1, "n1")],
    )
    assert kept.state is lost.state is timer.state is JobState.RUNNING
    # Not confirmed, or a timer: launched again. Of others than the daemon's: ended.
    assert found.launches == {starting: {"n1"}, timer: {"n1"}}
    assert [(exited.job_id, exited.outcome.cause) for exited in found.lost] == [(3, Cause.UNKNOWN)]
    assert sorted(found.stops, key=lambda stop: stop.job_id) == [
        StopAttempt(1, 2, "n1", Cause.NODE),
        StopAttempt(99, 1, "n1", Cause.NODE),
    ]


async def test_large_scripts_are_not_kept_in_memory() -> None:
    """Two thousand of four megabytes each would be eight gigabytes."""
    asked: list[int] = []

    async def read(job_ids: Sequence[int]) -> dict[int, Payload | None]:
        asked.extend(job_ids)
        return dict.fromkeys(job_ids)

    small, large = (
        new_job(SubmitSpec(script="#!/bin/sh\n" + "#" * size), "ann", 0, RULES)
        for size in (10, 1 << 15)
    )
    small.job.id, large.job.id = 1, 2
    core = Core(parse_recipe("easy"), "nodes")
    core.handle(0, [NodeUp("n1", 2, 1000, ("real",))])
    live = {new.job.id: (new.job, new.details) for new in (small, large)}
    dispatcher = Dispatcher(NoLinks(), read, live.get, lambda *_: None, 1.0, JobRules(1.0))
    dispatcher.keep([small, large])
    effects = core.handle(1, [Submit(small.job), Submit(large.job)])
    await dispatcher.send(effects, [], {1: small.details, 2: large.details})
    assert asked == [2]


def test_whom_rates_and_refusals_count_for() -> None:
    """Agents have no user; the requests of one are not those of all."""
    assert Caller("ann", Role.USER, "", grant="t").name == "ann"
    assert Caller("", Role.AGENT, "", grant="k", agent_id="ann").name == "agent ann"
    assert Caller("", Role.AGENT, "", grant="join").name == "agent join"


def test_what_is_remembered_of_accounts_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auth, "MOST_REMEMBERED", 10)
    remembered = auth.KeptLookUps(str.upper, 60.0)
    assert [remembered.get(f"u{number}") for number in range(99)][-1] == "U98"
    assert len(remembered) <= 10


@pytest.mark.parametrize(
    ("said", "told"), [(404, 404), (503, 503), (403, 409), (500, 409), (401, 409), (10**6, 409)]
)
def test_an_agents_refusal_is_not_the_daemons(said: int, told: int) -> None:
    with pytest.raises(DaemonError) as caught:
        check_reply(Reply(1, status=said, error="x" * 10_000))
    assert problem_of(caught.value).status == told
    assert len(problem_of(caught.value).detail) < 5000


async def test_a_database_that_cannot_be_read_now_is_asked_again_later() -> None:
    def ask() -> None:
        raise StoreError("unable to open database file")

    with pytest.raises(DaemonError, match="the database cannot be read now") as caught:
        await JobHistory(cast("Scheduler", None)).ask(ask)
    assert problem_of(caught.value).status == 503


async def test_searches_leave_a_reader_to_those_who_ask_for_one_job() -> None:
    """A search may take 10 s, and each user may have one under way."""
    begun, go_on = threading.Event(), threading.Event()

    def job_ids(*_: object) -> list[int]:
        begun.set()
        assert go_on.wait(DEADLINE_S)
        return [1]

    async def sound() -> None: ...

    cluster, store = SimpleNamespace(index=LiveIndex()), SimpleNamespace(job_ids=job_ids)
    scheduler = SimpleNamespace(sound=sound, details=LiveDetails(), cluster=cluster, store=store)
    history = JobHistory(cast("Scheduler", scheduler))
    searches = [asyncio.create_task(history.page(ANY)) for _ in range(3)]
    try:
        await asyncio.to_thread(begun.wait, DEADLINE_S)
        assert await asyncio.wait_for(history.ask(lambda: "short"), DEADLINE_S / 2) == "short"
    finally:
        go_on.set()
    assert await asyncio.gather(*searches) == [([1], None)] * 3
    history.close()


async def test_entries_of_one_caller_are_committed_one_at_a_time() -> None:
    """The entries of a few hundred requests at once kept the submits of others waiting for a
    second."""
    under_way = most = 0

    async def record(*_: object) -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1

    links = SimpleNamespace(session_of=lambda _: None)
    steps = JobIoApi(
        cast("Scheduler", SimpleNamespace(record=record, clock=SimpleNamespace(now_us=int))),
        cast("AgentLinks", links),
        JobHistory(cast("Scheduler", None)),
        Growth(),
        lambda _: Role.USER,
        as_users=True,
    )
    job = Job(1, "ann", 0, processors(1), HOUR_US)
    caller = Caller("ann", Role.USER, "", grant="t")
    request: Any = {"caller": caller, "still": lambda _: None, "turn": Turn()}
    await asyncio.gather(
        *(steps.put_on_record(request, "stop-task", job, "task 0 of ", "n1") for _ in range(10))
    )
    assert most == 1
