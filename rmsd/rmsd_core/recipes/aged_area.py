"""The order `aged-area`: short and narrow jobs first, and the longer a job waits, the sooner.

Rule: the largest (w + c) / (r * size^x) comes first. w is the wait and r the predicted run time, in
seconds. The exponent x is 0.25 and the constant c is 600 s unless the recipe says otherwise.

Reason: r * size^x is an area in which the width counts for less than the length, as in F4 (SC'17).
An order by that area alone starves large jobs. Divided by it, the wait of a large job counts for
less than that of a small one, but in the end it prevails. The constant lets new jobs compete: with
0 a job that has just arrived would be the last, however short it is.

Source: rmsd's own, tuned on the logs of KTH, CTC and SDSC-SP2. With x = 0 and c = r it is the
expansion factor.
"""

from __future__ import annotations

from dataclasses import dataclass

from rmsd_core.jobs.job import Job


@dataclass(frozen=True, slots=True)
class AgedArea:
    """The parameters of the order.

    exponent: of the size of a job. constant_s: what is added to each wait, in seconds.
    """

    exponent: float = 0.25
    constant_s: int = 600

    def priority(self, job: Job, now_us: int) -> float:
        """Return the wait of a job, and the constant, divided by its area."""
        return ((now_us - job.eligible_us) / 1_000_000 + self.constant_s) / self._area(job)

    def growth(self, job: Job) -> float:
        """Return how much the priority of a job grows in a microsecond."""
        return 1 / self._area(job) / 1_000_000

    def _area(self, job: Job) -> float:
        return float(job.prediction_us / 1_000_000 * job.size**self.exponent)
