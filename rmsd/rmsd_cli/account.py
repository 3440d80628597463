"""Show accounts, QOS and licenses with their limits and what jobs hold now, and the jobs and the
fair shares of users. A user sees their own, an operator those of all users."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rmsd_cli.errors import told_by
from rmsd_cli.server_options import ENVIRONMENT, add_server_arguments, client_of
from rmsd_cli.tables import grid
from rmsd_client.errors import ClientError
from rmsd_wire.durations import format_duration

EPILOG = f"""\
columns:
  jobs     the jobs that wait or run, with each task of an array
  running  those that hold processors, and
  cpus     how many processors these hold: of an account, with all accounts
           below it; behind a slash is the limit, if there is one
  each     the limits of each user: jobs/running/cpus
  longest  the longest limit of a job
  points   the points of its jobs under the order `priority`
  preempts the QOS whose running jobs make way for those of this one
  shares   of an account, beside those of the other accounts below its parent
           and one for each user there
  share    its part of the machine beside the others that have used something
  hours    the processors held, times hours, halved in each half-life: of an
           account, with all accounts below it
  part     of the hours of all users
  factor   1 without usage, a half for the mean user (fair share); of an
           account: that of a member who has used nothing

Fair shares are there if the order of the queue is `priority`; those of
accounts, if the recipe has by=account.

environment:
  {ENVIRONMENT}

exit codes:
  0   done
  2   wrong usage
  75  no daemon can be reached

examples:
  rmsd account
  rmsd account --all
  rmsd account --user ann --json
"""

_HOUR_S = 3600


def add_arguments(parser: argparse.ArgumentParser) -> None:
    whose = parser.add_mutually_exclusive_group()
    whose.add_argument(
        "--user", default="", metavar="USER", help="the jobs and the share of this user"
    )
    whose.add_argument("--all", action="store_true", help="the jobs and the shares of all users")
    parser.add_argument("--json", action="store_true", help="print one rmsd.accounts/1 object")
    add_server_arguments(parser)


def run(args: argparse.Namespace) -> int:
    try:
        with client_of(args) as client:
            found = client.accounts(args.user, of_all=args.all)
    except ClientError as error:
        raise told_by(error) from None
    if args.json:
        print(json.dumps(found, indent=2))
        return 0
    tables = [
        _table("account", list(_tree(found["accounts"])), found["default_account"]),
        _table("qos", [(one["name"], one) for one in found["qos"]], ""),
        _jobs(found["associations"]),
        _account_shares(list(_tree(found["accounts"]))),
        _shares(found["shares"], by_account=_are_divided(found["accounts"])),
        _licenses(found.get("licenses", [])),  # older daemons do not tell them
    ]
    print("\n\n".join(filter(None, tables)))
    return 0


def _tree(accounts: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the accounts with their names, each below its parent and moved to the right."""
    below: dict[str | None, list[Mapping[str, Any]]] = {}
    for account in accounts:
        below.setdefault(account["parent"], []).append(account)
    left = [(0, account) for account in reversed(below.get(None, []))]
    while left:
        depth, account = left.pop()
        yield "  " * depth + account["name"], account
        left += [(depth + 1, one) for one in reversed(below.get(account["name"], []))]


def _table(kind: str, rows: Sequence[tuple[str, Mapping[str, Any]]], default: str) -> str:
    if not rows:
        return ""
    preempts = any(one.get("preempts") for _, one in rows)
    has_points = any(one.get("priority") for _, one in rows)  # older daemons do not tell them
    points = ["points"] if has_points else []
    head = [kind, "jobs", "running", "cpus", "each", "longest", *points, "for"]
    if preempts:
        head.append("preempts")
    cells = [
        [
            f"{name}*" if one.get("is_default") or (default and one["name"] == default) else name,
            *_in_use(one["in_use"], one["limits"]),
            _each(one["limits"]),
            _longest(one["limits"]),
            *([str(one.get("priority", 0))] if has_points else []),
            _whom(one),
            *([",".join(one["preempts"])] if preempts else []),
        ]
        for name, one in rows
    ]
    return grid([head, *cells], left=(0, head.index("for"), len(head) - 1), wrap=True)


def _licenses(licenses: Sequence[Mapping[str, Any]]) -> str:
    if not licenses:
        return ""
    rows = [[one["name"], f"{one['used']}/{one['total']}"] for one in licenses]
    return grid([["license", "used"], *rows], left=(0,))


def _in_use(in_use: Mapping[str, Any], limits: Mapping[str, Any]) -> list[str]:
    limited = {"submitted": "max_submitted", "running": "max_running", "cpus": "max_cpus"}
    return [
        str(in_use[key]) if limits[limit] is None else f"{in_use[key]}/{limits[limit]}"
        for key, limit in limited.items()
    ]


def _each(limits: Mapping[str, Any]) -> str:
    keys = ("max_submitted_per_user", "max_running_per_user", "max_cpus_per_user")
    found = [limits[key] for key in keys]
    if found == [None] * len(keys):
        return "-"
    return "/".join("-" if one is None else str(one) for one in found)


def _longest(limits: Mapping[str, Any]) -> str:
    longest_s, minutes = limits["max_time_s"], limits.get("max_cpu_minutes")
    told = [] if longest_s is None else [format_duration(longest_s)]
    return ",".join(told if minutes is None else [*told, f"{minutes}cpu-min"]) or "-"


def _whom(one: Mapping[str, Any]) -> str:
    """Return for whom an account or a QOS is, as far as the caller is told."""
    if "members" in one:
        return "" if one["members"] is None else ",".join(one["members"])
    users = [] if one["users"] is None else one["users"]
    return ",".join([*users, *(f"account {name}" for name in one["accounts"])])


def _jobs(associations: Sequence[Mapping[str, Any]]) -> str:
    if not associations:
        return ""
    rows = [
        [one["user"], one["account"], *(str(one["in_use"][key]) for key in _COUNTS)]
        for one in associations
    ]
    return grid([["user", "account", "jobs", "running", "cpus"], *rows], left=(0, 1))


_COUNTS = ("submitted", "running", "cpus")


def _are_divided(accounts: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether fair shares are divided by accounts; older daemons do not tell that."""
    return any(one.get("fair_share") for one in accounts)


def _account_shares(accounts: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    rows = [
        [name, str(one["shares"]), _percent(share["share"]), *_used(share)]
        for name, one in accounts
        if (share := one.get("fair_share")) is not None
    ]
    head = ["account", "shares", "share", *_USED]
    return grid([head, *rows], left=(0,)) if rows else ""


def _shares(shares: Sequence[Mapping[str, Any]], *, by_account: bool) -> str:
    if not shares:
        return ""
    names = ["user", "account"] if by_account else ["user"]
    rows = [[*(one[name] for name in names), *_used(one)] for one in shares]
    return grid([[*names, *_USED], *rows], left=tuple(range(len(names))))


def _percent(part: float | None) -> str:
    return "-" if part is None else f"{part:.1%}"


_USED = ("hours", "part", "factor")


def _used(share: Mapping[str, Any]) -> list[str]:
    hours = share["used_s"] / _HOUR_S
    return [f"{hours:,.2f}", _percent(share["part"]), f"{share['factor']:.3f}"]
