"""The mails that `qsub -m` and `-M` ask for, and the points that `qstat` shows."""

from __future__ import annotations

from rmsd_wire.mail_types import (
    ARRAY_TASKS,
    BEGIN,
    END,
    FAIL,
    MAIL_TYPES,
    parse_addresses,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TYPES = {"a": FAIL, "b": BEGIN, "e": END, "f": FAIL, "j": ARRAY_TASKS}
_NO_MAIL = ("n", "p")
_DEFAULT_POINTS = "a"


def mail_of(points: str | None, users: str | None) -> dict[str, Any]:
    """Return the fields of the SubmitSpec for `-m points` and `-M users`; none of them if the job
    asks for no mail, or the users are no addresses: PBS takes any text.

    Raises:
        ValueError: there are no such points.
    """
    if points is None and users is None:
        return {}
    points = _DEFAULT_POINTS if points is None else points
    if points in _NO_MAIL:
        return {}
    if not points or set(points) - _TYPES.keys():
        raise ValueError(f"'{points}': expected n, or some of {', '.join(_TYPES)}")
    asked = {_TYPES[letter] for letter in points}
    try:
        addresses = parse_addresses(users) if users else ""
    except ValueError:
        return {}
    return {
        "mail_types": [name for name in MAIL_TYPES if name in asked],
        "mail_user": addresses,
    }


def points_of(job: dict[str, Any]) -> str:
    """Return the mail points of a job."""
    types = job.get("mail_types", ())  # older daemons do not tell them
    letters = (letter for letter in "abej" if _TYPES[letter] in types)
    return "".join(letters) or "n"
