"""The table of the agent's options: one row for each, with its type, default and meaning."""

from __future__ import annotations

import re
from argparse import BooleanOptionalAction
from dataclasses import dataclass, field
from pathlib import Path

from rmsd_wire.durations import parse_duration_s
from rmsd_wire.emulate import Emulate, parse_emulate
from rmsd_wire.features import parse_features
from rmsd_wire.gres import parse_devices
from rmsd_wire.names import is_node_name
from rmsd_wire.settings import Env, Kind, described, setting, settings_of, unset
from rmsd_wire.sizes import parse_mem_mib

_MAX_NAME = 63
"""Characters of a host's name; those of emulated nodes have a number behind it."""


def default_state_dir(env: Env) -> Path:
    if root := env.get("RMSD_STATE_DIR"):
        return Path(root, "agent")
    base = env.get("XDG_STATE_HOME") or Path.home() / ".local/state"
    return Path(base, "rmsd", "agent")


def _default_ca_file(env: Env) -> Path | None:
    given = env.get("RMSD_CA_FILE")
    return None if given is None else Path(given)


def _cgroup(text: str) -> str:
    if text in ("auto", "none") or text.startswith("/"):
        return text
    raise ValueError(f"'{text}' is neither auto nor none nor an absolute path")


def _server_url(text: str) -> str:
    if re.fullmatch(r"https://[^/\s]+:\d+/?|unix:.+", text):
        return text
    raise ValueError(f"'{text}' is neither https://HOST:PORT nor unix:/PATH")


def _cores(text: str) -> int:
    if re.fullmatch(r"[1-9]\d{0,5}", text, re.ASCII):
        return int(text)
    raise ValueError(f"'{text}' is not a whole number from 1 to 999999")


def _program(text: str) -> Path:
    if not text.startswith("/"):
        raise ValueError(f"'{text}' is not an absolute path")
    return Path(text)


def _mem_mib(text: str) -> int:
    if text.strip().isdecimal():
        raise ValueError(f"{text} has no unit; say {text}M")
    return parse_mem_mib(text)


def _timeout_s(text: str) -> float:
    if text.strip().isdecimal():
        raise ValueError(f"{text} has no unit; say {text}s or {text}m")
    if (seconds := parse_duration_s(text)) is None:
        raise ValueError(f"'{text}' is not a duration, as 90s or 5m")
    return seconds


def _node_name(text: str) -> str:
    if is_node_name(text) and len(text) <= _MAX_NAME:
        return text
    raise ValueError(
        f"'{text}' is no name of a node: letters, digits, '-', '_' and '.', up to {_MAX_NAME}"
    )


def _gres(text: str) -> str:
    if text.lower() == "auto":
        return "auto"
    parse_devices(text)
    return text


def _features(text: str) -> str:
    parse_features(text)
    return text


def _emulated_gres(text: str) -> str:
    if any(device.path for device in parse_devices(text)):
        raise ValueError(f"'{text}': emulated nodes have no files of devices; say gpu:4")
    return text


