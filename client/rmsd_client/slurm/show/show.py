"""The texts of `scontrol show`."""

from __future__ import annotations

from math import ceil

from rmsd_client.console.cli import printable
from rmsd_client.nodes import device_text
from rmsd_client.slurm.command_lines.site import CLUSTER, MAX_ARRAY_SIZE, MIN_JOB_AGE_S, VERSION
from rmsd_client.slurm.fields.account_fields import BY_NAME as ACCOUNTED
from rmsd_client.slurm.fields.queue_fields import BY_LETTER
from rmsd_client.slurm.words import jobs as of
from rmsd_client.slurm.words.part_views import het_fields
from rmsd_client.slurm.words.points import points_of
from rmsd_client.slurm.words.times import long_duration, mem_text, stamp
from rmsd_wire.hostlist import compress, expand
from rmsd_wire.rlimits import RLIMITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rmsd_client.api import Client
    from rmsd_client.slurm.show.job_details import JobDetails
    from rmsd_client.slurm.words.account_row import Row
    from rmsd_client.slurm.words.partitions import SitePartition

    Json = dict[str, Any]

_OF_STEPS = ("jobid", "jobname", "nodelist", "nnodes", "ntasks", "alloccpus")

NODE_STATES = {
    "idle": "IDLE", "mixed": "MIXED", "allocated": "ALLOCATED", "draining": "ALLOCATED+DRAIN",
    "drained": "IDLE+DRAIN", "rebooting": "DOWN", "suspect": "DOWN+NOT_RESPONDING", "down": "DOWN",
}  # fmt: skip
"""Slurm's states of nodes, by rmsd's."""


def node_state(node: Json) -> str:
    """Return the state of a node with its flags, as `MIXED+DRAIN`."""
    state = NODE_STATES.get(node["state"], "UNKNOWN")
    if node["state"] == "draining" and node["cores_used"] < node["cores"]:
        state = "MIXED+DRAIN"
    if reboot := node.get("reboot"):  # older daemons do not tell it
        drained = "+DRAIN" if node["is_drained"] and reboot == "issued" else ""
        state += f"{drained}+REBOOT_{'ISSUED' if reboot == 'issued' else 'REQUESTED'}"
    if not node.get("reservation"):  # older daemons do not tell it
        return state
    return f"{state}+MAINTENANCE" if node["is_in_maintenance"] else f"{state}+RESERVED"


def _eligible_us(job: Json) -> int | None:
    """Return when the job became eligible; for one that waits for its begin time, that time."""
    if job["eligible_us"] is not None:
        return int(job["eligible_us"])
    begin_us: int | None = (job["conditions"] or {}).get("begin_us")
    return begin_us


