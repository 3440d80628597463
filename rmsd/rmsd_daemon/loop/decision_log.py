"""The log lines of decisions, once they are committed."""

from __future__ import annotations

import structlog

from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import (
    BeginReboot,
    Effects,
    End,
    Failures,
    Lapse,
    Repeat,
    Requeue,
    Switch,
)
from rmsd_core.vocabulary import Cause, Fault

log = structlog.get_logger()


def log_decisions(core: Core, effects: Effects) -> None:
    """Log what was decided: each decision at level debug, and at higher levels what an
    administrator wants to know of."""
    for decision in effects.decisions:
        if isinstance(decision, Switch):
            log.info("switch", order=decision.order)
        elif isinstance(decision, Lapse):
            log.info("reservation-over", reservation=decision.name)
        elif isinstance(decision, Repeat):
            log.info("reservation-repeats", reservation=decision.name, start_us=decision.start_us)
        elif isinstance(decision, Failures):
            _log_failures(decision)
        elif isinstance(decision, BeginReboot):
            log.info("node-rebooting", node=decision.node, by=decision.reboot.by)
        else:
            job = core.job(decision.job_id)
            if isinstance(decision, Requeue | End) and decision.outcome.cause is Cause.LAUNCH:
                _log_refusal(decision, job)
            log.debug(type(decision).__name__.lower(), job_id=job.id, attempt=job.attempt)


def _log_failures(decision: Failures) -> None:
    """Log that launches fail on a node so often that it is drained, or that they do not fail any
    more."""
    if not decision.failures:
        log.info("node-launches-again", node=decision.node)
    elif decision.drain_reason is not None:
        log.error("node-drained", node=decision.node, reason=decision.drain_reason)


def _log_refusal(decision: Requeue | End, job: Job) -> None:
    """Log that a node could not launch a job."""
    outcome = decision.outcome
    log.warning(
        "launch-refused",
        job_id=job.id,
        attempt=decision.attempt,
        # A requeued job has no allocation any more, or that of its next attempt.
        node=decision.node if isinstance(decision, Requeue) else job.allocation[0].node,
        fault=(outcome.fault or Fault.JOB).value,
        requeued=isinstance(decision, Requeue),
        message=outcome.message,
    )
