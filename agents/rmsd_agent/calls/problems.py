"""The answers to calls that fail: the one table from errors to statuses.

The statuses are those of HTTP, since the daemon hands them on to the caller.
"""

from __future__ import annotations

import errno

import structlog

from rmsd_agent.attempts.errors import (
    AttemptEnding,
    NotNow,
    TaskNotFound,
    TaskOver,
    TooManyTasks,
    UnusableRequest,
)
from rmsd_agent.calls.reading import TooManyReads
from rmsd_agent.machine.users import UserRefused
from rmsd_agent.shepherd.standalone.accounts import AccountError
from rmsd_wire.link_calls import Call

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

_STATUSES: dict[type[Exception], int] = {
    UnusableRequest: 400,
    AccountError: 403,
    UserRefused: 403,
    TaskNotFound: 404,
    AttemptEnding: 409,
    TaskOver: 409,
    TooManyTasks: 429,
    NotNow: 503,
    TooManyReads: 503,
    RuntimeError: 503,  # no thread can be started now
}
_FILE_STATUSES = {
    errno.ENOENT: 404,
    errno.ENOTDIR: 404,
    errno.EACCES: 403,
    errno.EPERM: 403,
    errno.EAGAIN: 503,
    errno.ENOMEM: 503,
    errno.EMFILE: 503,
    errno.ENFILE: 503,
}
UNREADABLE_CALL = 503
"""The problem if the agent cannot read a call, as one of a daemon of another version."""
TASK_NOT_LAUNCHED = 422
"""The problem if the main process of a task could not be started."""
_UNREADABLE_STATUS = 409
"""The problem for any other reason why a file cannot be read: the file is in no state to be read.
"""


def problem_of(error: Exception, call: Call) -> tuple[int, str]:
    """Return the status and the message for the error that a call has just raised."""
    if isinstance(error, OSError):
        status = _FILE_STATUSES.get(error.errno or 0, _UNREADABLE_STATUS)
        return status, f"{error.filename}: {error.strerror}"
    for kind, status in _STATUSES.items():
        if isinstance(error, kind):
            return status, str(error)
    log.exception("call-failed", call=type(call).__name__, job_id=call.job_id)
    return 503, f"the agent failed: {error!r}"
