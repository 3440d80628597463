"""The options of `rsub`: one table for the command line, directives, environment, and
configuration."""

from __future__ import annotations

from rmsd_client.errors import UsageError
from rmsd_client.submit import option_values as values
from rmsd_client.submit.export import parse_export
from rmsd_wire.durations import parse_time_limit_s
from rmsd_wire.output_pattern import KNOWN, unknown_letter
from rmsd_wire.sizes import parse_mem_mib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Settings = dict[str, object]


class Option:
    """One option. Its value is kept under `dest`, as `parse` makes it from a text.

    `meta` names the value in the help; an option without one is a flag, whose text is yes or no.
    `optional` is the text of an option that is given without a value, which then is no part of the
    next word; "" has the value required.
    `everywhere`: also in directives, in the environment and in the configuration.
    """

    __slots__ = ("dest", "everywhere", "help", "meta", "name", "optional", "parse", "short")

    def __init__(
        self,
        short: str,
        name: str,
        meta: str,
        parse: Callable[[str], object],
        help: str,
        dest: str = "",
        everywhere: bool = True,
        optional: str = "",
    ) -> None:
        self.short = short
        self.name = name
        self.meta = meta
        self.parse = parse
        self.help = help
        self.dest = dest or name
        self.everywhere = everywhere
        self.optional = optional

    @property
    def variable(self) -> str:
        """Return the environment variable with the option's value."""
        return "RSUB_" + self.name.upper().replace("-", "_")

    def value(self, text: str, origin: str) -> object:
        """Return the parsed value. Raises UsageError that begins with `origin`."""
        try:
            return self.parse(text)
        except UnicodeEncodeError:
            raise UsageError(f"{origin}: --{self.name} is not UTF-8 text") from None
        except ValueError as error:
            raise UsageError(f"{origin}: {error}") from None


_MAX_COUNT = 1_000_000_000


def _count(text: str) -> int:
    number = values.number(text, _MAX_COUNT)
    if not number:
        raise ValueError(f"'{text}' is not a number; expected 1, 2, 3, ...")
    return number


class NodeRange(int):
    """The least number of nodes of a range, as a number; `most` is the other end of the range."""

    most: int

    def __new__(cls, least: int, most: int) -> NodeRange:
        found = super().__new__(cls, least)
        found.most = most
        return found


def _nodes(text: str) -> int:
    low, dash, high = text.partition("-")
    if not dash or low == high:
        return _count(low)
    least, most = (values.number(end, _MAX_COUNT) for end in (low, high))
    if not least or not most or least > most:
        raise ValueError(f"'{text}' is no range of nodes; expected a range as 2-4")
    return NodeRange(least, most)


class PerCpu:
    """Memory for each processor, in MiB: the value of --mem-per-cpu, in the place of --mem's."""

    __slots__ = ("mib",)

    def __init__(self, mib: int) -> None:
        self.mib = mib


def _mem_per_cpu(text: str) -> PerCpu:
    return PerCpu(parse_mem_mib(text))


def _pattern(text: str) -> str:
    if (letter := unknown_letter(values.one_line(text))) is not None:
        raise ValueError(f"'%{letter}' is not known; {KNOWN}")
    return text


def _notify(text: str) -> str:
    """Return a URL or a command; "" for none."""
    return "" if text.lower() == "none" else values.one_line(text)


def _yes(text: str) -> bool:
    if text.lower() in ("yes", "true", "on", "1"):
        return True
    if text.lower() in ("no", "false", "off", "0"):
        return False
    raise ValueError(f"'{text}' is neither yes nor no")


def _no(text: str) -> bool:
    return not _yes(text)


def _command(text: str) -> str:
    if not text.strip() or "\0" in text:
        raise ValueError("expected a command")
    return values.utf8(text)


