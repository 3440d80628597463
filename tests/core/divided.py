"""A world whose jobs name partitions."""

from __future__ import annotations

from dataclasses import dataclass

from rmsd_core.jobs.request import Request
from rmsd_core.lifecycle.inputs import Input, Submit
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from tests.core.world import World, recipe_texts

NODES = {"n1": 4, "n2": 4, "n3": 4}

EXEMPT_US = 20 * SECOND_US
PARTITIONS = (
    Partition("requeue", ("n1", "n2"), preempt="requeue"),
    Partition("cancel", ("n2", "n3"), preempt="cancel", preempt_exempt_us=EXEMPT_US),
    Partition("off", ("n1", "n3")),
    Partition("high", ("n2", "n3"), tier=2, preempt="requeue"),
    Partition("highest", tier=3),
)
NAMES = (("requeue",), ("cancel",), ("high",), ("off", "cancel"), ("highest",), ("high", "off"))

recipes = recipe_texts.filter(lambda text: parse_recipe(text).predict != "perfect")


@dataclass
class Divided(World):
    """A world whose jobs name partitions: those in `names`, by their places in the trace."""

    names: tuple[tuple[str, ...], ...] = ((),)

    def inputs(self, kind: str, what: tuple[object, ...], now_us: int) -> list[Input]:
        inputs = super().inputs(kind, what, now_us)
        for item in inputs:
            if isinstance(item, Submit):
                asked = self.names[item.job.id % len(self.names)]
                [component] = item.job.request.components
                parts = [component._replace(partition=name) for name in asked] or [component]
                item.job.request = Request(tuple(parts))
        return inputs
