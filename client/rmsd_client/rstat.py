"""`rstat`: the queue, or jobs in full."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from rmsd_client.api import Client
from rmsd_client.console import cli
from rmsd_client.console.cli import plural
from rmsd_client.console.terminal import Column, format_table, paint, table_width, wants_colour
from rmsd_client.errors import EXIT_FAILURE, EXIT_OK, ApiError, UsageError
from rmsd_client.show.failed_tasks import name_a_failed_task
from rmsd_client.show.job_fields import (
    FIELDS,
    Job,
    check_states,
    expect_starts,
    format_line,
    label,
    local_time,
    parse_format,
    state_colour,
)
from rmsd_client.show.job_text import describe
from rmsd_core.vocabulary import CODES, TERMINAL_STATES

_PROGRAM = "rstat"
_COLUMNS = "ijutMlDCR"
_LONG_COLUMNS = "ijuTVSeMlDCmR"
_START_COLUMNS = "ijutSDCR"
_VITAL_COLUMNS = "ijtTSR"
_LONG_VITAL_COLUMNS = "ijuTMlDCR"  # the columns of a short list

_NEVER_US = float("inf")
_MOST_OVER = 1000  # jobs that may be over, if no limit is given

_EXAMPLES = """\
  rstat                            the jobs that wait and run
  rstat 42                         everything about job 42, also long after its end
  rstat --start                    expected starts of the waiting jobs
  rstat --explain 42               why job 42 waits, and until when
  rstat -t all -u anna --limit 20  anna's newest twenty jobs
  rstat --usage -i 5 42            what job 42 uses now, again every five seconds
  rstat --priority                 the sums that order the queue, and their parts
  rstat --efficiency 42            what job 42 has used of its processors and memory
  rstat -h -o '%i %T' -j 42        number and state of a job, for a script
  rstat -i 5                       the queue again, whenever it has changed"""


def main() -> int:
    return cli.run(_PROGRAM, rstat)


def rstat(argv: Sequence[str]) -> int:
    """Show jobs; returns the exit code."""
    args = command_parser().parse_args(argv)
    listing = args.long or args.start or args.format or args.noheader or args.efficiency
    listing = listing or args.priority
    query = _query(args, listing=bool(listing))
    ids = cli.job_names(args.jobs) if args.jobs else []
    in_full = bool(ids) and not (_filters(args) or listing)
    if in_full:
        ids = cli.task_names(ids)
    if not in_full and ids:
        query["ids"] = [*ids, *(query["ids"] or [])]
    with cli.connect(args, _PROGRAM) as client:
        if args.me:
            query["user"] = client.user()

        def show() -> int:
            return _show_jobs(client, ids, args) if in_full else _show_list(client, query, args)

        if args.iterate is not None:
            _keep_showing(client, show, args)
        return show()


def _keep_showing(client: Client, show: Callable[[], int], args: Namespace) -> NoReturn:
    """Show the list until the user interrupts it, or an error ends it."""
    from rmsd_client.show.live_view import LiveView

    def connect() -> Client:
        return Client(args.server, args.token_file, args.ca_file, retry_for_s=0.0)

    moves = args.usage or args.priority or args.explain or _asks_for_starts(args)
    LiveView(
        client, show, connect,
        every_s=args.iterate, moves=moves, tell=cli.notice(_PROGRAM),
    ).run()  # fmt: skip


def command_parser() -> ArgumentParser:
    """Return the parser of the command line."""
    letters = ", ".join(f"%{letter} {field.title}" for letter, field in FIELDS.items())
    parser = cli.make_parser(
        _PROGRAM,
        "rstat [options] [JOB...]",
        "Show the jobs that wait and run; with job numbers, and no option about what to list\n"
        "or how, everything about these jobs, also long after their end. On a narrow\n"
        "terminal names are cut, then the last columns are left out.",
        examples=_EXAMPLES,
        help_flags=("--help",),
    )
    add = parser.add_argument
    _add_filters(parser)
    add("-h", "--noheader", action="store_true", help="no header")
    add(
        "-o",
        "--format",
        metavar="FORMAT",
        help="what to show: "
        + letters.replace("%", "%%")
        + "; %%.10i is 10 wide and flush right, %%10i flush left",
    )
    add("-l", "--long", action="store_true",
        help="more columns: submit, start and end time, memory; on a narrow terminal those\n"
        "that fit beside the usual ones")  # fmt: skip
    add("--start", action="store_true",
        help="the waiting jobs, by expected start: reservations where the recipe makes\n"
        "them, else a projection by the predictions in force, which is no promise")  # fmt: skip
    add("--explain", action="store_true",
        help="why JOB waits, when it is expected to start or end, what that rests on")  # fmt: skip
    add("--priority", action="store_true",
        help="the waiting jobs by priority, with its parts, where the recipe has one")  # fmt: skip
    add("--efficiency", action="store_true",
        help="how much processor time and memory jobs have used of what they had")  # fmt: skip
    add("--usage", action="store_true",
        help="what JOB, which runs, uses now: processor time, memory, processes")  # fmt: skip
    add("-i", "--iterate", metavar="SECONDS", type=cli.positive,
        help="show all again within a second of each change, and every SECONDS what changes by\n"
        "itself: expected starts, priorities, use")  # fmt: skip
    add("--json", action="store_true", help="the daemon's answer as it is")
    add("--color", choices=("auto", "always", "never"), default="auto",
        help="colour the states; auto is on a terminal, unless NO_COLOR is set")  # fmt: skip
    return parser


def _add_filters(parser: ArgumentParser) -> None:
    """Add the arguments that say which jobs are shown."""
    add = parser.add_argument
    add(
        "jobs",
        nargs="*",
        metavar="JOB",
        help="job numbers; ARRAY_INDEX and ARRAY_[LIST] are tasks of an array",
    )
    add("-j", "--job", metavar="JOBS", action="append",
        help="only these jobs, also those that are over; JOBS, like USERS, STATES and\n"
        "NAMES, may be several with commas between them")  # fmt: skip
    add("-u", "--user", metavar="USERS", action="append", help="only these users' jobs")
    add("--me", action="store_true", help="only my jobs")
    add(
        "-t",
        "--states",
        metavar="STATES",
        action="append",
        help="only jobs in these states: codes or names, or all",
    )
    add("-n", "--name", metavar="NAMES", action="append", help="only jobs of these names")
    add("-p", "--partition", metavar="NAMES", action="append",
        help="only jobs in these partitions")  # fmt: skip
    add(
        "--limit",
        metavar="COUNT",
        type=cli.positive,
        help="at most so many, the newest; by default\n"
        "all that wait or run, and a thousand if those that are over are asked for",
    )
    add(
        "-r",
        "--array",
        action="store_true",
        help="each waiting task of an array on a line of its own",
    )


def _show_jobs(client: Client, ids: Sequence[str], args: Namespace) -> int:
    code = EXIT_OK
    shown = 0
    show = _explained if args.explain else _used_now if args.usage else _in_full
    for job_id in ids:
        try:
            text = show(client, job_id, args)
        except ApiError as error:
            cli.complain(_PROGRAM, str(error))
            code = error.exit_code
            continue
        print("\n" * bool(shown and not args.json) + text)
        shown += 1
    return code


def _explained(client: Client, job_id: str, args: Namespace) -> str:
    told = client.explain(job_id)
    if args.json:
        return json.dumps(told)
    from rmsd_client.show.explain_text import explain
    from rmsd_client.show.reached_limits import find_reached_limits

    _name_dependencies(client, told["job"])
    told["reached_limits"] = find_reached_limits(client, told["job"])
    return _in_lines(explain(told), told["job"], wants_colour(args.color))


def _used_now(client: Client, job_id: str, args: Namespace) -> str:
    from rmsd_client.show.present_use import table_of

    told = client.use(job_id)
    steps, _ = client.steps([told["job_id"]])
    if args.json:
        return json.dumps({**told, "steps": steps})
    return "\n".join(table_of(told, steps, table_width()))


def _in_full(client: Client, job_id: str, args: Namespace) -> str:
    job = client.job(job_id)
    if job["state"] == "PENDING":
        expect_starts([job], client.plan())
    if args.json:
        return json.dumps({"schema": "rmsd.job/1", "job": job})
    name_a_failed_task(client, job)
    _name_dependencies(client, job)
    started_before = job["start_us"] is None and job["attempt"] > 0
    attempts = client.attempts(job_id) if job["attempt"] > 1 or started_before else []
    return _in_lines(describe(job, attempts), job, wants_colour(args.color))


def _name_dependencies(client: Client, job: Job) -> None:
    if job.get("conditions"):
        from rmsd_client.show.dependency_names import (  # few jobs that are shown wait
            name_dependencies,
        )

        name_dependencies(client, [job])


def _in_lines(described: Sequence[tuple[str, str]], job: Job, colour: bool) -> str:
    lines = []
    for name, value in described:
        shown = cli.printable(value)
        if colour and name == "State":
            shown = paint(shown, state_colour(job))
        label = f"{name}:" if name else ""
        lines.append(f"{label:<12}{shown}")
    return "\n".join(lines)


def _filters(args: Namespace) -> bool:
    return any(
        (
            *(args.array, args.job, args.user, args.me, args.states, args.name),
            *(args.partition, args.limit),
        )
    )


def _query(args: Namespace, *, listing: bool) -> dict[str, Any]:
    """Return the query for the daemon. Usage errors are reported before a daemon is looked for."""
    if args.me and args.user:
        raise UsageError("--me and --user exclude each other")
    if args.explain and (not args.jobs or listing or _filters(args)):
        raise UsageError("--explain takes job numbers, and nothing else but --json and --iterate")
    if args.usage and (not args.jobs or listing or args.explain or _filters(args)):
        raise UsageError("--usage takes job numbers, and nothing else but --json and --iterate")
    if args.start and (args.states or args.limit or args.long):
        raise UsageError("--start shows the waiting jobs: -t, --limit and -l do not go with it")
    if args.efficiency and (args.start or args.long or args.format):
        raise UsageError("--efficiency has columns of its own: no --start, -l and -o go with it")
    if args.priority and (args.start or args.states or args.limit or args.long or args.format):
        raise UsageError(
            "--priority shows the waiting jobs in columns of its own: no --start, -t, --limit, -l "
            "and -o go with it"
        )
    if args.format is not None:
        parse_format(args.format)
    ids = None if args.job is None else cli.job_names(args.job)
    states = None if args.states is None else check_states(",".join(args.states))
    if args.start or args.priority:
        states = "PD"
    return {
        "ids": ids,
        "states": "all" if states is None and (ids or args.jobs or args.efficiency) else states,
        "user": cli.joined(args.user),
        "name": cli.joined(args.name),
        "partition": cli.joined(args.partition),
        "limit": args.limit,
        "apart": args.array or args.priority,
    }


def _show_list(client: Client, query: dict[str, Any], args: Namespace) -> int:
    jobs = _find(client, query)
    plan = client.plan() if _asks_for_starts(args) else None
    if plan is not None:
        expect_starts(jobs, plan)
    if args.start:
        jobs.sort(key=lambda job: (job["expected_start_us"] or _NEVER_US, job["job_id"]))
    if args.priority:
        _print_priorities(client, jobs, args)
    elif args.efficiency:
        _print_efficiency(jobs, args)
    elif args.json:
        print(json.dumps({"schema": "rmsd.jobs/1", "jobs": jobs}))
    elif args.format is not None:
        specifiers = parse_format(args.format)
        shown: list[Job | None] = [*jobs] if args.noheader else [None, *jobs]
        for job in shown:
            print(format_line(specifiers, job))
    else:
        _print_table(jobs, args)
        if plan is not None and args.start and not args.noheader:
            print(_about(plan))
    if args.user and not jobs:
        cli.warn_of_unknown(_PROGRAM, ",".join(args.user).split(","))
    if (
        args.user
        or args.me
        or args.states
        or args.name
        or args.partition
        or args.limit
        or args.start
        or args.priority
    ):
        return EXIT_OK
    missing = _missing(query["ids"] or (), jobs)
    for job_id in missing:
        cli.complain(_PROGRAM, f"there is no job {job_id}")
    return EXIT_FAILURE if missing else EXIT_OK


def _print_lines(lines: Iterable[str]) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _print_efficiency(jobs: Sequence[Job], args: Namespace) -> None:
    from rmsd_client.show.efficiency import efficiency_of, table_of

    if args.json:
        found = [efficiency_of(job) for job in jobs]
        print(json.dumps({"schema": "rmsd.efficiency/1", "jobs": found}))
        return
    lines = table_of(jobs, header=not args.noheader, width=table_width())
    _print_lines(lines)


def _print_priorities(client: Client, jobs: Sequence[Job], args: Namespace) -> None:
    from rmsd_client.show.priorities import add_priorities, row_of, table_of

    waiting = add_priorities(client, jobs)
    if args.json:
        found = [row_of(job) for job in waiting]
        print(json.dumps({"schema": "rmsd.priorities/1", "priorities": found}))
        return
    lines = table_of(waiting, header=not args.noheader, width=table_width())
    _print_lines(lines)


def _missing(names: Iterable[str], jobs: Sequence[Job]) -> list[str]:
    """Return the names of which no job was found. An array is found with any of its tasks."""
    known = {str(number) for job in jobs for number in (job["job_id"], job.get("array_job_id"))}
    known |= {label(job) for job in jobs}
    return [name for name in dict.fromkeys(names) if name.partition("_[")[0] not in known]


def _find(client: Client, query: dict[str, Any]) -> list[Job]:
    """Return the jobs asked for; of those that are over the newest, unless a limit is given."""
    if query["limit"] or query["ids"] is not None or not _asks_for_over(query["states"]):
        return client.jobs(**query)
    jobs = client.jobs(**{**query, "limit": _MOST_OVER + 1})
    if len(jobs) > _MOST_OVER:
        told = f"the newest {plural(_MOST_OVER, 'job')}; --limit COUNT shows more"
        cli.notice(_PROGRAM)(told)
    return jobs[-_MOST_OVER:]


def _asks_for_over(states: str | None) -> bool:
    """Return whether `states`, as `check_states` returns them, include states of jobs that are
    over."""
    over = {"all", *(CODES[state] for state in TERMINAL_STATES)}
    return states is not None and not over.isdisjoint(states.split(","))


def _asks_for_starts(args: Namespace) -> bool:
    if args.format is not None:
        return any(one.field is FIELDS["S"] for one in parse_format(args.format))
    return bool(args.start or args.long)


def _about(plan: dict[str, Any]) -> str:
    """Return how far expected starts are to be trusted."""
    text = f"Plan of {local_time(plan['made_us'])}, by the predictions in force."
    if plan.get("far_made_us"):  # older daemons do not tell it
        text += f" Far behind in the queue: of {local_time(plan['far_made_us'])}."
    if plan["left_out"]:
        text += f" {plural(plan['left_out'], 'job')} further behind not looked at."
    return text


def _print_table(jobs: Sequence[Job], args: Namespace) -> None:
    letters = _START_COLUMNS if args.start else _LONG_COLUMNS if args.long else _COLUMNS
    vital = _LONG_VITAL_COLUMNS if args.long and not args.start else _VITAL_COLUMNS
    fields = [FIELDS[letter] for letter in letters]
    colours = None
    if wants_colour(args.color):
        colours = [[state_colour(job) if f in "tT" else None for f in letters] for job in jobs]
    lines = format_table(
        [
            Column(field.title, field.right, field.shrink, letter in vital)
            for letter, field in zip(letters, fields, strict=True)
        ],
        [[field.show(job) for field in fields] for job in jobs],
        header=not args.noheader,
        width=table_width(),
        colours=colours,
    )
    _print_lines(lines)
