"""Short notations: durations, sizes, host lists, task counts, recipes."""

from __future__ import annotations

import re
from contextlib import suppress

from rmsd_client.steps.tasks import parse_counts
from rmsd_core.recipes.text import RecipeError, parse_recipe, written_out
from rmsd_wire.durations import DurationError, format_duration, parse_duration_s, parse_time_limit_s
from rmsd_wire.hostlist import HostlistError, compress, expand
from rmsd_wire.sizes import SizeError, format_mem, parse_mem_mib
from tests.fuzz.harness import Harness

_FEW = 2000
_LARGE = re.compile(r"\d{5}")  # a million names take a second: too long for a search


def duration(text: str) -> None:
    """Expect a duration, which is read again from what is written of it, or a DurationError."""
    with suppress(DurationError):
        seconds = parse_duration_s(text)
        assert parse_time_limit_s(text) == seconds
        if seconds is None or seconds >= 1:
            again = parse_duration_s(format_duration(seconds))
            assert again == (None if seconds is None else int(seconds))
    with suppress(DurationError):
        time_limit_s = parse_time_limit_s(text)
        assert time_limit_s is None or time_limit_s > 0


def size(text: str) -> None:
    """Expect a size, which is read again from what is written of it, or a SizeError."""
    with suppress(SizeError):
        mib = parse_mem_mib(text)
        assert mib >= 0
        assert parse_mem_mib(format_mem(mib)) == mib


def host_list(text: str) -> None:
    """Check that names are read again from what is written of them, or a HostlistError raised."""
    with suppress(HostlistError):
        names = expand(text)
        if len(names) <= _FEW:
            assert expand(compress(names)) == names


def task_counts(text: str) -> None:
    """Check that counts are read, or a ValueError raised."""
    with suppress(ValueError):
        assert all(count >= 0 for count in parse_counts(text))


def recipe(text: str) -> None:
    """Expect a recipe, which its name and what is written of it make again, or a RecipeError."""
    with suppress(RecipeError):
        parsed = parse_recipe(text)
        assert parse_recipe(parsed.name) == parsed
        assert parse_recipe(written_out(parsed)).reserve == parsed.reserve


def check(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    duration(text)
    size(text)
    recipe(text)
    if not _LARGE.search(text):
        host_list(text)
        task_counts(text)


HARNESS = Harness(
    what="durations, sizes, host lists, task counts, recipes",
    check=check,
    readers=(
        "rmsd_core.recipes.text",
        "rmsd_wire.durations",
        "rmsd_wire.hostlist",
        "rmsd_wire.sizes",
    ),
    seeds=(
        *(b"90s", b"1-2:03:04", b"1.5h", b"UNLIMITED", b"10:30", b"0", b"9" * 5000 + b"s"),
        *(b"512", b"1.5G", b"2GiB", b"2GB", b"0.1K", b"1125899906842624M"),
        *(b"n[01-04,7],head", b"rack[08-11]x,a1b", b"n[0-9,00-15]x", b"a" * 300 + b"[1-9]"),
        *(b"2(x3),1", b"1(x99999999999999)", b"-1"),
        b"easy++,window=9,metric=median",
        b"timed-selective-d,thresholds=3.55/21.53/1.35/2.27,long=60,wide=64",
        b"dynp,bounds=60/90,min-queue=2",
        b"selective,threshold=adaptive,scale=0.5",
    ),
)
