"""Print the OpenAPI 3.1 description of the daemon's HTTP API, as GET /v1/openapi.json gives it.

No daemon is needed."""

from __future__ import annotations

import argparse
import sys

EPILOG = """\
examples:
  rmsd openapi > rmsd.json     for generators of clients, documentation, tests
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add no arguments: the command has none."""


def run(args: argparse.Namespace) -> int:  # noqa: ARG001
    from rmsd_daemon.api.openapi import document

    sys.stdout.write(document().decode())
    return 0
