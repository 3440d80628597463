"""Frames of the agent link: whatever one side can say, the other can read."""

from __future__ import annotations

import math
from collections import deque
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_agent.reports import Reports
from rmsd_agent.state.records import UnitStatus
from rmsd_core.vocabulary import Cause
from rmsd_wire import frames, link
from rmsd_wire.frames import MAX_TEXT, Unreadable, cut, messages_in, next_frame
from rmsd_wire.link_values import Id
from rmsd_wire.malformed import MALFORMED

_texts = st.text(st.characters(exclude_categories=[]), max_size=50)  # lone surrogates, too
_ints = st.integers(-(1 << 70), 1 << 70)
_floats = st.floats(allow_nan=True, allow_infinity=True)
_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 64) - 1) | _floats
    | st.text(max_size=20) | st.binary(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)  # fmt: skip
_exits = st.builds(
    link.ExitedReport,
    seq=st.integers(0, 1 << 61),
    job_id=st.integers(0, 1 << 61),
    attempt=st.integers(0, 1 << 30),
    node=st.text("ab", min_size=1, max_size=9),
    cause=st.sampled_from(Cause),
    message=st.text(max_size=300),
)


def lost(message: object, error: Exception) -> None:
    raise AssertionError(f"{message} cannot be sent: {error}")


def all_frames(messages: list[Any]) -> list[bytes]:
    outbox, found = deque(messages), []
    while outbox:
        found.append(next_frame(outbox, lost)[0])
    return found


@given(st.lists(_exits, max_size=20), st.integers(1, 600))
def test_messages_arrive_in_order_in_frames_of_a_size(
    messages: list[link.ExitedReport], frame_bytes: int
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(frames, "FRAME_BYTES", frame_bytes)
        sent = all_frames(messages)
    arrived = [one for frame in sent for one in messages_in(frame, link.to_daemon.decode)]
    assert arrived == messages
    sizes = [len(link.encoder.encode(message)) for message in messages]
    head_bytes = 5  # the most for a list's head
    assert all(len(frame) <= max([frame_bytes, *sizes]) + head_bytes for frame in sent)


def test_a_frame_is_full_at_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    messages = [link.Ack(1), link.Ack(2)]
    size_bytes = sum(len(link.encoder.encode(message)) for message in messages)
    monkeypatch.setattr(frames, "FRAME_BYTES", size_bytes)
    assert len(all_frames(messages)) == 1
    monkeypatch.setattr(frames, "FRAME_BYTES", size_bytes - 1)
    assert len(all_frames(messages)) == 2


def test_a_frame_has_so_many_messages_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    most = frames.MAX_MESSAGES
    empty = b"\xdd" + most.to_bytes(4, "big") + b"\xc0" * most
    assert all(isinstance(one, Unreadable) for one in messages_in(empty, link.to_agent.decode))
    with pytest.raises(MALFORMED):
        messages_in(b"\xdd" + (most + 1).to_bytes(4, "big") + b"\xc0" * (most + 1), int)
    monkeypatch.setattr(frames, "MAX_MESSAGES", 2)
    assert len(all_frames([link.Ack(1)] * 3)) == 2


@given(st.lists(_exits, min_size=1, max_size=5), st.data())
def test_what_cannot_be_read_costs_one_message(
    messages: list[link.ExitedReport], data: Any
) -> None:
    spoiled = data.draw(st.integers(0, len(messages) - 1))
    fields = msgspec.to_builtins(messages[spoiled])
    garbled = data.draw(
        st.one_of(
            _values,
            st.sampled_from(sorted(fields)).flatmap(
                lambda name: _values.map(lambda value: fields | {name: value})
            ),
        )
    )
    frame = link.encoder.encode([*messages[:spoiled], garbled, *messages[spoiled + 1 :]])
    arrived = list(messages_in(frame, link.to_daemon.decode))
    assert arrived[:spoiled] == messages[:spoiled]
    assert arrived[spoiled + 1 :] == messages[spoiled + 1 :]
    if isinstance(odd := arrived[spoiled], Unreadable):
        assert odd.error
        assert odd.field("seq", Id) in (None, messages[spoiled].seq)


@given(st.binary(max_size=200))
def test_any_bytes_are_messages_or_malformed(data: bytes) -> None:
    try:
        for message in messages_in(data, link.to_agent.decode):
            if isinstance(message, Unreadable):
                message.field("job_id", Id)
    except MALFORMED:
        return


@given(
    _texts,
    st.none() | _ints,
    st.none() | _ints,
    st.none() | _floats,
    st.none() | _ints,
    _floats,
)
def test_whatever_ends_a_unit_can_be_reported(
    message: str,
    exit_code: int | None,
    signal: int | None,
    cpu_s: float | None,
    max_rss_mib: int | None,
    ended_mono_s: float,
) -> None:
    status = UnitStatus(
        cause=Cause.EXIT,
        exit_code=exit_code,
        signal=signal,
        message=message * 200,
        cpu_s=cpu_s,
        max_rss_mib=max_rss_mib,
        ended_mono_s=ended_mono_s,
    )
    said: list[Any] = []
    reports = Reports(said.append)
    reports.exited((7, 1, "n"), status)
    for told in (said, reports.open_session()):
        [read] = messages_in(next_frame(deque(told), lost)[0], link.to_daemon.decode)
        assert isinstance(read, link.ExitedReport)
        assert read.message == cut(message * 200)
        assert 0 <= read.ago_s < math.inf


@given(_texts.map(lambda text: text * 200))
def test_a_text_that_is_cut_can_be_sent_and_keeps_its_ends(text: str) -> None:
    short = cut(text)
    assert len(short) <= MAX_TEXT
    short.encode()
    assert cut(short) == short
    whole = text.encode(errors="replace").decode()
    assert short == whole or (short[:1000] == whole[:1000] and short[-500:] == whole[-500:])


def test_a_text_is_cut_above_its_limit_alone() -> None:
    assert cut("x" * MAX_TEXT) == "x" * MAX_TEXT
    assert len(cut("x" * (MAX_TEXT + 1))) == MAX_TEXT
    assert cut("x" * MAX_TEXT + ": File name too long").endswith(": File name too long")


def test_what_cannot_be_encoded_is_left_out_and_said() -> None:
    unsendable: list[object] = []
    bad = link.Goodbye("\ud800", retry=True)
    outbox: deque[Any] = deque([link.Ack(1), bad, link.Ack(2)])
    frame, sent = next_frame(outbox, lambda message, _: unsendable.append(message))
    assert list(messages_in(frame, link.to_agent.decode)) == sent == [link.Ack(1), link.Ack(2)]
    assert unsendable == [bad]
