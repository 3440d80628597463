"""The fault for which a unit cannot be started: the node's, the job's, or not to be told.

The daemon drains a node after some failures that are surely the node's. So a failure counts as the
node's only if no user can bring it about.
"""

from __future__ import annotations

import os
import pwd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .accounts import Account

NODE, JOB, UNKNOWN = "node", "job", "unknown"
"""The values of `rmsd_core.vocabulary.Fault`."""


def missing_homes(path: str, account: Account | None) -> str:
    """Return the empty directory in which the home of the account should be, if `path` is below
    that home and the file system with the homes is not mounted. Return "" otherwise.

    To be called with the rights of the account. A directory counts that no user can have emptied:
    one in which the account may not write. An empty mount point does not count, since a file
    system that mounts homes when they are needed looks the same if there is no such home anywhere.
    """
    home = _home(account)
    if home is None or os.path.commonpath([home, os.path.abspath(path)]) != home:
        return ""
    directory = home
    try:
        while not os.path.isdir(directory):
            if directory == "/":
                return ""
            directory = os.path.dirname(directory)
        directory = os.path.realpath(directory)
        is_away = (
            directory != os.path.realpath(home)
            and not os.path.ismount(directory)
            and not os.access(directory, os.W_OK, effective_ids=True)
            and not os.listdir(directory)
        )
    except OSError:
        return ""
    return directory if is_away else ""


def _home(account: Account | None) -> str | None:
    """Return the absolute home of the account, or of our own account if there is none. Return None
    if it has none."""
    if account is not None:
        home = account.home
    else:
        try:
            home = pwd.getpwuid(os.geteuid()).pw_dir
        except KeyError:
            return None
    home = os.path.normpath(home)
    return home if home.startswith("/") and home != "/" else None
