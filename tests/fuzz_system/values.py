"""Generators of values: usable ones, ones at and over their bounds, and hostile ones.

A value is made from the type that its reader expects (`msgspec.inspect`), so that new fields and
messages are reached without a change here. No text has a slash or two dots in a row, so that no
made-up text names another file than a party means.
"""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect

Hints = Mapping[str, Callable[["Values"], Any]]
"""The makers of sensible values, by the names of fields."""

DEAD_PIDS = (1 << 22, 1 << 30, (1 << 31) - 1)
"""Numbers of no process: the largest pid of Linux is one below the first of them."""

_EDGES = (0, 1, -1, 127, 255, 65_535, 65_536)
_POWERS = (31, 32, 50, 53, 62, 63, 64)
_FAR = (-(1 << 63), 10**30, -(10**30))
_REALS = (0.0, -0.0, 1e-9, 0.5, 1e12, 1.1e12, -1e12, 1e300, -1e300)
_NO_NUMBERS = (float("nan"), float("inf"), float("-inf"))
_LENGTHS = (1, 20, 255, 256, 257, 4095, 4096, 4097)
_LONG = (65_535, 65_536, 65_537, 1 << 20)
_ATOMS = (
    *("a", "%x", "%j%x", "%", "%%", "root", "all", "None", "null", "true"),
    *("\u202e", "\u200d", "\u0301", "\ufeff", "\uffff", "\U0001f9ea", "\u00e9", "e\u0301"),
    *("\ud800", "\udc80", "\0", "\n", "\r\n", "\t", "\x1b[2J", "\x9b", "\x7f"),
    *(" ", "\u00a0", "\u2028", '"', "'", "\\", "`", "$(true)", ";", "&", "|", "<b>", "{", "[1-9]"),
    *(
        ",",
        "=",
        "#",
        "*",
        "?",
        "~",
        "@",
        "-",
        "--",
        "0",
        "9",
        "\u00b2",
        "\uff11",
        "-1",
        "1e9",
        "nan",
    ),
)
_EXTRA = ("x", "type", "op", "", "seq", "\u00e9")


