"""The resource limits of processes that jobs take over from their submitters. Standard library
only."""

from __future__ import annotations

RLIMITS = ("AS", "CORE", "CPU", "DATA", "FSIZE", "MEMLOCK", "NOFILE", "NPROC", "RSS", "STACK")
"""The names of the limits that Slurm propagates: RLIMIT_AS and so on, see getrlimit(2)."""
LARGEST = (1 << 63) - 1
"""The largest limit. What the kernel has above it means that there is none."""


def parse_propagate(text: str) -> tuple[str, ...]:
    """Return the limits that `ALL`, `NONE`, or names with commas between them stand for, in the
    order of `RLIMITS`. A name may begin with `RLIMIT_`, as in Slurm.

    Raises:
        ValueError: the text has none of these forms.
    """
    upper = text.strip().upper()
    if upper == "ALL":
        return RLIMITS
    if upper == "NONE":
        return ()
    names = {name.strip().removeprefix("RLIMIT_") for name in upper.split(",")}
    for name in sorted(names):
        if name not in RLIMITS:
            raise ValueError(
                f"'{name}' is not a limit; expected ALL, NONE, or some of {','.join(RLIMITS)}"
            )
    return tuple(name for name in RLIMITS if name in names)
