"""Advance reservations as `rnode` asks for them and shows them."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from typing import Any

from rmsd_client.api import Client
from rmsd_client.console import cli
from rmsd_client.console.terminal import Column, format_table, table_width
from rmsd_client.errors import EXIT_FAILURE, EXIT_OK, UsageError
from rmsd_client.show.job_fields import local_time
from rmsd_client.submit.conditions import parse_begin
from rmsd_wire.durations import parse_duration_s

ACTIONS = ("reservations", "reserve", "unreserve")
REPEATS = {3600: "hourly", 86_400: "daily", 7 * 86_400: "weekly"}
"""The flags of reservations that repeat, by the time after which they do [s]."""
REPEAT_FLAGS = (*REPEATS.values(), "weekday", "weekend")
_FLAGS = ("maint", "ignore_jobs", *REPEAT_FLAGS)
_WHO = ("users", "groups", "accounts")
_OPTIONS = ("start", "end", "duration", "until", "nodes", "cores", *_WHO, "flags")


def add_options(parser: ArgumentParser) -> None:
    """Add the options of `rnode reserve`."""
    add = parser.add_argument_group("reserve").add_argument
    add("--start", metavar="TIME",
        help="when it begins, in the forms of rsub --begin (default: now)")  # fmt: skip
    add("--end", metavar="TIME", help="when it ends, as 16:00 or 2027-01-31T08:00")
    add("--duration", metavar="TIME", help="how long it is instead, as 2h, 1:30:00 or 1-12")
    add("--nodes", metavar="NODES", help="its nodes: a host list, or ALL")
    add("--cores", metavar="N", help="or as many whole nodes as have N cores together")
    add("--users", metavar="USER,...", help="the users whose jobs may run inside")
    add("--groups", metavar="GROUP,...",
        help="the groups of the daemon's machine whose members' jobs may run inside")  # fmt: skip
    add("--accounts", metavar="NAME,...",
        help="the accounts whose jobs may run inside, and those of accounts below")  # fmt: skip
    add("--flags", metavar="FLAG,...",
        help="maint: nobody's jobs run inside; ignore_jobs: what runs there runs on; hourly, "
        "daily, weekly, weekday (Monday to Friday), weekend: it repeats")  # fmt: skip
    add("--until", metavar="TIME", help="with a flag that repeats: none begins then or later")


def check(args: Namespace) -> None:
    """Check the options of a command about reservations. Raises UsageError."""
    if args.action != "reserve":
        given = [name for name in _OPTIONS if getattr(args, name) is not None]
        if given:
            raise UsageError(f"{args.action}: --{given[0]} goes with reserve")
    if args.action in ("reserve", "unreserve") and not args.names:
        raise UsageError(f"{args.action}: which reservation?")


def _warn_of_unknown_accounts(client: Client, names: Sequence[str]) -> None:
    """Warn of accounts that are not configured, if any are: their names may be mistyped."""
    if not names:
        return
    known = [one["name"] for one in client.accounts()["accounts"]]
    for name in names:
        if known and name not in known:
            cli.warn("rnode", f"there is no account {name}; there are {', '.join(known)}")


def act(client: Client, args: Namespace) -> int:
    """Carry out a command about reservations; returns the exit code."""
    if args.action == "reservations":
        return _show(client, args)
    if args.action == "reserve":
        body = asked(args.names, vars(args))
        found = client.reserve(body)
        cli.warn_of_unknown("rnode", body.get("users", ()), body.get("groups", ()))
        _warn_of_unknown_accounts(client, body.get("accounts", ()))
    else:
        found = client.unreserve(args.names)
    if args.json:
        print(json.dumps({"schema": "rmsd.reservation/1", "reservation": found}))
    elif args.action == "reserve":
        repeats = f", {repeat}" if (repeat := repeat_of(found)) else ""
        print(f"Reserved {found['nodelist']} from {local_time(found['start_us'])} "
              f"to {local_time(found['end_us'])}{repeats}: {found['name']}")  # fmt: skip
    return EXIT_OK


def asked(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `NewReservation` of the options.

    Raises:
        UsageError: an option has no usable value; the message names it.
    """
    body: dict[str, Any] = {"name": name}
    if given["start"] is not None:
        body |= {key.replace("begin", "start"): us for key, us in _begin("start", given).items()}
    if given["end"] is not None:
        end = _begin("end", given)
        if "begin_us" not in end:
            raise UsageError(
                f"--end: '{given['end']}' is no time of its own, as 16:00 is; --duration says how "
                "long a reservation is"
            )
        body["end_us"] = end["begin_us"]
    if given["until"] is not None:
        until = _begin("until", given)
        if "begin_us" not in until:
            raise UsageError(f"--until: '{given['until']}' is no time of its own, as 2027-01-31 is")
        body["until_us"] = until["begin_us"]
    if given["duration"] is not None:
        body["duration_s"] = _duration_s(given["duration"])
    if given["nodes"] is not None:
        body["nodes"] = given["nodes"]
    if given["cores"] is not None:
        if not given["cores"].isdecimal() or len(given["cores"]) > 9:
            raise UsageError(f"--cores: '{given['cores']}' is no number of cores")
        body["cores"] = int(given["cores"])
    for field in _WHO:
        if given[field] is not None:
            body[field] = [one for one in given[field].split(",") if one]
    flags = _flags(given["flags"])
    _check_complete(given, maintenance=flags["maintenance"])
    return body | flags


