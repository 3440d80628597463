"""The description of a unit: the record in which an agent tells a shepherd what to run."""

from __future__ import annotations

import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

UNUSABLE = (ValueError, TypeError, LookupError, AttributeError, OverflowError)
"""The errors that an unusable order raises where it is carried out."""

MARK = "RMS_UNIT"
"""The variable that names a unit's directory in the environment of all that it starts."""
_NOT_ALWAYS_TOLD = frozenset(
    {
        *("append", "bind_note", "end_note", "max_more_tasks", "processors", "rlimits", "stdin"),
        *("terminal", "umask", "until_s"),
    }
)
"""The fields that agents of earlier versions leave out."""


class Warn:
    """A signal ahead of the limit, at the instants `at_s` of CLOCK_MONOTONIC.

    `whom` is "main" (the main process), "others" (all the others, but no `rrun`, whose tasks have
    shepherds of their own) or "all".
    """

    __slots__ = ("at_s", "number", "whom")

    def __init__(self, number: int, whom: str, at_s: list[float]) -> None:
        self.number = number
        self.whom = whom
        self.at_s = at_s

    @classmethod
    def of(cls, fields: dict[str, Any]) -> Warn:
        """Return the record that another process has written. Raises: see `UNUSABLE`."""
        check_signal(fields["number"])
        return cls(fields["number"], fields["whom"], [finite_s(at_s) for at_s in fields["at_s"]])

    def fields(self) -> dict[str, Any]:
        """Return what `of` reads."""
        return {"number": self.number, "whom": self.whom, "at_s": self.at_s}


class Terminal:
    """The terminal of a unit: its size in characters, and the seconds without anybody at it after
    which it is hung up."""

    __slots__ = ("cols", "hangup_s", "rows")

    def __init__(self, rows: int, cols: int, hangup_s: float) -> None:
        self.rows = rows
        self.cols = cols
        self.hangup_s = hangup_s

    @classmethod
    def of(cls, fields: dict[str, Any]) -> Terminal:
        """Return the record that another process has written. Raises: see `UNUSABLE`."""
        return cls(int(fields["rows"]), int(fields["cols"]), finite_s(fields["hangup_s"]))

    def fields(self) -> dict[str, Any]:
        """Return what `of` reads."""
        return {"rows": self.rows, "cols": self.cols, "hangup_s": self.hangup_s}


