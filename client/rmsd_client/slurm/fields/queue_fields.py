"""The letters of squeue's -o and the fields of its -O, as one literal table."""

from __future__ import annotations

from rmsd_client.nodes import device_text
from rmsd_client.slurm.fields.formats import ShownField
from rmsd_client.slurm.words import jobs as of
from rmsd_client.slurm.words.part_views import het_fields
from rmsd_client.slurm.words.points import fraction_of, points_of
from rmsd_client.slurm.words.times import mem_text, short_duration, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Job = dict[str, Any]


def _dependency(job: Job) -> str:
    conditions = job["conditions"] or {}
    found = [f"{_awaited(one)}(failed)" for one in conditions.get("unmet", ())]
    found += [f"{_awaited(one)}(unfulfilled)" for one in conditions.get("dependencies", ())]
    return ("?" if conditions.get("any_of") else ",").join(found) or "(null)"


def _awaited(dependency: dict[str, Any]) -> str:
    relation, minutes = dependency["relation"], int(dependency.get("delay_s", 0) // 60)
    if relation == "singleton":
        return "singleton"
    name = dependency.get("name", dependency["job_id"])
    return f"{relation}:{name}" + (f"+{minutes}" if minutes else "")


def _starts(job: Job) -> str:
    expected = job.get("expected_start_us")
    if job["start_us"] is None and job["end_us"] is not None:
        return stamp(job["end_us"], "N/A")  # HyperQueue reads a start of each job that is over
    if job["start_us"] is None and (job["conditions"] or {}).get("begin_us"):
        return stamp(job["conditions"]["begin_us"], "N/A")
    return stamp(job["start_us"] or expected, "N/A")


def _ends(job: Job) -> str:
    begins = job["start_us"] is None and (job["conditions"] or {}).get("begin_us")
    return stamp(of.end_us(job), "NONE" if begins and job["time_limit_s"] is None else "N/A")


def _shared(job: Job) -> str:
    part = job["request"][0] if job["request"] else {}
    return "USER" if part.get("exclusive_user") else "NO" if part.get("exclusive") else "OK"


def _deadline(job: Job) -> str:
    return stamp(job.get("deadline_us"), "N/A")


def _limit(job: Job) -> str:
    return short_duration(job["time_limit_s"])


def _left(job: Job) -> str:
    left = of.time_left_s(job)
    return "INVALID" if left is not None and left < 0 else short_duration(left)


def _memory(job: Job) -> str:
    return mem_text(of.min_memory_mib(job)) if job["mem_mib"] else "0"


def _memory_in_mib(job: Job) -> str:
    return f"{of.min_memory_mib(job)}M" if job["mem_mib"] else "0"


def _nodes(job: Job) -> str:
    return str(job["nodes"] or 1)


def _first_node(job: Job) -> str:
    from rmsd_wire.hostlist import expand

    return expand(job["nodelist"])[0] if job["nodelist"] else "n/a"


def _tres(job: Job) -> str:
    return device_text.per_node(job) or "N/A"


def _alloc_tres(job: Job) -> str:
    if not job["nodelist"]:
        return "N/A"
    memory = f",mem={mem_text(of.held_memory_mib(job))}" if job["mem_mib"] else ""
    devices = device_text.job_tres(job)
    return f"cpu={job['cpus']}{memory},node={_nodes(job)},billing={job['cpus']}{devices}"


def _text(key: str) -> Callable[[Job], str]:
    return lambda job: str(job.get(key) or "")


def _or_null(key: str) -> Callable[[Job], str]:
    return lambda job: str(job.get(key) or "(null)")


FIELDS = (
    ShownField("a", "account", "ACCOUNT", lambda job: of.account(job) or "(null)"),
    ShownField("A", "jobid", "JOBID", lambda job: str(job["job_id"])),
    ShownField("b", "gres tres-per-node", "TRES_PER_NODE", _tres),
    ShownField("B", "batchhost", "EXEC_HOST", _first_node),
    ShownField("", "batchflag", "BATCH_FLAG", "1"),
    ShownField("c", "mincpus", "MIN_CPUS", lambda job: str(job["cpus_per_task"])),
    ShownField("C", "numcpus", "CPUS", lambda job: str(job["cpus"])),
    ShownField("d", "mintmpdisk", "MIN_TMP_DISK", "0"),
    ShownField("D", "numnodes", "NODES", _nodes),
    ShownField("e", "endtime", "END_TIME", _ends),
    ShownField("E", "dependency", "DEPENDENCY", _dependency),
    ShownField("f", "feature", "FEATURES", _or_null("constraint")),
    ShownField("F", "arrayjobid", "ARRAY_JOB_ID", lambda job: str(of.array_job_id(job))),
    ShownField("g", "groupname", "GROUP", lambda job: of.group_of(job["user"])[0]),
    ShownField("G", "groupid", "GROUP", lambda job: str(of.group_of(job["user"])[1])),
    ShownField("h", "oversubscribe shared", "OVER_SUBSCRIBE", _shared),
    ShownField("H", "sockets", "SOCKETS_PER_NODE", "*"),
    ShownField("i", "jobarrayid", "JOBID", of.text_id),
    ShownField("I", "cores", "CORES_PER_SOCKET", "*"),
    ShownField("j", "name", "NAME", _text("name")),
    ShownField("J", "threads", "THREADS_PER_CORE", "*"),
    ShownField("k", "comment", "COMMENT", _or_null("comment")),
    ShownField("K", "arraytaskid", "ARRAY_TASK_ID", of.array_task_id),
    ShownField("l", "timelimit", "TIME_LIMIT", _limit),
    ShownField("L", "timeleft", "TIME_LEFT", _left),
    ShownField("m", "minmemory", "MIN_MEMORY", _memory),
    ShownField("M", "timeused", "TIME", lambda job: short_duration(job["elapsed_s"] or 0)),
    ShownField("n", "reqnodes", "REQ_NODES", lambda job: of.named_nodes(job, "require")),
    ShownField("N", "nodelist", "NODELIST", _text("nodelist")),
    ShownField("o", "command", "COMMAND", _or_null("command")),
    ShownField("O", "contiguous", "CONTIGUOUS", "0"),
    ShownField("p", "priority", "PRIORITY", fraction_of),
    ShownField("P", "partition", "PARTITION", of.partition),
    ShownField("q", "qos", "QOS", of.qos),
    ShownField("Q", "prioritylong", "PRIORITY", lambda job: str(points_of(job))),
    ShownField("r", "reason", "REASON", of.reason),
    ShownField("R", "reasonlist", "NODELIST(REASON)", of.nodelist_or_reason),
    ShownField("s", "selectjobinfo", "", ""),
    ShownField("S", "starttime", "START_TIME", _starts),
    ShownField("t", "statecompact", "ST", of.short_state),
    ShownField("T", "state", "STATE", _text("state")),
    ShownField("u", "username", "USER", _text("user")),
    ShownField("U", "userid", "UID", lambda job: str(of.uid_of(job["user"]))),
    ShownField("v", "reservation", "RESERVATION", lambda job: of.reservation(job) or "(null)"),
    ShownField("V", "submittime", "SUBMIT_TIME", lambda job: stamp(job["submit_us"])),
    ShownField("w", "wckey", "WCKEY", "(null)"),
    ShownField("W", "licenses", "LICENSES", of.licenses),
    ShownField("x", "excnodes", "EXC_NODES", lambda job: of.named_nodes(job, "exclude")),
    ShownField("X", "corespec", "CORE_SPEC", "N/A"),
    ShownField("y", "nice", "NICE", of.nice),
    ShownField("Y", "schednodes", "SCHEDNODES", "(null)"),
    ShownField("z", "sct", "S:C:T", "*:*:*"),
    ShownField("Z", "workdir", "WORK_DIR", _text("workdir")),
    ShownField("", "accruetime", "ACCRUE_TIME",
               lambda job: stamp(job["eligible_us"], "N/A")),
    ShownField("", "eligibletime", "ELIGIBLE_TIME", lambda job: stamp(job["eligible_us"], "N/A")),
    ShownField("", "exit_code", "EXIT_CODE", lambda job: str(of.exit_status(job))),
    ShownField("", "numtasks", "TASKS", lambda job: str(job["tasks"])),
    ShownField("", "cpus-per-task cpuspertask", "CPUS_PER_TASK",
               lambda job: str(job["cpus_per_task"])),
    ShownField("", "ntpernode", "NTASKS_PER_NODE", "0"),
    ShownField("", "restartcnt", "RESTART_COUNT",
               lambda job: str(of.restarts(job))),
    ShownField("", "requeue", "REQUEUE", lambda job: str(of.requeues(job))),
    ShownField("", "stdout", "STDOUT", _text("stdout")),
    ShownField("", "stderr", "STDERR", _text("stderr")),
    ShownField("", "stdin", "STDIN", of.stdin),
    ShownField("", "tres-alloc tres", "TRES_ALLOC", _alloc_tres),
    ShownField("", "tres-per-job", "TRES_PER_JOB", "N/A"),
    ShownField("", "tres-per-task", "TRES_PER_TASK", "N/A"),
    ShownField("", "tres-per-socket", "TRES_PER_SOCKET", "N/A"),
    ShownField("", "cpus-per-tres", "CPUS_PER_TRES", "N/A"),
    ShownField("", "mem-per-tres", "MEM_PER_TRES", "N/A"),
    ShownField("", "tres-bind", "TRES_BIND", "N/A"),
    ShownField("", "tres-freq", "TRES_FREQ", "N/A"),
    ShownField("", "cluster", "CLUSTER", "rmsd"),
    ShownField("", "deadline", "DEADLINE", _deadline),
    ShownField("", "lastschedeval", "LAST_SCHED_EVAL", "N/A"),
    ShownField("", "maxcpus", "MAX_CPUS", "0"),
    ShownField("", "maxnodes", "MAX_NODES", "0"),
    ShownField("", "network", "NETWORK", "(null)"),
    ShownField("", "mcslabel", "MCSLABEL", "(null)"),
    ShownField("", "admin_comment", "ADMIN_COMMENT", "(null)"),
    ShownField("", "system_comment", "SYSTEM_COMMENT", "(null)"),
    ShownField("", "container", "CONTAINER", "(null)"),
    ShownField("", "prefer", "PREFER", "(null)"),
    ShownField("", "associd", "ASSOC_ID", "0"),
    ShownField("", "burstbuffer", "BURST_BUFFER", "(null)"),
    ShownField("", "burstbufferstate", "BURST_BUFFER_STATE", "(null)"),
    ShownField("", "clusterfeature", "CLUSTER_FEATURES", "(null)"),
    ShownField("", "derivedec", "DERIVED_EC", "0"),
    ShownField("", "mintime", "TIME_MIN", "0:00"),
    ShownField("", "reqswitch", "REQ_SWITCH", "0"),
    ShownField("", "resizetime", "RESIZE_TIME", "N/A"),
    ShownField("", "allocnodes", "ALLOC_NODES", "(null)"),
    ShownField("", "allocsid", "ALLOC_SID", "0"),
    ShownField("", "pendingtime", "PENDING_TIME", lambda job: str(int(job["wait_s"] or 0))),
    ShownField("", "preempttime", "PREEMPT_TIME", "N/A"),
    ShownField("", "profile", "PROFILE", "NotSet"),
    ShownField("", "reboot", "REBOOT", "0"),
    ShownField("", "boardspernode", "BOARDS_PER_NODE", "0"),
    ShownField("", "sperboard", "SOCKETS_PER_BOARD", "0"),
    ShownField("", "ntperboard", "NTASKS_PER_BOARD", "0"),
    ShownField("", "ntpercore", "NTASKS_PER_CORE", "N/A"),
    ShownField("", "ntpersocket", "NTASKS_PER_SOCKET", "N/A"),
    ShownField("", "delayboot", "DELAY_BOOT", "0:00"),
    ShownField("", "origin", "ORIGIN", "NA"),
    ShownField("", "originraw", "ORIGIN_RAW", "NA"),
    ShownField("", "siblingsactive", "ACTIVE_SIBLINGS", "NA"),
    ShownField("", "siblingsactiveraw", "ACTIVE_SIBLINGS_RAW", "NA"),
    ShownField("", "siblingsviable", "VIABLE_SIBLINGS", "NA"),
    ShownField("", "siblingsviableraw", "VIALBLE_SIBLINGS_RAW", "NA"),
    ShownField("", "hetjobid packjobid", "HET_JOB_ID", lambda job: het_fields(job)[0]),
    ShownField("", "hetjoboffset packjoboffset", "HET_JOB_OFFSET", lambda job: het_fields(job)[1]),
    ShownField("", "hetjobidset packjobidset", "HET_JOB_ID_SET", lambda job: het_fields(job)[2]),
)  # fmt: skip

_READS = {
    "a": "account", "A": "job_id", "B": "nodelist", "C": "cpus", "D": "nodes",
    "F": "job_id array_job_id", "g": "user", "G": "user",
    "i": "job_id array_job_id array_task_id array_task_str", "j": "name",
    "K": "array_task_id array_task_str", "l": "time_limit_s", "L": "time_limit_s elapsed_s",
    "m": "mem_mib mem_per_cpu_mib", "M": "elapsed_s", "N": "nodelist", "p": "state reason",
    "P": "partition", "q": "qos", "Q": "state reason",
    "r": "state reason", "R": "state reason nodelist", "t": "state", "T": "state", "u": "user",
    "U": "user", "V": "submit_us",
}  # fmt: skip
"""The keys of a job that fields read, where the queue in short has them all, by letter."""

for _field in FIELDS:
    if _field.letter in _READS:
        _field.reads = _READS[_field.letter].split()

BY_LETTER = {field.letter: field for field in FIELDS if field.letter}
PRIORITIES = (BY_LETTER["p"], BY_LETTER["Q"])
MEMORY = BY_LETTER["m"]
MEMORY_IN_MIB = ShownField("m", "minmemory", MEMORY.title, _memory_in_mib)
"""The field of the memory with --noconvert."""
MEMORY_IN_MIB.reads = MEMORY.reads
BY_NAME = {name: field for field in FIELDS for name in field.names}
