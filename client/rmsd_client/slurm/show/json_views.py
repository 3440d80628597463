"""The output of --json: jobs, nodes and partitions as data of Slurm 22.05 (v0.0.38)."""

from __future__ import annotations

import json
import sys

from rmsd_client.nodes import device_text
from rmsd_client.slurm.command_lines.site import CLUSTER, VERSION
from rmsd_client.slurm.show.json_steps import cpu_view, exit_view, step_view
from rmsd_client.slurm.show.show import node_devices, node_state, reason_us, reason_user
from rmsd_client.slurm.words import jobs as of
from rmsd_client.slurm.words.points import points_of
from rmsd_client.slurm.words.times import mem_text
from rmsd_wire.hostlist import compress, expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from rmsd_client.slurm.words.job_steps import JobSteps
    from rmsd_client.slurm.words.partitions import SitePartition

    Json = dict[str, Any]


def _print(plugin: str, **fields: object) -> None:
    major, micro, minor = VERSION.split(".")
    meta = {
        "plugin": {"type": plugin, "name": "Slurm OpenAPI v0.0.38"},
        "Slurm": {
            "version": {"major": int(major), "micro": int(minor), "minor": int(micro)},
            "release": VERSION,
        },
    }
    json.dump({"meta": meta, "errors": [], **fields}, sys.stdout, indent=2)
    sys.stdout.write("\n")


def _seconds(us: int | None) -> int:
    return 0 if us is None else us // 1_000_000


def _minutes(job: Json) -> int | None:
    return None if job["time_limit_s"] is None else int(job["time_limit_s"]) // 60


# ---------------------------------------------------------------- squeue, scontrol show job


def print_jobs(program: str, jobs: Iterable[Json], steps: JobSteps) -> None:
    """Print jobs, which have these steps, as `squeue --json` and `scontrol show job --json` do."""
    shown = [queued_job(job, steps.derived_exit(job)) for job in jobs]
    _print(f"openapi/v0.0.38/{program}", jobs=shown)


_NOT_HERE: Json = {
    "burst_buffer": "", "burst_buffer_state": "", "container": "",
    "cpu_frequency_governor": None, "cpu_frequency_maximum": None, "cpu_frequency_minimum": None,
    "cpus_per_tres": "", "federation_origin": "", "federation_siblings_active": "",
    "federation_siblings_viable": "",
    "mcs_label": "", "memory_per_tres": "", "preempt_time": 0, "prefer": "", "profile": None,
    "resize_time": 0, "sockets_per_board": 0, "sockets_per_node": None, "tasks_per_board": 0,
    "tasks_per_core": None, "tasks_per_socket": None, "tres_bind": "", "tres_freq": "",
    "tres_per_job": "", "tres_per_socket": "", "tres_per_task": "",
}  # fmt: skip
"""The members of a queued job in Slurm's data of which rmsd has nothing to say."""


def queued_job(job: Json, derived_exit: tuple[int, int]) -> Json:
    """Return a job as the controller tells of it. derived_exit: the highest exit code of its steps,
    with the signal."""
    derived_code, derived_signal = derived_exit
    nodes = expand(job["nodelist"]) if job["nodelist"] else []
    array = job.get("array_job_id")
    return {
        "account": of.account(job),
        "accrue_time": _seconds(job["eligible_us"]),
        "admin_comment": "",
        "array_job_id": array or 0,
        "array_task_id": job.get("array_task_id") if array else None,
        "array_max_tasks": job.get("array_max_tasks") or 0,
        "array_task_string": job.get("array_task_str") or "",
        "association_id": 0,
        "batch_features": "",
        "batch_flag": True,
        "batch_host": nodes[0] if nodes else "",
        "flags": ["JOB_WAS_RUNNING"] if job["nodelist"] else [],
        **_NOT_HERE,
        **_het(job),
        "billable_tres": float(job["cpus"]) if nodes else None,
        "group_name": of.group_of(job["user"])[0],
        "tres_per_node": device_text.per_node(job),
        "cluster": CLUSTER,
        "cluster_features": "",
        "command": str(job.get("command") or ""),
        "comment": job["comment"],
        "contiguous": False,
        "core_spec": None,
        "thread_spec": None,
        "cores_per_socket": None,
        "cpus": job["cpus"],
        "cpus_per_task": job["cpus_per_task"] if job["cpus_per_task"] > 1 else None,
        "current_working_directory": job["workdir"],
        "deadline": _seconds(job.get("deadline_us")),
        "delay_boot": 0,
        "dependency": _dependency(job),
        "derived_exit_code": derived_code << 8 | derived_signal,
        "eligible_time": _seconds(job["eligible_us"]),
        "end_time": _seconds(of.end_us(job)),
        "excluded_nodes": of.named_nodes(job, "exclude"),
        "exit_code": of.exit_status(job),
        "features": job["constraint"] or "",
        "gres_detail": _gres_detail(job),
        "group_id": of.group_of(job["user"])[1],
        "job_id": job["job_id"],
        "job_resources": _resources(job, nodes),
        **_queued_rest(job),
    }