def job_lines(job: Json, details: JobDetails | None = None) -> list[str]:
    """Return the lines of `scontrol show job`, with `details` as with -d."""
    user = printable(job["user"])
    group, gid = of.group_of(job["user"])
    nodes = expand(job["nodelist"]) if job["nodelist"] else []
    count, cpus = job["nodes"] or 1, job["cpus"]
    memory_mib = of.held_memory_mib(job) if nodes else of.asked_memory_mib(job)
    memory = f",mem={mem_text(memory_mib)}" if memory_mib else ""
    by = "CPU" if job.get("mem_per_cpu_mib") else "Node"
    dependency = BY_LETTER["E"].show(job)
    return [
        f"JobId={job['job_id']}{_place(job)} JobName={printable(job['name'])}",
        *([f"HetJobIdSet={het_fields(job)[2]}"] if "part" in job else []),
        f"UserId={user}({of.uid_of(job['user'])}) GroupId={group}({gid}) MCS_label=N/A",
        f"Priority={0 if of.is_held(job) else points_of(job)} Nice={of.nice(job)} "
        f"Account={of.account(job) or '(null)'} QOS={of.qos(job)}",
        f"JobState={job['state']} Reason={of.reason(job)} Dependency={dependency}",
        f"Requeue={of.requeues(job)} Restarts={of.restarts(job)} "
        f"BatchFlag=1 Reboot=0 ExitCode={of.exit_pair(job)}",
        *([f"DerivedExitCode={details.exit_pair(job)}"] if details else []),
        f"RunTime={long_duration(job['elapsed_s'] or 0)} "
        f"TimeLimit={long_duration(job['time_limit_s'])} TimeMin=N/A",
        f"SubmitTime={stamp(job['submit_us'])} EligibleTime={stamp(_eligible_us(job))}",
        f"AccrueTime={stamp(job['eligible_us'])}",
        f"StartTime={BY_LETTER['S'].show(job).replace('N/A', 'Unknown')} "
        f"EndTime={stamp(of.end_us(job))} Deadline={stamp(job.get('deadline_us'), 'N/A')}",
        "SuspendTime=None SecsPreSuspend=0 LastSchedEval=N/A Scheduler=Main",
        f"Partition={of.partition(job)} AllocNode:Sid=N/A:0",
        f"ReqNodeList={of.named_nodes(job, 'require') or '(null)'} "
        f"ExcNodeList={of.named_nodes(job, 'exclude') or '(null)'}",
        f"NodeList={job['nodelist']}",
        *([f"BatchHost={nodes[0]}"] if nodes else []),
        f"NumNodes={count} NumCPUs={cpus} NumTasks={job['tasks']} "
        f"CPUs/Task={job['cpus_per_task']} ReqB:S:C:T=0:0:*:*",
        f"TRES=cpu={cpus}{memory},node={count},billing={cpus}{device_text.job_tres(job)}",
        "Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*",
        *(details.lines(job) if details else []),
        f"MinCPUsNode={job['cpus_per_task']} MinMemory{by}={BY_LETTER['m'].show(job)} "
        "MinTmpDiskNode=0",
        f"Features={job['constraint'] or '(null)'} DelayBoot=00:00:00",
        *([f"Reservation={name}"] if (name := of.reservation(job)) else []),
        f"OverSubscribe={BY_LETTER['h'].show(job)} Contiguous=0 "
        f"Licenses={of.licenses(job)} Network=(null)",
        f"Command={printable(job.get('command') or '(null)')}",
        f"WorkDir={printable(job['workdir'])}",
        *([f"Comment={printable(job['comment'])}"] if job["comment"] else []),
        f"StdErr={printable(job['stderr'] or job['stdout'])}",
        f"StdIn={printable(of.stdin(job))}",
        f"StdOut={printable(job['stdout'])}",
        "Power=",
        *([_mail(job)] if job.get("mail_types") else []),
        *([f"TresPerNode={per_node}"] if (per_node := device_text.per_node(job)) else []),
    ]


def _place(job: Json) -> str:
    """Return the place of a job in its array, or of a component in its job."""
    if "part" in job:
        number, offset, _ = het_fields(job)
        return f" HetJobId={number} HetJobOffset={offset}"
    if job.get("array_job_id") is None:
        return ""
    text = f" ArrayJobId={job['array_job_id']} ArrayTaskId={of.array_task_id(job)}"
    if most := job.get("array_max_tasks"):
        text += f" ArrayTaskThrottle={most}"
    return text


def _mail(job: Json) -> str:
    return f"MailUser={job['mail_user']} MailType={','.join(job['mail_types'])}"


def step_lines(row: Row) -> list[str]:
    """Return the lines of `scontrol show step` for a step that runs."""
    job = row.job
    value = {name: ACCOUNTED[name].show(row) for name in _OF_STEPS}
    start_us = row.values.get("start_us") or job["start_us"]
    cpus, nodes = value["alloccpus"], value["nnodes"]
    if is_script := row.step == "batch":
        cpus = "0"  # Slurm counts none of the script's
    return [
        f"StepId={value['jobid']} UserId={of.uid_of(job['user'])} "
        f"StartTime={stamp(start_us)} TimeLimit=UNLIMITED",
        f"State=RUNNING Partition={of.partition(job)} NodeList={value['nodelist']}",
        f"Nodes={nodes} CPUs={cpus} Tasks={value['ntasks']} "
        f"Name={printable(value['jobname'])} Network=(null)",
        "TRES=(null)" if is_script else f"TRES=cpu={cpus},node={nodes}",
        "ResvPorts=(null)",
        f"CPUFreqReq=Default{'' if is_script else ' Dist=Block'}",
        "SrunHost:Pid=(null):0",
    ]


