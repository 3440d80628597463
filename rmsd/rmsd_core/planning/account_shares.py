"""The fair shares of users within their accounts, and of accounts within the accounts above them.

This is Slurm's classic formula: the factor is 2^-r, where r is the effective usage of a user
divided by the user's normalized share. Accounts have the shares that the configuration gives them,
and users one each. Only what has used something takes part in a division of shares.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from rmsd_core.jobs.accounts import NO_LIMITS, AccountPolicy, chain
from rmsd_core.planning.decayed_usage import Decay, DecayedUsage
from rmsd_core.planning.planner_memory import UserUsage

_OWN = ""
"""Stands where a user would, for the usage of all jobs of an account: the accounts below it have
their own, and users who are forgotten remain in it."""


class _Level(NamedTuple):
    """An account that has used something, or the top.

    ratio: its effective usage divided by its normalized share. share: this share. parts: the shares
    of what is directly below it: of accounts, and one for each user.
    """

    ratio: float
    share: float
    parts: int


class AccountShare(NamedTuple):
    """The fair share of an account, with all accounts below it. part: of the usage of all.
    share: its part of the machine, normalized; None if it has used nothing. factor: that of a user
    of the account who has used nothing."""

    account: str
    used_s: float
    part: float
    share: float | None
    factor: float


class AccountShares:
    """The usage of processors by account and user, which halves in each half-life.

    The users whose jobs have no account stand at the top with one share each. What an account has
    used that is not configured any more stands there as well.
    """

    def __init__(self, decay: Decay) -> None:
        self._decay = decay
        self._usage: dict[str, DecayedUsage] = {}
        self._tree: Mapping[str, AccountPolicy] = {}
        # The number of users of each account whose first job started at `_new_us`: they have used
        # nothing until then.
        self._new: dict[str, int] = {}
        self._new_us = 0
        # The levels of accounts as of `_levels_us`; "" is the top. None: to be made anew.
        self._levels: dict[str, _Level] | None = None
        self._levels_us = 0
        # The usage then of accounts, each with those below it; "" is the usage of all.
        self._used_s: dict[str, float] = {}
        self._changed: dict[tuple[str, str], None] = {}

    def set_accounts(self, accounts: Iterable[AccountPolicy]) -> bool:
        """Divide the shares by these accounts from now on. The usage remains that of the accounts
        that the jobs had. Return whether factors change."""
        tree = {one.name: one._replace(limits=NO_LIMITS) for one in accounts}
        if tree == self._tree:
            return False
        self._tree, self._levels = tree, None
        return True

    def counted(self, account: str) -> str:
        """Return the account that a job counts for which names this one: none ("") if it is not
        configured. A user could name any number of these, and have used nothing in each."""
        return account if account in self._tree else ""

    def hold(self, account: str, user: str, more: int, now_us: int) -> None:
        """Let the jobs of the user hold so many processors more from now, in an account that they
        are `counted` for."""
        if self._levels_us != now_us:
            self._levels = None  # A question about a later time may have found them.
        usage = self._usage.get(account)
        if usage is None:
            usage = self._usage[account] = DecayedUsage(self._decay)
        if user not in usage.used:
            if self._new_us != now_us:
                self._new_us = now_us
                self._new.clear()
            self._new[account] = self._new.get(account, 0) + 1
        for key in (_OWN, user):
            usage.hold(key, more, now_us)
            self._changed[account, key] = None

    def take_back(self, account: str, user: str, held: int, since_us: int) -> None:
        """Count so many processors of the user in the account, which were given back just now, only
        until then."""
        self._levels = None
        for key in (_OWN, user):
            self._usage[account].take_back(key, held, since_us)

    def sweep(self, least_s: float, end_us: int) -> None:
        """Forget who has used less than that until the end of a half-life, and holds nothing."""
        for account, usage in list(self._usage.items()):
            for user in usage.forget_below(least_s, end_us):
                self._changed[account, user] = None
            if not usage.used:
                del self._usage[account]
        self._levels = None

    def used_s(self, account: str, user: str, now_us: int) -> float:
        """Return the decayed usage of a user's jobs in an account [processor-seconds]."""
        usage = self._usage.get(account)
        return 0.0 if usage is None else usage.used_s(user, now_us)

    def used_by_account_s(self, account: str, now_us: int) -> float:
        """Return the decayed usage of an account, with all accounts below it; of the jobs without
        one for "", and for those that are not configured [processor-seconds]."""
        if not (account := self.counted(account)):
            return self.used_s("", _OWN, now_us)
        self._levels_at(now_us)
        return self._used_s.get(account, 0.0)

    def factor(self, account: str, user: str, now_us: int) -> float:
        """Return the fair-share factor of a user's jobs in an account: 1 if none of both has used
        something."""
        account = self.counted(account)
        level = self._level_of(account, self._levels_at(now_us))
        if level is None:
            return 1.0
        ratio = level.ratio
        if (part := self._part(self.used_s(account, user, now_us))) > 0:
            ratio += _ratio_below(part, 1, level, is_top=not account)
        factor: float = 2.0**-ratio
        return factor

    def _part(self, used_s: float) -> float:
        """Return the part of the usage of all, as of the latest levels."""
        total_s = self._used_s.get("", 0.0)
        return min(1.0, used_s / total_s) if total_s > 0 else 0.0

    def user_shares(
        self, now_us: int, user: str | None
    ) -> Iterator[tuple[str, float, float, float, str]]:
        """Yield user, usage [processor-seconds], part of the usage of all, factor and account: of
        a user in the accounts in which they have used something, or of all users (None), by user
        and account."""
        self._levels_at(now_us)
        pairs = [
            (name, account)
            for account, usage in self._usage.items()
            for name in (usage.used if user is None else {user} & usage.used.keys())
            if name != _OWN
        ]
        for name, account in sorted(pairs):
            used_s = self.used_s(account, name, now_us)
            yield name, used_s, self._part(used_s), self.factor(account, name, now_us), account

    def shares(self, now_us: int) -> list[AccountShare]:
        """Return the shares of the accounts that are configured, or have used something, by
        name."""
        levels = self._levels_at(now_us)
        found = []
        for name in sorted({*self._tree, *levels} - {""}):
            level, own = self._level_of(name, levels), levels.get(name)
            used_s = self._used_s.get(name, 0.0)
            factor: float = 1.0 if level is None else 2.0**-level.ratio
            share = None if own is None else own.share
            found.append(AccountShare(name, used_s, self._part(used_s), share, factor))
        return found

    def take_changed(self) -> tuple[tuple[str, str], ...]:
        """Return the accounts and users whose stored usage has changed since the last call of
        this."""
        changed = tuple(self._changed)
        self._changed.clear()
        return changed

    def remember(self) -> dict[str, Mapping[str, UserUsage]]:
        """Return the usage by account and user, which is not to be changed; "" stands for all users
        of an account."""
        return {account: usage.used for account, usage in self._usage.items()}

    def restore(self, used: Mapping[str, Mapping[str, UserUsage]]) -> None:
        """Continue from what was used; nothing is held yet."""
        self._usage = {account: DecayedUsage(self._decay) for account in used}
        for account, usage in self._usage.items():
            usage.restore(used[account])
        self._levels = None

    # ------------------------------------------------------------ the division of shares

    def _chain(self, account: str) -> list[AccountPolicy]:
        """Return the account with those above it, the top last; none for jobs without one."""
        if not account:
            return []
        return chain(self._tree, account) or [AccountPolicy(account)]

    def _level_of(self, account: str, levels: Mapping[str, _Level]) -> _Level | None:
        """Return the level of the account, or of the nearest one above it that has used something;
        None if none has."""
        if not account:
            return levels.get("")
        own = (levels.get(one.name) for one in self._chain(account))
        return next((level for level in own if level is not None), None)

    def _subtree_s(self, now_us: int) -> dict[str, float]:
        """Return the usage of each account that has used something, with the accounts below it; ""
        is all. The sums are made in the order of names, so that a restart makes the same ones."""
        totals: defaultdict[str, float] = defaultdict(float)
        for account in sorted(self._usage):
            used_s = self._usage[account].used_s(_OWN, now_us)
            if used_s <= 0:
                continue
            for one in self._chain(account):
                totals[one.name] += used_s
            totals[""] += used_s
        return dict(totals)

    def _levels_at(self, now_us: int) -> dict[str, _Level]:
        """Return the levels at an instant, in which usage stays as it is whatever starts or
        ends."""
        if self._levels is not None and self._levels_us == now_us:
            return self._levels
        totals = self._used_s = self._subtree_s(now_us)
        new = self._new if self._new_us == now_us else {}
        parts = defaultdict[str, int](int)
        for account, usage in self._usage.items():
            users = len(usage.used) - (_OWN in usage.used)
            parts[account] += users - new.get(account, 0)
        ways = {name: self._chain(name) for name in totals if name}
        for way in ways.values():
            parts[way[1].name if len(way) > 1 else ""] += way[0].shares
        levels = {"": _Level(0.0, 1.0, parts[""])} if totals else {}
        for name, way in sorted(ways.items(), key=lambda one: len(one[1])):
            is_top = len(way) == 1
            above = levels["" if is_top else way[1].name]
            shares = way[0].shares
            more = _ratio_below(self._part(totals[name]), shares, above, is_top=is_top)
            share = above.share * shares / above.parts
            levels[name] = _Level(above.ratio + more, share, parts[name])
        self._levels, self._levels_us = levels, now_us
        return levels


def _ratio_below(part: float, shares: int, above: _Level, *, is_top: bool) -> float:
    """Return by how much the ratio of something exceeds that of what is above it. part: of the
    usage of all. At the top the effective usage is the usage itself; further down, what is above
    lends it the part of its share."""
    others = above.parts if is_top else above.parts - shares
    return part * others / (shares * above.share)
