"""The reading of the daemon's configuration: defaults, then a TOML file, then the command line."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rmsd_daemon.setup.config import SETTINGS, Config
from rmsd_daemon.setup.named_tables import TableError, unknown_key
from rmsd_process.ownership import ChangeableError, NotExecutableError, check_file, check_program
from rmsd_wire.link_values import PACED

SYSTEM = Path("/etc/rmsd/rmsd.toml")
"""The configuration of a machine's daemon. A package puts one there without any setting."""
_BY_KEY = {row.key: row for row in SETTINGS}


class ConfigError(ValueError):
    """A value is not usable; the message says which value, its source and what is accepted."""


def find_file(given: str | None, env: Mapping[str, str]) -> Path | None:
    """Return the configuration file: --config, RMSD_CONFIG, the account's, the system's, or None.
    For root, the system's precedes the account's."""
    if given or env.get("RMSD_CONFIG"):
        return Path(given or env["RMSD_CONFIG"])
    base = env.get("XDG_CONFIG_HOME") or Path(env.get("HOME", "/")) / ".config"
    own = Path(base) / "rmsd" / "rmsd.toml"
    paths = (SYSTEM, own) if os.geteuid() == 0 else (own, SYSTEM)
    return next((path for path in paths if path.exists()), None)


def load(
    arguments: Mapping[str, object], config: str | None = None, env: Mapping[str, str] = os.environ
) -> Config:
    """Return the configuration for a command line: `arguments` by their key, None where not given.

    Raises:
        ConfigError: an unknown key, or a value that is not usable.
    """
    values: dict[str, Any] = {row.field: row.from_env(env) for row in SETTINGS if row.from_env}
    if path := find_file(config, env):
        values |= _read(path)
    for key, value in arguments.items():
        if value is not None:
            values |= _parse(key, value, _BY_KEY[key].option_name)
    try:
        return _checked(Config(**values))
    except ConfigError as error:
        if path is None:
            raise
        raise ConfigError(f"{error} (the configuration is {path})") from error


def configured_state_dir(env: Mapping[str, str]) -> Path | None:
    """Return `state_dir` of the configuration file that `rmsd start` reads; None if it has none, or
    the caller may not read it, or there is no such file.

    Raises:
        ConfigError: an unknown key, or a value that is not usable.
    """
    path = find_file(None, env)
    if path is None or (path.exists() and not os.access(path, os.R_OK)):
        return None
    found: Path | None = _read(path).get("state_dir")
    return found


def _read(path: Path) -> dict[str, Any]:
    try:
        with path.open(encoding="utf-8") as file:
            check_file(path, os.fstat(file.fileno()))
            text = file.read()
        table = tomllib.loads(text)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except ChangeableError as error:
        raise ConfigError(str(error)) from error
    # a number with too many digits raises ValueError, too
    except (ValueError, RecursionError) as error:
        why = str(error).replace("Cannot overwrite a value", "the key is there twice")
        raise ConfigError(f"{path}: {why}") from error
    values: dict[str, Any] = {}
    for key, value in table.items():
        where = f"{path}:{_line_of(key, text)}: {key}"
        if key not in _BY_KEY:
            raise ConfigError(f"{where}: {unknown_key(key, _BY_KEY)}")
        try:
            values |= _parse(key, value, where)
        except ConfigError as error:
            if not isinstance(error.__cause__, TableError):
                raise
            line = _line_in_table(key, error.__cause__, text)
            raise ConfigError(f"{path}:{line}: {key}: {error.__cause__}") from error
    return values


def _line_of(key: str, text: str) -> int:
    """Return the line number of a top-level key or table; TOML keeps no positions."""
    pattern = re.compile(rf"\s*\[*\s*[\"']?{re.escape(key)}[\"']?\s*[=\].]")
    for number, line in enumerate(text.splitlines(), 1):
        if pattern.match(line):
            return number
    return 1


def _line_in_table(key: str, error: TableError, text: str) -> int:
    """Return the line number of a key in the table `[key.NAME]`; of the first such table if the key
    is not below its heading."""
    heading = re.compile(rf"\s*\[\s*[\"']?{re.escape(key)}[\"']?\s*\.\s*(.*?)\s*\]")
    setting = re.compile(rf"\s*[\"']?{re.escape(error.key)}[\"']?\s*=")
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("["):
            found = heading.match(line)
            inside = found is not None and found[1].strip("\"'") == error.name
        elif inside and setting.match(line):
            return number
    return _line_of(key, text)


def _parse(key: str, value: object, where: str) -> dict[str, Any]:
    row = _BY_KEY[key]
    try:
        return {row.field: row.kind.parse(value)}
    except (ValueError, TypeError, OverflowError) as error:
        raise ConfigError(f"{where}: {error}") from error


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
    if config.notify_commands and os.getuid() != 0:
        raise ConfigError(
            "notify_commands: only a daemon that root has started runs commands as other accounts; "
            "leave it out, and this one runs those of its own account"
        )
    if config.default_mem_mib and config.capacity == "counted":
        raise ConfigError(
            "default_mem: memory is not accounted when capacity is 'counted'; leave one of them out"
        )
    if config.partitions and config.capacity == "counted":
        raise ConfigError(
            "partitions: processors that are counted (capacity 'counted') are on no nodes; leave "
            "one of them out"
        )
    _check_preemption(config)
    if not config.local_node and (config.cores or config.mem_mib):
        raise ConfigError(
            "cores and mem are of this machine as a node, and local_node is false; an agent has "
            "`rmsd-agent --cores` and `--mem`"
        )
    programs = (config.prolog, config.epilog, config.health_check, config.reboot_program)
    if not config.local_node and any(programs):
        raise ConfigError(
            "prolog, epilog, health_check and reboot_program are of this machine as a node, and "
            "local_node is false; an agent has `rmsd-agent --prolog`, `--epilog`, "
            "`--health-check` and `--reboot-program`"
        )
    if config.rate == PACED and config.local_node:
        raise ConfigError(
            "rate: a paced clock waits for emulated nodes, and this machine is a node as well; say "
            "local_node = false"
        )
    _check_programs(config)
    if not config.local_node and config.gres not in ("auto", "none"):
        raise ConfigError(
            "gres is of this machine as a node, and local_node is false; an agent has "
            "`rmsd-agent --gres`, and emulated nodes emulate_gres"
        )
    if config.emulate_gres and not config.emulate:
        raise ConfigError("emulate_gres is of emulated nodes, and there are none; say emulate")
    if (config.tls_cert is None) != (config.tls_key is None):
        raise ConfigError("tls_cert and tls_key belong together: give both or none")
    return config


def _check_preemption(config: Config) -> None:
    by_qos = any(one.preempts for one in config.qos)
    if by_qos and any(one.core.preempt != "off" for one in config.partitions):
        raise ConfigError(
            "qos: QOS preempt others (preempts), and partitions have preempt as well; as in Slurm, "
            "one of them decides: leave the other one out"
        )


def _check_programs(config: Config) -> None:
    """Check that the site's programs on this node can be run, and that no other account can change
    them: the local agent does not start with others."""
    for key in ("prolog", "epilog", "health_check", "reboot_program"):
        path = getattr(config, key)
        if path is None:
            continue
        try:
            check_program(path)
        except OSError as error:
            raise ConfigError(f"{key}: {path}: {error.strerror}") from error
        except (ChangeableError, NotExecutableError) as error:
            raise ConfigError(f"{key}: {error}") from error
