"""HTTP/1.1 over a Unix socket or TCP in a few lines: http.client would triple `rsub`'s start.

One `Connection` is kept alive and is used by one thread at a time. A request that fails because the
daemon is away is sent again, so every request of the API must tolerate a repetition. Submits carry
an Idempotency-Key; the others state a result and not a change.
"""

from __future__ import annotations

import os
import time

from rmsd_client.connection import site_file
from rmsd_client.connection.server import Address
from rmsd_client.errors import NotPermitted, Unreachable

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator, Mapping

_MAX_HEAD = 64 * 1024
_RECV = 256 * 1024
CONNECT_S = 5.0
ANSWER_S = 10.0  # the silence after which the daemon counts as stuck
_BODY_S = 60.0  # the time for a body, plus a second for each `_SLOWEST` bytes
_SLOWEST = 16 * 1024
_NEVER_S = float("inf")
_MOST_INTERIM = 10  # answers (1xx) before the answer
MOST_BODY = 64 << 20
"""Bytes of an answer, unless a request says otherwise."""
_FIRST_PAUSE_S = 0.02
_MAX_PAUSE_S = 1.0
_NOTICE_S = 1.0  # the user is told of an outage longer than this
_TOKEN_ENDS = "rmsd-token-ends"
_OK = 200
_TOKEN_UNKNOWN = 401
_NOT_FOR_JOBS = (401, 403, 404)
"""The statuses for what a job's token does not open. The error tells of the user's token then."""
_ENDED = "this connection was ended"
_MOST_DIGITS = 11  # digits of a time in seconds that can be shown as a date


class ProtocolError(OSError):
    """The peer closed the connection early or does not speak HTTP/1.1."""


class TooLargeError(ProtocolError):
    """The answer is longer than any answer to this request: asking again does not help."""


class TooSlowError(TimeoutError):
    """The answer comes so slowly that it may never be complete."""


