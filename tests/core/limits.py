"""A look at what jobs hold by the limits of their accounts and QOS, for tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from rmsd_core.jobs.accounts import JobLimits, Policies, chain
from rmsd_core.jobs.job import Job


def passed_limits(policies: Policies, jobs: Iterable[Job]) -> list[tuple[str, ...]]:
    """Return the groups whose jobs hold more than their limits allow: ("qos" or "account", name),
    with a user behind these if the limit is of one user; and licenses of which they have too
    many: ("license", name)."""
    running, cpus = Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
    licenses = Counter[str]()
    accounts = {one.name: one for one in policies.accounts}
    for job in jobs:
        if job.open_nodes:
            above = [("account", one.name) for one in chain(accounts, job.account)]
            names: list[tuple[str, str]] = [("qos", job.qos), *above]
            for group in (*names, *((*name, job.user) for name in names)):
                running[group] += 1
                cpus[group] += job.size
            licenses.update(dict(job.licenses))
    limits = {("account", one.name): one.limits for one in policies.accounts}
    limits |= {("qos", one.name): one.limits for one in policies.qos}
    return [
        ("license", one.name) for one in policies.licenses if licenses[one.name] > one.total
    ] + [
        group
        for group in running
        if (one := limits.get((group[0], group[1]))) is not None
        and _is_passed(one, len(group) > 2, running[group], cpus[group])
    ]


def _is_passed(limits: JobLimits, of_user: bool, running: int, cpus: int) -> bool:
    most = (
        (limits.max_running_per_user, limits.max_cpus_per_user)
        if of_user
        else (limits.max_running, limits.max_cpus)
    )
    pairs = zip((running, cpus), most, strict=True)
    return any(high is not None and count > high for count, high in pairs)
