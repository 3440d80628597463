"""The resource limits that a job takes over from its submitter."""

from __future__ import annotations

from collections.abc import Sequence

from rmsd_daemon.domain.errors import Malformed
from rmsd_wire.api.submission import SubmitSpec
from rmsd_wire.rlimits import RLIMITS


def checked_rlimits(spec: SubmitSpec, propagated: Sequence[str]) -> dict[str, int | None]:
    """Return the resource limits that a job takes over: those that its submitter chose, or those
    with names among `propagated`.

    Raises:
        Malformed: a limit is unknown, or the job has no script.
    """
    if spec.rlimits and spec.emulate is not None:
        raise Malformed("'rlimits' is given with 'emulate': there is no script to be limited")
    for name in spec.rlimits:
        if name not in RLIMITS:
            raise Malformed(f"'rlimits' has {name!r}; there are {', '.join(RLIMITS)}")
    chosen = RLIMITS if spec.rlimits_asked else propagated
    return {name: limit for name, limit in spec.rlimits.items() if name in chosen}
