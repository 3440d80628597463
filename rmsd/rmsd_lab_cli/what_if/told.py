"""The program that runs a what-if for a page of the dashboard: `rmsd what-if`, which tells its
progress and its words as lines of JSON.

The program ends by itself after its time limit, also if nobody is left to end it, and other
programs of the machine come first.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import sys
from typing import Any

from rmsd_cli.errors import CommandError
from rmsd_cli.progress import listen
from rmsd_client.errors import ClientError
from rmsd_lab_cli.what_if import command
from rmsd_lab_cli.what_if.text import parts

_NICE = 10
_MOST_BYTES = 8 << 30
"""The address space of the program: a simulation of 250,000 jobs takes a few hundred MB."""


def _tell(**told: Any) -> None:
    """Write a line for the page. Raises BrokenPipeError if the dashboard has left."""
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


def main() -> int:
    """Run `rmsd what-if` with the arguments of this program, of which the first is the time limit
    in seconds; return the exit code of the command."""
    os.nice(_NICE)
    signal.alarm(int(sys.argv[1]))
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
    parser = argparse.ArgumentParser(add_help=False, exit_on_error=False)
    command.add_arguments(parser)
    listen(lambda label, done, total: _tell(label=label, done=done, total=total))
    try:
        args = parser.parse_args(sys.argv[2:])
        _tell(parts=[one._asdict() for one in parts(command.report_of(args), args.limit)])
    except (CommandError, ClientError) as error:
        _tell(error=str(error))
        return error.exit_code
    except MemoryError:
        _tell(error="the simulation needs too much memory; look back less far")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
