"""The administrator's settings for all accounts of this machine: where the daemon is, and which
certificates to trust."""

from __future__ import annotations

import os

from rmsd_client.errors import UsageError

PATH = "/etc/rmsd/client.toml"
_KEYS = ("server", "ca_file")


def read() -> dict[str, str]:
    """Return the settings of the site's file; none if there is no such file.

    Raises:
        UsageError: it cannot be read, or others can change it, or it has something else than texts
            under the known keys.
    """
    try:
        with open(PATH, encoding="utf-8") as file:
            found = os.fstat(file.fileno())
            text = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{PATH}: {error}") from None
    if found.st_uid not in (0, os.geteuid()) or found.st_mode & 0o022:
        raise UsageError(
            f"{PATH} can be changed by other accounts, which could send you to a daemon of theirs; "
            "it must be root's, with mode 0644"
        )
    import tomllib  # costs milliseconds

    try:
        settings = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{PATH}: {error}") from None
    for key, value in settings.items():
        if key not in _KEYS:
            raise UsageError(f"{PATH}: unknown key '{key}'; there are {', '.join(_KEYS)}")
        if not isinstance(value, str):
            raise UsageError(f"{PATH}: {key}: {value!r} is not a text")
    return settings
