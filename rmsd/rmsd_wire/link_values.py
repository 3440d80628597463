"""The values in the messages of the agent link, with their bounds."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from rmsd_wire.rlimits import LARGEST, RLIMITS

# Values from an agent are stored in the database and computed with, so their ranges are bounded. An
# agent computes with the values of a daemon, and repeats them: the same bounds hold. Texts for
# people are cut by their receiver instead, see `frames.cut`.
Id = Annotated[int, msgspec.Meta(ge=0, lt=1 << 62)]
Count = Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]
Code = Annotated[int, msgspec.Meta(ge=-(1 << 31), lt=1 << 32)]
Size = Annotated[int, msgspec.Meta(ge=0, lt=1 << 50)]
NO_LIMIT = 0
"""The value of a `Launch`'s limit on memory, processes or output that is none. Elsewhere in daemon
and agent this is None (`Launch.limits`). It stays 0 in the message: an agent one version behind
refuses null in its place, and agents keep the message as they got it. An agent tells its shepherds
0 as well, since they may be of another version, too."""
Seconds = Annotated[float, msgspec.Meta(ge=-1e12, le=1e12)]
Span = Annotated[float, msgspec.Meta(ge=0, le=1e18)]
Rate = Annotated[float, msgspec.Meta(ge=0, le=1e7)]
PACED = 0.0
"""The rate of a paced clock: no model time passes by itself (`link.Advance`)."""
Instant = Annotated[int, msgspec.Meta(ge=-(1 << 62), lt=1 << 62)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=256)]
MOST_HELD = 1 << 20
"""The most attempts, or nodes, in one message."""

Rlimit = Annotated[int, msgspec.Meta(ge=0, le=LARGEST)]
Rlimits = Annotated[dict[Name, Rlimit | None], msgspec.Meta(max_length=len(RLIMITS))]
"""Soft resource limits by their names in `rlimits.RLIMITS`; None is no limit."""

Umask = Annotated[int, msgspec.Meta(ge=0, le=0o777)]
"""The bits of umask(2)."""

MAX_SIGNAL = 64
"""Linux has signals 1 to 64."""

_MOST_SIDE = 4096
NewSide = Annotated[int, msgspec.Meta(ge=0, le=_MOST_SIDE)]
"""The new rows or columns of a terminal; 0: as before."""


MOST_PROCESSORS = 4096
"""The processors of a node have numbers below this one."""
_Processor = Annotated[int, msgspec.Meta(ge=0, lt=MOST_PROCESSORS)]


class TaskBind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The processors of its job to which a task is bound on its node. `processors`: their numbers
    if the task is bound by `map` or `mask`, else their places among those of the job. `cores`: it
    gets all of the job's processors in these physical cores. `verbose`: a line in its errors tells
    the binding."""

    how: Literal["none", "cores", "threads", "rank", "map", "mask"] = "none"
    processors: Annotated[list[_Processor], msgspec.Meta(max_length=MOST_PROCESSORS)] = []
    verbose: bool = False
    local_rank: Count = 0


class TerminalSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A terminal for a task: how large it is, and how long it goes on with nobody at it. A
    client that is at the terminal sends an empty input once in a while."""

    rows: Annotated[int, msgspec.Meta(ge=1, le=_MOST_SIDE)] = 24
    cols: Annotated[int, msgspec.Meta(ge=1, le=_MOST_SIDE)] = 80
    hangup_s: Annotated[float, msgspec.Meta(ge=1, le=7 * 86400)] = 300.0