def _het(job: Json) -> Json:
    """Return of which heterogeneous job this is a component."""
    number = job["job_id"] if "part" in job else 0
    return {
        "het_job_id": number,
        "het_job_id_set": str(number or ""),
        "het_job_offset": job.get("part", 0),
    }


def _resources(job: Json, nodes: Sequence[str]) -> Json:
    return {
        "nodes": job["nodelist"],
        "allocated_cpus": job["cpus"] if nodes else 0,
        "allocated_hosts": len(nodes),
        "allocated_nodes": [
            {
                "sockets": {"0": {"cores": {str(i): "allocated" for i in range(cpus)}}},
                "nodename": name,
                "cpus_used": cpus,
                "memory_used": 0,
                "memory_allocated": memory,
            }
            for name, cpus, memory in zip(
                nodes, job["node_cpus"], of.node_memory_mib(job), strict=True
            )
        ],
    }


def _queued_rest(job: Json) -> Json:
    """Return the fields of a queued job from its state on."""
    return {
        "job_state": job["state"],
        "last_sched_evaluation": 0,
        "licenses": job.get("licenses", ""),
        "max_cpus": 0,
        "max_nodes": 0,
        "memory_per_cpu": job.get("mem_per_cpu_mib") or None,
        "memory_per_node": None if job.get("mem_per_cpu_mib") else job["mem_mib"] or None,
        "minimum_cpus_per_node": job["cpus_per_task"],
        "minimum_tmp_disk_per_node": 0,
        "name": job["name"],
        "nice": job.get("nice") or None,
        "node_count": job["nodes"] or 1,
        "nodes": job["nodelist"],
        "partition": of.partition(job),
        "pre_sus_time": 0,
        "priority": 0 if of.is_held(job) else points_of(job),
        "qos": of.qos(job),
        "reboot": False,
        "required_nodes": of.named_nodes(job, "require"),
        "requeue": bool(of.requeues(job)),
        "restart_cnt": of.restarts(job),
        "resv_name": of.reservation(job),
        "shared": "",
        "show_flags": ["SHOW_ALL", "SHOW_DETAIL", "SHOW_LOCAL"],
        "standard_error": job["stderr"] or job["stdout"],
        "standard_input": of.stdin(job),
        "standard_output": job["stdout"],
        "start_time": _seconds(job["start_us"]),
        "state_description": "",
        "state_reason": of.reason(job),
        "submit_time": _seconds(job["submit_us"]),
        "suspend_time": 0,
        "system_comment": "",
        "tasks": job["tasks"],
        "tasks_per_node": 0,
        "threads_per_core": None,
        "time_limit": _minutes(job),
        "time_minimum": 0,
        "tres_alloc_str": _held_tres(job),
        "tres_req_str": _tres(job, of.asked_memory_mib(job)),
        "user_id": of.uid_of(job["user"]),
        "user_name": job["user"],
        "wckey": "",
    }


def _dependency(job: Json) -> str:
    from rmsd_client.slurm.fields.queue_fields import BY_LETTER

    return BY_LETTER["E"].show(job).replace("(null)", "")


