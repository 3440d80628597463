"""`rlog`: print a job's output, on whichever node it is, and follow it."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace
from collections import deque
from collections.abc import Iterator, Sequence

from rmsd_client.api import CHUNK, Client
from rmsd_client.calls.output import Output
from rmsd_client.calls.output_length import length_of
from rmsd_client.console import cli
from rmsd_client.errors import EXIT_OK, LATER, ApiError, ClientError
from rmsd_core.vocabulary import TERMINAL_STATES, Cause

_PROGRAM = "rlog"
_NOT_FOUND = 404
MOST_TAIL = 64 << 20  # bytes of the lines that -n shows
_POLL_S = 20.0
# The seconds until the next request to a node that is away, or that has no output and does not wait
# for some.
_PAUSE_S = 0.5
_GONE_S = 60.0  # a node that is away for longer may never come back once the job is over
_FOLLOW_RETRY_S = 600.0  # a restart of the daemon takes less time

_EXAMPLES = """\
  rlog 42          the output of job 42 so far
  rlog -n 10 42    the last ten lines
  rlog -f 42       follow it until the job is over; also waits for its start
  rlog -e 42       its error output, if it goes to a file of its own"""

_EXIT_CODES = """\
  0    done; with -f: the job is over
  1    there is no such job, it was never started, or its output cannot be read
  2    wrong usage
  75   the daemon cannot be reached
  77   not permitted
  130  interrupted"""


def main() -> int:
    return cli.run(_PROGRAM, rlog)


def rlog(argv: Sequence[str]) -> int:
    """Print output; returns the exit code."""
    args = command_parser().parse_args(argv)
    [job_id] = cli.task_names(cli.job_names([args.job]))[:1]
    stream = "stderr" if args.stderr else "stdout"
    with cli.connect(args, _PROGRAM) as client:
        _check_started(client, job_id)  # an old file of the same name would be another job's
        try:
            written = _show(client, job_id, stream, args)
        except ApiError as error:
            if error.status == _NOT_FOUND:
                _check_started(client, job_id)
            raise
        if not written:  # the job may have been cancelled while it waited
            _check_started(client, job_id)
    return EXIT_OK


def _check_started(client: Client, job_id: str) -> None:
    """Raise ClientError if the job is over and never ran, or its last run never began."""
    job = client.job(job_id)
    if job.get("array_tasks") is not None:
        raise ClientError(
            f"job {job_id} is an array: each task has its own output ('rlog {job_id}_INDEX'; "
            f"'rstat -t all -j {job_id}' lists them)"
        )
    started = job["attempt"] > 0 and job["cause"] != Cause.LAUNCH
    if job["state"] in TERMINAL_STATES and not started:
        ran = any(one["cause"] != Cause.LAUNCH for one in client.attempts(job_id))
        what = "could not be started again" if ran else "was never started"
        raise ClientError(f"job {job_id} {what}: {job['message'] or job['state']}")


def _show(client: Client, job_id: str, stream: str, args: Namespace) -> int:
    """Print the requested output. Returns its length by then, in bytes."""
    reader = _Reader(client, job_id, stream)
    if args.follow:
        client.retry_for_s = _FOLLOW_RETRY_S
    try:
        over = _print_all(reader) if args.lines is None else _print_tail(reader, args.lines)
    except ApiError as error:
        if args.lines is not None or not (args.follow and _may_come_back(client, job_id, error)):
            raise
        cli.notice(_PROGRAM)(str(error))
        over = False
    if not over:
        _notice_if_waiting(client, job_id)
        if args.follow:
            _follow(client, job_id, reader)
    return reader.offset


def _may_come_back(client: Client, job_id: str, error: ApiError) -> bool:
    """Return whether there will be more to read, though the present output cannot be read."""
    state = client.job(job_id)["state"]
    return state == "PENDING" or (state not in TERMINAL_STATES and error.status in LATER)


def command_parser() -> ArgumentParser:
    """Return the parser of the command line."""
    parser = cli.make_parser(
        _PROGRAM,
        "rlog [options] JOB",
        "Print a job's output. It comes through the daemon, from the node where the job runs.",
        examples=_EXAMPLES,
        exit_codes=_EXIT_CODES,
    )
    add = parser.add_argument
    add("job", metavar="JOB", help="a job number")
    add("-f", "--follow", action="store_true", help="go on until the job is over")
    add("-e", "--stderr", action="store_true", help="the error output")
    add(
        "-n",
        "--lines",
        metavar="LINES",
        type=cli.count,
        help=f"only the last LINES lines, up to {MOST_TAIL >> 20} MiB of them",
    )
    return parser


class _Reader:
    """Reads on in a job's output. A job that starts again writes another output, which is read from
    its beginning."""

    def __init__(self, client: Client, job_id: str, stream: str) -> None:
        self._client = client
        self._job_id = job_id
        self._stream = stream
        self._attempt: int | None = None
        self.offset = 0

    def read(self, wait_s: float = 0.0, limit: int = CHUNK) -> Output:
        output = self._read_at(self.offset, limit, wait_s)
        if self._attempt and output.attempt and output.attempt != self._attempt:
            cli.notice(_PROGRAM)(f"job {self._job_id} starts again (attempt {output.attempt})")
        self.offset, self._attempt = output.offset, output.attempt
        return output

    def parts(self) -> Iterator[Output]:
        """Yield the output up to now. The job may write faster than this reads, or than the
        printing."""
        begin = self.offset
        output = self.read()
        try:  # before anything is printed
            length = self.offset if len(output.data) < CHUNK else self._length()
        except ClientError:
            self.offset = begin
            raise
        yield output
        while output.data and self.offset < length:
            output = self.read(limit=min(CHUNK, length - self.offset))
            yield output

    def _length(self) -> int:
        def has_byte(offset: int) -> bool:
            found = self._read_at(offset, 1)
            return bool(found.data) and found.attempt == self._attempt

        return length_of(has_byte, self.offset)

    def _read_at(self, offset: int, limit: int, wait_s: float = 0.0) -> Output:
        return self._client.output(
            self._job_id,
            self._stream,
            offset=offset,
            limit=limit,
            wait_s=wait_s,
            attempt=self._attempt,
        )


def _print_all(reader: _Reader) -> bool:
    """Print the output up to now. Returns whether it is complete."""
    for output in reader.parts():
        _write(output.data)
    return output.eof


def _print_tail(reader: _Reader, lines: int) -> bool:
    """Print the last lines of the output up to now. Returns whether it is complete."""
    tail = Tail(lines)
    for output in reader.parts():
        tail.add(output.data)
    data = tail.end()
    if len(data) > MOST_TAIL:
        cli.notice(_PROGRAM)(f"these lines are longer than {MOST_TAIL:,} bytes; here is their end")
        data = data[-MOST_TAIL:]
    _write(data)
    return output.eof


class Tail:
    """The last `lines` lines of the added data. If they have more than `MOST_TAIL` bytes, their
    beginning is left out (then `end` returns more than these bytes)."""

    def __init__(self, lines: int) -> None:
        self._lines = lines
        self._parts: deque[tuple[bytes, int]] = deque()  # each with its number of line ends
        self._size = self._ends = 0

    def add(self, data: bytes) -> None:
        self._parts.append((data, data.count(b"\n")))
        self._size += len(data)
        self._ends += self._parts[-1][1]
        while len(self._parts) > 1:
            first, ends = self._parts[0]
            # Keep the line end before these lines as well; the last line may have one, too.
            if self._ends - ends <= self._lines and self._size - len(first) <= MOST_TAIL:
                break
            self._parts.popleft()
            self._size -= len(first)
            self._ends -= ends

    def end(self) -> bytes:
        return last_lines(b"".join(data for data, _ in self._parts), self._lines)


def last_lines(data: bytes, count: int) -> bytes:
    """Return the last `count` lines; an unfinished one counts."""
    start = len(data)
    if data.endswith(b"\n"):
        start -= 1
    for _ in range(count):
        start = data.rfind(b"\n", 0, start)
        if start < 0:
            return data
    return data[start + 1 :] if count else b""


def _notice_if_waiting(client: Client, job_id: str) -> None:
    job = client.job(job_id)
    if job["state"] == "PENDING":
        waits = "waits to start again" if job["attempt"] else "has not started"
        cli.notice(_PROGRAM)(f"job {job_id} {waits}: {job['state']} ({job['reason']})")


def _follow(client: Client, job_id: str, reader: _Reader) -> None:
    """Print the output as it comes, until the job is over."""
    away_since: float | None = None
    while True:
        asked_s = time.monotonic()
        try:
            output = reader.read(_POLL_S)
        except ApiError as error:
            if error.status not in LATER:
                raise
            away_since = away_since or time.monotonic()
            gone = time.monotonic() - away_since > _GONE_S
            if gone and client.job(job_id)["state"] in TERMINAL_STATES:
                raise
            time.sleep(_PAUSE_S)
            continue
        away_since = None
        _write(output.data)
        if output.eof:
            return
        if not output.data and time.monotonic() - asked_s < _PAUSE_S:
            time.sleep(_PAUSE_S)  # the agent does not wait for output


def _write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
