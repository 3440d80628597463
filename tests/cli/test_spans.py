"""`rmsd spans`: a collector gets the roads of jobs that end in a real daemon."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from rmsd_cli.spans.collector import Collector
from rmsd_cli.spans.follower import EndFollower
from rmsd_cli.spans.road import JobSpan, road
from rmsd_client.errors import ApiError
from tests.live import Daemon
from tests.waiting import wait_until

_SECOND_US = 1_000_000


class Taken:
    """A collector: what it has taken, and where it listens. `refuses`: it takes nothing."""

    def __init__(self) -> None:
        self.spans: list[Any] = []
        self.refuses = False
        self.requests = 0
        taken = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                taken.requests += 1
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if not taken.refuses:
                    request = ExportTraceServiceRequest.FromString(body)
                    for of_resource in request.resource_spans:
                        for scope in of_resource.scope_spans:
                            taken.spans += scope.spans
                self.send_response(400 if taken.refuses else 200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1/traces"

    def of_job(self, job_id: int) -> list[Any]:
        """Return the spans of a job, the whole road first; nothing if it has not come."""
        whole = [one for one in self.spans if value_of(one, "rmsd.job_id") == job_id]
        if not whole:
            return []
        return [one for one in self.spans if one.trace_id == whole[0].trace_id]


def value_of(span: Any, name: str) -> object:
    """Return an attribute of a span; None if it has none of this name."""
    for one in span.attributes:
        if one.key == name:
            return getattr(one.value, one.value.WhichOneof("value"))
    return None


@pytest.fixture
def collector() -> Iterator[Taken]:
    taken = Taken()
    thread = Thread(target=taken.server.serve_forever)
    thread.start()
    try:
        yield taken
    finally:
        taken.server.shutdown()
        thread.join()
        taken.server.server_close()


@contextmanager
def sent(daemon: Daemon, *words: str) -> Iterator[None]:
    process = daemon.begin("rmsd", "spans", *words)
    try:
        yield
    finally:
        process.terminate()
        process.communicate()


@pytest.mark.live
@pytest.mark.slow
def test_the_roads_of_jobs_arrive_also_after_a_restart_of_the_daemon(
    daemon: Daemon, collector: Taken
) -> None:
    first = daemon.submit("true", name="first")
    daemon.wait(first)
    with sent(daemon, "--since", "1h", "--endpoint", collector.endpoint):
        wait_until(lambda: collector.of_job(first))
        whole, *parts = collector.of_job(first)
        assert (whole.name, whole.parent_span_id) == ("job", b"")
        assert value_of(whole, "rmsd.state") == "COMPLETED"
        job = daemon.client.job(first)
        assert whole.start_time_unix_nano == job["submit_us"] * 1000
        assert whole.end_time_unix_nano == job["end_us"] * 1000
        attempt = next(one for one in parts if one.name == "attempt")
        assert attempt.parent_span_id == whole.span_id
        failed = daemon.submit("exit 3")
        daemon.wait(failed)
        wait_until(lambda: collector.of_job(failed))
        whole, *_ = collector.of_job(failed)
        assert (whole.status.code, value_of(whole, "rmsd.exit_code")) == (2, 3)
        array = daemon.submit("true", array="0-2")
        daemon.stop()
        daemon.start()
        wait_until(lambda: not daemon.client.jobs())
        tasks = [job["job_id"] for job in daemon.client.jobs(ids=[array], states="all")]
        assert len(tasks) == 3
        for task in tasks:
            wait_until(lambda task=task: collector.of_job(task))  # type: ignore[misc]


@pytest.mark.live
@pytest.mark.slow
def test_what_a_collector_does_not_take_is_told(daemon: Daemon, collector: Taken) -> None:
    collector.refuses = True
    process = daemon.begin("rmsd", "spans", "--endpoint", collector.endpoint, "--since", "1h")
    try:
        daemon.wait(daemon.submit("true"))
        assert process.stderr is not None
        told = []
        while "did not take the spans of 1 jobs" not in "".join(told):
            told.append(process.stderr.readline().decode())
            assert told[-1], told
    finally:
        process.terminate()
        process.communicate()


def _job(**told: object) -> dict[str, Any]:
    """Return a job that waited from 0 to 100 s, was suspended never, and ran for a while."""
    names = (
        *("job_id", "array_job_id", "array_task_id", "user", "account", "qos", "partition"),
        *("cpus", "mem_mib", "nodes", "nodelist", "cause", "exit_code", "signal", "backfilled"),
        *("cpu_s", "max_rss_mib", "estimate_s", "prediction_s", "lost_s", "suspended_s"),
        *("reservation", "message"),
    )
    times = {"submit_us": 0, "eligible_us": 10 * _SECOND_US, "end_us": 100 * _SECOND_US}
    return {**dict.fromkeys(names), "state": "COMPLETED", **times, **told}


def _attempt(number: int, start_s: int, end_s: int, code: int | None) -> dict[str, Any]:
    return {
        **dict.fromkeys(("cause", "signal", "message", "nodelist")),
        "attempt": number,
        "start_us": start_s * _SECOND_US,
        "end_us": end_s * _SECOND_US,
        "exit_code": code,
    }


def test_a_road_has_each_wait_and_each_attempt_one_after_the_other() -> None:
    attempts = [_attempt(1, 20, 30, None), _attempt(2, 60, 100, 0)]
    found = [
        (one.name, one.start_us // _SECOND_US, one.end_us // _SECOND_US)
        for one in road(_job(), attempts, [])
    ]
    assert found == [
        ("job", 0, 100),
        ("not eligible", 0, 10),
        ("wait", 10, 20),
        ("attempt", 20, 30),
        ("wait", 30, 60),
        ("attempt", 60, 100),
    ]


def test_the_road_of_a_job_that_never_started_is_its_wait() -> None:
    spans = road(_job(state="CANCELLED", message="cancelled by ann"), [], [])
    assert [(one.name, one.failed) for one in spans] == [
        ("job", "cancelled by ann"),
        ("not eligible", ""),
        ("wait", ""),
    ]


def test_many_steps_and_long_texts_of_a_job_come_in_requests_of_a_size(collector: Taken) -> None:
    """All spans of 200 jobs were one request. The thousands of steps of one job made it larger than
    a collector takes, and no spans of the other jobs arrived."""
    step = JobSpan("/attempt 1/step 1", "step", 1, 2, {"rmsd.nodelist": "n" * 10_000}, "m" * 10_000)
    whole = JobSpan("", "job", 1, 2, {"rmsd.job_id": 2})
    roads = {"one": [step._replace(key=f"/attempt 1/step {i}") for i in range(600)], "two": [whole]}
    assert Collector(collector.endpoint).take(roads)
    assert len(collector.spans) == 601
    assert collector.requests == 2
    assert len(str(value_of(collector.spans[0], "rmsd.nodelist"))) == 4096
    assert len(collector.spans[0].status.message) == 4096
    assert [one.name for one in collector.of_job(2)] == ["job"]


class _Pruning:
    """A daemon that deletes a job between two questions about the job."""

    def jobs(self, **_asked: object) -> list[dict[str, Any]]:
        return [_job(job_id=1, attempt=1)]

    def job_pages(self, **asked: object) -> list[list[dict[str, Any]]]:
        return [self.jobs(**asked)]

    def steps(self, _job_ids: object) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        return [], []

    def attempts(self, job_id: int) -> list[dict[str, Any]]:
        raise ApiError(404, f"there is no job {job_id}")


def test_a_job_that_is_deleted_meanwhile_ends_nothing() -> None:
    """The program ended, and sent no later jobs either."""
    sent_roads: list[Any] = []
    EndFollower(sent_roads.append, 0).follow(iter(()), _Pruning())
    [roads] = sent_roads
    [spans] = roads.values()
    assert [one.name for one in spans] == ["job", "not eligible", "wait"]
