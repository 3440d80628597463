"""`rmsd COMMAND`: the table of commands. A command's module is imported only when it is used."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, cast

from rmsd_cli.errors import CommandError
from rmsd_cli.fitting import HelpFormatter, folded
from rmsd_client.console import stdout
from rmsd_client.console.cli import complain, printable
from rmsd_client.errors import EXIT_SIGNAL, ClientError
from rmsd_process.installed import add_version_option
from rmsd_process.lean_start import no_collections

Commands = Mapping[str, tuple[str, str]]
"""Name -> the module, and a line about it."""

SUBJECTS: Mapping[str, Commands] = {
    "the daemon": {
        "start": ("rmsd_cli.start", "start the daemon"),
        "stop": ("rmsd_cli.stop", "stop the daemon; jobs run on"),
        "status": ("rmsd_cli.status", "show how the daemon is"),
        "token": ("rmsd_cli.token", "make, list and revoke tokens, for users and agents"),
        "tls": ("rmsd_cli.tls", "make a certificate, for TCP"),
        "audit": ("rmsd_cli.audit", "show the audit trail: acts and refusals"),
        "account": ("rmsd_cli.account", "show accounts and QOS, their limits and present use"),
        "usage": ("rmsd_cli.usage", "show the processor time that jobs have used"),
        "ui": ("rmsd_ui.command", "show the queue, jobs and nodes in a browser"),
        "top": ("rmsd_top.command", "show the queue and the output of a job in the terminal"),
        "mcp": ("rmsd_mcp.command", "serve the cluster to a model, as tools of MCP"),
        "spans": ("rmsd_cli.spans.command", "send the roads of jobs to OpenTelemetry"),
        "gantt": (
            "rmsd_lab_cli.pictures.gantt",
            "draw jobs on processors over time, past and expected",
        ),
        "metrics": (
            "rmsd_lab_cli.metrics.command",
            "measure a history, or a schedule, as the papers do",
        ),
        "what-if": ("rmsd_lab_cli.what_if.command", "history and queue under other recipes"),
        "tune": ("rmsd_lab_cli.tune.command", "propose a recipe, by a site's own history"),
        "history": ("rmsd_lab_cli.history.command", "write the history as a trace"),
        "verify": ("rmsd_cli.verify", "decide again what was decided, and compare"),
        "backup": ("rmsd_cli.backup", "copy the database, also while the daemon runs"),
        "restore": ("rmsd_cli.restore", "bring a backup back, and hear the nodes first"),
        "slurm-commands": ("rmsd_cli.slurm_commands", "write Slurm's commands into a folder"),
        "pbs-commands": ("rmsd_cli.pbs_commands", "write the commands of PBS into a folder"),
        "slurm": ("rmsd_cli.slurm.commands", "move from Slurm, or have one for tests"),
        "completions": ("rmsd_cli.completion.shells", "print the completions for a shell"),
        "man-pages": ("rmsd_cli.manual.command", "write the man pages into a folder"),
        "openapi": ("rmsd_cli.openapi", "print the description of the HTTP API"),
    },
    "schedulers": {
        "recipes": ("rmsd_cli.recipes", "list the schedulers"),
        "simulate": ("rmsd_lab_cli.simulate", "schedule a trace on a virtual clock"),
        "replay": (
            "rmsd_lab_cli.replay.command",
            "send a trace through a daemon, at an accelerated rate",
        ),
        "study": (
            "rmsd_lab_cli.studies.study",
            "run traces x loads x seeds x recipes on all cores",
        ),
        "compare": ("rmsd_lab_cli.studies.compare", "say which differences are more than chance"),
        "report": ("rmsd_lab_cli.pictures.report", "draw schedules and studies: HTML, or a figure"),
        "paper": ("rmsd_lab_cli.papers.command", "reproduce the published tables and claims"),
        "demo": ("rmsd_lab_cli.demo", "show the whole system at work, on a daemon of its own"),
    },
    "workloads": {
        "trace": ("rmsd_lab_cli.trace.commands", "look at, convert and change traces"),
        "flurries": ("rmsd_lab_cli.anomalies.command", "find and remove surges and robots"),
        "estimates": ("rmsd_lab_cli.estimates.command", "write a trace with other estimates"),
        "generate": (
            "rmsd_lab_cli.generate",
            "write a synthetic trace: Lublin, fitted to a log, ...",
        ),
    },
}

COMMANDS: Commands = {
    name: command for commands in SUBJECTS.values() for name, command in commands.items()
}

_COLUMN = max(map(len, COMMANDS))

_SIGINT, _SIGPIPE = 2, 13  # the signal module costs milliseconds

_EXIT_CODES = """\
exit codes:
  0   done
  1   failed; the message says why
  2   wrong usage, or an unusable value in the configuration
  75  no daemon can be reached
  77  not permitted
  130 interrupted
  141 the reader of the output is gone

