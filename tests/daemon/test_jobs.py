"""Jobs through the daemon: submit, run, end, and what is refused."""

from __future__ import annotations

import getpass
import json
import time
from collections.abc import Callable, Iterator

import pytest

from rmsd_client.api import Client
from rmsd_client.errors import ApiError
from tests.daemon.fold import assert_events_fold_to_tables
from tests.live import Daemon
from tests.waiting import DEADLINE_S, wait_until

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def cluster() -> Iterator[Daemon]:
    """Run one daemon for the tests that leave no trace on each other."""
    daemon = Daemon("--no-local-node", "--emulate", "2x4", config='kill_grace = "1s"\n')
    try:
        yield daemon.start()
    finally:
        daemon.close()


def test_a_job_from_submit_to_history(cluster: Daemon) -> None:
    job_id = cluster.submit("echo out; echo err >&2; exit 3", name="first", comment="a test")
    job = cluster.wait(job_id)
    assert (job["state"], job["state_code"], job["cause"]) == ("FAILED", "F", "exit")
    assert (job["exit_code"], job["signal"]) == (3, None)
    assert job["reason"] == "NonZeroExitCode"
    assert job["submit_us"] <= job["start_us"] <= job["end_us"]
    assert job["submit_time"].endswith("Z")
    assert job["comment"] == "a test"
    assert cluster.lines(f"rms-{job_id}.out") == ["out", "err"]
    assert job_id not in [one["job_id"] for one in cluster.client.jobs()]
    assert job_id in [one["job_id"] for one in cluster.client.jobs(states="F")]
    assert job_id in [one["job_id"] for one in cluster.client.jobs(name="first", states="all")]
    assert cluster.client.jobs(ids=[job_id]) == [cluster.client.job(job_id)]


def test_what_a_job_sees(cluster: Daemon) -> None:
    job_id = cluster.submit(
        'env | sort > env; echo "$1-$2"', tasks=3, nodes=2, cpus_per_task=2, mem_mib=100,
        args=["a b", "c"], env={"MINE": "x", "PATH": "/bin:/usr/bin"}, name="sees",
        stdout="%x.%j.%%.%u", time_limit_s=60.0,
    )  # fmt: skip
    job = cluster.wait(job_id)
    assert job["state"] == "COMPLETED", job
    env = dict(line.split("=", 1) for line in cluster.lines("env"))
    assert env["MINE"] == "x"
    assert env["RMS_JOB_ID"] == str(job_id)
    assert env["RMS_NODELIST"] == job["nodelist"] == "e[1-2]"
    assert env["RMS_NTASKS"] == "3"
    assert env["RMS_NNODES"] == "2"
    assert env["RMS_TASKS_PER_NODE"] == "2,1"
    assert env["RMS_CPUS_PER_TASK"] == "2"
    assert env["RMS_CPUS_ON_NODE"] == "4"
    assert env["RMS_MEM_PER_NODE"] == "100"
    assert env["RMS_RESTART_COUNT"] == "0"
    assert int(env["RMS_JOB_END_TIME"]) >= int(env["RMS_JOB_START_TIME"]) + 60
    assert env["RMSD_SERVER"] == f"unix:{cluster.state}/rmsd.sock"
    output = cluster.work / f"sees.{job_id}.%.{job['user']}"
    assert output.read_text() == "a b-c\n"
    assert job["stdout"] == str(output)
    assert job["node_cpus"] == [4, 4]


def test_the_limit_kills_and_the_cause_names_it(cluster: Daemon) -> None:
    job = cluster.wait(cluster.submit("trap 'exit 0' TERM; sleep 60 & wait", time_limit_s=0.5))
    assert (job["state"], job["cause"], job["reason"]) == ("TIMEOUT", "limit", "TimeLimit")


def test_cancelling(cluster: Daemon) -> None:
    running = cluster.submit("touch started; sleep 60", tasks=8)
    waiting = cluster.submit("touch never", tasks=8)
    wait_until(lambda: (cluster.work / "started").exists())
    assert cluster.client.job(waiting)["reason"] == "Resources"
    assert cluster.client.cancel(waiting)["state"] == "CANCELLED"
    assert cluster.client.cancel(running)["state"] in ("COMPLETING", "CANCELLED")
    job = cluster.wait(running)
    assert (job["state"], job["cause"]) == ("CANCELLED", "user")
    assert cluster.client.job(waiting)["start_us"] is None
    with pytest.raises(ApiError, match="already over: CANCELLED") as failed:
        cluster.client.cancel(running)
    assert failed.value.status == 409
    assert not (cluster.work / "never").exists()


def test_jobs_wait_for_each_other(cluster: Daemon) -> None:
    first = cluster.submit("sleep 0.2; echo 1 >> order", tasks=8)
    second = cluster.submit("echo 2 >> order", tasks=8)
    assert cluster.wait(second)["state"] == "COMPLETED"
    assert cluster.lines("order") == ["1", "2"]
    assert cluster.client.job(first)["end_us"] <= cluster.client.job(second)["start_us"]


