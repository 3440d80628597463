"""What a user has typed or exported may be any bytes; JSON carries UTF-8 alone."""

from __future__ import annotations

from rmsd_client.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def check_utf8(*named: tuple[str, str]) -> None:
    """Pairs of what it is and its text.

    Raises:
        UsageError: one of the texts is not UTF-8.
    """
    for what, text in named:
        if not _is_utf8(text):
            raise UsageError(f"the {what} is not UTF-8 text: {text!r}")


def encodable(environment: Mapping[str, str], warn: Callable[[str], None]) -> dict[str, str]:
    """Without the variables that are not UTF-8; `warn` is told of each."""
    kept = {}
    for name, value in environment.items():
        if _is_utf8(name + value):
            kept[name] = value
        else:
            warn(f"{name!r}: the variable is not UTF-8 and is not passed on")
    return kept


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