The clients are commands of their own: rsub, rstat, rdel, rjob, rnode, rlog,
rattach, rrun, ralloc.
"""


class Command(Protocol):
    """The contents of a command's module; its docstring is the description in its --help."""

    __doc__: str | None
    EPILOG: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


class CommandGroup(Protocol):
    """The contents of a module whose commands take a second word."""

    __doc__: str | None
    COMMANDS: Commands
    EPILOG: str


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the console script."""
    stdout.mark_errors()
    try:
        code = _code_of(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except CommandError as error:
        # An error may tell what a file of another account has in it.
        told = "\n".join(map(printable, f"rmsd: error: {error}".split("\n")))
        print(told, file=sys.stderr)
        code = error.exit_code
    except ClientError as error:
        if isinstance(error, stdout.StdoutError):
            stdout.abandon()
        complain("rmsd", str(error))
        code = error.exit_code
    except ModuleNotFoundError as error:
        code = _lacks(error)
    except KeyboardInterrupt:
        code = EXIT_SIGNAL + _SIGINT
    except BrokenPipeError:
        stdout.abandon()
        code = EXIT_SIGNAL + _SIGPIPE
    sys.exit(code)


def _lacks(error: ModuleNotFoundError) -> int:
    """Tell that a library is missing, as where rmsd was installed with `--no-deps` for the clients
    alone. A module of our own that is missing is a bug."""
    name = (error.name or "").partition(".")[0]
    if not name or name.startswith("rmsd"):
        raise error
    complain(
        "rmsd",
        f"this command needs the package '{name}', which is not installed; install rmsd with its "
        "dependencies (`pip install rmsd`)",
    )
    return 1


def _code_of(arguments: Sequence[str]) -> int:
    try:
        return run(arguments)
    except SystemExit as end:  # argparse, after --help
        return int(end.code or 0)


def run(arguments: Sequence[str]) -> int:
    """Run `rmsd` with these arguments; return its exit code."""
    return _chosen(arguments, "rmsd", COMMANDS, program_parser)


def _chosen(
    arguments: Sequence[str],
    prog: str,
    commands: Commands,
    parser_of_all: Callable[[], argparse.ArgumentParser],
) -> int:
    if not arguments:
        parser_of_all().print_help(sys.stderr)
        return 2
    if arguments[0] not in commands:
        parser_of_all().parse_args(arguments)
        return 2
    name = f"{prog} {arguments[0]}"
    with no_collections():
        module = importlib.import_module(commands[arguments[0]][0])
    if hasattr(module, "COMMANDS"):
        group = cast("CommandGroup", module)
        return _chosen(arguments[1:], name, group.COMMANDS, lambda: group_parser(name, group))
    command = cast("Command", module)
    return command.run(command_parser(name, command).parse_args(arguments[1:]))


def command_parser(name: str, command: Command) -> argparse.ArgumentParser:
    """Return the parser of a command, whose `name` is all of its words."""
    parser = argparse.ArgumentParser(
        prog=name,
        description=command.__doc__,
        epilog=command.EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    command.add_arguments(parser)
    return parser


def _listed(commands: Commands) -> str:
    return "\n".join(
        folded(f"  {name:{_COLUMN}} {line}", " " * (_COLUMN + 3))
        for name, (_, line) in commands.items()
    )


def group_parser(prog: str, group: CommandGroup) -> argparse.ArgumentParser:
    """Return the parser of a command that takes a second word."""
    parser = argparse.ArgumentParser(
        prog=prog,
        description=group.__doc__,
        epilog=f"commands:\n{_listed(group.COMMANDS)}\n\n`{prog} COMMAND --help` says more.\n\n"
        f"{group.EPILOG}",
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("command", choices=group.COMMANDS, metavar="COMMAND", help="see below")
    return parser


def program_parser() -> argparse.ArgumentParser:
    """Return the parser of `rmsd` without a command."""
    subjects = "\n\n".join(f"{name}:\n{_listed(own)}" for name, own in SUBJECTS.items())
    parser = argparse.ArgumentParser(
        prog="rmsd",
        description="A batch resource manager whose scheduler is the scheduling literature.",
        epilog=f"{subjects}\n\n`rmsd COMMAND --help` says more.\n\n{_EXIT_CODES}",
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    add_version_option(parser, "--version")
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="see below")
    return parser


if __name__ == "__main__":
    main()
