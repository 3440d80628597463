"""Let something fail in the private cluster of `rmsd slurm up`, from a command that runs in it. A
word is a node, which dies with all that runs there. Options are carried out in the order of this
help.
"""

from __future__ import annotations

import argparse
from functools import partial

from rmsd.testing.cluster import Cluster, ClusterError
from rmsd.testing.control import ControlError
from rmsd.testing.faults import REFUSAL
from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_client.errors import ClientError

EPILOG = """\
exit codes:
  0   done
  1   there is no cluster, no such node or no such job
  2   wrong usage

examples:
  rmsd slurm fail node1                    # and later: rmsd slurm fail --bring-back node1
  rmsd slurm fail node1 --back-after 5
  rmsd slurm fail --refuse 2 --message 'Socket timed out on send/recv operation'
  rmsd slurm fail --unreachable 10 --lag 5
  rmsd slurm fail --timeout 12 --out-of-memory 13 --preempt 14
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("nodes", nargs="*", metavar="NODE", help="a node that dies")
    add("--reset", action="store_true",
        help="end all faults and cancel all jobs; wait until the nodes are idle")  # fmt: skip
    add("--back-after", type=_seconds, metavar="SECONDS",
        help="let the nodes come back after some time, and wait for nothing")  # fmt: skip
    add("--bring-back", action="append", default=[], metavar="NODE",
        help="let a dead node come back")  # fmt: skip
    add("--refuse", type=int, metavar="N", help="refuse the next N submits; 0 ends this")
    add("--message", default=REFUSAL, metavar="TEXT",
        help="what they are told, in Slurm's words")  # fmt: skip
    add("--unreachable", type=_seconds, metavar="SECONDS",
        help="let no command reach the controller for some time; 0 ends this")  # fmt: skip
    add("--lag", type=_seconds, metavar="SECONDS",
        help="let sacct tell what was true so long ago; 0 ends this")  # fmt: skip
    add("--drain", action="store_true", help="let all nodes take no jobs: jobs wait")
    add("--resume", action="store_true", help="let all nodes take jobs again")
    for option, about in (
        ("--timeout", "end a job as by its time limit, once it runs"),
        ("--out-of-memory", "end a job as for its memory, once it runs"),
        ("--preempt", "end a job once it runs, and put it back into the queue"),
        ("--preempt-cancel", "end a job once it runs, for good: PREEMPTED"),
    ):
        add(option, action="append", default=[], metavar="JOB", help=about)


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text}: 0 or more")
    return seconds


def run(args: argparse.Namespace) -> int:
    if not any(_is_asked(value) for name, value in vars(args).items() if name in _ACTS):
        raise CommandUsageError("no fault is named; 'rmsd slurm fail --help' lists them")
    try:
        _carry_out(args, Cluster.of_environment())
    except (ClusterError, ControlError, ClientError) as error:
        raise CommandError(str(error)) from None
    except ValueError as error:
        raise CommandUsageError(str(error)) from None
    return 0


_ACTS = frozenset(
    ("nodes", "reset", "bring_back", "refuse", "unreachable", "lag", "drain", "resume", "timeout",
     "out_of_memory", "preempt", "preempt_cancel")
)  # fmt: skip
"""The arguments that each do something."""


def _is_asked(value: object) -> bool:
    return value is not None and value is not False and value != []


def _carry_out(args: argparse.Namespace, cluster: Cluster) -> None:
    if args.reset:
        cluster.reset()
    for node in args.nodes:
        cluster.fail_node(node, args.back_after)
    for node in args.bring_back:
        cluster.bring_back(node)
    if args.refuse is not None:
        cluster.refuse_submits(args.refuse, args.message)
    if args.unreachable is not None:
        cluster.unreachable(args.unreachable)
    if args.lag is not None:
        cluster.accounting_lags(args.lag)
    if args.drain:
        cluster.drain()
    if args.resume:
        cluster.resume()
    for jobs, end in (
        (args.timeout, cluster.time_out),
        (args.out_of_memory, cluster.out_of_memory),
        (args.preempt, cluster.preempt),
        (args.preempt_cancel, partial(cluster.preempt, requeue=False)),
    ):
        for job in jobs:
            end(job)
