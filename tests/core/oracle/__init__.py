"""The simulation rules (docs/simulation-rules.md) once more, with plain lists. The oracle is slow,
and written from the rules' text alone, so that it does not repeat an error of the planner."""

from tests.core.oracle.machine import Attempt, Machine, schedule

__all__ = ["Attempt", "Machine", "schedule"]
