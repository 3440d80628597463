"""The way from the conditions of a submitted spec to those of the core."""

from __future__ import annotations

from rmsd_core.jobs.conditions import Conditions, Dependency
from rmsd_core.model_time import SECOND_US, UNLIMITED_US, duration_us
from rmsd_core.vocabulary import HeldBy, Relation
from rmsd_daemon.domain.errors import Malformed
from rmsd_wire.api.submission import ConditionsSpec, DependencySpec

MOST_S = UNLIMITED_US // SECOND_US // 4
"""The longest run time, or wait, that a submit may ask for, in seconds."""
MOST_DEPENDENCIES = 1000
"""The most dependencies of a job."""


def conditions_of(spec: ConditionsSpec | None, now_us: int) -> Conditions | None:
    """Return the conditions of a job that is submitted now; None if there are none."""
    if spec is None:
        return None
    dependencies = dict.fromkeys(map(_dependency, spec.dependencies))
    if len(dependencies) > MOST_DEPENDENCIES:
        raise Malformed(
            f"'conditions.dependencies' has {len(dependencies)}, more than {MOST_DEPENDENCIES}"
        )
    conditions = Conditions(
        HeldBy.USER if spec.hold else None,
        instant_us("conditions.begin", spec.begin_us, spec.begin_in_s, now_us),
        tuple(dependencies),
        any_of=spec.any_of,
        ends_if_never=spec.end_if_never,
    )
    return conditions if conditions.stand else None


def _dependency(spec: DependencySpec) -> Dependency:
    alone = spec.relation is Relation.SINGLETON
    if (spec.job_id == 0) != alone or not 0 <= spec.job_id < 1 << 62:
        raise Malformed(
            f"'conditions.dependencies' has {spec.relation} of job {spec.job_id}; it must be "
            "'singleton' of 0, or another relation to a job's number"
        )
    if not 0 <= spec.delay_s <= MOST_S or (spec.delay_s and spec.relation is not Relation.AFTER):
        raise Malformed(
            f"'conditions.dependencies' has a delay of {spec.delay_s} s with {spec.relation}; "
            f"it must be 0 to {MOST_S}, and only 'after' has one"
        )
    return Dependency(spec.relation, spec.job_id, duration_us(spec.delay_s))


def instant_us(field: str, at_us: int | None, in_s: float | None, now_us: int) -> int | None:
    """Return the time that the fields `field`_us and `field`_in_s name; None if both are left out.

    Raises:
        Malformed: both are given, or one cannot be meant.
    """
    if at_us is not None and in_s is not None:
        raise Malformed(f"both '{field}_us' and '{field}_in_s' are given; give one of them")
    if in_s is not None:
        if not 0 <= in_s <= MOST_S:
            raise Malformed(f"'{field}_in_s' is {in_s}; it must be 0 to {MOST_S}")
        return now_us + duration_us(in_s)
    if at_us is not None and not 0 <= at_us < UNLIMITED_US:
        raise Malformed(f"'{field}_us' is {at_us}; it must be microseconds since 1970")
    return at_us
