"""The nodes that jobs keep for their users, and the jobs on them. See `own_nodes` for the rule."""

from __future__ import annotations

from dataclasses import dataclass, field

from rmsd_core.jobs.attempt import Attempt
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation, Piece
from rmsd_core.lifecycle.preemptible import Preemptible
from rmsd_core.machine.node_rests import Rest
from rmsd_core.planning.planner import Planner


@dataclass(slots=True)
class UserNode:
    """A node that jobs keep for a user.

    user: "" if nobody joins the jobs, since a restore of a backup has found others on the node.
    whole: all of it. keeper: the job for which the machine counts the node as taken; None while it
    is handed over. jobs: those on it, with what they were given. cores, mem_mib, gres: what they
    leave.
    """

    user: str
    whole: Piece
    keeper: Job | None
    jobs: dict[Job, Piece]
    cores: int
    mem_mib: int
    gres: dict[str, int]

    def count(self, piece: Piece, sign: int) -> None:
        """Count what a job was given as left (1), or as taken (-1)."""
        self.cores += sign * piece.cores
        self.mem_mib += sign * piece.mem_mib
        for kind, amount, _ in piece.gres:
            self.gres[kind] = self.gres.get(kind, 0) + sign * amount

    def resize(self, whole: Piece) -> None:
        """Note that the node has another size."""
        self.count(self.whole, -1)
        self.count(whole, 1)
        self.whole = whole

    @property
    def rest(self) -> Rest:
        """Return what the jobs leave of the node."""
        return Rest(self.whole.node, self.cores, self.mem_mib, self.gres)


def _last(job: Job) -> tuple[int, int]:
    """Return what decides which of the jobs on a node keeps it: the one with the greatest. Of those
    that are expected to end at the same time it is the one that has started first."""
    rank = job.remembered.rank
    return job.expected_end_us or 0, 1 if rank is None else -rank


@dataclass(slots=True)
class UserNodes:
    """The nodes that jobs keep for their users.

    preemptible: is told of a job that keeps other nodes than before.
    by_name: these nodes. of_user: their names, by user. again: another pass is due at once, since
    jobs may join others. machine: the one at the last look. looks_left: how many more nodes a pass
    may look at.
    """

    planner: Planner
    preemptible: Preemptible | None
    by_name: dict[str, UserNode] = field(default_factory=dict)
    of_user: dict[str, dict[str, None]] = field(default_factory=dict)
    again: bool = False
    machine: int = -1
    looks_left: int = 0

    def enter(self, job: Job, attempt: Attempt, place: Allocation) -> None:
        """Note that an attempt begins. `place`: the whole nodes that it has taken; those that are
        not among them are kept by other jobs. It may have taken one that others keep as well."""
        attempt.kept = place
        taken = {one.node: one for one in place}
        for piece in attempt.holding():
            node = self.by_name.get(piece.node)
            if node is None:
                whole = taken[piece.node]
                gres = {kind: amount for kind, amount, _ in whole.gres}
                node = UserNode(job.user, whole, job, {}, whole.cores, whole.mem_mib, gres)
                self.by_name[piece.node] = node
                self.of_user.setdefault(job.user, {})[piece.node] = None
            elif piece.node in taken:
                continue
            node.jobs[job] = piece
            node.count(piece, -1)
        if place:
            self._changed(job.user)

    def close(self, name: str) -> None:
        """Have nobody join the jobs on a node."""
        node = self.by_name[name]
        self._unlist(node.user, name)
        node.user = ""

    def _unlist(self, user: str, name: str) -> None:
        if (names := self.of_user.get(user)) is not None:
            names.pop(name, None)
            if not names:
                del self.of_user[user]

    def leave(self, job: Job, name: str) -> bool:
        """Note that a job leaves a node. Return whether others of its user stay there, who keep the
        node: it is to be handed over (`settle`) and not to be given back."""
        node = self.by_name.get(name)
        if node is None or job not in node.jobs:
            return False
        node.count(node.jobs.pop(job), 1)
        self._changed(job.user)
        if node.keeper is job:
            node.keeper = None
        if node.jobs:
            return True
        del self.by_name[name]
        self._unlist(node.user, name)
        return False

    def settle(self, name: str) -> None:
        """Let the job keep a node that is expected to end last there."""
        node = self.by_name.get(name)
        if node is None or (node.keeper is not None and len(node.jobs) == 1):
            return
        last, before = max(node.jobs, key=_last), node.keeper
        if last is before:
            return
        if before is not None:
            self._keep(before, tuple([one for one in _kept(before) if one.node != name]))
        self._keep(last, (*_kept(last), node.whole))
        node.keeper = last
        self._changed(last.user)

    def _keep(self, job: Job, kept: Allocation) -> None:
        attempt = job.phase.attempt
        assert attempt is not None
        self.planner.forget(job)
        attempt.kept = kept
        self.planner.expect(job)
        self.moved(job)

    def moved(self, job: Job) -> None:
        """Note that a job keeps other nodes, or more of them, than before."""
        if self.preemptible is not None:
            self.preemptible.moved(job)

    def is_shared(self, job: Job) -> bool:
        """Return whether other jobs of its user are on a node of the job."""
        nodes = [self.by_name.get(name) for name in job.open_nodes]
        return any(node is not None and len(node.jobs) > 1 for node in nodes)

    def expected(self, job: Job) -> None:
        """Note that another end is expected of a job."""
        attempt = job.phase.attempt
        assert attempt is not None
        for piece in attempt.holding():
            self.settle(piece.node)
        if attempt.kept:
            self._changed(job.user)

    def _changed(self, user: str) -> None:
        if self.planner.joinable.has(user):
            self.planner.joinable.look_again(user)
            self.again = True


def _kept(job: Job) -> Allocation:
    attempt = job.phase.attempt
    return () if attempt is None or attempt.kept is None else attempt.kept
