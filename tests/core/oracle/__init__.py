"""The simulation rules (docs/simulation-rules.md) once more, with plain lists: slow, and written
from their text alone, so that an error in the planner is not repeated here."""

from tests.core.oracle.machine import Attempt, Machine, schedule

__all__ = ["Attempt", "Machine", "schedule"]
