"""Parts of the output of jobs and tasks, as the daemon sends them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rmsd_client.connection.http import Response


class Output:
    """A part of an output stream.

    `data` ends at byte `offset` of the stream of `attempt` (0: none has begun; None: a daemon that
    does not say); `eof`: the job, or the task, is over and this is its end. For a task, `exit_code`
    or `signal` says how it ended once it has, and `cpu_s` and `max_rss_mib` what it has used.
    """

    __slots__ = (
        *("attempt", "cpu_s", "data", "eof", "exit_code", "max_rss_mib", "offset", "signal"),
    )

    def __init__(self, response: Response) -> None:
        headers = response.headers
        self.data = response.body
        self.offset = _number(headers["x-rms-offset"]) or 0
        self.eof = headers["x-rms-eof"] == "1"
        self.attempt = _number(headers.get("x-rms-attempt"))
        self.exit_code = _number(headers.get("x-rms-exit-code"))
        self.signal = _number(headers.get("x-rms-signal"))
        self.max_rss_mib = _number(headers.get("x-rms-max-rss-mib"))
        seconds = headers.get("x-rms-cpu-s")
        self.cpu_s = float(seconds[:32]) if seconds else None


def _number(text: str | None) -> int | None:
    """Return the number of a header, if there is one. Raises ValueError if it is none, or too
    large."""
    if text and len(text) >= 19:
        raise ValueError(text)
    return int(text) if text else None