class Response:
    """An answer: `status`, `headers` with names in lower case, `body`."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body


class Connection:
    """A keep-alive connection that is opened again when it breaks.

    `retry_for_s` is how long a request waits for a daemon that is away. `notice` is called with a
    sentence once per outage that lasts more than a second. `made` counts the connections so far:
    after one more, there may be another daemon at the other end. `job_token` is asked with as well
    where the daemon does not know `token`, or not any more.
    """

    def __init__(
        self,
        address: Address,
        token: str | None = None,
        retry_for_s: float = 5.0,
        notice: Callable[[str], None] | None = None,
        job_token: str | None = None,
    ) -> None:
        self.address = address
        self.retry_for_s = retry_for_s
        self._notice = notice
        self._authorizations = [
            f"Authorization: Bearer {one}\r\n" for one in (token, job_token) if one
        ] or [""]
        self._socket: socket.socket | None = None
        self._buffer = bytearray()
        self._silence_s = self._begun_s = self._whole_s = 0.0
        self._came = 0  # bytes, since `_begun_s`
        self._is_chunked = False
        self.made = 0
        self._has_warned = False
        self._is_ended = False
        # True once the daemon has answered: from then on its socket may be away for a moment.
        self._met = False

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        self._buffer.clear()

    def end(self) -> None:
        """Close the connection for good, from any thread: a call that another thread waits in
        raises Unreachable."""
        self._is_ended = True
        connected = self._socket
        if connected is not None:
            try:
                connected.shutdown(2)  # SHUT_RDWR, which wakes a thread that reads
            except OSError:
                return  # the daemon has closed it

    def tell(self, text: str) -> None:
        """Tell the user, if there is a `notice`."""
        if self._notice:
            self._notice(text)

    def request(
        self,
        method: str,
        target: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        wait_s: float = 0.0,
        most: int = MOST_BODY,
    ) -> Response:
        """Send a request and read its answer, whatever its status.

        `wait_s` is how long the daemon was asked to hold the answer back; `most` is how many bytes
        its body may have.

        Raises:
            Unreachable: no answer came for `retry_for_s`, and for ten seconds if the daemon
                takes connections; or the answer is not HTTP, too slow, or too long.
            NotPermitted: the socket may not be opened, or the server is not the daemon.
        """
        first, *others = self._authorizations
        message = self._message(first, method, target, body, headers)
        response = self._exchange(message, wait_s, most)
        if response.status == _TOKEN_UNKNOWN:
            for other in others:
                message = self._message(other, method, target, body, headers)
                again = self._exchange(message, wait_s, most)
                if again.status not in _NOT_FOR_JOBS:
                    return again
        return response

    def _exchange(self, message: bytes, wait_s: float, most: int) -> Response:
        give_up = None
        sent = False
        pause_s = _FIRST_PAUSE_S
        while True:
            began = time.monotonic()
            try:
                connected = self._connect()
                sent = True
                connected.settimeout(ANSWER_S + wait_s)
                _send(connected, message)
                return self._read_response(ANSWER_S + wait_s, most)
            except OSError as error:
                self.close()
                if self._is_ended:
                    raise Unreachable(_ENDED, sent) from error
                self._raise_if_hopeless(error)
                if give_up is None:
                    # The wait for a silent daemon has begun already; after a broken connection it
                    # begins now.
                    since = began if isinstance(error, TimeoutError) else time.monotonic()
                    give_up, notice_at = since + self.retry_for_s, since + _NOTICE_S
                if time.monotonic() + pause_s >= give_up:
                    raise Unreachable(self._farewell(error), sent) from error
            except BaseException:
                self.close()  # an answer may be under way: the next request must not read it
                raise
            if self._notice and notice_at and time.monotonic() + pause_s >= notice_at:
                self._notice(f"the daemon at {self.address} does not answer, trying again")
                notice_at = 0.0
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, _MAX_PAUSE_S)

    def _message(
        self,
        authorization: str,
        method: str,
        target: str,
        body: bytes | None,
        headers: Mapping[str, str] | None,
    ) -> bytes:
        head = f"{method} {target} HTTP/1.1\r\nHost: {self.address.netloc}\r\n{authorization}"
        for name, value in (headers or {}).items():
            head += f"{name}: {value}\r\n"
        if body is None:
            return f"{head}\r\n".encode("ascii")
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        return head.encode("ascii") + body

    def _raise_if_hopeless(self, error: OSError) -> None:
        path = self.address.path
        if isinstance(error, TooLargeError):
            raise Unreachable(f"{self.address} is not an rmsd daemon: {error}", True) from error
        if why := getattr(error, "verify_message", None):  # ssl.SSLCertVerificationError
            raise NotPermitted(
                f"{self.address} cannot prove that it is the daemon: {why}; is RMSD_CA_FILE "
                "(--ca-file) its ca.pem, and is this its name?"
            ) from error
        if isinstance(error, PermissionError):
            raise NotPermitted(f"{path or self.address}: {error.strerror}") from error
        gone = path and isinstance(error, FileNotFoundError)
        if gone and not (self._met or self.address.was_served()):
            raise Unreachable(
                f"no daemon here: there is no socket {path}; start one with 'rmsd start', or say "
                "where it is with --server, RMSD_SERVER, RMSD_STATE_DIR or /etc/rmsd/client.toml"
            ) from error

    def _farewell(self, error: OSError) -> str:
        why = error.strerror or str(error) or type(error).__name__
        if isinstance(error, TimeoutError) and not isinstance(error, TooSlowError):
            why = "it is silent; it may be stopped, or overloaded"
        if isinstance(error, BlockingIOError):  # a Unix socket whose backlog is full
            why = "too many connections wait for it; it may be stopped, or overloaded"
        path = self.address.path
        gone = path and isinstance(error, FileNotFoundError)
        if not gone and not isinstance(error, ConnectionRefusedError):
            return f"the daemon at {self.address} does not answer: {why}"
        if path:
            who = "'rmsd start' starts it"
            if self.address.of_system:
                who = "its administrator starts it"
            if gone and self.address.of_system and not os.path.exists(site_file.PATH):
                who += f", or, if it is on another machine, names it in {site_file.PATH}"
            return f"the daemon is not running: no process serves its socket {path} ({why}); {who}"
        return (
            f"no daemon listens at {self.address}: {why}; is the address right? If it is, the "
            "daemon is down, and its administrator starts it on its own machine"
        )

    def open_stream(self, target: str, headers: Mapping[str, str], silence_s: float) -> Response:
        """Ask for an answer that goes on, over a connection of its own. If the status is 200,
        `stream` has the body; else the answer has it. Raises Unreachable, and NotPermitted as
        `request` does."""
        response = Response(_TOKEN_UNKNOWN, {}, b"")
        for authorization in self._authorizations:
            self.close()
            try:
                connected = self._connect()
                connected.settimeout(ANSWER_S)
                _send(connected, self._message(authorization, "GET", target, None, headers))
                self._expect(ANSWER_S, ANSWER_S)
                status, told = self._read_head()
                body = b"" if status == _OK else self._read_body(status, told, MOST_BODY)
            except OSError as error:
                raise self._broken(error) from error
            response = Response(status, told, body)
            if status != _TOKEN_UNKNOWN:
                break
        self._is_chunked = response.headers.get("transfer-encoding", "").lower() == "chunked"
        self._silence_s, self._whole_s = silence_s, _NEVER_S
        return response

    def stream(self) -> Iterator[bytes]:
        """Yield the parts of the body of `open_stream` as they come, until the daemon ends it.
        Raises Unreachable if it breaks, or is silent for too long."""
        try:
            while True:
                self._begun_s = time.monotonic()
                if not self._is_chunked:
                    self._more()
                    yield self._take(len(self._buffer))
                    continue
                size = _chunk_size(self._take_until(b"\r\n"))
                if size == 0:
                    return
                _check_size(size, MOST_BODY)
                yield self._take(size)
                self._take(2)
        except OSError as error:
            raise self._broken(error) from error
        finally:
            self.close()

    def _broken(self, error: OSError) -> Unreachable:
        """Return the error for a stream that cannot be read, or cannot be read on."""
        self.close()
        if self._is_ended:
            return Unreachable(_ENDED)
        self._raise_if_hopeless(error)
        return Unreachable(self._farewell(error))

    def _connect(self) -> socket.socket:
        if self._is_ended:
            raise ProtocolError(_ENDED)
        if self._socket is None:
            self._socket = self.address.connect(CONNECT_S)
            self._met = True
            self.made += 1
        return self._socket

    def _read_response(self, silence_s: float, most: int) -> Response:
        self._expect(silence_s, silence_s)
        status, headers = self._read_head()
        interim = 0
        while 100 <= status < 200:
            interim += 1
            if interim > _MOST_INTERIM:
                raise ProtocolError(f"more than {_MOST_INTERIM} answers that are none ({status})")
            status, headers = self._read_head()
        self._expect(silence_s, max(silence_s, _BODY_S))
        body = self._read_body(status, headers, most)
        self.warn_of_the_end_of_the_token(headers.get(_TOKEN_ENDS, ""))
        if headers.get("connection", "").lower() == "close":
            self.close()
        return Response(status, headers, body)

    def warn_of_the_end_of_the_token(self, ends_s: str) -> None:
        """Tell the user, once, what the daemon says of a token in its last two weeks."""
        if not _is_number(ends_s) or len(ends_s) > _MOST_DIGITS or self._has_warned:
            return
        self._has_warned = True
        until = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(int(ends_s)))
        self.tell(
            f"your token ends at {until}; get a new one before ('rmsd token new' on the daemon's "
            "machine, or from its administrator)"
        )

    def _expect(self, silence_s: float, whole_s: float) -> None:
        """Allow no silence longer than `silence_s` from now on. The whole answer may take
        `whole_s`, and a second for each `_SLOWEST` bytes."""
        self._silence_s, self._whole_s = silence_s, whole_s
        self._begun_s, self._came = time.monotonic(), 0

    def _more(self) -> None:
        assert self._socket is not None
        end_s = self._begun_s + self._whole_s + self._came / _SLOWEST
        left_s = end_s - time.monotonic()
        if left_s <= 0:
            raise TooSlowError("its answer comes too slowly; it may be overloaded")
        self._socket.settimeout(min(left_s, self._silence_s))
        data = self._socket.recv(_RECV)
        if not data:
            raise ProtocolError("the connection was closed before the answer was complete")
        self._buffer += data
        self._came += len(data)

    def _take(self, count: int) -> bytes:
        while len(self._buffer) < count:
            self._more()
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        return taken

    def _take_until(self, mark: bytes) -> bytes:
        while (end := self._buffer.find(mark)) < 0:
            if len(self._buffer) > _MAX_HEAD:
                raise ProtocolError(f"more than {_MAX_HEAD} bytes of headers")
            self._more()
        return self._take(end + len(mark))[: -len(mark)]

    def _read_head(self) -> tuple[int, dict[str, str]]:
        first, *lines = self._take_until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        version, _, rest = first.partition(" ")
        if not version.startswith("HTTP/1.") or not _is_number(rest[:3]) or int(rest[:3]) < 100:
            raise ProtocolError(f"not an HTTP answer: '{first[:60]}'")
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        return int(rest[:3]), headers

    def _read_body(self, status: int, headers: Mapping[str, str], most: int) -> bytes:
        if status in (204, 304):
            return b""
        if headers.get("transfer-encoding", "").lower() == "chunked":
            return self._read_chunks(most)
        length = headers.get("content-length", "")
        if not _is_number(length):
            raise ProtocolError("the answer has no length")
        _check_size(int(length), most)
        return self._take(int(length))

    def _read_chunks(self, most: int) -> bytes:
        body = bytearray()
        while True:
            size = _chunk_size(self._take_until(b"\r\n"))
            if size == 0:
                break
            _check_size(len(body) + size, most)
            body += self._take(size)
            self._take(2)
        while self._take_until(b"\r\n"):
            pass  # trailers
        return bytes(body)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def _chunk_size(line: bytes) -> int:
    text = line.partition(b";")[0].strip()
    try:
        return max(int(text, 16), 0)
    except ValueError:
        raise ProtocolError(f"not a chunk's size: {text[:20]!r}") from None


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise TooLargeError(f"its answer has {size} bytes or more, and may have {most}")


def _send(connected: socket.socket, message: bytes) -> None:
    """Send the message. A peer that hangs up in the middle may have answered why: then the answer
    is read."""
    try:
        connected.sendall(message)
    except (BrokenPipeError, ConnectionResetError):
        return


def idempotency_key() -> str:
    """Return a key by which the daemon recognises repetitions of one submit."""
    return os.urandom(16).hex()
