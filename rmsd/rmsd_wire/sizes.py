"""Memory sizes as Slurm spells them. Standard library only."""

from __future__ import annotations

_UNITS_MIB = {
    "K": 1 / 1024,
    "M": 1.0,
    "G": 1024.0,
    "T": 1024.0**2,
}
_MAX_MIB = 1 << 40


class SizeError(ValueError):
    """The text is not a size; the message says what was given and what is accepted."""


def parse_mem_mib(text: str) -> int:
    """Return the MiB of `512`, `512M`, `1.5G`, `2GiB` (powers of 1024) and `2GB` (of 1000), rounded
    up.

    A bare number is MiB, and K, M, G, T count in 1024, as in Slurm.

    Raises:
        SizeError: the text has none of these forms or is beyond an exbibyte.
    """
    number = text.strip()
    upper = number.upper()
    factor = 1.0
    for letter, mib in _UNITS_MIB.items():
        power = "KMGT".index(letter) + 1
        for suffix, value in (
            (letter + "IB", mib),
            (letter + "B", 1000.0**power / 1024.0**2),
            (letter, mib),
        ):
            if upper.endswith(suffix):
                number, upper, factor = number[: -len(suffix)], "", value
                break
    digits = number.strip().replace(".", "", 1)
    if not digits or not digits.isascii() or not digits.isdigit() or len(digits) > 18:
        raise SizeError(f"'{text}' is not a memory size; expected a number with K, M, G or T")
    exact = float(number) * factor
    if exact > _MAX_MIB:
        raise SizeError(f"'{text}' is more memory than any machine has")
    return int(exact) if exact == int(exact) else int(exact) + 1


def slurms_size(text: str) -> str:
    """Return a size of memory that is written for Slurm, where `4GB` is `4G`, as we write it."""
    size = text.strip()
    is_binary = size[-1:] in ("B", "b") and size[-2:-1].upper() in _UNITS_MIB
    return size[:-1] if is_binary else text


def format_mem(mib: int) -> str:
    """Return the shortest exact form: `512M`, `4G`."""
    if mib and mib % 1024 == 0:
        return f"{mib // 1024}G"
    return f"{mib}M"