def _check_complete(given: Mapping[str, Any], *, maintenance: bool) -> None:
    for one, other, what in (("duration", "end", "its end"), ("nodes", "cores", "its nodes")):
        if (given[one] is None) is (given[other] is None):
            raise UsageError(f"reserve: --{one} or --{other}, one of them, says {what}")
    if maintenance is not all(given[one] is None for one in _WHO):
        raise UsageError(
            "reserve: either --users, --groups or --accounts say whose jobs run inside, or --flags "
            "maint that nobody's do"
        )


def _flags(text: str | None) -> dict[str, Any]:
    flags = [one.lower().replace("-", "_") for one in (text or "").split(",") if one]
    unknown = [flag for flag in flags if flag not in _FLAGS]
    if unknown:
        raise UsageError(f"--flags: '{unknown[0]}' is not known; there are {', '.join(_FLAGS)}")
    repeats = [flag for flag in flags if flag in REPEAT_FLAGS]
    if len(repeats) > 1:
        raise UsageError(f"--flags: either {repeats[0]} or {repeats[1]}, not both")
    return {
        "maintenance": "maint" in flags,
        "ignore_jobs": "ignore_jobs" in flags,
        **({"repeat": repeats[0]} if repeats else {}),
    }


def _begin(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return parse_begin(given[name])
    except ValueError as error:
        raise UsageError(f"--{name}: {error}") from None


def _duration_s(text: str) -> float:
    try:
        seconds = parse_duration_s(text)
    except ValueError as error:
        raise UsageError(f"--duration: {error}") from None
    if not seconds:
        raise UsageError("--duration: a reservation needs an end")
    return seconds


def _show(client: Client, args: Namespace) -> int:
    found = client.reservations()
    missing = False
    if args.names:
        wanted = args.names.split(",")
        found = [one for one in found if one["name"] in wanted]
        missing = len(found) < len(set(wanted))
    if args.json:
        print(json.dumps({"schema": "rmsd.reservations/1", "reservations": found}))
    else:
        _print_table(found, header=not args.noheader)
    if missing:
        cli.complain("rnode", f"no such reservation: {args.names}")
    return EXIT_FAILURE if missing else EXIT_OK


def _print_table(found: Sequence[Mapping[str, Any]], *, header: bool) -> None:
    columns = [
        Column("RESERVATION", shrink=8),
        Column("STATE"),
        Column("START"),
        Column("END"),
        Column("REPEAT", vital=False),
        Column("CPUS", right=True, vital=False),
        Column("FOR", shrink=8),
        Column("NODELIST", shrink=12),
    ]
    rows = [
        [
            cli.printable(one["name"]),
            one["life"],
            local_time(one["start_us"]),
            local_time(one["end_us"]),
            repeat_of(one) or "-",
            str(one["cores"]),
            cli.printable(admitted(one)),
            one["nodelist"],
        ]
        for one in found
    ]
    lines = format_table(columns, rows, header=header, width=table_width())
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def admitted(one: Mapping[str, Any]) -> str:
    """Return whose jobs may run inside a reservation."""
    if one["maintenance"]:
        return "maintenance"
    if one["users"] is None:
        return "others"
    groups = [f"@{name}" for name in one.get("groups") or ()]  # older daemons do not tell them
    accounts = [f"account {name}" for name in one["accounts"]]
    return ",".join([*one["users"], *groups, *accounts])


def repeat_of(one: Mapping[str, Any]) -> str:
    """Return how often a reservation repeats, as the flag of `rnode reserve`; "" if it does not."""
    return one.get("repeat") or REPEATS.get(one.get("every_s", 0), "")
