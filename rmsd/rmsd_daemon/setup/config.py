"""The daemon's configuration: defaults, then a TOML file, then the command line."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, cast

from rmsd_core.lifecycle.core import CapacityKind
from rmsd_core.recipes.text import RecipeError
from rmsd_daemon.setup.logs import LEVELS
from rmsd_daemon.setup.third_party import recipe_of
from rmsd_wire.durations import DurationError, parse_duration_s
from rmsd_wire.sizes import SizeError, parse_mem_mib

_PORT = re.compile(r"[1-9]\d{0,4}", re.ASCII)
_MOST_SCRIPT_BYTES = 32 << 20
"""A launch with a script of this size, and with its environment, fits into a frame of the link."""
_EMULATE = re.compile(r"[1-9]\d{0,5}(x[1-9]\d{0,5})?", re.ASCII)


class ConfigError(ValueError):
    """A value is not usable; the message says which, where it came from and what is accepted."""


@dataclass(frozen=True, slots=True)
class Config:
    """`listen` is "HOST:PORT", `tls_cert` and `tls_key` are for it (None: see `certificate`);
    `emulate` is "N" or "NxCORES"; durations are real seconds, except for `default_time_s`, the
    estimate of a job that gives none (None: no limit). `overrun_s`: what jobs get beyond their
    limit, before they are killed. `restartable`: whether trial runs may kill and
    restart a job that does not say; `trial_output`: what becomes of what it wrote.
    `default_mem_mib`: of a script that asks for no memory (0: not limited); `max_processes` on one
    node and `max_output_bytes` are what a job may have (0: without limit). `as_users`: whether
    agents are told to run jobs as the accounts of their users (None: if the daemon is root's);
    `allow_root_jobs`: whether the local agent of a daemon of root runs jobs as root (None: see
    `allows_root_jobs`).
    `socket` serves every account of the machine, and not the daemon's own alone; `operators`,
    `admins`: names of accounts and @groups.
    `max_request_rate`: requests a second of one user; `max_connections`: of one account or address.
    """

    state_dir: Path
    socket: Path | None = None
    operators: tuple[str, ...] = ()
    admins: tuple[str, ...] = ()
    listen: str | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None
    emulate: str | None = None
    local_node: bool = True
    rate: float = 1.0
    recipe: str = "easy++"
    capacity: CapacityKind = "nodes"
    kill_grace_s: float = 10.0
    overrun_s: float = 0.0
    default_time_s: float | None = None
    restartable: bool = True
    trial_output: Literal["truncate", "keep"] = "truncate"
    default_mem_mib: int = 0
    max_processes: int = 4096
    max_output_bytes: int = 0
    as_users: bool | None = None
    allow_root_jobs: bool | None = None
    node_dead_s: float = 300.0
    max_script_bytes: int = 4 << 20
    max_request_bytes: int = 16 << 20
    max_jobs_per_request: int = 1000
    max_jobs_per_user: int = 100_000
    max_request_rate: float = 1000.0
    max_connections: int = 1000
    log_level: str = "info"

    @property
    def runs_as_users(self) -> bool:
        return os.geteuid() == 0 if self.as_users is None else self.as_users

    @property
    def allows_root_jobs(self) -> bool:
        """By default where nobody but root has root's role."""
        if self.allow_root_jobs is None:
            return self.listen is None and not self.admins
        return self.allow_root_jobs

    @property
    def has_users_jobs(self) -> bool:
        """Whether jobs of other accounts run on this machine, below the state directory."""
        comes_in = self.socket is not None or self.listen is not None
        return comes_in and os.geteuid() == 0 and self.runs_as_users

    @property
    def socket_path(self) -> Path:
        return self.state_dir / "rmsd.sock"

    @property
    def certificate(self) -> tuple[Path, Path]:
        """Where certificate and key are: as configured, else where `rmsd tls new` puts them."""
        folder = self.state_dir / "tls"
        return self.tls_cert or folder / "cert.pem", self.tls_key or folder / "key.pem"

    @property
    def database_path(self) -> Path:
        return self.state_dir / "rmsd.db"


def default_state_dir(env: Mapping[str, str]) -> Path:
    if given := env.get("RMSD_STATE_DIR"):
        return Path(given)
    base = env.get("XDG_STATE_HOME") or Path(env.get("HOME", "/")) / ".local/state"
    return Path(base) / "rmsd"


def find_file(given: str | None, env: Mapping[str, str]) -> Path | None:
    """The configuration file: --config, RMSD_CONFIG, the system's, the user's, or none."""
    if given or env.get("RMSD_CONFIG"):
        return Path(given or env["RMSD_CONFIG"])
    base = env.get("XDG_CONFIG_HOME") or Path(env.get("HOME", "/")) / ".config"
    for path in (Path("/etc/rmsd/rmsd.toml"), Path(base) / "rmsd" / "rmsd.toml"):
        if path.exists():
            return path
    return None


def load(
    arguments: Mapping[str, object], config: str | None = None, env: Mapping[str, str] = os.environ
) -> Config:
    """The configuration for a command line: `arguments` by their key, None where not given.

    Raises:
        ConfigError: an unknown key, or a value that is not usable.
    """
    values: dict[str, Any] = {"state_dir": default_state_dir(env)}
    if path := find_file(config, env):
        values |= _read(path)
    for key, value in arguments.items():
        if value is not None:
            option = "--" + key.replace("_", "-")
            values |= _parse(key, value, option)
    return _checked(Config(**values))


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
        table = tomllib.loads(text)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # also of numbers without end
        raise ConfigError(f"{path}: {error}") from error
    values: dict[str, Any] = {}
    for key, value in table.items():
        where = f"{path}:{_line_of(key, text)}: {key}"
        if key not in _KEYS:
            raise ConfigError(f"{where}: unknown key; there are {', '.join(_KEYS)}")
        values |= _parse(key, value, where)
    return values


def _line_of(key: str, text: str) -> int:
    """The line of a top-level key or table; TOML keeps no positions."""
    pattern = re.compile(rf"\s*\[*\s*[\"']?{re.escape(key)}[\"']?\s*[=\].]")
    for number, line in enumerate(text.splitlines(), 1):
        if pattern.match(line):
            return number
    return 1


# ---------------------------------------------------------------- one value

_FIELDS = {
    "kill_grace": "kill_grace_s",
    "overrun": "overrun_s",
    "default_time": "default_time_s",
    "node_dead": "node_dead_s",
    "default_mem": "default_mem_mib",
    "max_output_size": "max_output_bytes",
    "max_script_size": "max_script_bytes",
    "max_request_size": "max_request_bytes",
}
_KEYS = tuple(
    {name: key for key, name in _FIELDS.items()}.get(field.name, field.name)
    for field in fields(Config)
)


def _parse(key: str, value: object, where: str) -> dict[str, Any]:
    try:
        return {_FIELDS.get(key, key): _PARSERS[key](value)}
    except (ValueError, TypeError, OverflowError) as error:
        raise ConfigError(f"{where}: {error}") from error


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise TypeError(f"{value!r} is not a text")
    return value.strip()


def _path(value: object) -> Path:
    return Path(_text(value)).expanduser().absolute()


def _listen(value: object) -> str:
    host, colon, port = _text(value).rpartition(":")
    if not colon or not host or not _PORT.fullmatch(port) or int(port) > 65535:
        raise ValueError(f"'{value}' is not HOST:PORT")
    return f"{host}:{int(port)}"


def _names(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError(f'{value!r} is not a list of names, as ["ann", "@wheel"]')
    return tuple(_text(name) for name in value)


def _emulate(value: object) -> str:
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else _text(value)
    if not _EMULATE.fullmatch(text):
        raise ValueError(f"'{text}' is not N or NxCORES, two numbers from 1 to 999999")
    return text


def _bool(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is not true or false")
    return value


def parse_rate(value: object) -> float:
    """Model seconds per real second.

    Raises:
        ValueError, TypeError: it is none, or none that a clock can keep.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise TypeError(f"{value!r} is not a number")
    try:
        rate = float(value)
    except ValueError:
        raise ValueError(f"'{value}' is not a number") from None
    if not 0.001 <= rate <= 1e6:
        raise ValueError(f"{rate:g} is not a usable rate; 0.001 to 1000000 model seconds a second")
    return rate


def _requests(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is not a number")
    if not 0.1 <= value <= 1e6:
        raise ValueError(f"{value:g} is not 0.1 to 1000000 requests a second")
    return float(value)


def _recipe(value: object) -> str:
    try:
        recipe = recipe_of(_text(value))
    except RecipeError as error:
        raise ValueError(str(error)) from error
    if why_not := recipe.why_not_live():
        raise ValueError(f"recipe '{recipe.name}' runs in simulation alone: {why_not}")
    return recipe.name


def _capacity(value: object) -> CapacityKind:
    if (text := _text(value)) not in ("nodes", "counted"):
        raise ValueError(f"'{text}' is neither 'nodes' nor 'counted'")
    return cast("CapacityKind", text)


def _trial_output(value: object) -> str:
    if (text := _text(value)) not in ("truncate", "keep"):
        raise ValueError(f"'{text}' is neither 'truncate' nor 'keep'")
    return text


def _duration(value: object) -> float | None:
    _refuse_bare(value, "s", "m")
    try:
        return parse_duration_s(_text(value))
    except DurationError as error:
        raise ValueError(str(error)) from error


def _refuse_bare(value: object, *units: str) -> None:
    """Raises TypeError: it is a number without a unit, of which everybody thinks another one."""
    if isinstance(value, int | float) or (isinstance(value, str) and value.strip().isdecimal()):
        number = str(value).strip()
        examples = " or ".join(f'"{number}{unit}"' for unit in units)
        raise TypeError(f"{number} has no unit; say {examples}")


def _limited(value: object) -> float:
    seconds = _duration(value)
    if seconds is None:
        raise ValueError("it cannot be unlimited")
    return seconds


def _overrun(value: object) -> float:
    if isinstance(value, str) and value.strip() in ("0", "0s"):
        return 0.0
    return _limited(value)


def _size_mib(value: object) -> int:
    _refuse_bare(value, "M")
    try:
        return parse_mem_mib(_text(value))
    except SizeError as error:
        raise ValueError(str(error)) from error


def _size_bytes(value: object) -> int:
    return _size_mib(value) << 20


def _script_bytes(value: object) -> int:
    size_bytes = _size_bytes(value)
    if size_bytes > _MOST_SCRIPT_BYTES:
        raise ValueError(f"{value!r} is more than {_MOST_SCRIPT_BYTES >> 20}M")
    return size_bytes


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value < 1 << 63:
        raise ValueError(f"{value!r} is not a whole number from 1")
    return value


def _or_unlimited(parse: Callable[[object], int]) -> Callable[[object], int]:
    """What `parse` reads, or "UNLIMITED", which is 0."""
    return lambda value: 0 if value == "UNLIMITED" else parse(value)


def _level(value: object) -> str:
    if (text := _text(value).lower()) not in LEVELS:
        raise ValueError(f"'{text}' is not one of {', '.join(LEVELS)}")
    return text


_PARSERS = {
    "state_dir": _path,
    "socket": _path,
    "operators": _names,
    "admins": _names,
    "listen": _listen,
    "tls_cert": _path,
    "tls_key": _path,
    "emulate": _emulate,
    "local_node": _bool,
    "rate": parse_rate,
    "recipe": _recipe,
    "capacity": _capacity,
    "kill_grace": _limited,
    "overrun": _overrun,
    "default_time": _duration,
    "restartable": _bool,
    "trial_output": _trial_output,
    "default_mem": _or_unlimited(_size_mib),
    "max_processes": _or_unlimited(_count),
    "max_output_size": _or_unlimited(_size_bytes),
    "as_users": _bool,
    "allow_root_jobs": _bool,
    "node_dead": _limited,
    "max_script_size": _script_bytes,
    "max_request_size": _size_bytes,
    "max_jobs_per_request": _count,
    "max_jobs_per_user": _count,
    "max_request_rate": _requests,
    "max_connections": _count,
    "log_level": _level,
}


# ---------------------------------------------------------------- the whole


def _checked(config: Config) -> Config:
    if len(os.fsencode(config.socket_path)) > 100:
        raise ConfigError(
            f"state_dir: '{config.state_dir}' is too long: a Unix socket's path has at most "
            "about 100 bytes; give a shorter --state-dir"
        )
    if config.socket and len(os.fsencode(config.socket)) > 100:
        raise ConfigError(
            f"socket: '{config.socket}' has more than the about 100 bytes that it may"
        )
    if config.socket and os.getuid() != 0:
        raise ConfigError(
            "socket: only a daemon that root has started serves other accounts; without it, this "
            f"one serves its own on {config.socket_path}"
        )
    if config.default_mem_mib and config.capacity == "counted":
        raise ConfigError(
            "default_mem: memory is not accounted when capacity is 'counted'; leave one of them out"
        )
    if (config.tls_cert is None) != (config.tls_key is None):
        raise ConfigError("tls_cert and tls_key belong together: give both or none")
    return config
