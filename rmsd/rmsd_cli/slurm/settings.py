"""The settings of slurm.conf outside of its lines of nodes and partitions: what becomes of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rmsd_cli.slurm.reading import Value
from rmsd_wire.rlimits import RLIMITS, parse_propagate

Toml = str | int | bool | list[str]
"""A value in rmsd's configuration."""


class Left(Exception):
    """A value is left out; the message says why."""


def seconds(text: str) -> str:
    """Return the duration of a number of seconds."""
    return spelled_duration(whole(text))


def minutes(text: str) -> str:
    """Return the duration of a number of minutes."""
    if text.upper() in ("UNLIMITED", "INFINITE", "65533"):
        raise Left("the time beyond a limit has an end here; set overrun")
    return spelled_duration(whole(text) * 60)


def spelled_duration(seconds: float) -> str:
    """Return seconds in the largest unit that is exact: `2d`, `90m`, `45s`."""
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds and seconds % size == 0:
            return f"{int(seconds) // size}{unit}"
    return f"{int(seconds)}s"


def whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise Left(f"'{text}' is not a whole number")
    return int(text)


def mebibytes(text: str) -> str:
    """Return a size in MiB; 0 and UNLIMITED are left out."""
    if text.upper() == "UNLIMITED" or whole(text) == 0:
        raise Left("without a limit, as by default")
    return f"{whole(text)}M"


def _dead(text: str) -> str:
    if whole(text) == 0:
        raise Left("nodes that are silent are given up in the end; see node_dead")
    return seconds(text)


def _grace(text: str) -> str:
    if whole(text) == 0:
        raise Left("there is always a moment between SIGTERM and SIGKILL; see kill_grace")
    return seconds(text)


def _propagated(text: str) -> str:
    try:
        parse_propagate(text)
    except ValueError as error:
        raise Left(str(error)) from None
    return text.upper().replace("RLIMIT_", "")


def _propagated_but(text: str) -> str:
    kept = [name for name in RLIMITS if name not in _propagated(text).split(",")]
    return ",".join(kept) if _propagated(text) not in ("ALL", "NONE") and kept else "NONE"


TRANSLATED: Mapping[str, tuple[str, Callable[[str], Toml]]] = {
    "killwait": ("kill_grace", _grace),
    "slurmdtimeout": ("node_dead", _dead),
    "overtimelimit": ("overrun", minutes),
    "defmempernode": ("default_mem", mebibytes),
    "propagateresourcelimits": ("propagate_limits", _propagated),
    "propagateresourcelimitsexcept": ("propagate_limits", _propagated_but),
}
"""The key of rmsd's configuration, and what reads the value."""

SLURMS_DEFAULTS: Mapping[str, Toml] = {"kill_grace": "30s"}
"""Values that Slurm has where its file says nothing, as far as rmsd has others."""

READ_ELSEWHERE = {
    "clustername", "grestypes",
    "schedulertype", "prioritytype", "selecttype", "selecttypeparameters",
    "taskplugin", "priorityweightage", "priorityweightfairshare", "priorityweightjobsize",
    "prioritydecayhalflife", "prioritymaxage", "priorityweightpartition", "priorityweightqos",
    "preemptexempttime", "preemptmode", "preempttype",
}  # fmt: skip
"""The settings on which the recipe, the limit of memory and the preemption of partitions rest, and
the kinds of devices, which the nodes tell."""

WHY_LEFT: Mapping[str, str] = {
    "accountingstorageenforce": "accounts and QOS of [accounts.NAME] and [qos.NAME] are enforced",
    "defmempercpu": "memory is by node here; set default_mem",
    "maxmempercpu": "a job may ask for all memory of a node",
    "maxmempernode": "a job may ask for all memory of a node",
    "enforcepartlimits": "a job beyond the limits of its partition is always refused",
    "epilog": "it is the nodes' own; start their agents with `rmsd-agent --epilog`",
    "epilogslurmctld": "nothing runs around jobs; `rsub --notify` tells of an end",
    "healthcheckinterval": "an agent has `--health-check-interval` for it",
    "healthcheckprogram": "start the nodes' agents with `rmsd-agent --health-check`",
    "jobrequeue": "jobs are requeued if their node is lost; scripts say --no-requeue",
    "jobsubmitplugins": "nothing looks at jobs at their submit but the limits",
    "mailprog": "set mail to a program with the options of sendmail, or to smtp://HOST",
    "maxarraysize": "an array has at most 1,000,000 tasks",
    "maxjobcount": "the limit is by user here; set max_jobs_per_user",
    "privatedata": "users see other users' jobs without paths, names and scripts",
    "priorityfavorsmall": "small jobs have no points for being small",
    "priorityflags": "the recipe has no such flags",
    "priorityweightassoc": "an account has no points",
    "priorityweighttres": "points are for processors alone; see the recipe's `size`",
    "prolog": "it is the nodes' own; start their agents with `rmsd-agent --prolog`",
    "prologslurmctld": "nothing runs around jobs",
    "rebootprogram": "it is the nodes' own; start their agents with `rmsd-agent --reboot-program`",
    "resumetimeout": "see reboot_timeout, for nodes that reboot; none is powered down",
    "schedulerparameters": "the recipe has other parameters; see docs/recipes.md",
    "taskepilog": "nothing runs around tasks",
    "taskprolog": "nothing runs around tasks",
    "vsizefactor": "virtual memory is not limited; --propagate=AS does",
}
"""Settings that users may notice, and why they are left out. All others are of Slurm's own services
and are listed together."""


_NONE = Value("", "", "")


def limits_memory(settings: Mapping[str, Value], cgroup: Mapping[str, Value]) -> bool:
    """Return whether this Slurm kept jobs to the memory that they asked for: if memory is a
    resource and cgroups constrain it, or what is above is killed."""
    selected = settings.get("selecttypeparameters", _NONE).text.upper()
    if "MEMORY" not in selected:
        return False
    if "OVERMEMORYKILL" in settings.get("jobacctgatherparams", _NONE).text.upper():
        return True
    by_cgroup = "cgroup" in settings.get("taskplugin", _NONE).text.lower()
    return by_cgroup and cgroup.get("constrainramspace", _NONE).text.lower() == "yes"
