"""Getting a processor before all other processes, for as long as a fork bomb is looked at."""

from __future__ import annotations

import os


class Urgent:
    """A context in which the calling thread is given a processor before all others, if the kernel
    lets it (root). The lowest nice value would not do: where the kernel groups processes by
    session (sched_autogroup), that value counts within the own session alone.

    The kernel leaves 5% of each processor to all other processes (sched_rt_runtime_us).
    """

    def __enter__(self) -> None:
        self._policy = os.sched_getscheduler(0)  # Linux: the policy of this thread
        self._param = os.sched_getparam(0)
        self._nice = os.getpriority(os.PRIO_PROCESS, 0)
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        except PermissionError:  # not root, or a cgroup of version 1 without real time
            _set_nice(-20)

    def __exit__(self, *_: object) -> None:
        os.sched_setscheduler(0, self._policy, self._param)
        _set_nice(self._nice)


def _set_nice(nice: int) -> None:
    try:
        os.setpriority(os.PRIO_PROCESS, 0, nice)
    except PermissionError:
        return  # the kernel divides the processors between all processes alike
