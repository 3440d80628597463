"""The answers of a core to those who ask for expected starts."""

from __future__ import annotations

from rmsd_core.lifecycle.core import Core
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.portions import whole


def starts_s(core: Core, at_s: int = 0) -> dict[int, tuple[float, str]]:
    """Return expected starts and where they come from, by job."""
    expected = whole(core.projection(at_s * SECOND_US)).starts.expected
    return {job_id: (one.start_us / SECOND_US, one.basis) for job_id, one in expected.items()}
