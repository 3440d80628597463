"""Frames of the agent link: lists of messages with a size that the receiver takes.

A sender closes a frame at `FRAME_BYTES`; a longer message travels in a frame of its own. A receiver
reads every message by itself, so that a message that it cannot read costs that message alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import msgspec

from rmsd_wire.malformed import MALFORMED

FRAME_BYTES = 1 << 20
MAX_FRAME_BYTES = 64 << 20
"""The longest frame that is accepted. The longest message is the launch of the largest script."""
MAX_MESSAGES = 100_000
"""The most messages in one frame; a frame with more is not read at all."""
MAX_TEXT = 4096
"""The most characters of a text for people, such as why a job could not be started."""

_GAP = " [...] "
_TAIL = 512
_SPOILED = (OverflowError, UnicodeError, ValueError, TypeError)
"""The errors of `msgspec` for a message that no receiver could read."""

_MessageT = TypeVar("_MessageT")
_FieldT = TypeVar("_FieldT")
_encoder = msgspec.msgpack.Encoder()
_messages: msgspec.msgpack.Decoder[list[msgspec.Raw]] = msgspec.msgpack.Decoder(
    Annotated[list[msgspec.Raw], msgspec.Meta(max_length=MAX_MESSAGES)]
)


def cut(text: str) -> str:
    """Return a text that can be sent and stored: without surrogates, and not longer than
    `MAX_TEXT`.

    The end of the text is kept, since the reason of a failure comes after the path that failed.
    """
    if len(text) > MAX_TEXT:
        text = text[: MAX_TEXT - _TAIL - len(_GAP)] + _GAP + text[-_TAIL:]
    return text.encode(errors="replace").decode()


def next_frame(
    outbox: deque[Any], unsendable: Callable[[object, Exception], None]
) -> tuple[bytes, list[Any]]:
    """Take messages off the front of `outbox` until they fill a frame.

    Returns:
        The frame, which has at least one message unless none could be encoded, and its messages.
        A message that cannot be encoded is left out, and `unsendable` is called with it.
    """
    encoded: list[msgspec.Raw] = []
    taken: list[Any] = []
    size_bytes = 0
    while outbox and len(encoded) < MAX_MESSAGES:
        message = outbox[0]
        try:
            one = _encoder.encode(message)
        except _SPOILED as error:
            unsendable(outbox.popleft(), error)
            continue
        if encoded and size_bytes + len(one) > FRAME_BYTES:
            break
        taken.append(outbox.popleft())
        encoded.append(msgspec.Raw(one))
        size_bytes += len(one)
    return _encoder.encode(encoded), taken


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A message that its receiver cannot read, for the reason `error`."""

    error: str
    _raw: msgspec.Raw

    def field(self, name: str, kind: type[_FieldT]) -> _FieldT | None:
        """Return a field of the message if that much of it can be read, else None."""
        try:
            fields = _envelope.decode(self._raw)
            value: _FieldT = msgspec.msgpack.decode(getattr(fields, name), type=kind)
        except MALFORMED:
            return None
        return value


class _Envelope(msgspec.Struct):
    """The fields that identify a message, and its job or call."""

    type: msgspec.Raw = msgspec.Raw()
    seq: msgspec.Raw = msgspec.Raw()
    call: msgspec.Raw = msgspec.Raw()
    job_id: msgspec.Raw = msgspec.Raw()
    attempt: msgspec.Raw = msgspec.Raw()
    node: msgspec.Raw = msgspec.Raw()


_envelope = msgspec.msgpack.Decoder(_Envelope)


def messages_in(
    frame: bytes, decode: Callable[[msgspec.Raw], _MessageT]
) -> Iterator[_MessageT | Unreadable]:
    """Read the messages of a frame one by one, each when it is asked for.

    Raises:
        One of `MALFORMED`, before the first message: the frame is no list of messages.
    """
    return (_read(raw, decode) for raw in _messages.decode(frame))


def _read(raw: msgspec.Raw, decode: Callable[[msgspec.Raw], _MessageT]) -> _MessageT | Unreadable:
    try:
        return decode(raw)
    except MALFORMED as error:
        return Unreadable(cut(str(error)), raw)
