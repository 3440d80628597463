"""Advance reservations in Slurm's words: scontrol and `sinfo -T` show, make and delete them."""

from __future__ import annotations

from rmsd_client.api import Client, current_user
from rmsd_client.errors import ApiError
from rmsd_client.nodes.reservations import REPEAT_FLAGS, repeat_of
from rmsd_client.slurm.command_lines.ending import SlurmError, reason_of
from rmsd_client.slurm.words import jobs as of
from rmsd_client.slurm.words.times import long_duration, parse_time_us, stamp
from rmsd_wire.durations import parse_time_limit_s

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    Json = dict[str, Any]

NONE = "No reservations in the system"
INVALID = "Requested reservation is invalid"
_TAKEN_FLAGS = frozenset({"maint", "ignore_jobs", "spec_nodes", *REPEAT_FLAGS})
_FLAGS = _TAKEN_FLAGS | {"overlap", "flex"}
_WIDTH = 9
_WHO = ("users", "groups", "accounts")
_NOBODY: Json = {name: [] for name in _WHO}


def shown(client: Client, name: str) -> tuple[list[list[str]], str]:
    """Return the lines of each reservation, or of the one that is named, and what is said of none.
    Raises SlurmError."""
    every = client.reservations()
    found = [one for one in every if name in ("", one["name"])]
    if every and not found:
        raise SlurmError(f"Reservation {name} not found")
    return [lines_of(one) for one in found], NONE


def verb(name: str) -> Callable[[Sequence[str], Json], int]:
    """Return what carries out `scontrol create` or `delete`, which are for reservations alone."""

    def carry_out(words: Sequence[str], options: Json) -> int:  # noqa: ARG001 - as other verbs
        if not is_of_reservation(words):
            raise SlurmError(f"invalid keyword: {' '.join(words) or 'this'} is not supported here")
        return act(name, words)

    return carry_out


def act(verb: str, words: Sequence[str]) -> int:
    """Carry out `create`, `update` or `delete`; returns the exit code. Raises SlurmError."""
    with Client() as client:
        if verb == "create":
            print(f"Reservation created: {create(client, pairs_of(words))}")
        elif verb == "update":
            update(client, pairs_of(words))
            print("Reservation updated.")
        else:
            delete(client, name_of(words))
    return 0


