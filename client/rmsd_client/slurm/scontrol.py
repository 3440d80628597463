"""`scontrol`: show and change jobs, nodes and partitions."""

from __future__ import annotations

import os
import time

from rmsd_client.api import Client
from rmsd_client.errors import Unreachable
from rmsd_client.show.dependency_names import name_dependencies
from rmsd_client.slurm.command_lines.clusters import check_clusters
from rmsd_client.slurm.command_lines.command_line import (
    DIFFERS,
    IGNORED,
    MAYBE,
    NO,
    YES,
    Opt,
    Table,
    help_of,
)
from rmsd_client.slurm.command_lines.ending import INVALID_JOB, SlurmError, run
from rmsd_client.slurm.command_lines.site import MIN_JOB_AGE_S, VERSION
from rmsd_client.slurm.show import show
from rmsd_client.slurm.verbs import job_changes, reboots, reservations
from rmsd_client.slurm.verbs.host_lists import show_hostlist, show_hostnames
from rmsd_client.slurm.verbs.node_updates import update_node
from rmsd_client.slurm.words import jobs as of
from rmsd_client.slurm.words import points
from rmsd_client.slurm.words.part_views import named_parts, parts_apart
from rmsd_client.slurm.words.partitions import load_partitions
from rmsd_wire.hostlist import HostlistError, expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Job = dict[str, Any]
    Options = dict[str, str]
    Find = Callable[[Client, str], tuple[list[list[str]], str]]  # blocks; what to say of none

SCONTROL = Table(
    "scontrol",
    (
        Opt("a", "all", NO, IGNORED),
        Opt("M", "cluster", YES, DIFFERS, "this cluster's name and `all` alone"),
        Opt("", "clusters", YES, DIFFERS, "as --cluster"),
        Opt(
            "d",
            "details",
            NO,
            DIFFERS,
            "CPU_IDs of up to 20 jobs that are named and bound, else N/A",
        ),
        Opt("", "federation", NO, IGNORED),
        Opt("F", "future", NO, IGNORED),
        Opt("h", "help", NO),
        Opt("", "hide", NO, IGNORED),
        Opt("", "json", MAYBE, DIFFERS, "the fields in docs/slurm.md"),
        Opt("", "local", NO, IGNORED),
        Opt("o", "oneliner", NO),
        Opt("Q", "quiet", NO),
        Opt("", "sibling", NO, IGNORED),
        Opt("u", "uid", YES, IGNORED),
        Opt("", "usage", NO),
        Opt("v", "verbose", NO, IGNORED),
        Opt("V", "version", NO),
        Opt("", "yaml", MAYBE, DIFFERS, "prints JSON, which is YAML"),
    ),
)

VERBS = {
    "show job [ID]": "same",
    "show node [NODES]": "same",
    "show partition [NAME]": "same",
    "show config": "the settings that clients read",
    "show hostnames [LIST]": "same",
    "show hostlist LIST": "same",
    "show step [ID[.STEP]]": "same",
    "show license [NAME]": "same",
    "show reservation [NAME]": "same",
    "create, update, delete reservation": "StartTime, EndTime, Duration, Nodes, CoreCnt, Users, "
    "Groups, Accounts, Flags=MAINT,IGNORE_JOBS,HOURLY,DAILY,WEEKLY,WEEKDAY,WEEKEND; with "
    "MAINT nobody runs jobs "
    "inside",
    "ping": "same",
    "hold, release, uhold ID...": "same",
    "requeue ID...": "of jobs that run or are over; they start again at once",
    "requeuehold ID...": "same; the reason is JobHeldUser or JobHeldAdmin; not State=SpecialExit",
    "suspend, resume ID...": "same; the job keeps its processors",
    "update JobId=ID NAME=VALUE...": "what `rjob update` changes; TimeLimit=+T, -T, += and -=, too",
    "update NodeName=N State=DRAIN|RESUME Reason=...": "same; DOWN is DRAIN: jobs run on",
    "reboot [ASAP] [nextstate=] [reason=] NODES, cancel_reboot NODES": "same",
    "wait_job ID": "same",
    "no verb": "same: the lines of standard input are commands, also `!!`, `oneliner`, `exit`",
    "write batch_script ID [FILE]": "same; up to 64 KiB",
    "top, notify, reconfigure, ...": "not there",
}
"""The verbs of scontrol, and what differs."""

_PAUSE_S = 0.5
FAILED = "slurm_load_jobs error"


def main() -> int:
    return run("scontrol", scontrol, FAILED)


def scontrol(argv: Sequence[str]) -> int:
    """Carry out a command, or those on standard input; returns the exit code."""
    found, words = SCONTROL.read(argv, permute=True)
    options: Options = {option.long: value or "" for option, value in found}
    check_clusters("scontrol", options)
    if words or options.keys() & {"version", "help", "usage"}:
        return _carry_out(words, options)
    from rmsd_client.slurm.verbs.input_lines import carry_out_lines

    return carry_out_lines(_carry_out, options, FAILED)