OPTIONS = (
    Option("J", "job-name", "NAME", values.one_line,
           "Name of the job; by default that of the script."),
    Option("t", "time", "TIME", parse_time_limit_s,
           "Estimate and limit of the run time; the job is killed when it is over. M, M:S, H:M:S, "
           "D-H, D-H:M, D-H:M:S, 90s, 30m, 1.5h or 2d; a bare number is minutes. UNLIMITED, "
           "INFINITE, -1 or 0: no limit."),
    Option("n", "ntasks", "COUNT", _count,
           "Number of tasks; by default one, or with -N one on each node."),
    Option("c", "cpus-per-task", "COUNT", _count, "Processors for each task; by default one."),
    Option("N", "nodes", "COUNT[-MOST]", _nodes,
           "Number of nodes; by default as few as hold the tasks. Of a range, as 2-4, the job asks "
           "for the fewest nodes that can ever hold it."),
    Option("", "ntasks-per-node", "COUNT", _count,
           "Number of tasks on each node; with -n the most on a node."),
    Option("", "mem", "SIZE", parse_mem_mib,
           "Memory on each node: a number of MiB, or with K, M, G or T (of 1024), KB, MB, GB or TB "
           "(of 1000); 0 is all memory of the node. Without it the cluster's default_mem, and if "
           "there is none, memory is neither accounted nor limited."),
    Option("", "mem-per-cpu", "SIZE", _mem_per_cpu,
           "Memory for each processor, instead of --mem: a node gives this times the processors of "
           "the tasks on it (with -N, as much as the most tasks on a node need).", dest="mem"),
    Option("", "exclusive", "", _yes,
           "Have the nodes for the job alone, with all their processors, memory and devices."),
    Option("", "gres", "DEVICES", values.gres,
           "Devices on each node of the job, as gpu:2 or gpu:a100:2,fpga:1. The job finds their "
           "numbers in CUDA_VISIBLE_DEVICES, ROCR_VISIBLE_DEVICES and RMS_GRES. none: no devices."),
    Option("G", "gpus", "[TYPE:]COUNT", values.gpus,
           "GPUs of the whole job: as many on each node with -N, else as many for each task."),
    Option("", "gpus-per-node", "[TYPE:]COUNT", values.gpus,
           "GPUs on each node of the job, as --gres=gpu:[TYPE:]COUNT."),
    Option("", "gpus-per-task", "[TYPE:]COUNT", values.gpus,
           "GPUs for each task. The tasks on a node share all of the job's GPUs there."),
    Option("a", "array", "TASKS", values.array,
           "Submit an array: one job for each index in a list such as 0-15, 1,3,5 or 0-20:5 (in "
           "steps of 5). %COUNT behind it limits how many of them are in the queue or run at a "
           "time: 0-99%10. Each task has its index in RMS_ARRAY_TASK_ID."),
    Option("C", "constraint", "FEATURES", values.one_line,
           "Only nodes with this feature, or with several: fast&big, fast|big."),
    Option("w", "nodelist", "NODES", values.one_line,
           "Nodes that the job must have, as n[01-04]: at least these, and with -N others too."),
    Option("x", "exclude", "NODES", values.one_line,
           "Nodes that the job must not have, as n[01-04]."),
    Option("p", "partition", "NAME,...", values.one_line,
           "Partition of the job; of several, the first that can take it. By default the "
           "cluster's default partition."),
    Option("A", "account", "NAME", values.one_line,
           "Account of which the job is; by default yours. `rmsd usage --by account` sums up."),
    Option("q", "qos", "NAME", values.one_line,
           "Quality of service of the job; by default the cluster's."),
    Option("", "reservation", "NAME", values.one_line,
           "Advance reservation inside which the job runs; `rnode reservations` lists them."),
    Option("o", "output", "FILE", _pattern,
           "File for the output, relative to the working directory; %j is the job's number, %A "
           "that of its array, %a its index there (without an array: its number, and 0), %x its "
           "name, %u the user, %N the first node, %t the task (0), %n the node's place (0), %s "
           "the step (batch), %r the attempt (1, or more after a restart, which else overwrites "
           "it), %% a percent sign, and %5j the number with zeros in front. By default "
           "rms-%j.out, and for an array rms-%A_%a.out."),
    Option("e", "error", "FILE", _pattern,
           "File for the error output; by default it goes where the output goes."),
    Option("D", "chdir", "DIR", values.one_line, "Working directory; by default the current one."),
    Option("", "export", "LIST", parse_export,
           "Environment of the job: ALL (the default), NONE, or NAME,NAME=VALUE,... for these "
           "alone, with ALL among them in addition to all. RMS_*, RMSD_* and SLURM_* never pass."),
    Option("", "propagate", "LIMITS", values.propagate,
           "Give the job these soft limits of the shell that submits it (ulimit): ALL (also "
           "without a value), NONE, or NAME,... of AS, CORE, CPU, DATA, FSIZE, MEMLOCK, NOFILE, "
           "NPROC, RSS and STACK. Without the option it gets those that the cluster's "
           "propagate_limits names.", optional="ALL"),
    Option("L", "licenses", "LIST", values.licenses,
           "Have licenses of the cluster, as matlab:2,ansys. The job waits until enough are left."),
    Option("H", "hold", "", _yes, "Do not start the job before `rjob release` says so."),
    Option("b", "begin", "TIME", values.begin,
           "Do not start the job before this time: now+2hours, 16:00, tomorrow, 2027-01-31T08:00, "
           "and all that Slurm takes. Times are local."),
    Option("", "deadline", "TIME", values.deadline,
           "End the job (DEADLINE) if it has waited so long that its time limit reaches beyond "
           "this time; the forms are those of --begin. The job needs a time limit."),
    Option("d", "dependency", "LIST", values.dependency,
           "Do not start the job before other jobs have started (after:JOB[+MINUTES]), ended "
           "(afterany:JOB), succeeded (afterok:JOB) or failed (afternotok:JOB); with singleton, "
           "before earlier jobs of your own with the same name have ended. JOB is an array (all "
           "its tasks) or a task, too; with aftercorr:ARRAY each task of an array depends on the "
           "success of the task with its index in the other. Several have commas "
           "between them (all must be fulfilled) or question marks (one suffices)."),
    Option("", "kill-on-invalid-dep", "yes|no", _yes,
           "Cancel the job if its dependencies can never be fulfilled; by default it waits on, "
           "with the reason DependencyNeverSatisfied."),
    Option("", "requeue", "", _yes, "Start the job again if its node is lost (the default)."),
    Option("", "no-requeue", "", _no,
           "Never start the job a second time: not if its node is lost, and no trial run or "
           "speculation either (unless --restartable asks for them).", dest="requeue"),
    Option("", "restartable", "", _yes,
           "Let the job have a trial run and speculations, where the cluster gives such: it starts "
           "sooner, and may be killed before its turn, to start again from its beginning (the "
           "cluster's default)."),
    Option("", "no-restartable", "", _no,
           "Give the job no trial run and no speculation.", dest="restartable"),
    Option("", "signal", "[B:]SIG[@SECONDS]", values.warn_signal,
           "Send the job a signal so many seconds (60) before its limit, and before the end of a "
           "trial run: with B: to the script itself and nothing else, without to all its other "
           "processes, tasks of rrun included. A name (USR1, SIGUSR1) or a number."),
    Option("", "notify", "URL|COMMAND", _notify,
           "When the job is over, have the daemon POST it to this URL as JSON, or run this shell "
           "command with it on standard input, on the daemon's machine and as your account. A "
           "daemon of root's does so if its administrator has permitted commands. none: no "
           "notice is sent, whatever the configuration says."),
    Option("", "mail-type", "EVENTS", values.mail_types,
           "Send a mail about the job, if the site sends mails: NONE, ALL, or some of BEGIN, END, "
           "FAIL, INVALID_DEPEND, REQUEUE, TIME_LIMIT and TIME_LIMIT_90, _80 or _50 with commas "
           "between them. About an array as a whole, or with ARRAY_TASKS about each of its tasks."),
    Option("", "mail-user", "ADDRESS", values.one_line,
           "Send the mails of --mail-type to this address, or to several with commas between them; "
           "by default to your account."),
    Option("", "nice", "POINTS", values.nice,
           "Lower the job's priority by so many points, by default 100.", optional="100"),
    Option("", "comment", "TEXT", values.one_line, "A text that is kept with the job."),
    Option("", "test-only", "", _yes,
           "Say when and where the job would start if it were submitted now, and submit nothing."),
    Option("", "restart", "JOB", values.one_line,
           "Run a job that is over again, as it was submitted and under its number, instead of "
           "submitting one. Jobs that depend on it and wait go on waiting for it.",
           everywhere=False),
    Option("", "interactive", "", _yes,
           "Run a shell, or the COMMAND behind --, in a terminal on the job's first node, with you "
           "at it. Enter ~ . leaves; rattach comes back to it.", everywhere=False),
    Option("", "hangup", "TIME", values.hangup,
           "With --interactive: end the job when nobody was at its terminal for TIME "
           "(default: 5 minutes).", everywhere=False),
    Option("W", "wait", "", _yes, "Return when the job is over, with its exit code."),
    Option("", "parsable", "", _yes, "Print the job's number and nothing else."),
    Option("Q", "quiet", "", _yes, "Do not print the effective request on a terminal."),
    Option("", "wrap", "COMMAND", _command,
           "Submit this shell command instead of a script.", everywhere=False),
    Option("", "json", "", _yes, "Print the daemon's answer as JSON.", everywhere=False),
    Option("", "server", "URL", values.one_line,
           "Where the daemon is: unix:/path/to/rmsd.sock or https://HOST:PORT.", everywhere=False),
    Option("", "token-file", "FILE", values.one_line,
           "File whose first line is your token, for https.", everywhere=False),
    Option("", "ca-file", "FILE", values.one_line,
           "Certificates to trust, for https.", everywhere=False),
    Option("h", "help", "", _yes, "Print this.", everywhere=False),
    Option("V", "version", "", _yes, "Print the version.", everywhere=False),
)  # fmt: skip

