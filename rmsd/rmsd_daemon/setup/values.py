"""The kinds of values that the daemon's settings have, and the reader of each kind.

A reader raises ValueError, TypeError or OverflowError for a value that is not usable. The message
says what was given and what is accepted.
"""

from __future__ import annotations

import re
from argparse import BooleanOptionalAction
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, cast

from rmsd_core.lifecycle.core import CapacityKind
from rmsd_core.recipes.text import RecipeError, limited
from rmsd_daemon.setup.accounts import AccountSettings, QosSettings, parse_accounts, parse_qos
from rmsd_daemon.setup.licenses import parse_license_table
from rmsd_daemon.setup.partitions import PartitionSettings, parse_partitions
from rmsd_daemon.setup.third_party import recipe_of
from rmsd_process.logs import LEVELS
from rmsd_wire.durations import DurationError, parse_duration_s
from rmsd_wire.emulate import parse_emulate
from rmsd_wire.features import parse_features
from rmsd_wire.gres import parse_devices
from rmsd_wire.link_values import PACED
from rmsd_wire.rlimits import parse_propagate
from rmsd_wire.settings import Kind
from rmsd_wire.sizes import SizeError, parse_mem_mib

TrialOutput = Literal["truncate", "keep"]

_LEAST_KEPT_S = 3600
_PORT = re.compile(r"[1-9]\d{0,4}", re.ASCII)
_MOST_POINTS = 1_000_000_000
"""The most points of a QOS or a partition under the order `priority`."""
_MOST_SCRIPT_BYTES = 32 << 20
"""A launch with a script of this size, and with its environment, fits into a frame of the link."""


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise TypeError(f"{value!r} is not a text")
    return value.strip()


def _path(value: object) -> Path:
    try:
        return Path(_text(value)).expanduser().absolute()
    except RuntimeError as error:  # "~ann" and no such account
        raise ValueError(f"'{value}': {error}") from None


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
    parse_emulate(text)  # raises; the local agent reads the text again
    return text


def _gres(value: object) -> str:
    text = _text(value)
    if text != "auto":
        parse_devices(text)  # raises; the local agent reads the text again
    return text


def _features(value: object) -> str:
    text = _text(value) if value else ""
    parse_features(text)  # raises; the local agent reads the text again
    return text


def _emulated_gres(value: object) -> str:
    text = _text(value)
    if any(device.path for device in parse_devices(text)):
        raise ValueError(f"'{text}': emulated nodes have no files of devices; say gpu:4")
    return text


