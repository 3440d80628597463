"""Metrics as text: rmsd's own names, and those that dashboards for Slurm know.

This file imports prometheus_client, which takes 50 ms: it is loaded with the first page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.openmetrics import exposition as openmetrics
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector, CollectorRegistry

from rmsd_core.vocabulary import RUNNING_STATES, Cause, JobState
from rmsd_daemon.domain.histogram import Histogram
from rmsd_daemon.loop.timings import Timings
from rmsd_daemon.queries.metric_sources import Sources
from rmsd_process.running_version import RUNNING_VERSION

_OPENMETRICS = "application/openmetrics-text"
_OPENMETRICS_TYPE = f"{_OPENMETRICS}; version=1.0.0; charset=utf-8"
_NODE_STATES = ("idle", "mixed", "allocated", "draining", "drained", "rebooting", "suspect", "down")
_LIVE = tuple(state.value for state in JobState if not state.terminal)
_CAUSES = tuple(cause.value for cause in Cause)
_OVER = tuple(state.value for state in JobState if state.terminal)


def own_page(sources: Sources, accept: str) -> tuple[bytes, str]:
    """Return the page of rmsd's own metrics, and its content type."""
    registry = CollectorRegistry(auto_describe=False)
    ProcessCollector(registry=registry)
    registry.register(_Collected(lambda: _own(sources)))
    return _text(registry, accept)


