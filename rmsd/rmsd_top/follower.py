"""A thread that reads the output of a job as it comes."""

from __future__ import annotations

import codecs
import threading
import time
from collections.abc import Callable

from rmsd_client.api import Client
from rmsd_client.calls.output import Output
from rmsd_client.calls.output_length import length_of
from rmsd_client.errors import ApiError, ClientError
from rmsd_top.texts import OutputText

PART = 64 * 1024
"""Bytes of a part of the output. So much is shown before the end of a long output."""
_MOST_PARTS = 16
"""Full parts in a row after which all but the end is left out: a job may write faster than a
terminal shows."""
_WAIT_S = 20.0
_PAUSE_S = 1.0
_GONE = (403, 404)


class Follower:
    """Reads the output of `job` until it is closed or the job is over, also after errors that may
    pass.

    show: is called with more text, and whether that begins anew, since the job has started again.
    note: is called with a remark on the state of the output; "" ends it.
    Both are called in the thread.
    """

    def __init__(
        self,
        connect: Callable[[], Client],
        job: str,
        stream: str,
        show: Callable[[str, bool], None],
        note: Callable[[str], None],
    ) -> None:
        self._connect = connect
        self._job = job
        self._stream = stream
        self._show = show
        self._note = note
        self._closed = threading.Event()
        self._client: Client | None = None
        self._attempt: int | None = None
        self._offset = 0
        self._full_parts = _MOST_PARTS  # the end of a long output is shown soon
        self._begin_text()
        self._thread = threading.Thread(target=self._run, name=f"output of {job}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def is_closed(self) -> bool:
        return self._closed.is_set()

    def close(self) -> None:
        self._closed.set()
        if self._client is not None:
            self._client.connection.end()

    def _begin_text(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = OutputText()

    def _run(self) -> None:
        self._read_on()
        if self._client is not None:
            self._client.close()

    def _read_on(self) -> None:
        wait_s = 0.0
        while not self._closed.is_set():
            begun_s = time.monotonic()
            try:
                if self._client is None:
                    self._client = self._connect()
                output = self._read(self._client, wait_s)
            except ApiError as error:
                self._tell(str(error))
                if error.status in _GONE:
                    return
                self._closed.wait(_PAUSE_S)
                continue
            except ClientError:
                self._tell("the daemon does not answer")
                self._closed.wait(_PAUSE_S)
                continue
            if output.eof and not output.data:
                self._tell("the job is over")
                return
            self._tell("")
            if wait_s and not output.data and time.monotonic() - begun_s < _PAUSE_S:
                self._closed.wait(_PAUSE_S)  # there is no output to wait for yet
            wait_s = _WAIT_S

    def _read(self, client: Client, wait_s: float) -> Output:
        output = self._at(client, self._offset, PART, wait_s)
        begins = bool(self._attempt and output.attempt and output.attempt != self._attempt)
        if begins:
            self._begin_text()
        self._attempt, self._offset = output.attempt, output.offset
        if output.data or begins:
            self._add(output.data, begins)
        self._full_parts = self._full_parts + 1 if len(output.data) == PART else 0
        if self._full_parts > _MOST_PARTS:
            self._full_parts = 0
            self._leave_out(client)
        return output

    def _at(self, client: Client, offset: int, limit: int, wait_s: float = 0.0) -> Output:
        return client.output(
            self._job,
            self._stream,
            offset=offset,
            limit=limit,
            wait_s=wait_s,
            attempt=self._attempt,
        )

    def _leave_out(self, client: Client) -> None:
        """Go on near the present end of the output."""

        def has_byte(offset: int) -> bool:
            found = self._at(client, offset, 1)
            return bool(found.data) and found.attempt == self._attempt

        begin = length_of(has_byte, self._offset) - PART
        if begin > self._offset:
            self._begin_text()
            self._add(f"\n... {begin - self._offset:,} bytes are left out ...\n".encode())
            self._offset = begin

    def _add(self, data: bytes, begins: bool = False) -> None:
        if not self._closed.is_set():
            self._show(self._text.add(self._decoder.decode(data)), begins)

    def _tell(self, note: str) -> None:
        if not self._closed.is_set():
            self._note(note)