def _carry_out(words: Sequence[str], options: Options) -> int:
    if "version" in options or words[:1] == ["version"]:
        print(f"slurm {VERSION}")
        return 0
    if "help" in options or "usage" in options or words[:1] == ["help"]:
        print(help_of(SCONTROL, "scontrol [OPTIONS...] [COMMAND...]"))
        return 0
    verb, rest = words[0].lower(), words[1:]
    chosen = next((name for name in _VERBS if name == verb), "") or next(
        (name for name in _VERBS if len(verb) > 1 and name.startswith(verb)), ""
    )
    if not chosen:
        raise SlurmError(f"invalid keyword: {words[0]}")
    return _VERBS[chosen](rest, options)


# ---------------------------------------------------------------- show


def _show(words: Sequence[str], options: Options) -> int:
    what = words[0].lower() if words else ""
    kind, equals, _ = what.partition("=")
    name = words[0].partition("=")[2] if equals else (words[1] if len(words) > 1 else "")
    name = name.partition("=")[2] if "=" in name else name
    if not kind:
        raise SlurmError("too few arguments for keyword:show")
    if "hostnames".startswith(kind) and len(kind) >= 6 and kind != "hostlist":
        return show_hostnames(name)
    if "hostlistsorted".startswith(kind) and len(kind) > 5:
        return show_hostlist(name, kind)
    for full, shower in _SHOWERS.items():
        if full.startswith(kind):
            with Client() as client:
                return shower(client, name, options)
    for full, none in _NOT_THERE.items():
        if full.startswith(kind):
            print(none)
            return 0
    raise SlurmError(f"invalid entity:{words[0]} for keyword:show ")


def _jobs(client: Client, name: str, options: Options) -> int:
    if name:
        wanted = of.parse_ids(name, "scontrol")
        jobs = named_parts(of.listed(client, of.find(client, wanted)), wanted)
    else:
        since_us = of.now_us(client) - MIN_JOB_AGE_S * 1_000_000
        jobs = parts_apart(client.jobs(states="all", ended_since_us=since_us))
    name_dependencies(client, jobs)
    of.expect_starts(client, jobs)
    if any(job["state"] == "PENDING" for job in jobs):
        points.add_priorities(jobs, points.waiting_priorities(client) or {})
    if "json" in options or "yaml" in options:
        from rmsd_client.slurm.show.json_views import print_jobs
        from rmsd_client.slurm.words.job_steps import JobSteps

        print_jobs("scontrol", jobs, JobSteps(client, jobs))
        return 0
    if not jobs:
        if name:
            raise SlurmError(f"slurm_load_jobs error: {INVALID_JOB}")
        print("No jobs in the system")
        return 0
    details = None
    if "details" in options:
        from rmsd_client.slurm.show.job_details import JobDetails

        details = JobDetails(client, jobs, asks_nodes=bool(name))
    _print([show.job_lines(job, details) for job in jobs], options)
    return 0


def _nodes(client: Client, name: str, options: Options) -> int:
    nodes = client.nodes()
    partitions = load_partitions(client)
    if name and name.upper() != "ALL":
        try:
            wanted = expand(name)
        except HostlistError:
            wanted = [name]
        known = {node["name"]: node for node in nodes}
        for one in wanted:
            if one not in known:
                print(f"Node {one} not found")
        nodes = [known[one] for one in wanted if one in known]
        if not nodes:
            return 1
    if "json" in options or "yaml" in options:
        from rmsd_client.slurm.show.json_views import print_nodes

        print_nodes("scontrol", nodes, partitions)
        return 0
    _print([show.node_lines(node, partitions) for node in nodes], options)
    return 0


def _partitions(client: Client, name: str, options: Options) -> int:
    nodes = client.nodes()
    partitions = load_partitions(client)
    if name:
        chosen = [one for one in partitions if one.name in name.split(",")]
        if not chosen:
            print(f"Partition {name} not found")
            return 1
        partitions = chosen
    if "json" in options or "yaml" in options:
        from rmsd_client.slurm.show.json_views import print_partitions

        print_partitions("scontrol", partitions, nodes)
        return 0
    _print([show.partition_lines(one, nodes) for one in partitions], options)
    return 0


def _config(client: Client, name: str, options: Options) -> int:  # noqa: ARG001 - as the others
    status = client.status()
    print(f"Configuration data as of {time.strftime('%Y-%m-%dT%H:%M:%S')}")
    settings = show.config(status, load_partitions(client), client.accounts()["qos"])
    for key, value in settings.items():
        print(f"{key:23} = {value}")
    print(f"\nSlurmctld(primary) at {os.uname().nodename} is UP")
    return 0


def _steps(client: Client, name: str, options: Options) -> int:
    from rmsd_client.slurm.words.job_steps import running_steps

    wanted = of.parse_ids(name, "scontrol") if name else []
    jobs = named_parts(of.find(client, wanted) if name else client.jobs(), wanted)
    rows = running_steps(client, jobs, wanted)
    if name and not rows:
        if any(job["state"] == "RUNNING" for job in jobs):
            print(f"Job step {name} not found")
            return 1
        raise SlurmError(f"slurm_get_job_steps error: {INVALID_JOB}")
    _print([show.step_lines(row) for row in rows], options)
    return 0


