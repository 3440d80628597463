"""The queues that a recipe asks for.

They are made by an object that knows no planner, since queues of partitions keep it to make further
queues. So nothing in a core refers back to its owner, and Python frees a core once it is replaced.
"""

from __future__ import annotations

from rmsd_core.jobs.job import Job
from rmsd_core.planning.priorities import Priorities
from rmsd_core.planning.queue import (
    LengthOf,
    PriorityQueue,
    Queue,
    WaitingIndex,
    by_arrival,
    by_prediction,
    estimate,
    prediction,
)
from rmsd_core.planning.ranked_index import RankedIndex
from rmsd_core.planning.remaining_beside import RemainingBeside, remaining_us
from rmsd_core.planning.urgent_first import UrgentFirst
from rmsd_core.recipes.extensions import BACKFILL_ORDERS, ORDERS
from rmsd_core.recipes.recipe import Recipe


class PassTime:
    """The time of the present pass."""

    __slots__ = ("now_us",)

    def __init__(self) -> None:
        self.now_us = 0


def fit_length(recipe: Recipe, time: PassTime) -> LengthOf:
    """Return the length by which a backfilled job must end before the reservation."""
    if recipe.fit == "estimate":
        return estimate
    if not recipe.remaining:
        return prediction

    def remaining(job: Job) -> int:
        return remaining_us(job, time.now_us)

    return remaining


class QueueKinds:
    """Makes queues, empty ones. order: the name of the order in which the queue is now."""

    def __init__(self, recipe: Recipe, length: LengthOf, priorities: Priorities | None) -> None:
        self.order = "arrival" if recipe.order == "dynp" else recipe.order
        self._recipe = recipe
        self._length = length
        self._priorities = priorities

    @property
    def backfills_apart(self) -> bool:
        """Return whether jobs are backfilled in another order than that of the queue."""
        backfill = self._recipe.backfill
        return backfill == "shortest" or backfill in BACKFILL_ORDERS

    def in_order(self, name: str) -> Queue:
        """Return a queue in the order called `name`, in which urgent jobs come first."""
        return self._urgent_first(self._plain(name))

    def in_backfill_order(self) -> Queue:
        """Return a queue in the order in which jobs are backfilled."""
        if self._recipe.backfill == "shortest":
            return self._urgent_first(WaitingIndex(by_prediction, self._length))
        return self.in_order(self._recipe.backfill)

    def of_held_back(self) -> Queue:
        """Return a queue for jobs that a limit holds back."""
        return self._plain(self.order)

    def _urgent_first(self, queue: Queue) -> Queue:
        if not self._recipe.has_urgent:
            return self._running_beside(queue)
        urgent = self._running_beside(WaitingIndex(by_arrival, self._length))
        return UrgentFirst(urgent, self._running_beside(queue))

    def _running_beside(self, queue: Queue) -> Queue:
        return RemainingBeside(queue, self._length) if self._recipe.remaining else queue

    def _plain(self, name: str) -> Queue:
        order = ORDERS[name]
        if order.name == "priority":
            priorities = self._priorities
            assert priorities is not None
            return PriorityQueue(
                priorities.priority,
                priorities.alike,
                self._length,
                priorities.key,
                priorities.changes,
            )
        if order.in_recipe is not None:
            order = order.in_recipe(self._recipe)
        if order.priority is not None and order.growth is not None:
            return RankedIndex(order.priority, order.growth, self._length)
        if order.priority is not None:
            return PriorityQueue(order.priority, order.alike, self._length)
        assert order.key is not None
        return WaitingIndex(order.key, self._length)
