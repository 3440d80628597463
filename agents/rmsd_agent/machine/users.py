"""The users whose jobs an agent runs, and the accounts that run them."""

from __future__ import annotations

import os
import pwd

IS_ROOT = os.geteuid() == 0
"""True if this agent starts jobs as their users."""


class UserRefused(Exception):
    """This agent does not run jobs of this user; the message says why."""


class Users:
    """The rule that decides whose jobs are run. An agent of root runs each job as its user; any
    other agent runs its own account's jobs alone.

    `allow_root`: whether an agent of root runs jobs as root, too.
    """

    def __init__(self, *, allow_root: bool) -> None:
        self.allow_root = allow_root
        self._own = own_name()

    def runs_as(self, user: str) -> str | None:
        """Return the account for a job of `user`, None for the agent's own account. `user` is "" if
        the daemon serves one account and names no user. Whether there is such an account is seen
        when the job starts.

        Raises:
            UserRefused: such a job is not run here.
        """
        if IS_ROOT and user:
            return user
        if IS_ROOT and not self.allow_root:
            raise UserRefused(
                "the daemon does not say whose it is, so it would be root's, and the agent of this "
                "node runs none of those (--allow-root-jobs)"
            )
        if not IS_ROOT and user not in ("", self._own):
            raise UserRefused(
                f"the agent of this node runs as '{self._own}' and that account's jobs alone, not "
                f"those of '{user}'; an agent of root runs jobs as their users"
            )
        return None


def own_name() -> str:
    """Return the name of the account that we run as, its number if it has no name."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())
