"""Make, list, renew and revoke the tokens that open the daemon over TCP. Every user makes and sees
their own tokens, with their own role or a lower one. Administrators make and see those of all
users, and those with which agents join."""

from __future__ import annotations

import argparse
import json
import pwd
import sys
from collections.abc import Mapping
from typing import Any

from rmsd_cli.errors import CommandUsageError, told_by
from rmsd_cli.server_options import ENVIRONMENT, add_server_arguments, client_of
from rmsd_cli.tables import grid
from rmsd_client.console.cli import complain, printable
from rmsd_client.errors import EXIT_OK, ApiError, ClientError
from rmsd_client.show.job_fields import local_time
from rmsd_wire.durations import DurationError, parse_duration_s
from rmsd_wire.hostlist import compress
from rmsd_wire.tokens import new_token

EPILOG = f"""\
The token goes to standard output, once: it is kept nowhere else, the daemon knows it by its digest.
Keep it in a file of your own, mode 0600, that --token-file or RMSD_TOKEN_FILE names, or as
~/.config/rmsd/token.

environment:
  {ENVIRONMENT}

exit codes:
  0   done
  1   there is no such token; the others are revoked all the same
  2   wrong usage
  75  no daemon can be reached
  77  not permitted

examples:
  mkdir -p ~/.config/rmsd && (umask 077; rmsd token new > ~/.config/rmsd/token)
  (umask 077; rmsd token new --role agent --uses 20 --expires 1d > join-token)
  rmsd token renew
  rmsd token revoke 5be0c3a1f2d4
"""

_EXPIRES = "90d"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="new|list|renew|revoke")
    new = actions.add_parser("new", help="make a token", description="Make a token.")
    new.add_argument("--user", metavar="USER", help="the user that the token is for (default: you)")
    new.add_argument(
        "--role",
        choices=("user", "operator", "admin", "agent"),
        default="user",
        help="what it opens (default: user); agent: joining, which gives an agent a key of its own",
    )
    new.add_argument(
        "--expires",
        metavar="TIME",
        default=_EXPIRES,
        help=f"how long it holds: 12h, 30d, or never (default: {_EXPIRES})",
    )
    new.add_argument("--name", metavar="TEXT", default="", help="a remark for the list")
    new.add_argument(
        "--uses", type=int, metavar="N", help="how many agents may join with it (default: 1)"
    )
    new.add_argument("--json", action="store_true", help="print token and record as JSON")
    listed = actions.add_parser("list", help="list tokens", description="List tokens.")
    listed.add_argument("--json", action="store_true", help="print the API's answer")
    revoke = actions.add_parser(
        "revoke", help="end a token at once", description="End tokens, or agents' keys, at once."
    )
    revoke.add_argument("id", nargs="+", metavar="ID", help="the id that `rmsd token list` shows")
    renew = actions.add_parser(
        "renew",
        help="let your token hold longer",
        description="Let the token that you use hold for another 90 days.",
    )
    for action in (new, listed, renew, revoke):
        add_server_arguments(action)


def run(args: argparse.Namespace) -> int:
    act = {"new": _new, "list": _list, "renew": _renew, "revoke": _revoke}[args.action]
    try:
        return act(args)
    except ClientError as error:
        raise told_by(error) from None


def _new(args: argparse.Namespace) -> int:
    if args.uses is not None and args.role != "agent":
        raise CommandUsageError("--uses: how many agents may join with it; add --role agent")
    if args.user and args.role == "agent":
        raise CommandUsageError(
            "--user: a token of the role agent has no user; leave one of them out"
        )
    token = new_token()
    asked = {
        "id": token.id,
        "digest": token.digest,
        "user": args.user or "",
        "role": args.role,
        "name": args.name,
        "expires_s": _seconds(args.expires),
        "uses": args.uses,
    }
    with client_of(args) as client:
        record = client.make_token(asked)
        is_here = client.server.startswith("unix:")
    if is_here and args.user and not _has_account(args.user):
        told = f"there is no account '{args.user}' on this machine; the token is made all the same"
        print(printable(f"rmsd: {told}"), file=sys.stderr)
    if args.json:
        shown = {"schema": "rmsd.token/1", "secret": token.text, "token": record}
        print(json.dumps(shown, indent=2))
        return 0
    print(token.text)
    print(f"rmsd: token {_about(record)}", file=sys.stderr)
    return 0


def _has_account(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except (KeyError, ValueError):  # a name with a NUL
        return False
    return True


def _seconds(text: str) -> float | None:
    """Return the seconds of --expires; None: never. Raises CommandUsageError."""
    if text == "never":
        return None
    try:
        seconds = parse_duration_s(text)
    except DurationError as error:
        raise CommandUsageError(f"--expires: {error}; or never") from None
    if not seconds:
        raise CommandUsageError(f"--expires {text}: give a time, as 30d, or never")
    return seconds


def _about(record: Mapping[str, Any]) -> str:
    whose = f"for {record['user']}" if record["user"] else f"for {record['uses']} to join"
    until = "never expires" if record["expires_us"] is None else f"until {_day(record)}"
    return printable(f"{record['id']}: role {record['role']}, {whose}, {until}")


def _day(record: Mapping[str, Any]) -> str:
    return "never" if record["expires_us"] is None else local_time(record["expires_us"])


def _list(args: argparse.Namespace) -> int:
    with client_of(args) as client:
        records = client.tokens()
    if args.json:
        print(json.dumps({"schema": "rmsd.tokens/1", "tokens": records}, indent=2))
        return 0
    heads = ("ID", "ROLE", "WHOSE", "STATE", "EXPIRES", "MADE BY", "NAME")
    print(grid([heads, *map(_row, records)], left=range(len(heads)), wrap=True))
    return 0


def _renew(args: argparse.Namespace) -> int:
    with client_of(args) as client:
        record = client.renew_token()
    print(printable(f"token {record['id']} holds until {_day(record)}"))
    return EXIT_OK


def _row(record: Mapping[str, Any]) -> tuple[str, ...]:
    whose = record["user"]
    if record["agent_id"]:
        whose = f"agent {record['agent_id']}"
    elif record["role"] == "agent":
        whose = f"{record['uses']} to join"
    name = _nodes(record) or record["name"]  # an agent that has no node yet has its host's name
    texts = (whose, record["state"], _day(record), record["created_by"], name)
    return record["id"], record["role"], *texts


def _nodes(record: Mapping[str, Any]) -> str:
    """Return the nodes of the agent whose key it is; "" if there are none."""
    nodes, count = record.get("nodes", []), record.get("node_count", 0)
    more = count - len(nodes)
    return compress(nodes) + (f" and {more} more" if more > 0 else "")


def _revoke(args: argparse.Namespace) -> int:
    """Revoke the tokens. One that cannot be revoked must not keep the others open."""
    code = EXIT_OK
    with client_of(args) as client:
        for token_id in args.id:
            try:
                record = client.revoke_token(token_id)
            except ApiError as error:
                complain("rmsd", str(error))
                code = error.exit_code
            else:
                print(f"token {record['id']} is revoked")
    return code