def _gres_detail(job: Json) -> list[str]:
    """Return the devices that a job holds on each of its nodes."""
    return [] if of.is_over(job) else [device_text.held(text) for text in job.get("node_gres", ())]


def _held_tres(job: Json) -> str:
    return _tres(job, of.held_memory_mib(job)) if job["nodelist"] else ""


def _tres(job: Json, mem_mib: int) -> str:
    count = job["nodes"] or 1
    memory = f",mem={mem_text(mem_mib)}" if mem_mib else ""
    devices = device_text.job_tres(job)
    return f"cpu={job['cpus']}{memory},node={count},billing={job['cpus']}{devices}"


# ---------------------------------------------------------------- sacct


def print_accounted(jobs: Iterable[Json], steps: JobSteps) -> None:
    """Print jobs with their steps as `sacct --json` does."""
    _print("openapi/dbv0.0.38", jobs=[accounted_job(job, steps) for job in jobs])


def accounted_job(job: Json, steps: JobSteps) -> Json:
    """Return a job as the accounting tells of it."""
    count = job["nodes"] or 1
    return {
        "account": of.account(job),
        "comment": {"administrator": None, "job": job["comment"], "system": None},
        "allocation_nodes": count if job["nodelist"] else 0,
        "array": {
            "job_id": job.get("array_job_id") or 0,
            "limits": {"max": {"running": {"tasks": 0}}},
            "task": None,
            "task_id": job.get("array_task_id"),
        },
        "association": {
            "account": of.account(job), "cluster": CLUSTER, "partition": None, "user": job["user"],
        },
        "cluster": CLUSTER,
        "container": None,
        "constraints": job["constraint"] or "",
        "derived_exit_code": exit_view(*steps.derived_exit(job)),
        "time": _times(job),
        "exit_code": exit_view(*of.exit_and_signal(job)),
        "flags": [],
        "group": of.group_of(job["user"])[0],
        "het": {
            "job_id": job["job_id"] if "part" in job else 0,
            "job_offset": job.get("part"),
        },
        "job_id": job["job_id"],
        "name": job["name"],
        "mcs": {"label": ""},
        "nodes": job["nodelist"] or "None assigned",
        "partition": of.partition(job),
        "priority": 1,
        "qos": of.qos(job),
        "required": {"CPUs": job["cpus"], "memory": of.min_memory_mib(job)},
        "kill_request_user": of.cancelled_by(job) if job["state"] == "CANCELLED" else None,
        "reservation": {"id": 0, "name": of.reservation(job) or 0},
        "state": {"current": job["state"], "reason": of.reason(job)},
        "steps": [step_view(row) for row in steps.rows(job)],
        "tres": {
            "allocated": _counted(job, of.held_memory_mib(job)) if job["nodelist"] else [],
            "requested": _counted(job, of.asked_memory_mib(job)),
        },
        "user": job["user"],
        "wckey": {"wckey": "", "flags": []},
        "working_directory": job.get("workdir") or "",
    }  # fmt: skip


def _counted(job: Json, mem_mib: int) -> list[Json]:
    """Return what a job has or asks for, with so much memory on all of its nodes."""
    counts = (("cpu", 1, job["cpus"]), ("mem", 2, mem_mib), ("node", 4, job["nodes"] or 1),
              ("billing", 5, job["cpus"]))  # fmt: skip
    return [{"type": kind, "name": None, "id": id, "count": n} for kind, id, n in counts]


def _times(job: Json) -> Json:
    return {
        "elapsed": int(job["elapsed_s"] or 0),
        "eligible": _seconds(job["eligible_us"]),
        "end": _seconds(job["end_us"]),
        "start": _seconds(job["start_us"]),
        "submission": _seconds(job["submit_us"]),
        "suspended": int(job.get("suspended_s") or 0),
        "system": {"seconds": 0, "microseconds": 0},
        "total": cpu_view(float(job["cpu_s"] or 0)),
        "user": cpu_view(float(job["cpu_s"] or 0)),
        "limit": _minutes(job),
    }


# ---------------------------------------------------------------- nodes and partitions


