"""The common parts of the commands: how they end, sections of their help, their way to the
daemon."""

from __future__ import annotations

import sys

from rmsd_client.console import stdout
from rmsd_client.errors import EXIT_SIGNAL, EXIT_USAGE, ClientError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterable, Sequence

    from rmsd_client.api import Client

_SIGINT, _SIGPIPE = 2, 13  # the signal module costs milliseconds

ENVIRONMENT = """\
  RMSD_SERVER      where the daemon is: unix:/path/to/rmsd.sock or https://HOST:PORT
  RMSD_STATE_DIR   the daemon's state directory, if RMSD_SERVER is not set; the socket is in it
                   (else $XDG_STATE_HOME/rmsd or ~/.local/state/rmsd, else /run/rmsd, else
                   /var/lib/rmsd, else "server" in /etc/rmsd/client.toml)
  RMSD_TOKEN_FILE  for https: a file whose first line is your token (else ~/.config/rmsd/token)
  RMSD_CA_FILE     for https: certificates to trust (else ~/.config/rmsd/ca.pem,
                   else "ca_file" in /etc/rmsd/client.toml, or the system's)"""

EXIT_CODES = """\
  0    done
  1    failure; there is no such job or node
  2    wrong usage
  75   the daemon cannot be reached
  77   not permitted"""


def run(program: str, command: Callable[[Sequence[str]], int]) -> int:
    """Run a command on the process's arguments, and turn every way to end it into an exit code."""
    stdout.mark_errors()
    try:
        code = _code_of(command)
        sys.stdout.flush()
    except ClientError as error:
        if isinstance(error, stdout.StdoutError):
            stdout.abandon()
        for message in error.messages:
            complain(program, message)
        return error.exit_code
    except BrokenPipeError:
        stdout.abandon()
        return EXIT_SIGNAL + _SIGPIPE
    except KeyboardInterrupt:
        return EXIT_SIGNAL + _SIGINT
    return code


def _code_of(command: Callable[[Sequence[str]], int]) -> int:
    try:
        return command(sys.argv[1:])
    except SystemExit as end:  # argparse, after --help
        return int(end.code or 0)


class CommandFailed(Exception):
    """A command that speaks another system's words failed. `lines` go to standard error as they
    are; the process ends with `code`."""

    def __init__(self, *lines: str, code: int = 1) -> None:
        super().__init__(*lines)
        self.lines = lines
        self.code = code


def run_as(
    command: Callable[[Sequence[str]], int], failure: Callable[[ClientError], CommandFailed]
) -> int:
    """Run a command of another system on the process's arguments, and return its exit code.
    `failure` says an error in the words of that system."""
    stdout.mark_errors()
    try:
        code = command(sys.argv[1:])
        sys.stdout.flush()
    except CommandFailed as error:
        tell(*error.lines)
        return error.code
    except ClientError as error:
        if isinstance(error, stdout.StdoutError):
            stdout.abandon()
        failed = failure(error)
        tell(*failed.lines)
        return failed.code
    except BrokenPipeError:
        stdout.abandon()
        return EXIT_SIGNAL + _SIGPIPE
    except KeyboardInterrupt:
        return EXIT_SIGNAL + _SIGINT
    return code


def tell(*lines: str) -> None:
    """Print lines on stderr as they are, behind what was printed before."""
    sys.stdout.flush()
    for line in lines:
        print(printable(line), file=sys.stderr)


def complain(program: str, message: str) -> None:
    """Print an error on stderr, in the form `PROGRAM: error: MESSAGE`."""
    print(f"{program}: error: {printable(message)}", file=sys.stderr)


def warn(program: str, message: str) -> None:
    """Print a warning on stderr, in the form `PROGRAM: warning: MESSAGE`."""
    print(f"{program}: warning: {printable(message)}", file=sys.stderr)


def warn_of_unknown(program: str, users: Iterable[str], groups: Iterable[str] = ()) -> None:
    """Warn of users and groups that this machine does not have: their names may be mistyped."""
    import grp
    import pwd

    kinds: tuple[tuple[str, Callable[[str], object], Iterable[str]], ...] = (
        ("account", pwd.getpwnam, users),
        ("group", grp.getgrnam, groups),
    )
    for kind, find, names in kinds:
        for name in names:
            try:
                find(name)
            except (KeyError, ValueError):  # a name with a null byte raises ValueError
                warn(program, f"there is no {kind} {name} on this machine")


