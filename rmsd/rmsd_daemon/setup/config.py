"""The table of the daemon's settings: one row for each, with its type, default and meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rmsd_core.jobs.accounts import License
from rmsd_core.lifecycle.core import CapacityKind
from rmsd_daemon.setup import values
from rmsd_daemon.setup.accounts import AccountSettings, QosSettings
from rmsd_daemon.setup.groups import ACCESS, GROUPS, HISTORY, JOBS, NODES, REQUESTS, SCHEDULING
from rmsd_daemon.setup.mail import MailSettings
from rmsd_daemon.setup.partitions import PartitionSettings
from rmsd_daemon.setup.values import TrialOutput
from rmsd_wire.settings import described, setting, settings_of, unset


def default_state_dir(env: Mapping[str, str]) -> Path:
    if given := env.get("RMSD_STATE_DIR"):
        return Path(given)
    base = env.get("XDG_STATE_HOME") or Path(env.get("HOME", "/")) / ".local/state"
    return Path(base) / "rmsd"


@dataclass(frozen=True, slots=True)
class Config(MailSettings):
    """The settings of a daemon. Each row says what the value means.

    Durations are real seconds, except for `default_time_limit_s`, which is the estimate of a job.
    None is no limit.
    """

    state_dir: Path = field(
        metadata=described(
            values.DIRECTORY,
            group=ACCESS,
            option=True,
            environment="RMSD_STATE_DIR",
            from_env=default_state_dir,
            by_default="`$RMSD_STATE_DIR`, `$XDG_STATE_HOME/rmsd` or `~/.local/state/rmsd`",
            example="/var/lib/rmsd",
            meaning="the directory of the database, the socket, the lock and the local agent",
            details="Its path must be short: the socket's has at most about 100 bytes.",
        )
    )
    socket: Path | None = unset(
        values.PATH,
        group=ACCESS,
        option=True,
        by_default="none",
        example="/run/rmsd/rmsd.sock",
        meaning="a Unix socket that serves every account of this machine, for a daemon that root "
        "has started",
        details="Clients look at `/run/rmsd/rmsd.sock`. Without this socket, the daemon serves "
        "its own account alone, on the socket in `state_dir`.",
    )
    operators: tuple[str, ...] = setting(
        values.NAMES,
        [],
        group=ACCESS,
        by_default="none",
        example=["ann", "@wheel"],
        sighup="the daemon takes the new list",
        meaning="accounts, and groups of this machine after `@`, that see and end all jobs and "
        "drain nodes",
    )
    admins: tuple[str, ...] = setting(
        values.NAMES,
        [],
        group=ACCESS,
        by_default="none",
        example=["@wheel"],
        sighup="the daemon takes the new list",
        meaning="accounts and groups that do what operators do, stop the daemon, make tokens for "
        "every user and read the audit trail",
        details="Root and the daemon's own account are administrators.",
    )
    listen: str | None = unset(
        values.LISTEN,
        group=ACCESS,
        option=True,
        by_default="none",
        example="0.0.0.0:7632",
        meaning="the TCP address for agents and clients elsewhere, with TLS and tokens of callers",
        details="See `rmsd tls` and `rmsd token`.",
    )
    tls_cert: Path | None = unset(
        values.PATH,
        group=ACCESS,
        by_default="`tls/cert.pem` in `state_dir`",
        example="/var/lib/rmsd/tls/cert.pem",
        meaning="the certificate for `listen`, with the whole chain (PEM)",
        details="`rmsd tls new` makes one. SIGHUP: the daemon reads the same file again.",
    )
    tls_key: Path | None = unset(
        values.PATH,
        group=ACCESS,
        by_default="`tls/key.pem` in `state_dir`",
        example="/var/lib/rmsd/tls/key.pem",
        meaning="the key of the certificate (PEM)",
        details="SIGHUP: the daemon reads the same file again.",
    )
    max_token_life_s: float = setting(
        values.OVERRUN,
        "365d",
        key="max_token_life",
        group=ACCESS,
        meaning="how long a token holds in all, if its user renews it",
        details="`rmsd token renew` adds 90 days each time. A token that was made for less than 30 "
        "days cannot be renewed, and with `0s` none can.",
    )
    emulate: str | None = unset(
        values.EMULATE,
        group=NODES,
        option=True,
        by_default="none",
        example="4x2",
        meaning="emulated nodes beside the other nodes: N of them, with CORES cores (1 if left "
        "out) and 2 GiB a core",
        details="They run timers and scripts, and serve replays and trying out the scheduler.",
    )
    emulate_gres: str | None = unset(
        values.EMULATED_GRES,
        group=NODES,
        option=True,
        by_default="none",
        example="gpu:a100:4",
        meaning="the devices of each emulated node, as gpu:a100:4,fpga:1",
        details="They exist in name only.",
    )
    local_node: bool = setting(
        values.BOOL, True, group=NODES, option=True, meaning="whether this machine is a node"
    )
    cores: int | None = unset(
        values.CORES,
        group=NODES,
        option=True,
        by_default="all that the daemon may use",
        example=6,
        sighup="the node has the new size; jobs that run are left alone",
        meaning="the cores that this machine gives to jobs as a node",
        details="By default, these are the logical processors of the daemon's affinity (taskset, "
        "cpuset), or fewer by the cpu.max of its cgroups.",
    )
    mem_mib: int | None = unset(
        values.SIZE_MIB,
        key="mem",
        group=NODES,
        option=True,
        by_default="all that the daemon may use",
        example="24G",
        sighup="the node has the new size; jobs that run are left alone",
        meaning="the memory that this machine gives to jobs as a node",
        details="By default, all of the machine, or less by memory.max of the daemon's cgroups.",
    )
    gres: str = setting(
        values.GRES,
        "auto",
        group=NODES,
        option=True,
        sighup="the node has the new devices; jobs that run are left alone",
        meaning="the devices that this machine gives to jobs, as gpu:a100=/dev/nvidia[0-3],fpga:1",
        details="With `auto`, its agent asks nvidia-smi and rocm-smi for GPUs and looks in /dev.",
        see="See [Devices](admin-setup.md#devices).",
    )
    features: str = setting(
        values.FEATURES,
        "",
        group=NODES,
        option=True,
        by_default="none",
        example="bigmem,ib",
        sighup="the nodes have the new features; jobs that run are left alone",
        meaning="the features of the daemon's own nodes, which jobs ask for with `rsub -C`",
    )
    bind_processors: bool = setting(
        values.BOOL,
        True,
        group=NODES,
        meaning="whether each job on this machine as a node gets processors of its own",
        details="Other agents have the option `rmsd-agent --no-bind-processors`.",
        see="See [Processors](admin-setup.md#processors).",
    )
    constrain_devices: bool = setting(
        values.BOOL,
        True,
        group=NODES,
        meaning="whether a job on this machine can open the files of its own devices alone",
        see="See [Devices](admin-setup.md#devices).",
    )
    rate: float = setting(
        values.RATE,
        1,
        group=NODES,
        option=True,
        meaning="model seconds per real second; other than 1 for experiments alone",
        details="Time for jobs, predictions and emulated jobs runs at this rate. Limits of real "
        "scripts stay real. With `paced`, on emulated nodes alone, time goes on from instant to "
        "instant as `rmsd replay --paced` submits.",
    )
    recipe: str = setting(
        values.RECIPE,
        "rmsd-gentle",
        group=SCHEDULING,
        option=True,
        meaning="the scheduler",
        details="`rmsd recipes` lists the schedulers.",
        see="[Recipes](recipes.md) helps to choose.",
    )
    capacity: CapacityKind = setting(
        values.CAPACITY,
        "nodes",
        group=SCHEDULING,
        option=True,
        meaning="what is scheduled: nodes with cores and memory, or one pool of counted processors",
        details='With `"counted"`, jobs cannot ask for nodes, memory or features.',
    )
    partitions: tuple[PartitionSettings, ...] = setting(
        values.PARTITIONS,
        {},
        group=SCHEDULING,
        by_default="one, `main`, with all nodes",
        example={"batch": {"nodes": "n[01-16]", "default": True, "max_time": "2d"}},
        sighup="the daemon takes the new partitions; jobs that run are left alone",
        meaning="named sets of nodes, which may overlap, and their limits",
        see="See [Partitions](admin-setup.md#partitions).",
    )
    accounts: tuple[AccountSettings, ...] = setting(
        values.ACCOUNTS,
        {},
        group=SCHEDULING,
        by_default="none; a job may name any account",
        example={"lab": {"members": ["ann", "@physics"]}},
        sighup="the daemon takes the new accounts",
        meaning="projects that jobs run for, and their members",
        see="See [Accounts and QOS](admin-setup.md#accounts-and-qos).",
    )
    qos: tuple[QosSettings, ...] = setting(
        values.QOS,
        {},
        group=SCHEDULING,
        by_default="one, `normal`",
        example={"urgent": {"users": ["@staff"]}},
        sighup="the daemon takes the new QOS",
        meaning="qualities of service that jobs ask for, and who may",
        see="See [Accounts and QOS](admin-setup.md#accounts-and-qos).",
    )
    licenses: tuple[License, ...] = setting(
        values.LICENSES,
        {},
        group=SCHEDULING,
        by_default="none",
        example={"matlab": 4},
        sighup="the daemon takes the new licenses",
        meaning="the number of each license that jobs on all nodes may have together",
        see="See [Licenses](admin-setup.md#licenses).",
    )
    kill_grace_s: float = setting(
        values.LIMITED,
        "10s",
        key="kill_grace",
        group=JOBS,
        meaning="the time from SIGTERM to SIGKILL when a job is ended",
    )
    overrun_s: float = setting(
        values.OVERRUN,
        "0s",
        key="overrun",
        group=JOBS,
        meaning="the time that a job gets beyond its limit before SIGTERM (Slurm's OverTimeLimit)",
        details="It is real time for scripts and model time for emulated jobs, as their limits "
        "are. Planning goes by the limit.",
    )
    default_time_limit_s: float | None = setting(
        values.DURATION,
        "UNLIMITED",
        key="default_time",
        group=SCHEDULING,
        meaning="the limit of a job that asks for none",
        details="Set it: backfilling knows little about a job without a limit. A partition's own "
        "`default_time`, or else its `max_time`, comes before it.",
    )
    restartable: bool = setting(
        values.BOOL,
        True,
        group=SCHEDULING,
        meaning="whether a job may be killed before its turn and run again later, under a recipe "
        "with trial runs or speculation",
        details="It holds for a job without `--restartable` or `--no-restartable`.",
    )
    trial_output: TrialOutput = setting(
        values.TRIAL_OUTPUT,
        "truncate",
        group=SCHEDULING,
        meaning="what becomes of the output files of a killed trial or speculation: the next "
        "attempt overwrites them, or they are kept",
        details="Kept files are renamed to `NAME.attempt1` before the next attempt starts.",
    )
    default_mem_mib: int | None = setting(
        values.or_unlimited(values.SIZE_MIB),
        "UNLIMITED",
        key="default_mem",
        group=SCHEDULING,
        meaning="the memory on each node of a script that asks for none",
        details="Without it, such scripts are neither limited nor accounted. It cannot be set "
        'together with `capacity = "counted"`.',
    )
    max_processes: int | None = setting(
        values.or_unlimited(values.COUNT),
        4096,
        group=JOBS,
        meaning="the most processes and threads of a job on one node",
        details="A job with more is killed and FAILED; with cgroups, it cannot start more.",
        see="See [cgroups](admin-setup.md#with-cgroups).",
    )
    limit_memory: bool = setting(
        values.BOOL,
        True,
        group=JOBS,
        meaning="whether a job that takes more memory on a node than it asked for is killed",
        details="Without, memory is accounted alone, as by a Slurm that does not constrain it.",
    )
    propagate_limits: tuple[str, ...] = setting(
        values.RLIMITS,
        "ALL",
        group=JOBS,
        meaning="the soft resource limits that a job takes over from the shell that submits it "
        "(Slurm's PropagateResourceLimits)",
        details="They go up to the hard limits of the agent. `rsub --propagate` chooses others.",
        see="See [resource limits](user-guide.md#resource-limits).",
    )
    max_output_bytes: int | None = setting(
        values.or_unlimited(values.SIZE_BYTES),
        "UNLIMITED",
        key="max_output_size",
        group=JOBS,
        meaning="the most bytes that a script may write to its output files and to itself, and "
        "each task to its output files",
        details="A job that writes more is killed and FAILED. Blocks taken beyond the end of a "
        "file count for a quarter.",
    )
    as_users: bool | None = unset(
        values.BOOL,
        group=ACCESS,
        by_default="`true` if the daemon is root's",
        example=True,
        meaning="whether agents are told to run each job as the account of its user",
        details="For a daemon of another account, set it where users come with tokens and the "
        "agents are root's.",
        see="See [whose account jobs run as](admin-setup.md#whose-account-jobs-run-as).",
    )
    allow_root_jobs: bool | None = unset(
        values.BOOL,
        group=ACCESS,
        by_default="`true` without `listen` and `admins`, else `false`",
        example=False,
        meaning="whether the local agent of a daemon of root's runs jobs as root",
        details="Other agents have the option `rmsd-agent --allow-root-jobs`.",
    )
    notify_commands: bool = setting(
        values.BOOL,
        False,
        group=ACCESS,
        meaning="whether a daemon of root's runs the commands of `rsub --notify`, as their users",
        details="Any other daemon runs those of its own account.",
        see="See [Notices](admin-operation.md#notices).",
    )
    node_dead_s: float = setting(
        values.LIMITED,
        "5m",
        key="node_dead",
        group=NODES,
        meaning="how long a node may be silent before its jobs are requeued",
    )
    drain_after: int | None = setting(
        values.or_unlimited(values.COUNT),
        3,
        key="drain_after_failures",
        group=NODES,
        meaning="the failed launches in a row after which a node is drained",
        details="Failures that may be the job's own count once for each user. `UNLIMITED` never "
        "drains a node.",
        see="See [Nodes that cannot start jobs](admin-operation.md#nodes-that-cannot-start-jobs).",
    )
    max_script_bytes: int = setting(
        values.SCRIPT_BYTES,
        "4M",
        key="max_script_size",
        group=JOBS,
        meaning="the largest script",
        details="`rsub` itself takes no more than 4 MiB.",
    )
    max_request_bytes: int = setting(
        values.SIZE_BYTES,
        "16M",
        key="max_request_size",
        group=REQUESTS,
        meaning="the largest body of a request",
        details="A script may take several bytes for each of its own there.",
        see="See [Limits of requests](admin-security.md#limits-of-requests).",
    )
    max_jobs_per_request: int = setting(
        values.COUNT, 1000, group=REQUESTS, meaning="the most jobs in one submit"
    )
    max_jobs_per_user: int = setting(
        values.COUNT,
        100_000,
        group=REQUESTS,
        meaning="the most jobs of one user, waiting and running",
    )
    max_request_rate: float = setting(
        values.REQUESTS,
        1000,
        group=REQUESTS,
        meaning="the most requests a second of one user",
        details="A faster caller waits; a much faster one is told to come again later (HTTP 429).",
    )
    max_connections: int = setting(
        values.COUNT,
        1000,
        group=REQUESTS,
        meaning="the most connections of one account (on the Unix socket), or of one user or agent "
        "at one address (over TCP)",
    )
    keep_events_s: float | None = setting(
        values.KEPT,
        "90d",
        key="keep_events",
        group=HISTORY,
        meaning="how long the record of all decisions is kept, which `rmsd verify` checks",
        details="Older events are deleted while the daemon runs. They are most of the database.",
        see="See [how long the history is kept](admin-history.md#how-long-the-history-is-kept).",
    )
    keep_history_s: float | None = setting(
        values.KEPT,
        "UNLIMITED",
        key="keep_history",
        group=HISTORY,
        meaning="how long a job is kept after its end, with its script and its attempts",
        details="Predictions do not know older runs. Old entries of the audit trail and tokens "
        "that ended so long ago are deleted as well.",
    )
    log_level: str = setting(
        values.LEVEL, "info", group=ACCESS, option=True, meaning="the least level that is logged"
    )


SETTINGS = sorted(settings_of(Config), key=lambda row: GROUPS.index(row.group))