def node_lines(node: Json, partitions: Sequence[SitePartition]) -> list[str]:
    """Return the lines of `scontrol show node`."""
    features = ",".join(node["features"]) or "(null)"
    cores, memory = node["cores"], node["mem_mib"]
    used = f"cpu={node['cores_used']}"
    if node["mem_used_mib"]:
        used += f",mem={mem_text(node['mem_used_mib'])}"
    used += node_devices(node, "used")
    reason = printable(node["reason"])
    return [
        f"NodeName={node['name']} Arch=x86_64 CoresPerSocket={cores} ",
        f"CPUAlloc={node['cores_used']} CPUEfctv={cores} CPUTot={cores} CPULoad=N/A",
        f"AvailableFeatures={features}",
        f"ActiveFeatures={features}",
        f"Gres={device_text.gres(node) or '(null)'}",
        *([f"GresUsed={device_text.gres_used(node)}"] if node.get("devices") else []),
        f"NodeAddr={node['name']} NodeHostName={node['name']} Version={VERSION}",
        f"OS={printable(node['os']) or 'Linux'} ",
        f"RealMemory={memory} AllocMem={node['mem_used_mib']} FreeMem=N/A Sockets=1 Boards=1",
        f"State={node_state(node)} ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A",
        f"Partitions={','.join(one.name for one in partitions if node['name'] in one.nodes)} ",
        "BootTime=None SlurmdStartTime=None",
        "LastBusyTime=Unknown",
        f"CfgTRES=cpu={cores},mem={mem_text(memory)},billing={cores}"
        f"{node_devices(node, 'numbers')}",
        f"AllocTRES={used if node['cores_used'] else ''}",
        "CapWatts=n/a",
        "CurrentWatts=0 AveWatts=0",
        "ExtSensorsJoules=n/s ExtSensorsWatts=0 ExtSensorsTemp=n/s",
        *([f"Reason={reason} [{reason_user(node)}@{stamp(reason_us(node))}]"] if reason else []),
    ]


def reason_user(node: Json) -> str:
    """Return who has set the reason of a node: an operator, or root for the daemon."""
    if node.get("reboot") and not node["is_drained"]:  # older daemons do not tell it
        return printable(node["reboot_by"])
    return printable((node.get("drain_by") if node.get("is_drained") else "") or "root")


def reason_us(node: Json) -> int | None:
    """Return when the node was drained, or its reboot was asked for; None if neither holds, or that
    is not known."""
    if node.get("reboot") and not node["is_drained"]:
        return int(node["reboot_us"])
    return node.get("drain_us") if node.get("is_drained") else None


def node_devices(node: Json, which: str) -> str:
    """Return the devices of a node, or those that are used there, as TRES."""
    return device_text.tres((one["kind"], len(one[which])) for one in node.get("devices", ()))


def partition_lines(one: SitePartition, nodes: Sequence[Json]) -> list[str]:
    """Return the lines of `scontrol show partition`."""
    own = [node for node in nodes if node["name"] in one.nodes]
    cpus, memory = (sum(node[key] for node in own) for key in ("cores", "mem_mib"))
    default = long_duration(one.default_time_s) if one.default_time_s else "NONE"
    return [
        f"PartitionName={one.name}",
        f"AllowGroups={printable(one.groups('ALL'))} AllowAccounts=ALL AllowQos=ALL",
        f"AllocNodes=ALL Default={'YES' if one.is_default else 'NO'} QoS=N/A",
        f"DefaultTime={default} DisableRootJobs=NO ExclusiveUser=NO "
        f"GraceTime={one.preempt_grace_s} Hidden=NO",
        f"MaxNodes={one.max_nodes or 'UNLIMITED'} MaxTime={long_duration(one.max_time_s)} "
        "MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED",
        f"Nodes={compress(one.nodes)}",
        f"PriorityJobFactor={one.priority} PriorityTier={one.tier} RootOnly=NO ReqResv=NO "
        "OverSubscribe=NO",
        f"OverTimeLimit=NONE PreemptMode={one.preempt.upper()}",
        f"State={one.state.upper()} TotalCPUs={cpus} TotalNodes={len(own)} "
        "SelectTypeParameters=NONE",
        "JobDefaults=(null)",
        f"DefMemPerNode={one.default_mem_mib or 'UNLIMITED'} MaxMemPerNode=UNLIMITED",
        f"TRES=cpu={cpus},mem={mem_text(memory)},node={len(own)},billing={cpus}",
    ]


def licenses(client: Client, wanted: str) -> tuple[list[list[str]], str]:
    """Return the lines of each license, or of the one that is wanted, and what is said of none."""
    found = client.accounts("").get("licenses", [])  # older daemons do not tell them
    chosen = [license_lines(one) for one in found if wanted in ("", one["name"])]
    unknown = f"License {wanted} not found"
    return chosen, unknown if wanted and found else "No licenses configured in Slurm."


def license_lines(one: Json) -> list[str]:
    """Return the lines of a license."""
    total, used = one["total"], one["used"]
    free = max(0, total - used)
    return [
        f"LicenseName={one['name']}",
        f"Total={total} Used={used} Free={free} Reserved=0 Remote=no",
    ]