_SERVER = Kind(_server_url, "`https://HOST:PORT` or `unix:/PATH`", {"metavar": "URL"})
_FILE = Kind(Path, "a path", {"metavar": "FILE"})
_PROGRAM = Kind(_program, "an absolute path", {"metavar": "FILE"})
_TIMEOUT = Kind(_timeout_s, "a duration, as `90s` or `5m`", {"metavar": "DURATION"})
_DIRECTORY = Kind(Path, "a path", {"metavar": "DIR"})
_EMULATE = Kind(parse_emulate, "`N` or `NxCORES`", {"metavar": "N[xCORES]"})
_PREFIX = Kind(_node_name, "a name", {"metavar": "PREFIX"})
_NAME = Kind(_node_name, "a name", {"metavar": "NAME"})
_MEM_MIB = Kind(_mem_mib, "a size, as `512M` or `4G`", {"metavar": "SIZE"})
_CORES = Kind(_cores, "a whole number from 1", {"metavar": "N"})
_GRES = Kind(
    _gres, "`auto`, `none`, or devices, as `gpu:a100=/dev/nvidia[0-3]`", {"metavar": "DEVICES"}
)
_EMULATED_GRES = Kind(_emulated_gres, "devices, as `gpu:a100:4,fpga:1`", {"metavar": "DEVICES"})
_FEATURES = Kind(_features, "features, as `bigmem,ib`", {"metavar": "LIST"})
_YES_OR_NO = Kind(bool, "", {"action": BooleanOptionalAction})
_FLAG = Kind(bool, "", {"action": "store_true"})
_CGROUP = Kind(_cgroup, "`auto`, `none` or an absolute path", {"metavar": "auto|none|DIR"})
_LEVELS = ("debug", "info", "warning", "error")
_LEVEL = Kind(str, ", ".join(f"`{level}`" for level in _LEVELS), {"choices": _LEVELS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of an agent. Each row says what the value means."""

    server: str = field(
        metadata=described(
            _SERVER,
            option=True,
            meaning="the daemon: https://HOST:PORT, or unix:/PATH for a socket on this machine",
        )
    )
    token_file: Path | None = unset(
        _FILE,
        option=True,
        by_default="none",
        meaning="the file whose first line is a token of `rmsd token new --role agent`",
        details="With the token the agent joins, once, and has a key of its own from then on.",
    )
    ca_file: Path | None = field(
        metadata=described(
            _FILE,
            option=True,
            by_default="`$RMSD_CA_FILE`, or the system's",
            environment="RMSD_CA_FILE",
            from_env=_default_ca_file,
            meaning="certificates to trust, for https; for jobs as well",
        )
    )
    state_dir: Path = field(
        metadata=described(
            _DIRECTORY,
            option=True,
            by_default="`$RMSD_STATE_DIR/agent`, `$XDG_STATE_HOME/rmsd/agent` or "
            "`~/.local/state/rmsd/agent`",
            environment="RMSD_STATE_DIR",
            from_env=default_state_dir,
            meaning="the directory of what must survive a restart of the agent; it serves one "
            "agent at a time",
        )
    )
    emulate: Emulate | None = unset(
        _EMULATE,
        option=True,
        by_default="none",
        meaning="be N nodes of CORES cores (1 if left out) that exist in name only, instead of "
        "this machine",
        details="Emulated nodes are for timers and trace replays, though real scripts run there "
        "as well.",
    )
    emulate_prefix: str | None = unset(
        _PREFIX,
        option=True,
        by_default="e on the daemon's machine, HOSTNAME-e over TCP",
        meaning="the names of emulated nodes are PREFIX and a number",
    )
    mem_mib: int | None = unset(
        _MEM_MIB,
        key="mem",
        option=True,
        by_default="all that the agent may use; of an emulated node, 2G for each core",
        meaning="the memory that this machine gives to jobs, as 4G or 512M",
        details="If this machine is no node, it is that of each emulated node. By default, the "
        "agent goes by the machine's memory and the memory.max of its cgroups.",
    )
    cores: int | None = unset(
        _CORES,
        option=True,
        by_default="all that the agent may use",
        meaning="the cores that this machine gives to jobs",
        details="By default, the agent counts the logical processors of its affinity (taskset, "
        "cpuset), or fewer by the cpu.max of its cgroups.",
    )
    gres: str = setting(
        _GRES,
        "auto",
        option=True,
        meaning="the devices that this machine gives to jobs, as gpu:a100=/dev/nvidia[0-3] or "
        "gpu:4,fpga:1",
        details="With `auto`, the agent asks nvidia-smi and rocm-smi for GPUs, and looks in /dev. "
        "`none`: jobs get no devices. A device whose file is gone is not given to jobs until the "
        "file is back.",
    )
    features: str = setting(
        _FEATURES,
        "",
        option=True,
        by_default="none",
        meaning="the features of the nodes, as bigmem,ib; jobs ask for them with `rsub -C`",
        details="A node has its kind, `real` or `emulated`, as a feature as well.",
    )
    emulate_gres: str | None = unset(
        _EMULATED_GRES,
        option=True,
        by_default="none",
        meaning="the devices of each emulated node, as gpu:a100:4",
        details="They exist in name only, as their node does.",
    )
    local_node: bool | None = unset(
        _YES_OR_NO,
        option=True,
        by_default="yes, unless `--emulate` is given",
        meaning="whether this machine is a node",
        details="Without any node the agent only sees to the jobs that it still has.",
    )
    name: str | None = unset(
        _NAME,
        option=True,
        by_default="its short host name",
        meaning="this machine's name as a node",
    )
    allow_root_jobs: bool = setting(
        _FLAG,
        False,
        option=True,
        meaning="run jobs as root, too",
        details="An agent of root runs every job as its user, and without this option none as "
        "root.",
    )
    cgroup: str = setting(
        _CGROUP,
        "auto",
        option=True,
        meaning="where jobs get cgroups (version 2) of their own",
        details="With `auto`, in the agent's own cgroup, if systemd has delegated it and memory "
        "can be limited there. DIR is a directory of the cgroup file system that is the agent's "
        "to divide.",
    )
    bind_processors: bool = setting(
        _YES_OR_NO,
        True,
        option=True,
        meaning="whether each job on this machine gets processors of its own",
        details="Two jobs then share none. Jobs on emulated nodes are never bound.",
    )
    constrain_devices: bool = setting(
        _YES_OR_NO,
        True,
        option=True,
        meaning="whether the kernel lets each job on this machine open the files of its own "
        "devices alone",
        details="This takes an agent of root with cgroups, and devices with files.",
        see="See [Devices](admin-setup.md#devices).",
    )
    prolog: Path | None = unset(
        _PROGRAM,
        option=True,
        by_default="none",
        meaning="the program that runs before the first process of each job on this machine",
        details="It runs as the agent's account. If it fails, the job goes elsewhere, and the node "
        "is drained.",
        see="See [Prolog and epilog](admin-setup.md#prolog-and-epilog).",
    )
    epilog: Path | None = unset(
        _PROGRAM,
        option=True,
        by_default="none",
        meaning="the program that runs after the last process of each job on this machine",
        details="It runs as the agent's account. If it fails, the node is drained.",
        see="See [Prolog and epilog](admin-setup.md#prolog-and-epilog).",
    )
    health_check: Path | None = unset(
        _PROGRAM,
        option=True,
        by_default="none",
        meaning="the program that says whether jobs may start on this machine",
        details="It runs as the agent's account, at the agent's start and then each "
        "`--health-check-interval`. While it fails, no job starts here, for the reason that it "
        "prints.",
        see="See [Health check](admin-setup.md#health-check).",
    )
    health_check_interval_s: float = setting(
        _TIMEOUT,
        "5m",
        key="health_check_interval",
        option=True,
        meaning="how long after the health check it runs again",
    )
    reboot_program: Path | None = unset(
        _PROGRAM,
        option=True,
        by_default="none",
        meaning="the program that reboots this machine, for `rnode reboot`",
        details="It runs as the agent's account once the node is idle. Without it such a request "
        "is refused.",
        see="See [Reboots of nodes](admin-operation.md#reboots-of-nodes).",
    )
    program_timeout_s: float = setting(
        _TIMEOUT,
        "5m",
        key="program_timeout",
        option=True,
        meaning="how long the prolog, the epilog, the health check and the reboot program may "
        "take, each",
        details="One that takes longer is killed and has failed.",
    )
    log_level: str = setting(
        _LEVEL, "info", option=True, meaning="the least level that is logged on stderr"
    )


OPTIONS = settings_of(Options)
