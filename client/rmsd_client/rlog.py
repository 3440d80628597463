"""`rlog`: print a job's output, wherever it is, and follow it."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence

from rmsd_client import cli
from rmsd_client.api import Client, Output
from rmsd_client.errors import AWAY, EXIT_OK, ApiError, ClientError
from rmsd_core.vocabulary import TERMINAL_STATES, Cause

_PROGRAM = "rlog"
_NOT_FOUND = 404
_POLL_S = 20.0
_PAUSE_S = 0.5  # until a node that is away is asked again
_FOLLOW_RETRY_S = 600.0  # a daemon that is away for longer has not just been restarted

_EXAMPLES = """\
  rlog 42          what job 42 has written so far
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
    args = _parser().parse_args(argv)
    [job_id] = cli.job_ids([args.job])
    stream = "stderr" if args.stderr else "stdout"
    with cli.connect(args, _PROGRAM) as client:
        _check_started(client, job_id)  # an old file of the same name would be somebody else's
        try:
            written = _show(client, job_id, stream, args)
        except ApiError as error:
            if error.status == _NOT_FOUND:
                _check_started(client, job_id)
            raise
        if not written:  # it may have been cancelled while it waited
            _check_started(client, job_id)
    return EXIT_OK


def _check_started(client: Client, job_id: int) -> None:
    """Raises ClientError: the job is over without ever having run."""
    job = client.job(job_id)
    started = job["start_us"] is not None and job["cause"] != Cause.LAUNCH
    if job["state"] in TERMINAL_STATES and not started:
        why = job["message"] or job["state"]
        raise ClientError(f"job {job_id} was never started: {why}")


def _show(client: Client, job_id: int, stream: str, args: Namespace) -> int:
    """Print what was asked for; how long the output is by then, in bytes."""
    if args.lines is None:
        output = _print_all(client, job_id, stream)
    else:
        output = _print_tail(client, job_id, stream, args.lines)
    if output.eof:
        return output.offset
    if output.offset == 0:
        _tell_if_waiting(client, job_id)
    if args.follow:
        client.retry_for_s = _FOLLOW_RETRY_S
        return _follow(client, job_id, stream, output.offset)
    return output.offset


def _parser() -> ArgumentParser:
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
    add("-n", "--lines", metavar="LINES", type=cli.count, help="only the last LINES lines")
    return parser


def _parts(client: Client, job_id: int, stream: str) -> Iterator[Output]:
    """What there is by now, in parts."""
    offset = 0
    while True:
        output = client.output(job_id, stream, offset=offset)
        offset = output.offset
        yield output
        if output.eof or not output.data:
            return


def _print_all(client: Client, job_id: int, stream: str) -> Output:
    for output in _parts(client, job_id, stream):
        _write(output.data)
    return output


def _print_tail(client: Client, job_id: int, stream: str, lines: int) -> Output:
    tail = b""
    for output in _parts(client, job_id, stream):
        tail = last_lines(tail + output.data, lines)
    _write(tail)
    return output


def last_lines(data: bytes, count: int) -> bytes:
    """The last `count` lines; an unfinished one counts."""
    start = len(data)
    if data.endswith(b"\n"):
        start -= 1
    for _ in range(count):
        start = data.rfind(b"\n", 0, start)
        if start < 0:
            return data
    return data[start + 1 :] if count else b""


def _tell_if_waiting(client: Client, job_id: int) -> None:
    job = client.job(job_id)
    if job["start_us"] is None:
        cli.notice(_PROGRAM)(f"job {job_id} has not started: {job['state']} ({job['reason']})")


def _follow(client: Client, job_id: int, stream: str, offset: int) -> int:
    """Print what comes until the job is over; the length of its output, in bytes."""
    while True:
        try:
            output = client.output(job_id, stream, offset=offset, wait_s=_POLL_S)
        except ApiError as error:
            if error.status not in AWAY:
                raise
            time.sleep(_PAUSE_S)
            continue
        _write(output.data)
        offset = output.offset
        if output.eof:
            return offset


def _write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