def test_a_timer_ends_when_it_should_to_the_microsecond(cluster: Daemon) -> None:
    job = cluster.wait(cluster.emulate(0.25, tasks=2))
    assert job["state"] == "COMPLETED"
    assert job["end_us"] - job["start_us"] == 250_000
    killed = cluster.wait(
        cluster.client.submit(
            [{"emulate": {"run_s": 60.0, "limited": True}, "time_limit_s": 0.25}]
        )[0]["job_id"]
    )
    assert (killed["state"], killed["end_us"] - killed["start_us"]) == ("TIMEOUT", 250_000)


def test_output_is_followed_to_its_end(cluster: Daemon) -> None:
    job_id = cluster.submit("echo one; while [ ! -e go ]; do sleep 0.02; done; echo two")
    first = cluster.client.output(job_id, wait_s=30.0)
    assert (first.data, first.offset, first.eof) == (b"one\n", 4, False)
    (cluster.work / "go").touch()
    text, offset, eof = first.data, first.offset, False
    while not eof:
        part = cluster.client.output(job_id, offset=offset, wait_s=30.0)
        text, offset, eof = text + part.data, part.offset, part.eof
    assert text == b"one\ntwo\n"


def test_a_batch_is_accepted_whole_or_not_at_all(cluster: Daemon) -> None:
    good = {"script": "#!/bin/sh\n", "workdir": str(cluster.work), "stdout": "/dev/null"}
    with pytest.raises(ApiError, match=r"jobs\[1\]: 'tasks' is 0"):
        cluster.client.submit([good, good | {"tasks": 0}])
    before = cluster.submit(":")
    told = cluster.client.submit([good] * 3)
    assert [job["job_id"] for job in told] == [before + 1, before + 2, before + 3]


NEVER = [
    ({"tasks": 9}, "9 x 1 core asked for; the cluster has 2 such nodes with 8 cores", ""),
    ({"nodes": 3}, "each on a node of its own", ""),
    ({"mem_mib": 1 << 20}, "1024 GiB of memory on each node", "mem_mib"),
    ({"constraint": "real"}, "feature 'real'", "constraint"),
    ({"constraint": "real", "mem_mib": 1}, "feature 'real'", "constraint"),
    ({"constraint": "real", "nodes": 3}, "feature 'real'", ""),
    ({"gres": "tpu:1"}, "tpu:1 on each node", "gres"),
    ({"gres_per_task": "tpu:1"}, "tpu:1 for each", "gres"),
    ({"nodelist": "nosuch"}, "among them nosuch", "nodelist"),
]


@pytest.mark.parametrize(("spec", "why", "field"), NEVER, ids=[str(one[0]) for one in NEVER])
def test_what_never_fits_is_refused_with_the_numbers(
    cluster: Daemon, spec: dict[str, object], why: str, field: str
) -> None:
    with pytest.raises(ApiError) as failed:
        cluster.submit(":", **spec)
    assert (failed.value.status, failed.value.exit_code) == (422, 65)
    assert why in str(failed.value)
    assert failed.value.field == field


UNUSABLE = [
    ({"tasks": -1}, 400, 2, "'tasks' is -1"),
    ({"cpus_per_task": 0}, 400, 2, "'cpus_per_task' is 0"),
    ({"nodes": 0}, 400, 2, "'nodes' is 0"),
    ({"nodes": 2, "tasks": 1}, 400, 2, "fewer than the 2 'nodes'"),
    ({"time_limit_s": -5.0}, 400, 2, "'time_limit_s' is -5.0"),
    ({"workdir": "relative"}, 400, 2, "'workdir' is 'relative'"),
    ({"stdout": "%q"}, 400, 2, "'stdout' has '%q'"),
    ({"stdout": "a%"}, 400, 2, "'stdout' has '%'"),
    ({"name": "a\nb"}, 400, 2, "'name' is"),
    ({"env": {"A=B": "c"}}, 400, 2, "'env' has 'A=B'"),
    ({"colour": "red"}, 400, 2, "colour"),
    ({"tasks": "two"}, 400, 2, "$.jobs[0].tasks"),
    ({"script": "echo no interpreter"}, 400, 2, "must begin with '#!'"),
    ({"script": None}, 400, 2, "exactly one of 'script' and 'emulate'"),
    ({"script": "#!/bin/sh\n" + "#" * (4 << 20)}, 413, 2, "more than the limit of 4194304"),
]


@pytest.mark.parametrize(
    ("spec", "status", "exit_code", "why"), UNUSABLE, ids=[case[3] for case in UNUSABLE]
)
def test_what_is_unusable_is_refused_by_name(
    cluster: Daemon, spec: dict[str, object], status: int, exit_code: int, why: str
) -> None:
    usable = {"script": "#!/bin/sh\n", "workdir": str(cluster.work)}
    with pytest.raises(ApiError) as failed:
        cluster.client.submit([usable | spec])
    assert (failed.value.status, failed.value.exit_code) == (status, exit_code)
    assert why in str(failed.value)


