"""The differences between what was recorded of Slurm and what another play has seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tests.slurm_diff.looks import Look
from tests.slurm_diff.meant import ALSO, MEANT
from tests.slurm_diff.play import Form


class Difference(NamedTuple):
    """A field in which two plays differ."""

    scenario: str
    moment: str
    command: str
    field: str
    slurm: object
    ours: object

    def __str__(self) -> str:
        place = f"{self.scenario}, {self.moment}: {self.command} {self.field}"
        return f"{place}\n    Slurm: {self.slurm}\n    rmsd:  {self.ours}"


Seen = Mapping[str, Mapping[str, Look]]
"""The answers in each scenario at each moment."""


def differences(slurm: Seen, ours: Seen) -> Iterator[Difference]:
    """Yield each field that differs, meant or not."""
    for scenario, moments in slurm.items():
        if scenario not in ours:
            continue
        for moment, look in moments.items():
            for command, values in look.items():
                there = ours[scenario].get(moment, {}).get(command, {})
                for field in sorted({*values, *there}):
                    if values.get(field) != there.get(field):
                        yield Difference(
                            scenario, moment, command, field, values.get(field), there.get(field)
                        )


def is_meant(one: Difference) -> bool:
    """Return whether the table of meant differences has this one."""
    return (one.command, one.field) in MEANT or (one.scenario, one.moment) in MEANT


def form_differences(slurm: Mapping[str, Form], ours: Mapping[str, Form]) -> list[str]:
    """Return what is otherwise in the form of the output of --json. What is in no list of ours,
    such as tasks of arrays where there were none, is not compared."""
    found = []
    for command, form in slurm.items():
        there = ours[command]
        for path, kinds in form.items():
            parent = path.rpartition(".")[0]
            if path.endswith("[]"):
                continue  # There may be none.
            if path not in there and parent in there and "object" in there[parent]:
                found.append(f"{command}{path}: missing ({' or '.join(kinds)})")
        for path, kinds in there.items():
            known = form.get(path)
            if known is None:
                if form.get(path.removesuffix("[]")) != ["array"]:
                    found.append(f"{command}{path}: not in Slurm's")
            elif others := {*kinds} - {*known, *ALSO.get((command, path), ())}:
                found.append(f"{command}{path}: {', '.join(sorted(others))}; Slurm: {known}")
    return found