def slurm_page(sources: Sources, accept: str) -> tuple[bytes, str]:
    """Return the page of the names that Slurm and its exporters have, and its content type."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collected(lambda: _slurm(sources)))
    return _text(registry, accept)


class _Collected(Collector):
    def __init__(self, families: Callable[[], Iterable[Metric]]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families()


def _text(registry: CollectorRegistry, accept: str) -> tuple[bytes, str]:
    if _OPENMETRICS in accept:
        return openmetrics.generate_latest(registry), _OPENMETRICS_TYPE  # type: ignore[no-untyped-call]
    return generate_latest(registry), CONTENT_TYPE_PLAIN_0_0_4


def _own(sources: Sources) -> Iterator[Metric]:
    counts, jobs, scheduler = sources.counts, sources.jobs, sources.scheduler
    build = {"version": RUNNING_VERSION, "recipe": sources.recipe}
    yield InfoMetricFamily("rmsd_build", "The version, and the scheduler.", build)
    yield _gauges(
        "rmsd_jobs", "Jobs that are not over, and waiting tasks of arrays.", "state", counts.jobs,
        _LIVE,
    )  # fmt: skip
    yield _gauges("rmsd_nodes", "Nodes.", "state", counts.nodes, _NODE_STATES)
    yield GaugeMetricFamily(
        "rmsd_nodes_unable", "Linked nodes whose agents can start no job now.", len(counts.unable)
    )
    yield _gauges(
        "rmsd_cores", "Cores of the nodes that are up.", "state",
        {"allocated": counts.cores_used, "idle": counts.cores - counts.cores_used},
    )  # fmt: skip
    yield _counters(
        "rmsd_jobs_ended",
        "Jobs and tasks of arrays that are over, since the daemon's start.",
        "state",
        jobs.ended,
        _OVER,
    )
    yield _counters(
        "rmsd_jobs_requeued",
        "Attempts after which the job waited again.",
        "cause",
        jobs.requeued,
        _CAUSES,
    )
    yield CounterMetricFamily("rmsd_sched_started", "Attempts that were started.", jobs.started)
    yield CounterMetricFamily(
        "rmsd_sched_backfilled", "Started attempts that passed a job before them.", jobs.backfilled
    )
    yield _histogram(
        "rmsd_job_wait_seconds", "Wait of jobs that have run, in model time.", jobs.waits
    )
    yield _histogram(
        "rmsd_job_bounded_slowdown", "Bounded slowdown (10 s) of the same jobs.", jobs.slowdowns
    )
    yield _histogram("rmsd_sched_pass_seconds", "Passes of the scheduler.", scheduler.passes.all_s)
    yield _histogram("rmsd_db_write_seconds", "Commits.", scheduler.commits.all_s)
    yield _answers(sources.answers)
    yield GaugeMetricFamily(
        "rmsd_failing", "Actions of the daemon that fail now and are tried again.",
        len(scheduler.troubles.failing),
    )  # fmt: skip
    yield CounterMetricFamily(
        "rmsd_inputs_left_out", "Inputs that the scheduler could not apply.",
        scheduler.troubles.left_out_count,
    )  # fmt: skip


def _slurm(sources: Sources) -> Iterator[Metric]:
    """Yield what Slurm 25.11 serves of jobs, nodes and scheduler, and what the exporter of vpenso
    (Grafana's dashboard 4323) makes of Slurm's commands."""
    counts, jobs, scheduler = sources.counts, sources.jobs, sources.scheduler
    live, nodes = counts.jobs, counts.nodes
    pending, completing = live.get("PENDING", 0), live.get("COMPLETING", 0)
    running = sum(live.get(state, 0) for state in RUNNING_STATES)
    ended, passes_ms = jobs.ended, scheduler.passes.recent_ms
    last_us = round(1000 * passes_ms[-1]) if passes_ms else 0
    down = sum(nodes.get(state, 0) for state in ("down", "suspect", "rebooting"))
    drained = nodes.get("drained", 0) + nodes.get("draining", 0)
    values: dict[str, float] = {
        "slurm_jobs": sum(live.values()),
        "slurm_jobs_pending": pending,
        "slurm_jobs_running": running,
        "slurm_jobs_completing": completing,
        "slurm_jobs_cpus_alloc": counts.cores_used,
        "slurm_jobs_memory_alloc": counts.mem_used_mib * 2**20,
        "slurm_nodes": sum(nodes.values()),
        "slurm_nodes_idle": nodes.get("idle", 0),
        "slurm_nodes_mixed": nodes.get("mixed", 0),
        "slurm_nodes_alloc": nodes.get("allocated", 0),
        "slurm_nodes_down": down,
        "slurm_nodes_drain": drained,
        "slurm_sched_cycle_cnt": scheduler.passes.count,
        "slurm_sched_cycle_last": last_us,
        "slurm_queue_pending": pending,
        "slurm_queue_running": running,
        "slurm_queue_completing": completing,
        "slurm_queue_completed": ended["COMPLETED"],
        "slurm_queue_cancelled": ended["CANCELLED"],
        "slurm_queue_failed": ended["FAILED"],
        "slurm_queue_timeout": ended["TIMEOUT"],
        "slurm_queue_node_fail": ended["NODE_FAIL"],
        "slurm_nodes_mix": nodes.get("mixed", 0),
        "slurm_cpus_alloc": counts.cores_used,
        "slurm_cpus_idle": counts.cores - counts.cores_used,
        "slurm_cpus_other": 0,
        "slurm_cpus_total": counts.cores,
        "slurm_scheduler_queue_size": pending,
        "slurm_scheduler_last_cycle": last_us,
        "slurm_scheduler_mean_cycle": round(1000 * _mean(passes_ms)),
        "slurm_scheduler_backfilled_jobs_since_start_total": jobs.backfilled,
    }
    for name, value in values.items():
        yield GaugeMetricFamily(name, "As in Slurm; cycles are in microseconds.", value)


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else 0.0


def _labelled(
    family: type[GaugeMetricFamily | CounterMetricFamily],
    name: str,
    about: str,
    label: str,
    values: Mapping[str, float],
    known: Iterable[str] = (),
) -> Metric:
    """Return one metric with a sample for each value, and for each known label without a value."""
    metric = family(name, about, labels=[label])
    for key in dict.fromkeys([*known, *values]):
        metric.add_metric([key], values.get(key, 0))
    return metric


_gauges = partial(_labelled, GaugeMetricFamily)
_counters = partial(_labelled, CounterMetricFamily)


def _answers(times: Mapping[str, Timings]) -> Metric:
    family = HistogramMetricFamily(
        "rmsd_rpc_seconds", "Answers, without long polls.", labels=["route"]
    )
    for name, timings in times.items():
        family.add_metric([name], _buckets(timings.all_s), timings.all_s.sum)
    return family


def _histogram(name: str, about: str, values: Histogram) -> Metric:
    return HistogramMetricFamily(name, about, buckets=_buckets(values), sum_value=values.sum)


def _buckets(values: Histogram) -> list[tuple[str, float]]:
    bounds = [*map(str, values.bounds), "+Inf"]
    return list(zip(bounds, map(float, values.cumulative()), strict=True))
