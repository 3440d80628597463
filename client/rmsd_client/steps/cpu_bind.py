"""The values of --cpu-bind: to which processors of its job each task of a step is bound."""

from __future__ import annotations

from typing import NamedTuple

from rmsd_client.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rmsd_client.steps.tasks import Task

_KINDS = {
    "no": "none", "none": "none", "core": "cores", "cores": "cores", "thread": "threads",
    "threads": "threads", "rank": "rank",
}  # fmt: skip
_LISTS = {"map_cpu": "map", "mask_cpu": "mask"}
_PLACELESS = ("socket", "sockets", "ldom", "ldoms", "rank_ldom", "map_ldom", "mask_ldom")
_MOST_ITEMS = 1 << 16
MOST_PROCESSORS = 4096
"""The processors of a node have numbers below this one."""


class WrongBinding(UsageError):
    """A value of --cpu-bind is none. `placeless`: Slurm knows it, and it has no meaning here."""

    def __init__(self, message: str, *, placeless: bool = False) -> None:
        super().__init__(message)
        self.placeless = placeless


class CpuBind(NamedTuple):
    """The binding of a step's tasks. `listed`: the processors of each task in turn, for `map` and
    `mask`."""

    how: str = "none"
    listed: tuple[tuple[int, ...], ...] = ()
    is_verbose: bool = False

    @property
    def by_place(self) -> bool:
        """Return whether each task is bound to processors by its place on the node."""
        return self.how in ("cores", "threads", "rank")

    def of(self, task: Task) -> dict[str, Any] | None:
        """Return what the node of a task is told (`TaskBind`); None: nothing."""
        if self.how == "none" and not self.is_verbose:
            return None
        listed = self.listed[task.local_rank % len(self.listed)] if self.listed else ()
        return {
            "how": self.how,
            "processors": list(listed or task.processors),
            "verbose": self.is_verbose,
            "local_rank": task.local_rank,
        }


def parse_cpu_bind(text: str) -> CpuBind:
    """Return the binding that a text asks for, as `verbose,cores` or `map_cpu:0,2*3`.

    Raises:
        WrongBinding: the text is no binding; the message says why.
    """
    is_verbose, rest = False, text.strip()
    while rest:
        word, _, more = rest.partition(",")
        word = word.lower()
        if word in ("q", "quiet", "v", "verbose"):
            is_verbose, rest = word[0] == "v", more
            continue
        name, colon, _ = word.partition(":")
        if name in _PLACELESS:
            raise WrongBinding(
                f"'{rest}': jobs have whole processors, whichever sockets and memory these belong "
                "to; say cores, threads, rank, map_cpu or mask_cpu",
                placeless=True,
            )
        if colon and name in _LISTS:
            return CpuBind(_LISTS[name], _listed(name, rest.partition(":")[2]), is_verbose)
        if word in _KINDS and not more:
            return CpuBind(_KINDS[word], (), is_verbose)
        raise WrongBinding(
            f"'{rest}' is not understood; expected none, cores, threads, rank, map_cpu:LIST or "
            "mask_cpu:LIST, and perhaps 'verbose,' or 'quiet,' before"
        )
    return CpuBind("none", (), is_verbose)


def _listed(name: str, text: str) -> tuple[tuple[int, ...], ...]:
    """Return the processors in each item of a list; `ITEM*N` stands for N of them."""
    items: list[tuple[int, ...]] = []
    for item in text.split(","):
        value, star, times = item.partition("*")
        count = _number(times, 10) if star else 1
        number = _number(value, 16 if name == "mask_cpu" else 10)
        if name == "map_cpu" and number is None:
            number = _number(value, 16) if value.lower().startswith("0x") else None
        if number is None or not count or len(items) + count > _MOST_ITEMS:
            raise WrongBinding(f"'{item}' is no item of {name}: a number, and perhaps '*COUNT'")
        numbers = _bits(number) if name == "mask_cpu" else (number,)
        if not numbers or max(numbers) >= MOST_PROCESSORS:
            raise WrongBinding(f"'{item}' of {name} names no processors")
        items += [numbers] * count
    return tuple(items)


def _number(text: str, base: int) -> int | None:
    digits = text.lower().removeprefix("0x") if base == 16 else text
    allowed = "0123456789abcdef"[:base]
    most = MOST_PROCESSORS // 4 if base == 16 else 7
    if not digits or len(digits) > most or any(letter not in allowed for letter in digits):
        return None
    return int(digits, base)


def _bits(mask: int) -> tuple[int, ...]:
    return tuple(at for at in range(mask.bit_length()) if mask >> at & 1)
