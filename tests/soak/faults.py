"""The faults that are done to the system while jobs come and go."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from rmsd_daemon.offline.backups import backup, restore
from tests.soak import damage, processes
from tests.soak.history import Fault, Finding, History
from tests.soak.namespace import Namespace
from tests.soak.system import System
from tests.soak.tmpfs import SmallDisk

_WEIGHTS = {"daemon": 3, "agent": 3, "nursery": 2, "shepherd": 4}
_BUSY = 0.7  # the share of faults that prefer a shepherd with a job
# the share of faults that may hit a daemon before it answers; with 1, none ever would
_STARTING = 0.2
_AT_ONCE = 0.15  # the share of faults that hit a second victim in the same instant
_RETURN_S = 60.0  # the time in which a daemon must return
_CALM_S = 3.0  # at most, between two faults


@dataclass(frozen=True, slots=True)
class Victim:
    """A process: `kind` is a key of `_WEIGHTS`, `agent` whose it is, `tags` the jobs that a
    shepherd has."""

    kind: str
    pid: int
    agent: str = ""
    tags: tuple[str, ...] = ()


@dataclass(slots=True)
class Faults:
    """The faults that a seed chooses, with their victims and times; `history` keeps them."""

    system: System
    rng: random.Random
    history: History

    @property
    def inflicted(self) -> list[Fault]:
        return self.history.faults

    def kills(self, count: int) -> None:
        """Kill daemon, agents, nurseries and shepherds (SIGKILL), sometimes two at once."""
        while len(self.inflicted) < count:
            self.system.tend_for(self.rng.uniform(0, _CALM_S))
            for victim in self._choose():
                self._kill(victim)

    def stops(self, count: int) -> None:
        """Stop one of them (SIGSTOP), and continue it after some seconds."""
        while len(self.inflicted) < count:
            self.system.tend_for(self.rng.uniform(0, _CALM_S))
            victim = self._choose()[0]
            at_s = time.time()
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim.pid, signal.SIGSTOP)
                self.system.tend_for(self.rng.uniform(0.2, 7))
                os.kill(victim.pid, signal.SIGCONT)
                self.inflicted.append(
                    Fault(at_s, "stop", victim.kind, victim.agent, victim.tags, time.time())
                )

    def full_disks(self, disks: Sequence[SmallDisk], count: int) -> None:
        """Fill one of the disks for some seconds."""
        while len(self.inflicted) < count:
            self.system.tend_for(self.rng.uniform(0, _CALM_S))
            disk = self.rng.choice(disks)
            at_s = time.time()
            disk.fill()
            self.system.tend_for(self.rng.uniform(1, 5))
            disk.empty()
            self.inflicted.append(Fault(at_s, "fill", disk.path.name, until_s=time.time()))

    def cuts(self, namespace: Namespace, count: int) -> None:
        """Cut the agents over the link off for some seconds."""
        while len(self.inflicted) < count:
            self.system.tend_for(self.rng.uniform(0, 2 * _CALM_S))
            at_s = time.time()
            namespace.cut()
            self.system.tend_for(self.rng.choice((1, 5, 25)) * self.rng.uniform(0.5, 1))
            namespace.mend()
            self.inflicted.append(Fault(at_s, "cut", "network", until_s=time.time()))

    def tails(self, count: int) -> None:
        """Kill the daemon, and damage the end of its database or log before it starts."""
        system = self.system
        state, log = system.daemon.state, system.daemon.log
        while len(self.inflicted) < count:
            system.tend_for(self.rng.uniform(1, 2 * _CALM_S))
            at_s = time.time()
            system.kill_and_hold("daemon")
            before = damage.stored_unopened(state)
            what = damage.damage_tail(state, self.rng)
            offset = log.stat().st_size
            system.release("daemon")
            system.tend_until(system.daemon_answers, _RETURN_S)
            system.tend_until(partial(damage.told_all, log, offset), _RETURN_S)
            now = damage.stored(state)
            if damage.told(log, offset):
                self.history.excused |= damage.in_doubt(before, now)
            elif lost := damage.gone(before, now):
                self.history.seen.append(Finding("silent", f"after '{what}': {sorted(lost)}"))
            self.inflicted.append(Fault(at_s, what, "daemon", until_s=time.time()))

    def restores(self, count: int) -> None:
        """Make a backup while all goes on; some time later kill the daemon, which goes on from the
        backup. Excused is what the administrator's guide says: jobs that the backup does not have,
        and cancels that it does not know."""
        system = self.system
        state, file = system.daemon.state, system.root / "backup.db"
        while len(self.inflicted) < count:
            system.tend_for(self.rng.uniform(1, 2 * _CALM_S))
            backup(state / "rmsd.db", file, lambda *_: None)
            system.tend_for(self.rng.uniform(1, 3 * _CALM_S))
            at_s = time.time()
            system.kill_and_hold("daemon")
            before, kept = (
                damage.stored_unopened(state),
                damage.stored_unopened(file.parent, file.name),
            )
            restore(file, state, lambda *_: None)
            system.release("daemon")
            system.tend_until(self._all_heard, _RETURN_S)
            self.history.excused |= {
                was.tag
                for job_id, was in before.items()
                if job_id not in kept or was.state in ("CANCELLED", "COMPLETING")
            }
            self.inflicted.append(Fault(at_s, "restore", "daemon", until_s=time.time()))

    def _all_heard(self) -> bool:
        if not self.system.daemon_answers():
            return False
        return not self.system.client.status()["awaited"]

    def _kill(self, victim: Victim) -> None:
        at_s = time.time()
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim.pid, signal.SIGKILL)
            self.inflicted.append(Fault(at_s, "kill", victim.kind, victim.agent, victim.tags))

    def _choose(self) -> list[Victim]:
        """Choose one victim, or two to be hit at once."""
        there = self._there()
        while not there:
            self.system.tend_for(0.1)
            there = self._there()
        kinds = sorted(there)
        picked = []
        for _ in range(1 + (self.rng.random() < _AT_ONCE)):
            [kind] = self.rng.choices(kinds, [_WEIGHTS[one] for one in kinds])
            busy = [one for one in there[kind] if one.tags]
            picked.append(
                self.rng.choice(busy if busy and self.rng.random() < _BUSY else there[kind])
            )
        return list(dict.fromkeys(picked))

    def _there(self) -> dict[str, list[Victim]]:
        root = self.system.root
        held = processes.held(root)
        hit_daemon = self.system.daemon_answers() or self.rng.random() < _STARTING
        found = {
            "daemon": [
                Victim("daemon", pid)
                for name, pid in self.system.pids().items()
                if name == "daemon" and hit_daemon
            ],
            "agent": [
                Victim("agent", pid, state.name) for state, pid in processes.agents(root).items()
            ],
            "nursery": [
                Victim("nursery", one.pid, one.state.name) for one in processes.nurseries(root)
            ],
            "shepherd": [
                Victim("shepherd", one.pid, one.state.name, tuple(sorted(held.get(one.pid, ()))))
                for one in processes.shepherds(root)
            ],
        }
        return {kind: victims for kind, victims in found.items() if victims}
