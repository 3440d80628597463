"""The parts of jobs and nodes that a model is told. Names of fields carry the units."""

from __future__ import annotations

from typing import Any

from rmsd_client.show.job_fields import label, local_time
from rmsd_mcp import bounded

Json = dict[str, Any]

_ROW = (
    *("name", "user", "state", "reason", "partition", "cpus", "nodelist"),
    *("elapsed_s", "wait_s", "time_limit_s"),
)
_DETAIL = (
    *("tasks", "cpus_per_task", "nodes", "mem_mib", "constraint", "account", "qos", "reservation"),
    *("estimate_s", "prediction_s", "attempt", "exit_code", "signal", "cause", "message"),
    *("cpu_s", "max_rss_mib", "workdir", "stdout", "stderr", "comment", "licenses"),
)
_NODE = ("name", "state", "reason", "cores", "cores_used", "mem_mib", "mem_used_mib")
_NODE_LISTS = ("features", "partitions", "jobs")
_IN_LIST = 20


def job_row(job: Json) -> Json:
    """Return a job as a list shows it."""
    row: Json = {"job": label(job)}
    row |= {name: bounded.value(job.get(name)) for name in _ROW}
    times = {"submitted": job["submit_us"], "started": job["start_us"], "ended": job["end_us"]}
    return row | {name: local_time(us) for name, us in times.items() if us is not None}


def job_detail(job: Json) -> Json:
    """Return a job by itself. Fields that are empty or not known are left out."""
    found = {name: bounded.value(job.get(name)) for name in _DETAIL}
    return job_row(job) | {name: one for name, one in found.items() if one not in (None, "", [])}


def node_row(node: Json) -> Json:
    """Return a node; of its lists the first few elements."""
    row = {name: bounded.value(node[name]) for name in _NODE}
    row |= {name: bounded.value(node[name][:_IN_LIST]) for name in _NODE_LISTS}
    return row | {"jobs_count": len(node["jobs"])}