def print_nodes(program: str, nodes: Iterable[Json], partitions: Sequence[SitePartition]) -> None:
    """Print nodes as `scontrol show node --json` does."""
    _print(f"openapi/v0.0.38/{program}", nodes=[node_view(node, partitions) for node in nodes])


def print_sinfo(nodes: Iterable[Json], partitions: Sequence[SitePartition]) -> None:
    """Print nodes as `sinfo --json` of Slurm 22.05 does."""
    print_nodes("sinfo", nodes, partitions)


def node_view(node: Json, partitions: Sequence[SitePartition]) -> Json:
    """Return a node as the controller tells of it."""
    state, *flags = node_state(node).split("+")
    features = ",".join(node["features"])
    return {
        "architecture": "x86_64",
        "burstbuffer_network_address": "",
        "boards": 1,
        "boot_time": 0,
        "comment": "",
        "cores": node["cores"],
        "cpu_binding": 0,
        "cpu_load": 0,
        "extra": "",
        "free_memory": 0,
        "cpus": node["cores"],
        "last_busy": 0,
        "features": features,
        "active_features": features,
        "gres": device_text.gres(node),
        "gres_drained": "N/A",
        "gres_used": device_text.gres_used(node),
        "mcs_label": "",
        "name": node["name"],
        "next_state_after_reboot": "invalid",
        "next_state_after_reboot_flags": [],
        "address": node["name"],
        "hostname": node["hostname"] or node["name"],
        "state": state.lower(),
        "state_flags": flags,
        "operating_system": node["os"],
        "owner": None,
        "partitions": [one.name for one in partitions if node["name"] in one.nodes],
        "port": 0,
        "real_memory": node["mem_mib"],
        "reason": node["reason"],
        "reason_changed_at": (reason_us(node) or 0) // 1_000_000,
        "reason_set_by_user": reason_user(node) if node["reason"] else None,
        "slurmd_start_time": 0,
        "sockets": 1,
        "threads": 1,
        "temporary_disk": 0,
        "weight": 1,
        "tres": f"cpu={node['cores']},mem={mem_text(node['mem_mib'])},billing={node['cores']}"
        + node_devices(node, "numbers"),
        "slurmd_version": VERSION,
        "alloc_memory": node["mem_used_mib"],
        "alloc_cpus": node["cores_used"],
        "idle_cpus": node["cores"] - node["cores_used"],
        "tres_used": f"cpu={node['cores_used']},mem={mem_text(node['mem_used_mib'])}"
        + node_devices(node, "used"),
        "tres_weighted": float(node["cores_used"]),
    }


def print_partitions(
    program: str, partitions: Iterable[SitePartition], nodes: Sequence[Json]
) -> None:
    """Print partitions as `scontrol show partition --json` does."""
    views = []
    for one in partitions:
        own = [node for node in nodes if node["name"] in one.nodes]
        cpus = sum(node["cores"] for node in own)
        views.append(
            {
                "flags": ["default"] if one.is_default else [],
                "preemption_mode": ["disabled" if one.preempt == "off" else one.preempt],
                "allowed_allocation_nodes": "ALL",
                "allowed_accounts": "",
                "allowed_groups": one.groups(""),
                "allowed_qos": "",
                "alternative": "",
                "billing_weights": "",
                "default_memory_per_cpu": None,
                "default_time_limit": one.default_time_s and int(one.default_time_s) // 60,
                "denied_accounts": "",
                "denied_qos": "",
                "preemption_grace_time": one.preempt_grace_s,
                "maximum_cpus_per_node": None,
                "maximum_memory_per_node": None,
                "maximum_nodes_per_job": one.max_nodes,
                "max_time_limit": one.max_time_s and int(one.max_time_s) // 60,
                "min_nodes_per_job": 0,
                "name": one.name,
                "nodes": compress(one.nodes),
                "over_time_limit": None,
                "priority_job_factor": one.priority,
                "priority_tier": one.tier,
                "qos": "",
                "nodes_online": sum(node["state"] != "down" for node in own),
                "total_cpus": cpus,
                "total_nodes": len(own),
                "tres": f"cpu={cpus},node={len(own)},billing={cpus}",
            }
        )
    _print(f"openapi/v0.0.38/{program}", partitions=views)