def _cores(value: object) -> int:
    """Read a number that the command line has as a text."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value)
    return _count(value)


def _bool(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is not true or false")
    return value


def parse_rate(value: object) -> float:
    """Read a rate: model seconds per real second, or "paced" (`PACED`).

    Raises:
        ValueError, TypeError: the value is not a number, or not a rate that a clock can keep.
    """
    if value == "paced":
        return PACED
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
    return limited(recipe).name


def _capacity(value: object) -> CapacityKind:
    if (text := _text(value)) not in ("nodes", "counted"):
        raise ValueError(f"'{text}' is neither 'nodes' nor 'counted'")
    return cast("CapacityKind", text)


def _trial_output(value: object) -> TrialOutput:
    if (text := _text(value)) not in ("truncate", "keep"):
        raise ValueError(f"'{text}' is neither 'truncate' nor 'keep'")
    return cast("TrialOutput", text)


def _duration(value: object) -> float | None:
    _refuse_bare(value, "s", "m")
    try:
        return parse_duration_s(_text(value))
    except DurationError as error:
        raise ValueError(str(error)) from error


def _refuse_bare(value: object, *units: str) -> None:
    """Refuse a number without a unit, because readers disagree about its unit.

    Raises:
        TypeError: the value is such a number.
    """
    if isinstance(value, int | float) or (isinstance(value, str) and value.strip().isdecimal()):
        number = str(value).strip()
        examples = " or ".join(f'"{number}{unit}"' for unit in units)
        raise TypeError(f"{number} has no unit; say {examples}")


def _kept(value: object) -> float | None:
    seconds = _duration(value)
    if seconds is not None and seconds < _LEAST_KEPT_S:
        raise ValueError(f"'{value}' is less than an hour")
    return seconds


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


def _points(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST_POINTS:
        raise ValueError(f"{value!r} is not a whole number from 0 to {_MOST_POINTS:,}")
    return value


def _level(value: object) -> str:
    if (text := _text(value).lower()) not in LEVELS:
        raise ValueError(f"'{text}' is not one of {', '.join(LEVELS)}")
    return text


def _rlimits(value: object) -> tuple[str, ...]:
    return parse_propagate(_text(value))


def or_unlimited(kind: Kind[int]) -> Kind[int | None]:
    """Return the kind that also accepts "UNLIMITED", which is read as None."""

    def parse(value: Any) -> int | None:
        if value == "UNLIMITED":
            return None
        try:
            return kind.parse(value)
        except (ValueError, TypeError) as error:
            raise ValueError(f'{error}, nor "UNLIMITED"') from error

    return Kind(parse, f'{kind.accepts}, or `"UNLIMITED"`')


def _readers() -> dict[str, Callable[[Any], Any]]:
    """Return the readers of the values that are in the tables of partitions, accounts and QOS."""
    return {
        "bool": _bool,
        "duration": _duration,
        "limited": _limited,
        "count": _count,
        "points": _points,
        "size": _size_mib,
        "names": _names,
    }


def _partitions(value: object) -> tuple[PartitionSettings, ...]:
    return parse_partitions(value, _readers())


def _accounts(value: object) -> tuple[AccountSettings, ...]:
    return parse_accounts(value, _readers())


def _qos(value: object) -> tuple[QosSettings, ...]:
    return parse_qos(value, _readers())


def _argument(metavar: str) -> dict[str, str]:
    return {"metavar": metavar}


DIRECTORY = Kind(_path, "a path", _argument("DIR"))
PATH = Kind(_path, "a path", _argument("PATH"))
LISTEN = Kind(_listen, '`"HOST:PORT"`', _argument("HOST:PORT"))
NAMES = Kind(_names, 'names: `["ann", "@wheel"]`')
GRES = Kind(
    _gres, "`auto`, `none`, or devices, as `gpu:a100=/dev/nvidia[0-3]`", {"metavar": "DEVICES"}
)
FEATURES = Kind(_features, "features, as `bigmem,ib`", {"metavar": "LIST"})
EMULATED_GRES = Kind(_emulated_gres, "devices, as `gpu:a100:4,fpga:1`", {"metavar": "DEVICES"})
EMULATE = Kind(_emulate, '`"N"` or `"NxCORES"`', _argument("N[xCORES]"))
BOOL = Kind(_bool, "`true` or `false`", {"action": BooleanOptionalAction})
RATE = Kind(parse_rate, 'a number from 0.001 to 1000000, or "paced"', _argument("R"))
REQUESTS = Kind(_requests, "requests a second, from 0.1 to 1000000")
RECIPE = Kind(_recipe, "a recipe", _argument("NAME"))
CAPACITY = Kind(_capacity, '`"nodes"` or `"counted"`', {"choices": ("nodes", "counted")})
TRIAL_OUTPUT = Kind(_trial_output, '`"truncate"` or `"keep"`')
DURATION = Kind(_duration, 'a duration, as `"90s"` or `"1h"`, or `"UNLIMITED"`')
KEPT = Kind(_kept, 'a duration from an hour, as `"90d"`, or `"UNLIMITED"`')
LIMITED = Kind(_limited, 'a duration, as `"90s"` or `"5m"`')
OVERRUN = Kind(_overrun, 'a duration, as `"90s"` or `"5m"`, or `"0s"`')
SIZE_MIB = Kind(_size_mib, 'a size, as `"512M"` or `"2G"`', _argument("SIZE"))
SIZE_BYTES = Kind(_size_bytes, 'a size, as `"512M"` or `"2G"`')
SCRIPT_BYTES = Kind(_script_bytes, 'a size, as `"512K"`, up to `"32M"`')
CORES = Kind(_cores, "a whole number from 1", _argument("N"))
PARTITIONS = Kind(_partitions, "a table for each: `[partitions.NAME]`")
ACCOUNTS = Kind(_accounts, "a table for each: `[accounts.NAME]`")
QOS = Kind(_qos, "a table for each: `[qos.NAME]`")
LICENSES = Kind(parse_license_table, "the table `[licenses]` with a number for each name")
COUNT = Kind(_count, "a whole number from 1")
RLIMITS = Kind(_rlimits, '`"ALL"`, `"NONE"` or names, as `"CORE,NOFILE"`')
LEVEL = Kind(
    _level,
    ", ".join(f'`"{level}"`' for level in LEVELS[:-1]) + f' or `"{LEVELS[-1]}"`',
    {"choices": LEVELS},
)