def printable(text: str) -> str:
    """Return the text on one line and without terminal control characters. Names and messages may
    come from any user, who could otherwise forge lines of the output that others read."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else "?" for c in text)


def plural(count: int, noun: str) -> str:
    """Return a count with its noun: `1 node`, `2,000 nodes`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


# ---------------------------------------------------------------- commands with argparse


def make_parser(
    program: str,
    usage: str,
    description: str,
    *,
    examples: str,
    exit_codes: str = EXIT_CODES,
    help_flags: Sequence[str] = ("-h", "--help"),
) -> ArgumentParser:
    """Return a parser with --help, --version, --server and the like; its help is a man page.
    `help_flags`: a command whose -h means something else, as Slurm's does, has --help alone."""
    import argparse

    from rmsd_process.installed import add_version_option

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> None:  # type: ignore[override]
            complain(program, f"{message} ('{program} --help' tells more)")
            raise SystemExit(EXIT_USAGE)

    parser = Parser(
        prog=program,
        usage=usage,
        description=description,
        epilog=f"environment:\n{ENVIRONMENT}\n\nexit codes:\n{exit_codes}\n\nexamples:\n{examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    parser.add_argument(*help_flags, action="help", help="print this")
    add_version_option(parser, "-V", "--version")
    parser.add_argument("--server", metavar="URL", help="where the daemon is")
    parser.add_argument("--token-file", metavar="FILE", help="file whose first line is the token")
    parser.add_argument("--ca-file", metavar="FILE", help="certificates to trust, for https")
    return parser


def connect(args: Namespace, program: str) -> Client:
    """Return the client that --server and the like ask for; it reports outages on stderr."""
    from rmsd_client.api import Client

    return Client(args.server, args.token_file, args.ca_file, notice=notice(program))


def notice(program: str) -> Callable[[str], None]:
    """Return a function that prints a remark on stderr."""
    return lambda text: print(f"{program}: {printable(text)}", file=sys.stderr, flush=True)


def count(text: str) -> int:
    """Read an argument that is 0, 1, 2, ... (an argparse type)."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        from argparse import ArgumentTypeError

        raise ArgumentTypeError(f"'{text}' is not a number; expected 0, 1, 2, ...")
    return int(text)


def positive(text: str) -> int:
    """Read an argument that is 1, 2, 3, ... (an argparse type)."""
    if count(text) == 0:
        from argparse import ArgumentTypeError

        raise ArgumentTypeError("0 is not enough; expected 1, 2, 3, ...")
    return int(text)


def joined(texts: Sequence[str] | None) -> str | None:
    """Return the values of an option, given once or several times, as a list with commas."""
    return None if texts is None else ",".join(texts)


def job_names(texts: Sequence[str]) -> list[str]:
    """Return the names of jobs in words that may hold several, separated by commas: numbers, and
    tasks of arrays as 12_3 and 12_[3-5,7].

    Raises:
        UsageError: one names no job.
    """
    from rmsd_client.errors import UsageError
    from rmsd_wire.arrays import ArrayError, parse_tasks, split_names

    joined_texts = ",".join(texts)
    names = []
    for text in split_names(joined_texts):
        try:
            job_id, runs = parse_tasks(text)
        except ArrayError:
            raise UsageError(f"'{text}' is not a job number") from None
        if job_id >= 10**18:
            raise UsageError(f"'{text}' is not a job number")
        names.append(str(job_id) if runs is None else text)
    if not names or any(not one.strip() for one in joined_texts.split(",")):
        raise UsageError(f"'{joined_texts}' is not a job number")
    return names


def task_names(names: Sequence[str]) -> list[str]:
    """Return the names with each task of a list by itself: 12_[3-5] is 12_3, 12_4 and 12_5."""
    from rmsd_wire.arrays import parse_tasks

    found = []
    for name in names:
        job_id, runs = parse_tasks(name)
        if runs is None:
            found.append(name)
            continue
        found += [
            f"{job_id}_{index}"
            for first, last, step in runs
            for index in range(first, last + 1, step)
        ]
    return found
