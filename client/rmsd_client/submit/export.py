"""`--export`: the variables of the caller's environment that a job gets."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# The variables of the job or daemon around this process; a new job gets its own.
_OURS = (
    *("RMS_", "RMSD_", "SLURM_", "SLURMD_"),
    *("PBS_ARRAY", "PBS_ENVIRONMENT", "PBS_JOB", "PBS_MPIPROCS", "PBS_NODE", "PBS_O_"),
)


class Export:
    """A parsed `--export`: the whole environment or not, names to pass on, values to set."""

    __slots__ = ("everything", "names", "values")

    def __init__(self, everything: bool, names: list[str], values: dict[str, str]) -> None:
        self.everything = everything
        self.names = names
        self.values = values

    def environment(self, environ: Mapping[str, str]) -> dict[str, str]:
        """Return the job's environment; names that are not set are left out, as in Slurm."""
        chosen = environ if self.everything else [n for n in self.names if n in environ]
        passed = {name: environ[name] for name in chosen if not name.startswith(_OURS)}
        return {**passed, **self.values}


def parse_export(text: str) -> Export:
    """Return what `ALL`, `NONE`, or `NAME,NAME=VALUE,...` exports; ALL among names adds everything.

    A value that holds a comma is quoted: `A='x,y',B`.

    Raises:
        ValueError: the text has none of these forms.
    """
    everything = False
    names: list[str] = []
    values: dict[str, str] = {}
    items = _split(text)
    if items == ["NONE"]:
        return Export(False, [], {})
    for item in items:
        name, equals, value = item.partition("=")
        if not name or any(c.isspace() or c == "\0" for c in name):
            raise ValueError(f"'{item}' is not NAME or NAME=VALUE; expected ALL, NONE or a list")
        if equals:
            values[name] = value
        elif name == "ALL":
            everything = True
        elif name == "NONE":
            raise ValueError("NONE stands alone; expected ALL, NONE or NAME,NAME=VALUE,...")
        else:
            names.append(name)
    return Export(everything, names, values)


def _split(text: str) -> list[str]:
    """Return the items between commas; quotes hold an item together and are taken off."""
    items = [""]
    quote = ""
    for char in text:
        if quote:
            if char == quote:
                quote = ""
            else:
                items[-1] += char
        elif char in "'\"":
            quote = char
        elif char == ",":
            items.append("")
        else:
            items[-1] += char
    if quote:
        raise ValueError(f"a {quote} is not closed")
    return items
