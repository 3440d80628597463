"""The events of a job of which its user may be told by mail, named as Slurm names them, and the
addresses of mails. Standard library only."""

from __future__ import annotations

import re

BEGIN = "BEGIN"
END = "END"
FAIL = "FAIL"
INVALID_DEPEND = "INVALID_DEPEND"
REQUEUE = "REQUEUE"
TIME_LIMIT = "TIME_LIMIT"
ARRAY_TASKS = "ARRAY_TASKS"

PARTS_OF_LIMIT = {"TIME_LIMIT_90": 90, "TIME_LIMIT_80": 80, "TIME_LIMIT_50": 50}
"""The events that a job has used a part of its time limit, in percent."""
MAIL_TYPES = (BEGIN, END, FAIL, INVALID_DEPEND, REQUEUE, TIME_LIMIT, *PARTS_OF_LIMIT, ARRAY_TASKS)
"""ARRAY_TASKS is no event: with it each task of an array is told of, and without it the array."""
ALL = (BEGIN, END, FAIL, INVALID_DEPEND, REQUEUE)
NEVER = ("STAGE_OUT",)
"""The events of Slurm of which no mail is sent here."""


_MOST_ADDRESSES = 4
_LONGEST_ADDRESS = 254  # RFC 5321, section 4.5.3.1.3, without the brackets
_ADDRESS = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+=-]*(@[A-Za-z0-9][A-Za-z0-9.-]*)?")


def is_address(text: str) -> bool:
    """Return whether the text is a mail address, or the name of an account."""
    return len(text) <= _LONGEST_ADDRESS and _ADDRESS.fullmatch(text) is not None


def parse_addresses(text: str) -> str:
    """Return addresses that have commas between them, without spaces.

    Raises:
        ValueError: they are too many, or one is neither an address nor the name of an account.
    """
    addresses = [word.strip() for word in text.split(",")]
    if len(addresses) > _MOST_ADDRESSES:
        raise ValueError(
            f"has {len(addresses)} addresses, more than {_MOST_ADDRESSES}; "
            "the site's mail system can have a list"
        )
    for address in addresses:
        if not is_address(address):
            raise ValueError(f"has '{address}'; it must be an address, as anna@example.org")
    return ",".join(addresses)


def parse_mail_types(text: str) -> list[str]:
    """Return the events that NONE, ALL, or names with commas between them stand for, in the order
    of `MAIL_TYPES`. Those in `NEVER` are left out.

    Raises:
        ValueError: a name is none of Slurm's.
    """
    found: set[str] = set()
    for name in (word.strip().upper() for word in text.split(",")):
        if name == "ALL":
            found.update(ALL)
        elif name in MAIL_TYPES:
            found.add(name)
        elif name not in NEVER and name != "NONE":
            raise ValueError(
                f"'{name}' is no event; expected NONE, ALL, or some of {','.join(MAIL_TYPES)}"
            )
    return [name for name in MAIL_TYPES if name in found]