def lines_of(one: Json) -> list[str]:
    """Return the lines of `scontrol show reservation`."""
    flags = [*(["MAINT"] if one["maintenance"] else []), *filter(None, [repeat_of(one).upper()])]
    duration = long_duration((one["end_us"] - one["start_us"]) // 1_000_000)
    users, groups, accounts = (",".join(one.get(name) or ()) or "(null)" for name in _WHO)
    return [
        f"ReservationName={one['name']} StartTime={stamp(one['start_us'])} "
        f"EndTime={stamp(one['end_us'])} Duration={duration}",
        f"Nodes={one['nodelist']} NodeCnt={one['nodes']} CoreCnt={one['cores']} "
        f"Features=(null) PartitionName=(null) Flags={','.join([*flags, 'SPEC_NODES'])}",
        f"TRES=cpu={one['cores']}",
        f"Users={users} Groups={groups} Accounts={accounts} Licenses=(null) State={_state(one)} "
        "BurstBuffer=(null) Watts=n/a",
        "MaxStartDelay=(null)",
    ]


def table_of(found: Sequence[Json]) -> list[str]:
    """Return the lines of `sinfo -T`."""
    if not found:
        return [NONE]
    width = max(_WIDTH, *(len(one["name"]) for one in found))
    rows = [("RESV_NAME", "STATE", "START_TIME", "END_TIME", "DURATION", "NODELIST")]
    rows += [
        (
            one["name"],
            _state(one),
            stamp(one["start_us"]),
            stamp(one["end_us"]),
            long_duration((one["end_us"] - one["start_us"]) // 1_000_000),
            one["nodelist"],
        )
        for one in found
    ]
    return [
        f"{name:<{width}}  {state:>8}  {start:>19}  {end:>19}  {duration:>11}  {nodes}"
        for name, state, start, end, duration, nodes in rows
    ]


def _state(one: Json) -> str:
    return "ACTIVE" if one["life"] == "active" else "INACTIVE"


# ---------------------------------------------------------------- changes


def pairs_of(words: Sequence[str]) -> dict[str, str]:
    """Return the pairs of `NAME=VALUE` words; a name alone, as `reservation`, is left out.

    Raises:
        SlurmError: a name is given twice.
    """
    pairs: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if equals and key.lower() in pairs:
            raise SlurmError(f"scontrol: error: {key} is given twice")
        if equals:
            pairs[key.lower()] = value
    return pairs


def is_of_reservation(words: Sequence[str]) -> bool:
    """Return whether the words of `create`, `update` or `delete` are about a reservation."""
    return bool(words) and words[0].partition("=")[0].lower() in ("reservation", "reservationname")


def name_of(words: Sequence[str]) -> str:
    """Return the reservation that `delete reservation NAME` or `ReservationName=NAME` names. Raises
    SlurmError."""
    name = words[0].partition("=")[2] or (words[1] if len(words) > 1 else "")
    if not name:
        raise SlurmError("too few arguments for keyword:delete")
    return name


def create(client: Client, pairs: Mapping[str, str]) -> str:
    """Make a reservation of `scontrol create`; returns its name. Raises SlurmError."""
    known = {one["name"] for one in client.reservations()}
    asked = _asked(client, pairs)
    if not {"start_us", "end_us"} & asked.keys():
        raise _not_created("A start time must be given.")
    if not (asked.get("maintenance") or any(asked.get(name) for name in _WHO)):
        raise _not_created("Either Users/Groups and/or Accounts must be specified.")
    if not asked.get("name"):
        user = current_user()
        asked["name"] = next(f"{user}_{at}" for at in range(1, 2 + len(known))
                             if f"{user}_{at}" not in known)  # fmt: skip
    return str(_sent(client, asked, "Error creating the reservation")["name"])


def _not_created(why: str) -> SlurmError:
    return SlurmError(f"scontrol: error: {why}  No reservation created.")


def update(client: Client, pairs: Mapping[str, str]) -> None:
    """Change a reservation as `scontrol update` says. Raises SlurmError."""
    asked = _asked(client, pairs)
    found = [one for one in client.reservations() if one["name"] == asked["name"]]
    if not found:
        raise SlurmError(f"Error updating the reservation: {INVALID}", "slurm_update error: "
                         f"{INVALID}")  # fmt: skip
    _sent(client, _merged(found[0], asked), "Error updating the reservation")


def _merged(before: Json, asked: Json) -> Json:
    """Return the reservation as it was with what is asked for. With another start it is as long as
    before."""
    length_s = (before["end_us"] - before["start_us"]) / 1_000_000
    body = {name: before[name] for name in ("name", "maintenance", *_WHO)}
    body |= {"repeat": repeat_of(before), "until_us": before["until_us"]}
    if not {"nodes", "cores"} & asked.keys():
        body["nodes"] = before["nodelist"]
    if "start_us" not in asked:
        body["start_us"] = before["start_us"]
        if not {"end_us", "duration_s"} & asked.keys():
            body["end_us"] = before["end_us"]
    elif not {"end_us", "duration_s"} & asked.keys():
        body["duration_s"] = length_s
    if asked.get("maintenance"):
        body |= _NOBODY
    if asked.get("repeat") == "":
        body["until_us"] = None
    return body | asked | {"replace": True}


def _sent(client: Client, body: Json, failed: str) -> Json:
    try:
        return client.reserve(body)
    except ApiError as error:
        raise SlurmError(f"{failed}: {_why(error)}") from None


def delete(client: Client, name: str) -> None:
    """Delete a reservation. Raises SlurmError."""
    try:
        client.unreserve(name)
    except ApiError as error:
        raise SlurmError(f"delete_reservation ReservationName={name}: {_why(error)}") from None


def _why(error: ApiError) -> str:
    text = str(error)
    if error.status == 404 or "no such reservation" in text:
        return INVALID
    if "of this name already" in text:
        return "Duplicate reservation name"
    if "by their limits" in text or "at that time" in text:
        return f"Requested nodes are busy ({text})"
    if "there is no node" in text:
        return "Invalid node name specified"
    return reason_of(error)


_KEYS = {
    "reservation": "name", "reservationname": "name", "starttime": "start", "endtime": "end",
    "duration": "duration", "nodes": "nodes", "corecnt": "cores", "users": "users",
    "user": "users", "groups": "groups", "group": "groups", "accounts": "accounts",
    "account": "accounts", "flags": "flags",
}  # fmt: skip


def _asked(client: Client, pairs: Mapping[str, str]) -> Json:
    body: Json = {}
    now_s = of.now_us(client) / 1_000_000
    for key, value in pairs.items():
        name = _KEYS.get(key.lower())
        if name is None:
            raise SlurmError(f"scontrol: error: {key} is not supported for reservations here")
        if name in ("start", "end"):
            if (at_us := parse_time_us(value, now_s)) is None:
                raise SlurmError(f"scontrol: error: Invalid start time: {value}" if name == "start"
                                 else f"scontrol: error: Invalid end time: {value}")  # fmt: skip
            body[f"{name}_us"] = at_us
        elif name == "duration":
            body["duration_s"] = _duration_s(value)
        elif name == "cores":
            if not value.isdecimal():
                raise SlurmError(f"scontrol: error: Invalid core count: {value}")
            body["cores"] = int(value)
        elif name in _WHO:
            body[name] = [one for one in value.split(",") if one]
        elif name == "flags":
            body |= _flags(value)
        else:
            body[name] = value
    if body.get("maintenance"):  # Slurm asks for users, and here nobody runs jobs then
        body |= _NOBODY
    return body


def _flags(text: str) -> Json:
    flags = [one.lower() for one in text.split(",") if one]
    for flag in flags:
        if flag not in _FLAGS:
            raise SlurmError(f"scontrol: error: Error parsing flags {text}.")
        if flag not in _TAKEN_FLAGS:
            raise SlurmError(f"scontrol: error: the flag {flag} is not supported here")
    return {
        "maintenance": "maint" in flags,
        "ignore_jobs": "ignore_jobs" in flags,
        "repeat": next((flag for flag in flags if flag in REPEAT_FLAGS), ""),
    }


def _duration_s(text: str) -> float:
    try:
        seconds = parse_time_limit_s(text)
    except ValueError:
        seconds = None
    if not seconds:
        raise SlurmError(f"scontrol: error: Invalid duration: {text}")
    return seconds
