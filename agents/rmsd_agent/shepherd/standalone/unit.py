"""A unit that runs: its process tree, its deadlines, and how it ended."""

from __future__ import annotations

import os
import signal
import time

from . import cgroups, ending, processes
from .lines import cut, log
from .unit_spec import UnitSpec, Warn
from .urgent import Urgent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .end_notes import EndNote
    from .outputs import Quota

REAPED_AT_ONCE = 500
"""The number of children that are collected, in some 5 ms, before anything else gets its turn. When
as many have ended since the last turn, the shepherd is in a storm."""
_KILL_ROUND_S = (0.01, 1.0)  # first and longest pause between two rounds of SIGKILL
_LOOKS_IN_VAIN = 3
"""The number of rounds of SIGKILL with nothing alive, after which children that no process collects
are left behind."""
_CHASE = 200
"""The number of looks at our children in a round, each in some 30 us, while processes end that were
not seen."""
_QUOTA_POLL_S = 1.0
STOP_AGAIN_S = 1.0
"""The pause after which a suspended unit is stopped again: its user can continue processes."""


class UnitProcesses:
    """The process tree of a job's script or of a task, from its start to its end.

    `name` is the unit's directory below the directory of all jobs, `directory` is its whole path.
    """

    def __init__(self, name: str, spec: UnitSpec, directory: str) -> None:
        self.name = name
        self.directory = directory
        self.grace_s = spec.kill_grace_s
        self.started_s = time.monotonic()
        self.deadline_s: float | None = None
        if spec.killed_after_s is not None:
            self.deadline_s = self.started_s + spec.killed_after_s
        self.warn = spec.warn
        self.warn_at_s = list(spec.warn.at_s) if spec.warn is not None else []  # still to come
        self.quota: Quota | None = None
        self.end_note: EndNote | None = None
        self.quota_at_s: float | None = None  # the time of the next look at the quota
        self.cgroup = spec.cgroup
        self.pid: int | None = None
        self.message = ""
        self.fault: str | None = None  # the fault for which the unit could not be started
        self.cause = ""  # the first known cause of the unit's end
        self.stop_at_s: float | None = None  # when a suspended unit is stopped next
        self.kill_at_s: float | None = None  # the time of the next round of SIGKILL
        self.kill_pause_s = _KILL_ROUND_S[0]
        self.reached = False  # True once the unit's end has begun
        self.looks_in_vain = 0  # rounds of SIGKILL, one after the other, in which nothing happened
        # the processes that had ended when the last of these looks was done
        self.left: set[int] | None = None
        self.ended = 0  # children collected by the last `reap`
        self.collected: set[int] = set()  # the processes collected since that look
        self.wait_status: int | None = None  # the main process's
        self.cpu_s = 0.0
        self.max_rss_kib = 0

    def terms(self) -> tuple[Any, ...]:
        """Return what `of` reads, in another process that has the unit from then on."""
        warn = self.warn.fields() if self.warn is not None else None
        return (self.name, self.directory, self.grace_s, self.started_s, self.deadline_s, warn,
                self.cgroup)  # fmt: skip

    @classmethod
    def of(cls, terms: tuple[Any, ...]) -> UnitProcesses:
        """Return the unit that another process has claimed."""
        name, directory, grace_s, started_s, deadline_s, warn, cgroup = terms
        spec = UnitSpec(
            argv=[], cwd="", env={}, stdout="", stderr="", killed_after_s=None,
            kill_grace_s=grace_s, warn=Warn.of(warn) if warn else None, cgroup=cgroup,
        )  # fmt: skip
        unit = cls(name, spec, directory)
        unit.started_s, unit.deadline_s = started_s, deadline_s
        return unit

    def end(self, cause: str, grace_s: float | None = None) -> None:
        """Send SIGTERM to the whole tree now, and SIGKILL after the grace, its own (None) or
        another; or SIGKILL at once. The grace of an earlier cause ends when the unit takes more
        than it may."""
        self.stop_at_s = None
        if self.cause:
            if cause in ending.KILLED_AT_ONCE and self.kill_at_s is not None:
                self.kill_at_s = min(self.kill_at_s, time.monotonic())
        else:
            self.cause = cause
            self.note_end()
            self.kill_at_s = time.monotonic()
            if cause not in ending.KILLED_AT_ONCE:
                # the grace includes the time to reach all processes
                self.kill_at_s += self.grace_s if grace_s is None else grace_s
                self.reach_all(ending.terminate)

    def note_end(self) -> None:
        """Tell the unit's user why the unit is ended, if that is not its own doing."""
        if self.end_note is not None:
            self.end_note.write(self.cause)

    def suspend(self, suspended: bool) -> None:
        """Stop the whole tree, or let it go on. While it is stopped, its limit does not end it, and
        no signal comes ahead of that; the agent tells both anew before the unit goes on."""
        if self.cause or suspended == (self.stop_at_s is not None):
            return
        if suspended:
            self.stop_at_s = time.monotonic()
            self.stop_all()
        else:
            self.stop_at_s = None
            with Urgent():
                ending.proceed(self.descendants)

    def stop_all(self) -> None:
        """Stop the whole tree, and plan when that is done again."""
        with Urgent():
            ending.suspend(self.descendants, self.main_pid)
        self.stop_at_s = time.monotonic() + STOP_AGAIN_S

    def set_limit(self, deadline_s: float | None, warn_at_s: list[float]) -> None:
        """Give the unit another deadline. A signal ahead of it that was still to come comes at
        once, if its new time is past."""
        now_s = time.monotonic()
        coming = [at_s for at_s in warn_at_s if at_s > now_s]
        overdue = self.warn_at_s and len(coming) < len(warn_at_s)
        self.deadline_s = deadline_s
        self.warn_at_s = [now_s, *coming] if overdue else coming

    def write_within(self, quota: Quota | None) -> None:
        """Hold the unit to what it may write, None if that is anything."""
        self.quota = quota
        if quota is not None:
            self.quota_at_s = self.started_s + _QUOTA_POLL_S

    def advance(self, now_s: float) -> None:
        """Do what is due: the signal ahead of the limit, the limit, rounds of SIGKILL."""
        stands = self.stop_at_s is not None
        if self.stop_at_s is not None and now_s >= self.stop_at_s:
            self.stop_all()
        goes_on = not self.cause and not stands
        if self.warn and self.warn_at_s and now_s >= self.warn_at_s[0] and goes_on:
            self.warn_at_s.pop(0)
            ending.warn(self.descendants, self.main_pid, self.warn.number, self.warn.whom)
        if self.deadline_s is not None and now_s >= self.deadline_s and not stands:
            self.end("limit")
        if self.quota is not None and self.quota_at_s is not None and now_s >= self.quota_at_s:
            self.quota_at_s = now_s + _QUOTA_POLL_S
            if excess := self.quota.excess():
                if not self.cause:
                    self.message = excess
                self.end("quota")
        if self.kill_at_s is not None and now_s >= self.kill_at_s:
            killed = self.cgroup is not None and cgroups.kill(self.cgroup)
            # the user may have left processes in the cgroup
            if not killed or self.kill_pause_s > _KILL_ROUND_S[0]:
                self.reach_all(ending.kill)
            if self.kill_pause_s > _KILL_ROUND_S[0]:
                self.look_for_life()
            self.kill_at_s = time.monotonic() + self.kill_pause_s
            self.kill_pause_s = min(self.kill_pause_s * 2, _KILL_ROUND_S[1])

    @property
    def main_pid(self) -> int | None:
        """Return the pid of the main process, None once that is collected: another process may have
        the pid then."""
        return self.pid if self.wait_status is None else None

    def reach_all(self, end: Callable[[Callable[[], set[int]], int | None], None]) -> None:
        """End the whole tree with a function of `ending`.

        The first time, the main process's group is stopped ahead of the search: most of a fork bomb
        is in there.
        """
        first, self.reached = not self.reached, True
        with Urgent():
            end(self.descendants, self.pid if first else None)

    def look_for_life(self) -> None:
        """Count the rounds in which nothing of the unit is alive, though children are left.

        What traces a process (ptrace(2)) collects it first, and may never do so. A process that
        forks and ends while the shepherd looks may escape every look, but each time it leaves one
        more ended process. The unit has no living process only if two looks find the same ended
        ones.
        """
        try:
            alive, ended = processes.below(os.getpid(), self.reap)
            before, collected = self.left, self.collected
            self.left, self.collected = ended, set()
            if alive:
                self.looks_in_vain = 0
            elif before is not None and ended | collected <= before:
                self.looks_in_vain += 1
            else:
                self.looks_in_vain = 1
                self.chase()
        except OSError:
            self.looks_in_vain = 0  # nothing is known

    def chase(self) -> None:
        """Kill what ends before it is looked at. Only the shepherd collects its children, so the
        process with the pid of a child is that child. The youngest comes first: the others have
        ended."""
        with Urgent():
            for _ in range(_CHASE):
                if self.reap():
                    return
                ending.send(reversed(processes.children(os.getpid())), signal.SIGKILL)

    @property
    def is_held(self) -> bool:
        """Return True if all that is left has ended, and a process out of our reach will not let it
        go."""
        return self.looks_in_vain >= _LOOKS_IN_VAIN

    def leave(self) -> None:
        """Give up what is held, with the end of the main process as the kernel shows it."""
        if self.wait_status is None and self.pid is not None:
            self.wait_status = processes.wait_status(self.pid)

    def descendants(self) -> set[int]:
        """Return the pids of all that is alive below us. Collect what ends during the search."""
        try:
            return processes.descendants(os.getpid(), self.reap)
        except OSError as error:  # no file can be opened now: the next round of SIGKILL finds them
            log(f"/proc: {error.strerror}")
            return set()

    def next_s(self) -> float | None:
        """Return the time at which `advance` has something to do."""
        due = [self.quota_at_s, self.stop_at_s]
        if self.cause:
            due.append(self.kill_at_s)
        elif self.stop_at_s is None:
            due += [self.deadline_s, *self.warn_at_s[:1]]
        return min((at_s for at_s in due if at_s is not None), default=None)

    def reap(self) -> bool:
        """Collect what has ended, but only so much at once; True when nothing of the unit is left.

        A subreaper without children has no descendants at all: one call tells, without a walk
        through /proc.
        """
        for self.ended in range(REAPED_AT_ONCE):
            try:
                pid, wait_status, usage = os.wait3(os.WNOHANG)
            except ChildProcessError:
                return True
            if pid == 0:
                return False
            if self.left is not None:
                self.collected.add(pid)
            self.cpu_s += usage.ru_utime + usage.ru_stime
            self.max_rss_kib = max(self.max_rss_kib, usage.ru_maxrss)
            if pid == self.pid:
                self.wait_status = wait_status
                if not self.cause:
                    self.cause = "memory" if self.was_too_large() else "exit"
                    self.note_end()
                    # kill the processes that the main process left behind
                    self.kill_at_s = time.monotonic()
        self.ended = REAPED_AT_ONCE
        return False

    def was_too_large(self) -> bool:
        """Return True if the kernel has killed the unit for the job's memory limit, which ends all
        of the job. A kill because the machine had no memory left does not count."""
        if self.cgroup is None or self.wait_status is None:
            return False
        killed = os.waitstatus_to_exitcode(self.wait_status) == -signal.SIGKILL
        return killed and cgroups.exceeded_memory(f"{self.cgroup}/..")

    def status(self, boot: str) -> dict[str, Any]:
        """Return how the unit ended, as for `status.json`. `max_rss_mib` is that of the largest
        process."""
        code = None if self.wait_status is None else os.waitstatus_to_exitcode(self.wait_status)
        ran = code is not None
        return {
            "cause": self.cause,
            "exit_code": code if code is not None and code >= 0 else None,
            "signal": -code if code is not None and code < 0 else None,
            "message": cut(self.message),
            "fault": self.fault,
            "cpu_s": round(self.cpu_s, 6) if ran else None,
            "max_rss_mib": -(-self.max_rss_kib // 1024) if ran else None,
            "ended_s": time.time(),
            "ended_mono_s": time.monotonic(),
            "boot_id": boot,
        }