def test_unknown_things_are_problems(cluster: Daemon) -> None:
    for method, target, status in [
        ("GET", "/v1/nonsense", 404),
        ("PUT", "/v1/jobs", 405),
        ("GET", "/v1/jobs/999999", 404),
        ("GET", "/v1/jobs/abc", 404),
        ("DELETE", "/v1/jobs/999999", 404),
        ("GET", "/v1/jobs?states=XX", 400),
        ("GET", "/v1/jobs?colour=red", 400),
        ("GET", "/v1/jobs/1?wait_s=x", 400),
    ]:
        response = cluster.client.connection.request(method, target, None, None, 0.0)
        assert response.status == status, target
        problem = json.loads(response.body)
        assert problem["status"] == status
        assert problem["detail"]
    with pytest.raises(ApiError, match="no node 'x'"):
        cluster.client.drain("x", "why not")


def test_a_repeated_key_gives_the_first_answer(cluster: Daemon) -> None:
    spec = {"script": "#!/bin/sh\necho x >> once\n", "workdir": str(cluster.work)}
    first = cluster.client.submit([spec, spec], key="k1")
    assert cluster.client.submit([spec, spec], key="k1") == first
    with pytest.raises(ApiError, match="another request") as failed:
        cluster.client.submit([spec], key="k1")
    assert failed.value.status == 422
    for job in first:
        cluster.wait(job["job_id"])
    assert cluster.client.submit([spec, spec], key="k1") == first
    assert cluster.lines("once") == ["x", "x"]


def test_status_counts(cluster: Daemon) -> None:
    cluster.wait(cluster.emulate(0.0))  # this daemon may not have seen a test before
    status = cluster.client.status()
    assert status["pid"] == cluster.pid
    assert (status["cores"], sum(status["nodes"].values())) == (8, 2)
    assert status["passes"] > 0 < status["commits"]
    for what in ("pass_ms", "commit_ms"):
        assert 0 < status[what]["p50"] <= status[what]["p99"] <= status[what]["max"]


@pytest.mark.slow
def test_draining(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "1x2")
    running = daemon.submit("while [ ! -e go ]; do sleep 0.02; done")
    daemon.wait_for(running, "RUNNING")
    assert daemon.client.drain("e1", "new disk")["state"] == "draining"
    waiting = daemon.submit("true")
    (daemon.work / "go").touch()
    assert daemon.wait(running)["state"] == "COMPLETED"
    [node] = daemon.client.nodes()
    assert (node["state"], node["reason"]) == ("drained", "new disk")
    assert daemon.client.job(waiting)["reason"] == "ReqNodeNotAvail"
    me = getpass.getuser()
    assert (node["is_drained"], node["drain_by"]) == (True, me)
    assert node["drain_us"] > daemon.client.job(running)["start_us"]
    daemon.kill()
    daemon.start(nodes=1)
    [again] = daemon.client.nodes()
    names = ("reason", "is_drained", "drain_by", "drain_us")
    assert [again[name] for name in names] == [node[name] for name in names]
    assert daemon.state_of(waiting) == "PENDING"
    assert daemon.client.resume("e1")["state"] in ("idle", "mixed")
    assert daemon.wait(waiting)["state"] == "COMPLETED"
    [resumed] = daemon.client.nodes()
    assert (resumed["is_drained"], resumed["drain_by"]) == (False, me)
    assert resumed["drain_us"] > node["drain_us"]
    daemon.stop()
    assert_events_fold_to_tables(daemon)


@pytest.mark.slow
def test_counted_capacity_and_an_accelerated_clock(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(
        "--no-local-node", "--emulate", "2x2", "--capacity", "counted",
        "--rate", "1000", "--recipe", "easy",
    )  # fmt: skip
    before = daemon.client.status()["clock"]["model_us"]
    wide = daemon.emulate(100.0, tasks=3, time_limit_s=200.0)
    narrow = daemon.emulate(50.0, tasks=1, time_limit_s=60.0)
    assert daemon.wait(wide)["end_us"] - daemon.client.job(wide)["start_us"] == 100_000_000
    assert daemon.wait(narrow)["cpus"] == 1
    with pytest.raises(ApiError, match="5 processors asked for, the machine has 4"):
        daemon.emulate(1.0, tasks=5)
    with pytest.raises(ApiError, match="counts processors"):
        daemon.emulate(1.0, nodes=1)
    daemon.stop()
    model = daemon.start().client.status()["clock"]
    assert model["rate"] == 1000
    assert model["model_us"] > before + 100_000_000
    # The clock stood still while the daemon was down, and is ahead of the real one for good.
    assert model["model_us"] > time.time_ns() // 1000


def test_a_second_user_of_the_api(daemon: Daemon) -> None:
    """A long poll does not hold up other requests, and is answered at the end of the job."""
    job_id = daemon.submit("while [ ! -e go ]; do sleep 0.02; done")
    daemon.wait_for(job_id, "RUNNING")
    with Client(f"unix:{daemon.state}/rmsd.sock", retry_for_s=DEADLINE_S) as other:
        assert other.job(job_id, wait_s=0.05)["state"] == "RUNNING"
        (daemon.work / "go").touch()
        assert other.job(job_id, wait_s=30.0)["state"] == "COMPLETED"