def _lister(find: Find) -> Callable[[Client, str, Options], int]:
    def shown(client: Client, name: str, options: Options) -> int:
        blocks, none = find(client, name)
        _print(blocks, options)
        print(end="" if blocks else f"{none}\n")
        return 0

    return shown


def _licenses(client: Client, name: str, options: Options) -> int:
    blocks, none = show.licenses(client, name)
    for lines in blocks:  # Slurm writes them otherwise than all else: closer, and further in
        print((" " if "oneliner" in options else "\n    ").join(lines))
    print(end="" if blocks else f"{none}\n")
    return 0


_SHOWERS: dict[str, Callable[[Client, str, Options], int]] = {
    "jobs": _jobs,
    "jobid": _jobs,
    "nodes": _nodes,
    "partitions": _partitions,
    "partitionname": _partitions,
    "config": _config,
    "steps": _steps,
    "licenses": _licenses,
    "reservations": _lister(reservations.shown),
    "reservationname": _lister(reservations.shown),
}
"""The entities of `show`; each may be shortened."""

_NOT_THERE = {
    "burstbuffer": "",
    "dwstat": "",
    "federation": "",
    "topology": "",
}
"""The texts that are shown of the entities that rmsd does not have."""


def _print(blocks: Sequence[Sequence[str]], options: Options) -> None:
    for lines in blocks:
        if "oneliner" in options:
            print(" ".join(line.rstrip() for line in lines))
        else:
            print("\n   ".join(line.rstrip() for line in lines) + "\n")


def _write(words: Sequence[str], options: Options) -> int:
    from rmsd_client.slurm.show.job_scripts import write  # few commands write scripts

    return write(words, options)


# ---------------------------------------------------------------- changes


def _ping(words: Sequence[str], options: Options) -> int:  # noqa: ARG001 - as the others
    name = os.uname().nodename
    try:
        with Client() as client:
            client.status()
    except Unreachable:
        print(f"Slurmctld(primary) at {name} is DOWN")
        return 1
    print(f"Slurmctld(primary) at {name} is UP")
    return 0


def _update(words: Sequence[str], options: Options) -> int:
    if reservations.is_of_reservation(words):
        return reservations.act("update", words)
    pairs = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise SlurmError(f"Update of this parameter is not supported: {word}")
        pairs[key.lower()] = value
    for key in ("jobid", "job", "jobname"):
        if key in pairs and key != "jobname":
            return _update_job(pairs.pop(key), _as_written(pairs, words), options)
    for key in ("nodename", "node", "nodes"):
        if key in pairs:
            return update_node(pairs.pop(key), pairs)
    raise SlurmError("No valid entity in update command", "Input line must include one of",
                     "\"NodeName\", \"PartitionName\", \"JobId\"")  # fmt: skip


def _as_written(pairs: dict[str, str], words: Sequence[str]) -> dict[str, str]:
    """Return pairs with their keys as the words have them, which messages name."""
    written = {word.partition("=")[0].lower(): word.partition("=")[0] for word in words}
    return {written[key]: value for key, value in pairs.items()}


def _update_job(ids: str, pairs: dict[str, str], options: Options) -> int:
    from rmsd_client.slurm.verbs.updates import update_of_pairs

    return job_changes.each([ids], update_of_pairs(pairs).carry_out, options)


def _wait_job(words: Sequence[str], options: Options) -> int:  # noqa: ARG001 - as the others
    """Wait until a job has its nodes."""
    if not words:
        raise SlurmError("too few arguments for keyword:wait_job")
    with Client() as client:
        for one in of.parse_ids(words[0], "scontrol"):
            while (found := of.find(client, [one])) and found[0]["state"] == "PENDING":
                time.sleep(_PAUSE_S)
            if not found or of.is_over(found[0]):
                raise SlurmError(f"scontrol: error: {INVALID_JOB}: {one.name}")
    return 0


def _unsupported(verb: str, instead: str) -> Callable[[Sequence[str], Options], int]:
    def refuse(words: Sequence[str], options: Options) -> int:  # noqa: ARG001 - as the others
        raise SlurmError(f"scontrol: error: {verb} is not supported here: {instead}")

    return refuse


_VERBS: dict[str, Callable[[Sequence[str], Options], int]] = {
    "show": _show,
    "ping": _ping,
    **job_changes.VERBS,
    "update": _update,
    "wait_job": _wait_job,
    **reboots.VERBS,
    "write": _write,
    "notify": _unsupported("notify", "jobs have no terminal to write to"),
    "top": _unsupported("top", "the order of the queue is the recipe's"),
    "reconfigure": _unsupported("reconfigure", "SIGHUP has the daemon read its configuration"),
    "create": reservations.verb("create"),
    "delete": reservations.verb("delete"),
}
