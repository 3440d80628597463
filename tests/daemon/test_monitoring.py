"""The pages for programs that watch the daemon: metrics, health and readiness."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as plain

from rmsd_daemon.domain.histogram import Histogram
from tests.live import Daemon
from tests.waiting import wait_until

DEPLOY = Path(__file__).parents[2] / "deploy" / "monitoring"


@pytest.fixture(scope="module")
def daemon() -> Iterator[Daemon]:
    found = Daemon("--no-local-node", "--emulate", "2x4", "--rate", "600")
    try:
        yield found.start()
    finally:
        found.stop()


def page(daemon: Daemon, path: str, accept: str = "") -> tuple[str, str]:
    """Return the text of a page, and its content type."""
    headers = {"Accept": accept} if accept else {}
    answer = daemon.client.connection.request("GET", path, None, headers)
    assert answer.status == 200, answer.body
    return answer.body.decode(), answer.headers["content-type"]


def values(daemon: Daemon, path: str = "/metrics") -> dict[str, float]:
    """Return every sample by its name and labels, as they stand on the page."""
    text, _ = page(daemon, path)
    return {
        sample.name + "".join(f"[{value}]" for value in sample.labels.values()): sample.value
        for family in plain(text)
        for sample in family.samples
    }


def test_metrics_follow_what_happens(daemon: Daemon) -> None:
    before = values(daemon)
    done = daemon.emulate(60, tasks=3)
    runs = daemon.emulate(360000, tasks=5, time_limit_s=720000)
    waits = daemon.emulate(360000, tasks=8, time_limit_s=720000)
    daemon.wait(done)
    # A count may be a little old, if the machine is busy.
    counted = {
        "rmsd_jobs[RUNNING]": 1,
        "rmsd_jobs[PENDING]": 1,
        "rmsd_cores[allocated]": 5,
        "rmsd_cores[idle]": 3,
        "rmsd_nodes[idle]": 0,
    }
    wait_until(lambda: counted.items() <= values(daemon).items(), "one job runs, and one waits")
    now = values(daemon)
    assert now["rmsd_jobs_ended_total[COMPLETED]"] == before["rmsd_jobs_ended_total[COMPLETED]"] + 1
    assert now["rmsd_job_wait_seconds_count"] == before["rmsd_job_wait_seconds_count"] + 1
    assert now["rmsd_sched_started_total"] == before["rmsd_sched_started_total"] + 2
    assert now["rmsd_sched_pass_seconds_count"] > before["rmsd_sched_pass_seconds_count"]
    assert now["rmsd_rpc_seconds_count[submit]"] >= 3
    slurm = values(daemon, "/metrics/slurm")
    assert (slurm["slurm_queue_pending"], slurm["slurm_cpus_alloc"]) == (1, 5)
    assert (slurm["slurm_jobs_running"], slurm["slurm_cpus_total"]) == (1, 8)
    for job_id in (runs, waits):
        daemon.client.cancel(job_id)
    over = {"rmsd_cores[allocated]": 0, "rmsd_jobs_ended_total[CANCELLED]": 2}
    wait_until(lambda: over.items() <= values(daemon).items(), "both are cancelled")


def test_both_formats_can_be_read(daemon: Daemon) -> None:
    text, content_type = page(daemon, "/metrics")
    assert content_type.startswith("text/plain; version=0.0.4")
    names = {family.name.removesuffix("_info") for family in plain(text)}
    text, content_type = page(daemon, "/metrics", "application/openmetrics-text; version=1.0.0")
    assert content_type.startswith("application/openmetrics-text; version=1.0.0")
    assert text.endswith("# EOF\n")
    assert {family.name for family in openmetrics(text)} == names


@pytest.mark.parametrize("accept", ["application/openmetrics-text; version=x", "a" * 500, ";,"])
def test_an_odd_wish_is_answered_all_the_same(daemon: Daemon, accept: str) -> None:
    assert "rmsd_build_info" in page(daemon, "/metrics", accept)[0]


def test_it_is_healthy_and_ready(daemon: Daemon) -> None:
    assert page(daemon, "/healthz")[0] == page(daemon, "/readyz")[0] == "ok\n"


def test_dashboard_and_alerts_name_metrics_that_are_served(daemon: Daemon) -> None:
    samples = {re.sub(r"\[.*", "", name) for name in values(daemon)}
    dashboard = json.loads((DEPLOY / "grafana.json").read_text())
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    asked += re.findall(r"expr: (.*)", (DEPLOY / "rmsd-alerts.yml").read_text())
    named = {name for text in asked for name in re.findall(r"\brmsd_\w+", text)}
    assert len(named) > 10
    assert named <= samples


@given(st.lists(st.floats(0, 5)))
def test_a_histogram_counts_up_to_each_bound(seen: list[float]) -> None:
    histogram = Histogram([1.0, 2.0, 4.0])
    for value in seen:
        histogram.observe(value)
    bounds = [1.0, 2.0, 4.0, float("inf")]
    assert histogram.cumulative() == [sum(value <= bound for value in seen) for bound in bounds]
    assert histogram.sum == pytest.approx(sum(seen))