BY_NAME = {option.name: option for option in OPTIONS}
BY_SHORT = {option.short: option for option in OPTIONS if option.short}
_LONG_FLAGS = frozenset(f"--{name}" for name in BY_NAME)


class FoundOption:
    """An option as it appears among words; `option` is None if there is no such option.

    `flag` and `written`, which is flag and value, are as typed. If the option is not known, `text`
    is what may be its value in the same word. The caller that knows the option sets `alone` if it
    has no value.
    """

    __slots__ = ("alone", "flag", "option", "text", "written")

    def __init__(
        self, flag: str, option: Option | None, text: str | None, written: str = ""
    ) -> None:
        self.flag = flag
        self.option = option
        self.text = text
        self.written = written or flag
        self.alone = False


class Words:
    """A walk over words as getopt does it; it stops at the first word that is no option.

    After the walk `rest` holds the words that were not taken, and `dashes` says whether `--` ended
    it. Long names may be shortened as long as they are unique; `--nta` is `--ntasks`, with which
    the others begin.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.rest = list(words)
        self.dashes = False

    def options(self) -> Iterator[FoundOption]:
        """Yield the options in order. A missing value has the text None."""
        while self.rest and self.rest[0].startswith("-") and self.rest[0] != "-":
            word = self.rest.pop(0)
            if word == "--":
                self.dashes = True
                return
            yield from self._long(word) if word.startswith("--") else self._cluster(word)

    def _long(self, word: str) -> Iterator[FoundOption]:
        name, equals, text = word[2:].partition("=")
        option = _find_long(name)
        flag = f"--{name}"
        if option is None:
            yield FoundOption(flag, None, text if equals else None)
        elif not option.meta and equals:
            raise UsageError(f"{word}: --{option.name} takes no value")
        elif equals:
            yield FoundOption(flag, option, text, word)
        else:
            yield self._with_next(flag, option)

    def _cluster(self, word: str) -> Iterator[FoundOption]:
        letters = word[1:]
        while letters:
            flag, letters = f"-{letters[0]}", letters[1:]
            option = BY_SHORT.get(flag[1])
            if option is None:
                found = FoundOption(flag, None, letters.removeprefix("=") if letters else None)
                yield found
                if not found.alone:
                    return
                continue
            if option.meta and letters:
                yield FoundOption(flag, option, letters.removeprefix("="), flag + letters)
                return
            yield self._with_next(flag, option)

    def value_of(self, found: FoundOption) -> str:
        """Return the value of an unknown option that takes one: the rest of its word, else the next
        word; "" if there is none."""
        if found.text is not None:
            return found.text
        return self.rest.pop(0) if self.rest else ""

    def _with_next(self, flag: str, option: Option) -> FoundOption:
        """Return the option with the next word as its value, if it takes one. Another option is no
        value: `-p --wrap true` lacks one."""
        if not option.meta or option.optional:
            return FoundOption(flag, option, option.optional or "yes")
        if not self.rest or self.rest[0].partition("=")[0] in _LONG_FLAGS:
            return FoundOption(flag, option, None)
        text = self.rest.pop(0)
        return FoundOption(flag, option, text, f"{flag} {text}")


def _find_long(name: str) -> Option | None:
    if exact := BY_NAME.get(name):
        return exact
    matches = [option for option in OPTIONS if name and option.name.startswith(name)]
    shortest = min((option.name for option in matches), key=len, default="")
    if all(option.name.startswith(shortest) for option in matches):
        return BY_NAME.get(shortest)
    if len(matches) > 1:
        names = ", ".join(f"--{option.name}" for option in matches)
        raise UsageError(f"--{name} is ambiguous: {names}")
    return None


def parse_command_line(
    argv: Sequence[str], warn: Callable[[str], None] = lambda _: None
) -> tuple[Settings, Words]:
    """Return the settings of a command line, and the words after them. `warn` is called for options
    of Slurm that are ignored, because the same job runs without them.

    Raises:
        UsageError: an unknown option, a missing or a malformed value; the message names it.
    """
    words = Words(argv)
    settings: Settings = {}
    for found in words.options():
        if found.option is None:
            warn(pass_over(found, words))
            continue
        if found.text is None:
            raise UsageError(f"{found.flag}: expected a value: {found.option.meta}")
        settings[found.option.dest] = found.option.value(found.text, found.written)
    return settings, words


def pass_over(found: FoundOption, words: Words) -> str:
    """Take an option that `rsub` does not have from `words`, and return a warning.

    Raises:
        UsageError: no command has such an option, or without it another job would run.
    """
    from rmsd_client.submit import slurm_options  # few submits need it

    found.alone = slurm_options.has_no_value(found.flag)
    warning = slurm_options.pass_over(found.flag, lambda: words.value_of(found))
    if warning is None:
        raise UsageError(f"{found.flag}: there is no such option{_guess(found.flag)}")
    return warning


def _guess(flag: str) -> str:
    import difflib  # costs milliseconds, and only errors need it

    names = difflib.get_close_matches(flag.lstrip("-"), BY_NAME, n=1, cutoff=0.75)
    return f"; did you mean --{names[0]}?" if names else "; 'rsub --help' lists them"
