"""The metrics that a command was asked for: measured, and as tables."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any, Self

from rmsd_cli.errors import CommandUsageError
from rmsd_core.model_time import SECOND_US
from rmsd_lab.measures.categories import Boundaries
from rmsd_lab.measures.measures import GROUPS, measure
from rmsd_lab.schedule import Schedule
from rmsd_lab.simulation.references import references
from rmsd_lab_cli.metrics.tables import tables


@dataclass(frozen=True, slots=True)
class MetricReport:
    """The groups of metrics to report, their boundaries, and whether jobs are trimmed."""

    groups: list[str]
    boundaries: Boundaries
    trim: bool

    @classmethod
    def asked(cls, args: argparse.Namespace, trial_us: int = 0) -> Self:
        """Return the report that the options ask for; see `metrics.options.metrics_asked`."""
        boundaries = _boundaries(args, trial_us)
        return cls(groups_named(args.metrics), boundaries, args.trim == "thesis")

    def measure(self, schedule: Schedule) -> dict[str, dict[str, Any]]:
        """Return the groups' figures. The references of fairness are simulated if they are asked
        for."""
        plain = [group for group in self.groups if group != "fairness"]
        found = measure(schedule, plain, trim=self.trim, boundaries=self.boundaries)
        if "fairness" in self.groups:
            rounded, conservative, exact = references(schedule)
            found |= measure(
                rounded,
                ["fairness"],
                trim=self.trim,
                boundaries=self.boundaries,
                conservative=conservative,
                exact=exact,
            )
        return {group: found[group] for group in self.groups}

    def text(self, metrics: dict[str, dict[str, Any]]) -> str:
        """Return the result of `measure` as text for people."""
        return tables(metrics) + "\n"


def groups_named(text: str) -> list[str]:
    """Return the groups that a text names, in the order of `GROUPS`."""
    known = f"there are: {', '.join(GROUPS)}, all"
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise CommandUsageError(f"--metrics '{text}' names no group; {known}")
    for name in names:
        if name not in GROUPS and name != "all":
            raise CommandUsageError(f"--metrics: no group '{name}'; {known}")
    return [group for group in GROUPS if group in names or "all" in names]


def _boundaries(args: argparse.Namespace, trial_us: int) -> Boundaries:
    for option in ("long_above", "wide_above", "short_up_to"):
        value = getattr(args, option)
        if value is not None and value < 0:
            raise CommandUsageError(
                f"--{option.replace('_', '-')} {value}: it cannot be below zero"
            )
    short_us = trial_us or Boundaries().short_us
    if args.short_up_to is not None:
        short_us = args.short_up_to * SECOND_US
    return Boundaries(args.long_above * SECOND_US, args.wide_above, short_us)
