"""Send the road of each job that ends to an OpenTelemetry collector: a trace with the job's waits,
attempts and steps as spans. It follows the daemon's events, also over a restart of the daemon,
until it is ended."""

from __future__ import annotations

import argparse
import time

from rmsd_cli.errors import CommandUsageError
from rmsd_cli.extras import needs_extra
from rmsd_cli.server_options import ENVIRONMENT, add_server_arguments, client_of
from rmsd_cli.spans.follower import EndFollower, Roads
from rmsd_client.console.cli import notice
from rmsd_client.errors import ApiError, ClientError
from rmsd_client.events import Events
from rmsd_wire.durations import DurationError, parse_duration_s

_PAUSE_S = 1.0

EPILOG = f"""\
An operator gets the roads of all jobs, any other user those of jobs of their own. A collector that
cannot be reached misses the jobs of that time; --since sends them again, with the same numbers.

environment:
  OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS and the like  as for all that send spans
  {ENVIRONMENT}

exit codes:
  1   a package of OpenTelemetry is not installed
  2   wrong usage
  75  no daemon can be reached at the start
  77  not permitted

examples:
  rmsd spans --endpoint http://localhost:4318/v1/traces
  rmsd spans --since 1d
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--endpoint",
        metavar="URL",
        help="where the collector takes spans, by OTLP over HTTP (default: as the variables say, "
        "or http://localhost:4318/v1/traces)",
    )
    parser.add_argument(
        "--since", metavar="TIME", help="begin with the jobs that ended so long ago: 1d, 12h"
    )
    add_server_arguments(parser)


def run(args: argparse.Namespace) -> int:
    ago_s = _ago_s(args.since)
    with needs_extra("otel"):
        from rmsd_cli.spans.collector import Collector
    say = notice("rmsd spans")
    with client_of(args) as client, client_of(args) as of_events:
        now_us = client.status()["clock"]["model_us"]
        collector = Collector(args.endpoint)

        def send(roads: Roads) -> None:
            if not collector.take(roads):
                say(f"the collector did not take the spans of {len(roads)} jobs")

        follower = EndFollower(send, now_us - round(ago_s * 1_000_000))
        events = Events(of_events)
        while True:
            try:
                follower.follow(events, client)
                say("the daemon is stopping")
            except ApiError:
                raise
            except ClientError as error:
                say(str(error))
            time.sleep(_PAUSE_S)


def _ago_s(text: str | None) -> float:
    try:
        return 0.0 if text is None else parse_duration_s(text) or 0.0
    except DurationError as error:
        raise CommandUsageError(f"--since: {error}") from None
