"""`--propagate`: the resource limits of the caller's shell that a job gets."""

from __future__ import annotations

from rmsd_wire.rlimits import RLIMITS, parse_propagate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PROPAGATE_ALL = "ALL"
"""The value of a `--propagate` that has none."""


def fields_of(asked: str | None) -> dict[str, Any]:
    """Return the fields of a SubmitSpec that carry the soft limits of this process.

    `asked` is the value of --propagate. Without it (None) all limits are sent, and the cluster's
    `propagate_limits` says which of them the job gets.
    """
    import resource  # few other programs of ours need it

    soft: dict[str, int | None] = {}
    for name in RLIMITS if asked is None else parse_propagate(asked):
        limit, _ = resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))
        soft[name] = None if limit == resource.RLIM_INFINITY else limit
    fields: dict[str, Any] = {"rlimits": soft} if soft else {}
    if asked is not None:
        fields["rlimits_asked"] = True
    return fields
