"""Usage of processors that halves in each half-life, computed from the times when it changes."""

from __future__ import annotations

import math
from collections.abc import Mapping

from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.planner_memory import UserUsage


class Decay:
    """The decay of usage by a half-life."""

    def __init__(self, half_life_us: int) -> None:
        self.half_life_us = half_life_us
        self._rate = math.log(2) / (half_life_us / SECOND_US)  # in a second

    def at(self, used: UserUsage, held: int, now_us: int) -> UserUsage:
        """Return the usage at `now_us`, if `held` processors have been in use since `used`."""
        if now_us <= used.at_us:
            return used
        kept = math.exp(-self._rate * ((now_us - used.at_us) / SECOND_US))
        return UserUsage(used.processor_s * kept + held * ((1 - kept) / self._rate), now_us)

    def without(self, used: UserUsage, held: int, since_us: int) -> UserUsage:
        """Return the usage if `held` processors have not been in use since then, although they were
        counted until `used`."""
        if used.at_us <= since_us:
            return used
        kept = math.exp(-self._rate * ((used.at_us - since_us) / SECOND_US))
        less_s = held * ((1 - kept) / self._rate)
        return UserUsage(max(0.0, used.processor_s - less_s), used.at_us)


class DecayedUsage:
    """The usage of users. used: of each, when their jobs last took or gave back processors."""

    def __init__(self, decay: Decay) -> None:
        self._decay = decay
        self.used: dict[str, UserUsage] = {}
        self._held: dict[str, int] = {}  # the processors in use since the times in `used`

    def hold(self, user: str, more: int, now_us: int) -> None:
        """Count up to now, and let their jobs hold so many processors more from now."""
        held = self._held.get(user, 0)
        self.used[user] = self._decay.at(self.used.get(user, UserUsage(0.0, now_us)), held, now_us)
        self._held[user] = held + more

    def take_back(self, user: str, held: int, since_us: int) -> None:
        """Count so many processors of the user, which were given back just now, only until then."""
        self.used[user] = self._decay.without(self.used[user], held, since_us)

    def used_s(self, user: str, now_us: int) -> float:
        """Return the usage of a user [processor-seconds]."""
        used = self.used.get(user)
        if used is None:
            return 0.0
        return self._decay.at(used, self._held.get(user, 0), now_us).processor_s

    def forget_below(self, least_s: float, end_us: int) -> list[str]:
        """Forget the users whose jobs hold nothing, and whose usage at `end_us` is less. Return
        their names."""
        gone = [
            user
            for user, used in self.used.items()
            if used.at_us < end_us
            and not self._held.get(user)
            and self._decay.at(used, 0, end_us).processor_s < least_s
        ]
        for user in gone:
            del self.used[user]
            self._held.pop(user, None)
        return gone

    def restore(self, used: Mapping[str, UserUsage]) -> None:
        """Continue from what was used; nothing is held yet."""
        self.used = dict(used)