def _preemption(partitions: Sequence[SitePartition], qos: Sequence[Json]) -> tuple[str, str]:
    """Return the type and the mode of preemption. Slurm has one mode for all that have no own."""
    preempted = {name for one in qos for name in one.get("preempts", ())}
    if preempted:
        modes = {one["preempt"].upper() for one in qos if one["name"] in preempted} - {"OFF"}
        return "preempt/qos", max(modes, default="OFF")
    modes = {one.preempt.upper() for one in partitions} - {"OFF"}
    return "preempt/partition_prio" if modes else "preempt/none", max(modes, default="OFF")


def config(
    status: Json, partitions: Sequence[SitePartition] = (), qos: Sequence[Json] = ()
) -> dict[str, str]:
    """Return the settings of `scontrol show config` that clients read. An older daemon does not
    tell its `settings`: those are "(null)" then, as Slurm writes of what is not set."""
    kind, mode = _preemption(partitions, qos)
    site = status.get("settings")
    return {
        "AccountingStorageEnforce": "none",
        "AccountingStorageTRES": "cpu,mem,energy,node,billing,fs/disk,vmem,pages,gres/gpu",
        "AccountingStorageType": "accounting_storage/slurmdbd",
        "AccountingStoreFlags": "job_comment",
        "AuthType": "auth/munge",
        "BatchStartTimeout": "10 sec",
        "ClusterName": CLUSTER,
        "DefMemPerNode": "UNLIMITED",
        "EnforcePartLimits": "ANY",
        "GresTypes": "gpu",
        "InactiveLimit": "0 sec",
        "JobAcctGatherFrequency": "1",
        "JobAcctGatherType": "jobacct_gather/linux",
        "JobRequeue": "1",
        "KillOnBadExit": "0",
        "KillWait": "(null)",
        "LaunchParameters": "(null)",
        "MaxArraySize": str(MAX_ARRAY_SIZE),
        "MaxJobCount": "(null)",
        "MaxStepCount": "40000",
        "MaxTasksPerNode": "512",
        "MessageTimeout": "10 sec",
        "MinJobAge": f"{MIN_JOB_AGE_S} sec",
        "MpiDefault": "none",
        "OverTimeLimit": "(null)",
        "PreemptMode": mode,
        "PreemptType": kind,
        "PriorityType": "(null)",
        "PrivateData": "jobs",
        "ProctrackType": "proctrack/cgroup",
        "PropagateResourceLimits": "(null)",
        "ReturnToService": "2",
        "SchedulerType": "(null)",
        "SelectType": "select/cons_tres",
        "SelectTypeParameters": "CR_CPU" if status["capacity"] == "counted" else "CR_CPU_MEMORY",
        "SlurmUser": f"{status['user']}({of.uid_of(status['user'])})",
        "SlurmctldHost[0]": "localhost",
        "SLURM_VERSION": VERSION,
        "StateSaveLocation": "(null)",
        "SwitchType": "switch/none",
        "TaskPlugin": "(null)",
        "TmpFS": "/tmp",
        "TopologyPlugin": "topology/none",
        "UsePam": "0",
        "WaitTime": "0 sec",
        **({} if site is None else _set(site)),
    }


def _propagated(names: Sequence[str]) -> str:
    return "ALL" if set(names) == set(RLIMITS) else ",".join(names) or "NONE"


def _set(site: Json) -> dict[str, str]:
    """Return those of the settings that an administrator of rmsd can change."""
    mem_mib = site["default_mem_mib"]
    has_accounts = site.get("has_accounts")  # older daemons do not tell it
    return {
        "AccountingStorageEnforce": "associations,limits,qos" if has_accounts else "none",
        "DefMemPerNode": "UNLIMITED" if mem_mib is None else str(mem_mib),
        "KillWait": f"{ceil(site['kill_grace_s'])} sec",
        "MaxJobCount": str(site["max_jobs_per_user"]),
        "OverTimeLimit": f"{ceil(site['overrun_s'] / 60)} min",
        "PriorityType": "priority/" + ("multifactor" if site["order"] == "priority" else "basic"),
        "PropagateResourceLimits": _propagated(site["propagate_limits"]),
        "SchedulerType": "sched/" + ("backfill" if site["backfills"] else "builtin"),
        "TaskPlugin": "task/" + ("affinity" if site["bind_processors"] else "none"),
    }