class UnitSpec:
    """The program that a shepherd shall run, with its user, its place and its limits.

    Attributes:
        argv: The program and its arguments.
        cwd: The working directory.
        env: The environment, which the account of the user amends.
        stdout: The path of an output file.
        stderr: Likewise; "" is the same file.
        killed_after_s: Seconds from the start to SIGTERM: the time limit and the overrun, or what
            is left of them when a task starts; None is no limit.
        kill_grace_s: Seconds from SIGTERM to SIGKILL.
        warn: The signal ahead of the limit, if there is one.
        keep_as: What an earlier attempt has written is kept under its name with this at the end;
            "" has it overwritten.
        user: The account to run as; None is the shepherd's own.
        allow_root: Whether that account may be root's.
        own_output: Whether the files for output, and for input, are in the unit's directory.
        max_output_bytes: What the unit may write to its output files; 0 is any number.
        max_more_tasks: How many processes and threads the user may have beside all that the machine
            has at the start; 0 is any number.
        script: Whether argv begins with the script in the unit's directory.
        cgroup: The directory of the unit's own cgroup, whose parent has the limits, or None.
        cgroup_home: The directory of the cgroup in which shepherds are.
        until_s: An instant of CLOCK_MONOTONIC. The seconds until then become the last argument:
            so long does the stand-in of an emulated job run.
        stdin: The path of a file to read; "" is an empty one.
        terminal: The terminal in which the program runs, if it has one. `stdin` is then the path of
            the socket at which the terminal is served.
        append: Whether output follows what is in the files already.
        processors: The logical processors that the unit is bound to; none has it use all that its
            shepherd may use.
        bind_note: The beginning of a line in the error output that tells the processors to which
            the unit is bound; "" has none written.
        end_note: The program, the job and the node that a line in the error output names if the
            unit is ended from outside, as Slurm writes one; none has nothing written.
        rlimits: The soft resource limits of the unit, by names as NOFILE; None is no limit. They
            end at the hard limits, and those that are not named are the shepherd's.
        umask: The umask of the unit and of its output files; None is the shepherd's.
    """

    __slots__ = (
        "allow_root",
        "append",
        "argv",
        "bind_note",
        "cgroup",
        "cgroup_home",
        "cwd",
        "end_note",
        "env",
        "keep_as",
        "kill_grace_s",
        "killed_after_s",
        "max_more_tasks",
        "max_output_bytes",
        "own_output",
        "processors",
        "rlimits",
        "script",
        "stderr",
        "stdin",
        "stdout",
        "terminal",
        "umask",
        "until_s",
        "user",
        "warn",
    )

    def __init__(
        self,
        *,
        argv: list[str],
        cwd: str,
        env: dict[str, str],
        stdout: str,
        stderr: str,
        killed_after_s: float | None,
        kill_grace_s: float,
        user: str | None = None,
        warn: Warn | None = None,
        keep_as: str = "",
        allow_root: bool = False,
        own_output: bool = False,
        max_output_bytes: int = 0,
        max_more_tasks: int = 0,
        script: bool = False,
        cgroup: str | None = None,
        cgroup_home: str | None = None,
        until_s: float | None = None,
        stdin: str = "",
        append: bool = False,
        processors: Sequence[int] = (),
        rlimits: Mapping[str, int | None] = {},
        end_note: Sequence[str] = (),
        terminal: Terminal | None = None,
        bind_note: str = "",
        umask: int | None = None,
    ) -> None:
        self.argv = argv
        self.cwd = cwd
        self.env = env
        self.stdout = stdout
        self.stderr = stderr
        self.killed_after_s = killed_after_s
        self.kill_grace_s = kill_grace_s
        self.user = user
        self.warn = warn
        self.keep_as = keep_as
        self.allow_root = allow_root
        self.own_output = own_output
        self.max_output_bytes = max_output_bytes
        self.max_more_tasks = max_more_tasks
        self.script = script
        self.cgroup = cgroup
        self.cgroup_home = cgroup_home
        self.until_s = until_s
        self.stdin = stdin
        self.append = append
        self.processors = processors
        self.rlimits = rlimits
        self.end_note = end_note
        self.terminal = terminal
        self.bind_note = bind_note
        self.umask = umask

    @classmethod
    def of(cls, order: dict[str, Any]) -> UnitSpec:
        """Return the record in an order to run a unit. Fields that are not known are left out: the
        agent may be of a later version.

        Raises:
            See `UNUSABLE`: a field is missing, or a time or a signal is none. What is odd of the
            others is seen where it is used.
        """
        told = [name for name in cls.__slots__ if name in order or name not in _NOT_ALWAYS_TOLD]
        spec = cls(**{name: order[name] for name in told})
        spec.kill_grace_s = finite_s(spec.kill_grace_s)
        if spec.killed_after_s is not None:
            spec.killed_after_s = finite_s(spec.killed_after_s)
        spec.warn = Warn.of(order["warn"]) if order["warn"] else None
        terminal = order.get("terminal")
        spec.terminal = Terminal.of(terminal) if terminal else None
        return spec

    def fields(self) -> dict[str, Any]:
        """Return what `of` reads."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        fields["warn"] = self.warn.fields() if self.warn is not None else None
        fields["terminal"] = self.terminal.fields() if self.terminal is not None else None
        return fields


def finite_s(value: Any) -> float:
    """Return a time that can be waited for. Raises ValueError, TypeError."""
    seconds = float(value)
    if not abs(seconds) < float("inf"):
        raise ValueError(f"{seconds} seconds")
    return seconds


def check_signal(number: Any) -> None:
    """Check that there is a signal of this number. Raises ValueError, TypeError if not."""
    if number not in range(1, signal.NSIG):
        raise ValueError(f"signal {number}")
