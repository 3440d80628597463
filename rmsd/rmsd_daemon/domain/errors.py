"""The reasons for which something is not done. `front.problems` maps each error to HTTP."""

from __future__ import annotations


class DaemonError(Exception):
    """A request cannot be fulfilled. The text is for people. retry_after_s: the seconds after which
    the same request may be granted. field: the field of a submit that alone is the reason, or ""
    for no one field."""

    def __init__(self, detail: str, retry_after_s: float | None = None, field: str = "") -> None:
        super().__init__(detail)
        self.detail = detail
        self.retry_after_s = retry_after_s
        self.field = field


class Malformed(DaemonError):
    """The request makes no sense, or has a field without a usable value."""


class TooLarge(DaemonError):
    """The request is larger than its limit."""


class WithoutLength(DaemonError):
    """The request does not say how long its body is."""


class TooSlow(DaemonError):
    """The request does not arrive in time."""


class NeverFits(DaemonError):
    """No set of this cluster's nodes can ever hold the job."""


class KeyReused(DaemonError):
    """The Idempotency-Key was used for another request."""


class Unauthenticated(DaemonError):
    """The caller did not say who they are, or their token does not hold."""


class Forbidden(DaemonError):
    """The caller is known, and may not do it."""


class NotFound(DaemonError):
    """There is no such job, node or token."""


class Conflict(DaemonError):
    """The job, node or token is not in a state in which this can be done."""


class TooMany(DaemonError):
    """The caller has, holds, waits for or asks for more than their share."""


class TooManyJobs(TooMany):
    """A user would have more live jobs, or more text in them, than one user may."""


class Unavailable(DaemonError):
    """The daemon cannot do it now; the same may be asked for again."""


class DependencyOver(Unavailable):
    """A job that a new one depends on has ended since it was looked up."""


class NodeUnreachable(DaemonError):
    """The agent of a node cannot be asked, or says what cannot be used."""


class NoAnswer(DaemonError):
    """The agent of a node has not answered in time."""


class NotStored(DaemonError):
    """The database could not be written, or read."""


class Failed(DaemonError):
    """The daemon has met an error of its own."""


def no_such_job(job_id: int | str) -> NotFound:
    return NotFound(f"there is no job {job_id}")


def not_paced(field: str = "") -> Malformed:
    """Return the error of a request that only a paced clock can fulfil."""
    what = f"'{field}'" if field else "this request"
    return Malformed(f"{what} is for a daemon with a paced clock: `rmsd start --rate paced`")


def pruned_job(job_id: int) -> NotFound:
    return NotFound(
        f"there is no job {job_id} any more, or there never was: jobs that ended long ago are "
        "deleted (keep_history)"
    )
