"""The check that texts are UTF-8: users may type or export any bytes, and JSON carries UTF-8
alone."""

from __future__ import annotations

from rmsd_client.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def check_utf8(*named: tuple[str, str]) -> None:
    """Check pairs of a name, for the message, and a text.

    Raises:
        UsageError: one of the texts is not UTF-8.
    """
    for what, text in named:
        if not _is_utf8(text):
            raise UsageError(f"the {what} is not UTF-8 text: {text!r}")


def encodable(environment: Mapping[str, str], warn: Callable[[str], None]) -> dict[str, str]:
    """Return the environment without the variables that are not UTF-8; `warn` is called for
    each."""
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
