"""`qstat -Q`, `-q` and `-B`: the queues, which are partitions, and the server."""

from __future__ import annotations

from rmsd_client.console.cli import printable
from rmsd_client.pbs import attributes as of
from rmsd_client.pbs.ending import UNKNOWN_QUEUE, PbsError
from rmsd_client.pbs.full_output import print_attributes, print_json
from rmsd_client.pbs.site import VERSION
from rmsd_wire.pbs_names import SERVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from rmsd_client.api import Client

    Options = dict[str, str]

_STATES = (("Queued", "Q"), ("Held", "H"), ("Waiting", "W"), ("Running", "RB"), ("Exiting", "E"))
_QUEUES = (
    "Queue              Max   Tot Ena Str   Que   Run   Hld   Wat   Trn   Ext Type",
    "---------------- ----- ----- --- --- ----- ----- ----- ----- ----- ----- ----",
)
_SERVER = (
    "Server             Max   Tot   Que   Run   Hld   Wat   Trn   Ext Status",
    "---------------- ----- ----- ----- ----- ----- ----- ----- ----- -----------",
)


def show_queues(client: Client, options: Options, words: Sequence[str]) -> int:
    """Print the queues, or those that are named; returns the exit code."""
    partitions = client.partitions()
    wanted = [word.partition("@")[0] for word in words]
    names = {one["name"] for one in partitions}
    if unknown := [word for word in wanted if word and word not in names]:
        raise PbsError(f"qstat: Unknown queue {unknown[0]}", code=UNKNOWN_QUEUE)
    chosen = [one for one in partitions if not any(wanted) or one["name"] in wanted]
    jobs = of.arrays_as_one(client.jobs(brief=True), expand=False)
    named = {one["name"]: _queue(one, jobs) for one in chosen}
    if "f" in options or "F" in options:
        _print_full("Queue", named, options)
        return 0
    print("\n".join(_QUEUES))
    for name, shown in named.items():
        yes = ["yes" if shown[key] == "True" else "no" for key in ("enabled", "started")]
        print(
            f"{printable(name)[:15]:<16} {0:>5} {shown['total_jobs']:>5} {yes[0]:>3} {yes[1]:>3} "
            f"{_counts_line(shown)} Exec"
        )
    return 0


def show_server(client: Client, options: Options) -> int:
    """Print the server; returns the exit code."""
    jobs = of.arrays_as_one(client.jobs(brief=True), expand=False)
    shown = {
        "server_state": "Active",
        "total_jobs": len(jobs),
        "state_count": _counts(jobs),
        "default_queue": next(
            (one["name"] for one in client.partitions() if one["is_default"]), of.DEFAULT_QUEUE
        ),
        "pbs_version": VERSION,
    }
    if "f" in options or "F" in options:
        _print_full("Server", {SERVER: shown}, options)
        return 0
    print("\n".join(_SERVER))
    print(f"{SERVER:<16} {0:>5} {len(jobs):>5} {_counts_line(shown)} Active")
    return 0


def _queue(partition: dict[str, Any], jobs: Iterable[dict[str, Any]]) -> dict[str, Any]:
    mine = [job for job in jobs if (job["partition"] or of.DEFAULT_QUEUE) == partition["name"]]
    shown: dict[str, Any] = {
        "queue_type": "Execution",
        "total_jobs": len(mine),
        "state_count": _counts(mine),
        "enabled": str(partition["state"] in ("up", "down")),
        "started": str(partition["state"] in ("up", "drain")),
    }
    if partition["max_time_s"] is not None:
        shown["resources_max"] = {"walltime": of.clock(partition["max_time_s"])}
    return shown


def _counts(jobs: Sequence[dict[str, Any]]) -> str:
    states = [of.state_of(job) for job in jobs]
    return " ".join(
        f"{name}:{sum(state in letters for state in states)}" for name, letters in _STATES
    )


def _counts_line(shown: dict[str, Any]) -> str:
    counts = dict(part.split(":") for part in shown["state_count"].split())
    order = ("Queued", "Running", "Held", "Waiting", "", "Exiting")
    return " ".join(f"{counts.get(name, '0'):>5}" for name in order)


def _print_full(kind: str, named: dict[str, dict[str, Any]], options: Options) -> None:
    if options.get("F", "").lower() == "json":
        print_json(kind, named)
        return
    for name, shown in named.items():
        print_attributes(f"{kind}: {name}", shown, wide="w" in options)