class Values:
    """A maker of values by `rng`. `odd` is the share of values that are not as they should be."""

    def __init__(self, rng: random.Random, odd: float = 0.0, hints: Hints | None = None) -> None:
        self.rng = rng
        self.odd = odd
        self._hints: Hints = hints or {}

    # ------------------------------------------------------------ single values

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def text(self, most: int | None = None) -> str:
        """Return any text; with `most`, now and then one of that many characters, or one more."""
        atoms = self.rng.choices(_ATOMS, k=self.rng.choice((1, 1, 2, 5)))
        if self.chance(0.6):
            return "".join(atoms)
        length = self.rng.choice(_LONG if self.chance(0.05) else _LENGTHS)
        if most is not None and self.chance(0.7):
            length = most + self.rng.choice((0, 1))
        unit = "".join(atoms)
        return (unit * (length // len(unit) + 1))[:length]

    def word(self) -> str:
        """Return a short usable name."""
        return "".join(self.rng.choices("abcdefgh0123456789-", k=self.rng.randint(1, 12)))

    def whole(self, low: int | None = None, high: int | None = None) -> int:
        """Return any whole number, now and then one at the bounds `low` and `high`, or beyond."""
        if low is not None and self.chance(0.3):
            return low - self.rng.choice((0, 1))
        if high is not None and self.chance(0.4):
            return high + self.rng.choice((0, 1))
        if self.chance(0.4):
            return (1 << self.rng.choice(_POWERS)) + self.rng.choice((-1, 0))
        return self.rng.choice(_EDGES if self.chance(0.7) else _FAR)

    def real(self) -> float:
        return self.rng.choice(_NO_NUMBERS if self.chance(0.2) else _REALS)

    def anything(self, depth: int = 3) -> Any:
        """Return any value of JSON."""
        makers: list[Callable[[], Any]] = [
            self.text, self.whole, self.real, lambda: None, lambda: self.chance(0.5)
        ]  # fmt: skip
        if depth:
            makers += [
                lambda: [self.anything(depth - 1) for _ in range(self.rng.randint(0, 3))],
                lambda: {self.text(): self.anything(depth - 1) for _ in range(2)},
            ]
        return self.rng.choice(makers)()

    # ------------------------------------------------------------ values of a type

    def of(self, kind: Any) -> Any:
        """Return what a `kind` is decoded from, as dictionaries, lists and plain values."""
        return self._of(_type_info(kind), "")

    def hinted(self, field: str) -> Any:
        """Return what the hint for this field makes."""
        return self._hints[field](self)

    def _of(self, kind: inspect.Type, field: str) -> Any:
        if self.chance(self.odd / 4):
            return self.anything()
        if isinstance(kind, inspect.StructType):
            return self._struct(kind)
        hint = self._hints.get(field)
        if hint is not None and not self.chance(self.odd / 2):
            return hint(self)
        match kind:
            case inspect.UnionType():
                return self._of(self.rng.choice(kind.types), field)
            case inspect.ListType() | inspect.VarTupleType() | inspect.CollectionType():
                return [self._of(kind.item_type, field) for _ in range(self.rng.randint(0, 2))]
            case inspect.TupleType():
                return [self._of(one, field) for one in kind.item_types]
            case inspect.NamedTupleType():
                return [self._of(one.type, one.encode_name) for one in kind.fields]
            case inspect.DictType():
                return {self.word(): self._of(kind.value_type, field)}
            case _:
                return self._plain(kind)

    def _struct(self, kind: inspect.StructType) -> dict[str, Any]:
        made = {} if kind.tag_field is None else {kind.tag_field: kind.tag}
        for one in kind.fields:
            if one.required or self.chance(0.5):
                made[one.encode_name] = self._of(one.type, one.encode_name)
        if made and self.chance(self.odd / 2):
            del made[self.rng.choice(list(made))]
        if self.chance(self.odd / 2):
            made[self.rng.choice(_EXTRA)] = self.anything()
        return made

    def _plain(self, kind: inspect.Type) -> Any:
        odd = self.chance(self.odd)
        match kind:
            case inspect.BoolType():
                return self.chance(0.5)
            case inspect.IntType():
                low, high = _bounds(kind)
                return self.whole(low, high) if odd else self.rng.randint(low or 0, 9)
            case inspect.FloatType():
                return self.real() if odd else round(self.rng.uniform(0, 5), 3)
            case inspect.StrType():
                if odd:
                    return self.text(kind.max_length)
                return self.word() if kind.pattern is None else f"w{self.word()}"
            case inspect.BytesType():
                return self.rng.randbytes(self.rng.choice((0, 1, 5000)) if odd else 8)
            case inspect.EnumType():
                return self.text() if odd else self.rng.choice([one.value for one in kind.cls])
            case inspect.LiteralType():
                return self.text() if odd else self.rng.choice(kind.values)
            case _:
                return None

    # ------------------------------------------------------------ bytes

    def bent(self, data: bytes) -> bytes:
        """Return `data` with one to three changes."""
        changed = bytearray(data)
        for _ in range(self.rng.randint(1, 3)):
            at = self.rng.randint(0, len(changed))
            match self.rng.randrange(5):
                case 0:
                    changed[at : at + 1] = self.rng.randbytes(1)
                case 1:
                    del changed[at:]
                case 2:
                    changed[at:at] = self.rng.randbytes(self.rng.randint(1, 8))
                case 3:
                    changed[at:at] = changed[at : at + 64]
                case _:
                    changed[at : at + 4] = b"\xff\xff\xff\xff"
        return bytes(changed)

    def nested(self) -> bytes:
        """Return JSON that is nested deeper than readers go."""
        depth = self.rng.choice((500, 5000, 100_000))
        return self.rng.choice((b"[", b'{"a":', b'{"jobs":[')) * depth

    def json(self, value: Any) -> bytes:
        """Return `value` as JSON, in one of its spellings."""
        text = json.dumps(value, ensure_ascii=self.chance(0.7), default=_as_text)
        return text.encode("utf-8", "surrogatepass")


def tag_of(message: Any, field: str, tags: Collection[str]) -> str:
    """Return the tag of a made-up message, as far as it is one of `tags`."""
    tag = message.get(field) if isinstance(message, dict) else None
    return tag if isinstance(tag, str) and tag in tags else "odd tag"


def packed(value: Any) -> bytes:
    """Return `value` as MessagePack, with what that cannot hold replaced."""
    return msgspec.msgpack.encode(_packable(value))


def _packable(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-8", "replace").decode()
        case bool():
            return value
        case int():
            return max(-(1 << 63), min(value, (1 << 64) - 1))
        case list():
            return [_packable(one) for one in value]
        case dict():
            return {_packable(key): _packable(one) for key, one in value.items()}
        case _:
            return value


def _as_text(value: object) -> str:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)


def _bounds(kind: inspect.IntType) -> tuple[int | None, int | None]:
    """Return the least and the largest number that is taken."""
    high = kind.le if kind.lt is None else kind.lt - 1
    return kind.ge, high


@cache
def _type_info(kind: Any) -> inspect.Type:
    return inspect.type_info(kind)
