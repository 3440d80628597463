"""The fields of sacct, as one literal table, and the rows that they are taken from."""

from __future__ import annotations

from rmsd_client.nodes import device_text
from rmsd_client.slurm.command_lines.site import CLUSTER
from rmsd_client.slurm.fields import step_usage as use
from rmsd_client.slurm.words import jobs as of
from rmsd_client.slurm.words.account_row import Row
from rmsd_client.slurm.words.times import long_duration, mem_text, stamp
from rmsd_wire.hostlist import HostlistError, expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Job = dict[str, Any]


_ENDED_BY_SLURM = ("CANCELLED", "TIMEOUT", "PREEMPTED")
"""The states of jobs that are ended from outside: the signal is that of the script's step."""


class AccountField:
    """A field of sacct with its default width, negative if it is set to the left. `same`: whether
    it says what it says in Slurm; otherwise it is always the same text."""

    __slots__ = ("constant", "name", "same", "show", "width")

    def __init__(self, name: str, width: int, show: Callable[[Row], str] | str = "") -> None:
        self.name = name
        self.width = width
        self.constant = show if isinstance(show, str) else ""
        self.same = not isinstance(show, str)
        self.show: Callable[[Row], str] = (lambda _: show) if isinstance(show, str) else show


def state(row: Row) -> str:
    """Return the state; that of a cancelled job has the uid of the account that has cancelled
    it."""
    found = str(row.values.get("state") or row.job["state"])
    if found == "COMPLETING":
        found = "RUNNING"
    if row.step == "batch" and found in _ENDED_BY_SLURM:
        return "CANCELLED"
    if found == "CANCELLED" and not row.step:
        return f"CANCELLED by {of.uid_of(of.cancelled_by(row.job))}"
    return "PENDING" if found == "CONFIGURING" and row.step else found


def _nodes(row: Row) -> str:
    return str(row.values.get("nodelist") or row.job["nodelist"] or "None assigned")


def _count(row: Row) -> int:
    try:
        return len(expand(_nodes(row))) if row.job["nodelist"] else int(row.job["nodes"] or 1)
    except HostlistError:
        return 1


def _cpus(row: Row) -> int:
    if row.step == "batch":
        return int((row.job["node_cpus"] or [row.job["cpus"]])[0])
    return int(row.values.get("cpus") or row.job["cpus"])


def _elapsed_s(row: Row) -> float:
    own = row.values.get("elapsed_s")
    return float(own if own is not None else row.job["elapsed_s"] or 0)


def _start_us(row: Row) -> int | None:
    found = row.values.get("start_us") or row.job["start_us"]
    return None if found is None else int(found)


def _end_us(row: Row) -> int | None:
    found = _source(row).get("end_us")
    return None if found is None else int(found)


def _source(row: Row) -> Job:
    """Return what has the row's usage and end: the job or the step."""
    return row.values if row.step else row.job


def _job_only(show: Callable[[Job], str]) -> Callable[[Row], str]:
    """Return a field that steps leave empty."""
    return lambda row: "" if row.step else show(row.job)


def _start(row: Row) -> str:
    return stamp(_start_us(row), "None" if of.is_over(row.job) else "Unknown")


def _flags(job: Job) -> str:
    if job["start_us"] is None:
        return "StartRecieved"  # Slurm's spelling
    return f"{'SchedBackfill' if job['backfilled'] else 'SchedMain'},StartRecieved"


def _exit(row: Row) -> str:
    if not row.step and row.job["state"] in _ENDED_BY_SLURM:
        return "0:0"
    if row.step in ("", "batch"):
        return of.exit_pair(row.job)
    return f"{row.values.get('exit_code') or 0}:{row.values.get('signal') or 0}"


def _derived(row: Row) -> str:
    code, signal = row.derived
    return "" if row.step else f"{code}:{signal}"


def _memory(job: Job) -> str:
    """Return the memory that the job asked for on all of its nodes, as Slurm since 21.08."""
    return mem_text(of.asked_memory_mib(job)) if job["mem_mib"] else "0"


def _tres(row: Row) -> str:
    job = row.job
    if not job["nodelist"]:
        return ""
    billing = "" if row.step else f"billing={_cpus(row)},"
    mem_mib = job["mem_mib"] * _count(row) if row.step else of.held_memory_mib(job)
    memory = f",mem={mem_text(mem_mib)}" if mem_mib else ""
    devices = "" if row.step else device_text.job_tres(job)
    return f"{billing}cpu={_cpus(row)}{devices}{memory},node={_count(row)}"


