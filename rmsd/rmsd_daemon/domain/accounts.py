"""The account and the QOS that a submit is for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rmsd_core.vocabulary import NORMAL_QOS
from rmsd_daemon.domain.errors import Forbidden, Malformed
from rmsd_daemon.setup.accounts import AccountSettings, QosSettings, default_qos

_SHOWN = 20
"""The number of names that an error lists."""


@dataclass(slots=True, eq=False)
class Policies:
    """The accounts and QOS in force, which may change. Without accounts, a job may name any, and so
    it is without QOS. `is_listed` returns whether a user is on a list of names and `@groups`."""

    is_listed: Callable[[str, Sequence[str]], bool]
    accounts: tuple[AccountSettings, ...] = ()
    qos: tuple[QosSettings, ...] = ()

    def account_of(self, name: str, user: str) -> str:
        """Return the account of a submit that names one, or the user's default.

        Raises:
            DaemonError: there is no such account, the user is no member of it, or of none.
        """
        if not self.accounts:
            return name
        if name:
            return self._named(name, user).name
        own = self.accounts_of(user)
        if not own:
            raise Forbidden(
                f"'account' is not given, and {user} is a member of no account; "
                "an administrator can make you one (accounts.NAME.members)"
            )
        default = (one for one in own if self.is_listed(user, one.default_of))
        return next(default, own[0]).name

    def accounts_of(self, user: str) -> list[AccountSettings]:
        """Return the accounts of which the user is a member, in the order of the configuration."""
        return [one for one in self.accounts if self.has_member(one, user)]

    def has_member(self, account: AccountSettings, user: str) -> bool:
        """Return whether the jobs of the user may be of the account."""
        return self.is_listed(user, account.members) or self.is_listed(user, account.default_of)

    def _named(self, name: str, user: str) -> AccountSettings:
        found = next((one for one in self.accounts if one.name == name), None)
        if found is None:
            raise Malformed(
                f"'account': there is no account '{name}'; {user} is a member of "
                f"{_listed([one.name for one in self.accounts_of(user)])}"
            )
        if not self.has_member(found, user):
            raise Forbidden(
                f"'account': {user} is no member of the account '{name}', but of "
                f"{_listed([one.name for one in self.accounts_of(user)])}"
            )
        return found

    def qos_of(self, name: str, account: str, user: str) -> str:
        """Return the QOS of a submit that names one, or the default.

        Raises:
            DaemonError: there is no such QOS, or this user or account may not have it.
        """
        name = name or default_qos(self.qos)
        if not self.qos:
            return name
        found = next((one for one in self.qos if one.name == name), None)
        if found is None:
            if name == NORMAL_QOS:
                return name
            there = [NORMAL_QOS, *(one.name for one in self.qos if one.name != NORMAL_QOS)]
            raise Malformed(f"'qos': there is no QOS '{name}'; there are {_listed(there)}")
        if not self.may_use(found, user):
            raise Forbidden(f"'qos': {user} may not use the QOS '{name}'")
        if found.accounts and account not in found.accounts:
            raise Forbidden(
                f"'qos': jobs of the account '{account}' may not use the QOS '{name}', which is "
                f"for {_listed(found.accounts)}"
            )
        return name

    def may_use(self, qos: QosSettings, user: str) -> bool:
        """Return whether the user is among those for whom the QOS is."""
        return not qos.users or self.is_listed(user, qos.users)


ANY_POLICY = Policies(lambda user, listed: user in listed)
"""The policies of a cluster without accounts and QOS."""


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more if names else "none"
