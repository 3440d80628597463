"""Show the state of the daemon: version, scheduler, nodes, jobs, clock."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from rmsd_cli.errors import fail
from rmsd_cli.server_options import add_server_arguments, client_of
from rmsd_client.console.cli import printable
from rmsd_client.errors import ClientError
from rmsd_client.show.job_fields import local_time
from rmsd_wire.durations import format_duration
from rmsd_wire.hostlist import compress
from rmsd_wire.link_values import PACED

_fail = partial(fail, "status")

EPILOG = """\
environment:
  RMSD_SERVER, RMSD_STATE_DIR, RMSD_TOKEN_FILE, RMSD_CA_FILE  as for all clients

exit codes:
  0   the daemon answered
  2   wrong usage
  75  no daemon can be reached
  77  not permitted
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--state-dir", metavar="DIR", help="the state directory of a daemon on this machine"
    )
    add_server_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print the API's answer")


def run(args: argparse.Namespace) -> int:
    if args.state_dir is not None:
        if args.server is not None:
            return _fail("give a --state-dir or a --server, not both", 2)
        args.server = f"unix:{os.path.abspath(args.state_dir)}/rmsd.sock"
    try:
        with client_of(args) as client:
            status = client.status()
    except ClientError as error:
        return _fail(str(error), error.exit_code)
    print(json.dumps(status, indent=2) if args.json else _text(status))
    return 0


def _text(status: Mapping[str, Any]) -> str:
    clock = status["clock"]
    rate = f", {clock['rate']:g} times as fast as real time" if clock["rate"] != 1 else ""
    if clock["rate"] == PACED:
        rate = ", paced by a replay"
    lines = {
        "daemon": f"rmsd {status['version']}, pid {status['pid']}, user {status['user']}",
        "up": format_duration(status["uptime_s"]),
        "state": status["state_dir"],
        "serves": _served(status),
        "you": _you(status["you"]),
        "scheduler": f"{status['recipe']}, capacity {status['capacity']}",
        "clock": local_time(clock["model_us"]) + rate,
        "nodes": _counts(status["nodes"]),
        "cores": f"{status['cores_used']} of {status['cores']} in use",
        "jobs": _counts(status["jobs"]),
        "passes": _timings(status["passes"], status["pass_ms"]),
        "commits": _timings(status["commits"], status["commit_ms"]),
    }
    if pages := _PAGES.get(status.get("pages", "")):
        lines["database"] = pages
    if awaited := status.get("awaited"):
        lines["restored"] = f"from a backup; nothing starts before {', '.join(awaited)} are heard"
    told = [*lines.items(), *_troubles(status)]
    return "\n".join(f"{name:>10}: {printable(value)}" for name, value in told)


_PAGES = {
    "checking": "its file is being checked for damage",
    "sound": "its file was checked since the start, and is sound",
    "damaged": "its file is damaged",
}


def _you(you: Mapping[str, Any]) -> str:
    """Return who the caller is, and when the caller's token ends."""
    text = f"{you['user']}, {you['role']} ({you['via']})"
    ends_us = you.get("token_ends_us")  # older daemons do not tell it
    if ends_us is None:
        return text
    renew = ": `rmsd token renew`" if you.get("token_is_renewable") else ""
    return f"{text}, until {local_time(ends_us)}{renew}"


_FAILING = {
    "commit": "decisions cannot be stored",
    "pass": "the scheduler raises an error",
    "input": "the scheduler raises an error after some reports of agents, which wait",
    "reload": "the state cannot be read back",
    "script": "scripts cannot be read",
    "launch": "commands to agents cannot be sent",
    "notices": "the ends of jobs cannot be told",
}


def _troubles(status: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the troubles, by the names of their lines."""
    for one in status.get("failing", ()):
        yield (
            "failing",
            f"{_FAILING.get(one['what'], one['what'])}, {one['times']} times since "
            f"{local_time(one['since_us'])}, again in {one['again_in_s']:.1f} s: {one['error']}",
        )
    for why in status.get("reload_refused", ()):
        yield "reload", f"refused at the latest SIGHUP, and what was in force still is: {why}"
    if later := status.get("awaits_restart"):
        yield (
            "reload",
            f"changed in the configuration, and in force after a restart: {', '.join(later)}",
        )
    if unknown := status.get("unknown_accounts"):
        told = "operators or admins that this machine does not have, unless a token names them"
        yield "unknown", f"{', '.join(unknown)}: {told}"
    if nodes := status.get("cannot_launch"):
        names = compress(nodes)
        yield (
            "drained",
            f"{names}, since launches failed there; `rnode` has the reason, and once it is mended, "
            f"`rnode resume {names}`",
        )
    if nodes := status.get("unable"):
        yield "unable", f"{compress(nodes)}, to start jobs for now; `rnode` has the reason"
    if damage := status.get("damage"):
        met = (
            f"met {damage['times']} times since {local_time(damage['since_us'])}: {damage['error']}"
        )
        yield "damage", f"{met}; {_remedy(damage)}"
    if count := status.get("left_out_count"):
        yield (
            "left out",
            f"{count}, which the scheduler could not apply; `--json` has the latest",
        )


def _remedy(damage: Mapping[str, Any]) -> str:
    """Return how the damage was repaired, or is to be."""
    if not damage["kept_as"]:
        return (
            "stop and start the daemon, which then replaces the database by what can be read of "
            "it, or restore a backup (`rmsd restore`)"
        )
    lost = f", without {len(damage['lost_jobs'])} live jobs" if damage["lost_jobs"] else ""
    return (
        f"the database was replaced by what could be read of it{lost}; the damaged one is "
        f"{damage['kept_as']}; look at the disk"
    )


def _timings(count: int, taken_ms: Mapping[str, float]) -> str:
    figures = ", ".join(f"{name} {value:g}" for name, value in taken_ms.items())
    return f"{count} ({figures} ms)" if figures else str(count)


def _served(status: Mapping[str, Any]) -> str:
    served = f"every account of this machine on {status['socket']}"
    if status["socket"] is None:
        served = f"{status['user']} alone on its Unix socket"
    if status["listen"] is not None:
        served += f", users with a token on https://{status['listen']}"
    for role in ("operators", "admins"):
        if status[role]:
            served += f"; {role}: {', '.join(status[role])}"
    return served


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "none"