def _asked(job: Job) -> str:
    memory = f",mem={mem_text(of.asked_memory_mib(job))}" if job["mem_mib"] else ""
    devices = device_text.job_tres(job)
    return f"billing={job['cpus']},cpu={job['cpus']}{devices}{memory},node={job['nodes'] or 1}"


def _name(row: Row) -> str:
    if not row.step:
        return str(row.job["name"])
    return str(row.values.get("name") or row.step)


def _id(number: Callable[[Job], str]) -> Callable[[Row], str]:
    return lambda row: number(row.job) + (f".{row.step}" if row.step else "")


def _reason(row: Row) -> str:
    """Return why a job waited last; accounting does not say why one failed."""
    if row.step:
        return ""
    return "None" if row.job["start_us"] is not None else of.reason(row.job)


def _suspended(row: Row) -> str:
    """Return how long a job was suspended. That is not known of a step which began later."""
    seconds = float(row.job.get("suspended_s") or 0)
    return "" if seconds and row.step not in ("", "batch") else long_duration(seconds)


def _planned_s(job: Job) -> float:
    return float(job["wait_s"] or 0)


FIELDS = (
    AccountField("Account", 10, lambda row: of.account(row.job)),
    AccountField("AdminComment", 15),
    AccountField("AllocCPUS", 10, lambda row: str(_cpus(row))),
    AccountField("AllocNodes", 10, lambda row: str(_count(row)) if row.job["nodelist"] else "0"),
    AccountField("AllocTRES", 10, _tres),
    AccountField("AssocID", 7, "0"),
    AccountField("AveCPU", 10, use.average_cpu),
    AccountField("AveCPUFreq", 10),
    AccountField("AveDiskRead", 14),
    AccountField("AveDiskWrite", 14),
    AccountField("AvePages", 10),
    AccountField("AveRSS", 10, use.average_rss),
    AccountField("AveVMSize", 10),
    AccountField("BlockID", 16),
    AccountField("Cluster", 10, CLUSTER),
    AccountField("Comment", 14, _job_only(lambda job: str(job.get("comment") or ""))),
    AccountField("Constraints", 19, _job_only(lambda job: str(job["constraint"] or ""))),
    AccountField("ConsumedEnergy", 14),
    AccountField("ConsumedEnergyRaw", 17),
    AccountField("Container", 19),
    AccountField("CPUTime", 10, lambda row: long_duration(_elapsed_s(row) * _cpus(row))),
    AccountField("CPUTimeRAW", 10, lambda row: str(int(_elapsed_s(row)) * _cpus(row))),
    AccountField("DBIndex", -10, lambda row: str(row.job["job_id"])),
    AccountField("DerivedExitCode", 15, _derived),
    AccountField("Elapsed", 10, lambda row: long_duration(_elapsed_s(row))),
    AccountField("ElapsedRaw", 10, lambda row: str(int(_elapsed_s(row)))),
    AccountField("Eligible", 19, lambda row: stamp(_start_us(row) if row.step
                                                   else row.job["eligible_us"])),
    AccountField("End", 19, lambda row: stamp(_end_us(row))),
    AccountField("ExitCode", 8, _exit),
    AccountField("Flags", 19, _job_only(_flags)),
    AccountField("GID", 6, _job_only(lambda job: str(of.group_of(job["user"])[1]))),
    AccountField("Group", 9, _job_only(lambda job: of.group_of(job["user"])[0])),
    AccountField("JobID", -12, _id(of.text_id)),
    AccountField("JobIDRaw", -12, _id(lambda job: str(job["job_id"]))),
    AccountField("JobName", 10, _name),
    AccountField("Layout", 9, lambda row: "Unknown" if row.step else ""),
    AccountField("MaxDiskRead", 12),
    AccountField("MaxDiskReadNode", 15),
    AccountField("MaxDiskReadTask", 15),
    AccountField("MaxDiskWrite", 12),
    AccountField("MaxDiskWriteNode", 16),
    AccountField("MaxDiskWriteTask", 16),
    AccountField("MaxPages", 8),
    AccountField("MaxPagesNode", 12),
    AccountField("MaxPagesTask", 14),
    AccountField("MaxRSS", 10, use.max_rss),
    AccountField("MaxRSSNode", 10, use.max_rss_node),
    AccountField("MaxRSSTask", 10, use.max_rss_task),
    AccountField("MaxVMSize", 10),
    AccountField("MaxVMSizeNode", 14),
    AccountField("MaxVMSizeTask", 14),
    AccountField("McsLabel", 12),
    AccountField("MinCPU", 10, use.min_cpu),
    AccountField("MinCPUNode", 10, use.min_cpu_node),
    AccountField("MinCPUTask", 10, use.min_cpu_task),
    AccountField("NCPUS", 10, lambda row: str(_cpus(row))),
    AccountField("NNodes", 8, lambda row: str(_count(row))),
    AccountField("NodeList", 15, _nodes),
    AccountField("NTasks", 8, lambda row: str(row.values.get("tasks") or 1) if row.step else ""),
    AccountField("Partition", 10, _job_only(of.partition)),
    AccountField("Planned", 10, _job_only(lambda job: long_duration(_planned_s(job)))),
    AccountField("PlannedCPU", 10,
                 _job_only(lambda job: long_duration(_planned_s(job) * job["cpus"]))),
    AccountField("PlannedCPURAW", 13,
                 _job_only(lambda job: str(int(_planned_s(job) * job["cpus"])))),
    AccountField("Priority", 10, _job_only(lambda _: "1")),
    AccountField("QOS", 10, _job_only(of.qos)),
    AccountField("QOSRAW", 6, _job_only(lambda _: "1")),
    AccountField("Reason", 22, _reason),
    AccountField("ReqCPUFreq", 10, "Unknown"),
    AccountField("ReqCPUFreqGov", 13, "Unknown"),
    AccountField("ReqCPUFreqMax", 13, "Unknown"),
    AccountField("ReqCPUFreqMin", 13, "Unknown"),
    AccountField("ReqCPUS", 8, lambda row: str(_cpus(row))),
    AccountField("ReqMem", 10, _job_only(_memory)),
    AccountField("ReqNodes", 8, lambda row: str(_count(row))),
    AccountField("ReqTRES", 10, _job_only(_asked)),
    AccountField("Reservation", 20, _job_only(of.reservation)),
    AccountField("ReservationId", 8),
    AccountField("Reserved", 10, _job_only(lambda job: long_duration(_planned_s(job)))),
    AccountField("ResvCPU", 10, _job_only(lambda job: long_duration(_planned_s(job)))),
    AccountField("ResvCPURAW", 10, _job_only(lambda job: str(int(_planned_s(job))))),
    AccountField("Start", 19, _start),
    AccountField("State", 10, state),
    AccountField("Submit", 19, lambda row: stamp(row.job["submit_us"] if not row.step
                                                 else _start_us(row))),
    AccountField("SubmitLine", 20, _job_only(lambda job: str(job.get("command") or ""))),
    AccountField("Suspended", 10, _suspended),
    AccountField("SystemComment", 15),
    AccountField("SystemCPU", 10, "00:00:00"),
    AccountField("Timelimit", 10, _job_only(
        lambda job: long_duration(job["time_limit_s"]))),
    AccountField("TimelimitRaw", 10, _job_only(
        lambda job: "UNLIMITED" if job["time_limit_s"] is None
        else str(int(job["time_limit_s"]) // 60))),
    AccountField("TotalCPU", 10, use.used_time),
    AccountField("TRESUsageInAve", 14, use.tres_average),
    AccountField("TRESUsageInMax", 14, use.tres_max),
    AccountField("TRESUsageInMaxNode", 18, use.tres_max_node),
    AccountField("TRESUsageInMaxTask", 18, use.tres_max_task),
    AccountField("TRESUsageInMin", 14, use.tres_min),
    AccountField("TRESUsageInMinNode", 18, use.tres_min_node),
    AccountField("TRESUsageInMinTask", 18, use.tres_min_task),
    AccountField("TRESUsageInTot", 14, use.tres_total),
    AccountField("TRESUsageOutAve", 15),
    AccountField("TRESUsageOutMax", 15),
    AccountField("TRESUsageOutMaxNode", 19),
    AccountField("TRESUsageOutMaxTask", 19),
    AccountField("TRESUsageOutMin", 15),
    AccountField("TRESUsageOutMinNode", 19),
    AccountField("TRESUsageOutMinTask", 19),
    AccountField("TRESUsageOutTot", 15),
    AccountField("UID", 6, _job_only(lambda job: str(of.uid_of(job["user"])))),
    AccountField("User", 9, _job_only(lambda job: str(job["user"]))),
    AccountField("UserCPU", 10, use.used_time),
    AccountField("WCKey", 10),
    AccountField("WCKeyID", 10, _job_only(lambda _: "0")),
    AccountField("WorkDir", 20, _job_only(lambda job: str(job.get("workdir") or ""))),
)  # fmt: skip

BY_NAME = {field.name.lower(): field for field in FIELDS}
