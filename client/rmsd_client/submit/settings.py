"""Settings of `rsub` from the environment (`RSUB_TIME`, ...) and from the user's configuration."""

from __future__ import annotations

import os

from rmsd_client.errors import UsageError
from rmsd_client.submit.options import BY_NAME, OPTIONS, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rmsd_client.submit.options import Settings

_MOST = 1 << 63  # TOML's limit, which Python's reader does not enforce


def from_environment(environ: Mapping[str, str], warn: Callable[[str], None]) -> Settings:
    """Return the settings of the `RSUB_*` variables; an empty one sets nothing. `warn` is called
    with unknown ones.

    Raises:
        UsageError: a malformed value; the variable is in the message.
    """
    known = {option.variable: option for option in OPTIONS if option.everywhere}
    settings: Settings = {}
    for variable, text in environ.items():
        if not variable.startswith("RSUB_") or not text:
            continue
        if option := known.get(variable):
            settings[option.dest] = option.value(text, f"{variable}={text}")
        else:
            warn(f"{variable}: rsub has no such setting")
    return settings


def configuration_path() -> str:
    """Return the path of the user's configuration file, which need not exist."""
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return f"{home}/rmsd/config.toml"


def from_configuration(path: str) -> Settings:
    """Return the settings in the `[rsub]` table of a TOML file, by long names; none if there is no
    file.

    Raises:
        UsageError: not TOML, an unknown key, a malformed value; path and line are in the message.
    """
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from None
    import tomllib  # costs milliseconds

    try:
        table = tomllib.loads(text).get("rsub", {})
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: {error}") from None
    if not isinstance(table, dict):
        raise UsageError(f"{path}: 'rsub' is not a table; expected [rsub]")
    settings: Settings = {}
    for key, value in table.items():
        origin = f"{path}:{_line_of(key, text)}: [rsub] {key}"
        option = BY_NAME.get(key)
        if option is None or not option.everywhere:
            raise UsageError(f"{origin}: there is no such setting")
        settings[option.dest] = option.value(_as_text(option, value, origin), origin)
    return settings


def _as_text(option: Option, value: object, origin: str) -> str:
    if not option.meta and isinstance(value, bool):
        return "yes" if value else "no"
    if option.meta and isinstance(value, str):
        return value
    whole = value if isinstance(value, int) and not isinstance(value, bool) else _MOST
    if option.meta and abs(whole) < _MOST:
        return str(whole)
    expected = "a text or a whole number (of up to 63 bits)" if option.meta else "true or false"
    raise UsageError(f"{origin}: expected {expected}")


def _line_of(key: str, text: str) -> int:
    """Return the number of the line that sets `key` in the [rsub] table (tomllib does not tell)."""
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if stripped.startswith("["):
            inside = stripped.strip("[] ") == "rsub"
        name = stripped.partition("=")[0].strip().strip("'\"")
        if name in ((key,) if inside else (f"rsub.{key}",)):
            return number
    return 1
