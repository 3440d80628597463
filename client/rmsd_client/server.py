"""Where the daemon is, and the token that opens it."""

from __future__ import annotations

import os
import socket

from rmsd_client.errors import NotPermitted, UsageError

_MAX_SOCKET_PATH = 107  # bytes, sockaddr_un of Linux
_SYSTEM_SOCKET = "/run/rmsd/rmsd.sock"  # where a daemon of root's serves every account


class Address:
    """A Unix socket's `path`, or a TCP `host` and `port` (then `path` is "")."""

    __slots__ = ("host", "path", "port")

    def __init__(self, *, path: str = "", host: str = "", port: int = 0) -> None:
        self.path = path
        self.host = host
        self.port = port

    def __str__(self) -> str:
        return f"unix:{self.path}" if self.path else f"http://{self.netloc}"

    @property
    def netloc(self) -> str:
        """What goes into the Host header."""
        if self.path:
            return "localhost"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    def connect(self, timeout_s: float) -> socket.socket:
        """A connected stream socket. Raises OSError."""
        if not self.path:
            connected = socket.create_connection((self.host, self.port), timeout_s)
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connected
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connected.settimeout(timeout_s)
            connected.connect(self.path)
        except BaseException:
            connected.close()
            raise
        return connected


def parse_address(url: str, origin: str) -> Address:
    """`unix:/path` or `http://host:port`; `origin` says in messages where the text came from.

    Raises:
        UsageError: the text is neither.
    """
    scheme, _, rest = url.partition(":")
    if scheme == "unix" and rest.startswith("/"):
        return _unix_address("/" + rest.lstrip("/"), origin)
    if scheme == "http" and rest.startswith("//"):
        host, _, port = rest[2:].rstrip("/").rpartition(":")
        if host and port.isascii() and port.isdigit() and 0 < int(port) < 65536:
            return Address(host=host.removeprefix("[").removesuffix("]"), port=int(port))
    raise UsageError(
        f"{origin}: '{url}' is not a server; expected unix:/path/to/rmsd.sock or http://HOST:PORT"
    )


def _unix_address(path: str, origin: str) -> Address:
    if len(os.fsencode(path)) > _MAX_SOCKET_PATH:
        raise UsageError(
            f"{origin}: a socket's path has at most {_MAX_SOCKET_PATH} bytes, this one has more: "
            f"'{path}'"
        )
    return Address(path=path)


def find_server(option: str | None = None) -> Address:
    """`option` > RMSD_SERVER > RMSD_STATE_DIR/rmsd.sock > the state directory of this user > the
    machine's own daemon. Without a daemon anywhere: the state directory of this user."""
    if option:
        return parse_address(option, "--server")
    if url := os.environ.get("RMSD_SERVER"):
        return parse_address(url, "RMSD_SERVER")
    if state_dir := os.environ.get("RMSD_STATE_DIR"):
        return _unix_address(os.path.abspath(f"{state_dir}/rmsd.sock"), "RMSD_STATE_DIR")
    state_home = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    own = f"{state_home}/rmsd/rmsd.sock"
    if not os.path.exists(own) and os.path.exists(_SYSTEM_SOCKET):
        own = _SYSTEM_SOCKET
    return _unix_address(own, "state directory")


def read_token(option: str | None = None) -> str | None:
    """The first line of the file that `option` or RMSD_TOKEN_FILE names; None if neither is given.

    Raises:
        NotPermitted: the file may not be read.
        UsageError: it is not there, or its first line is no token.
    """
    origin = "--token-file" if option else "RMSD_TOKEN_FILE"
    path = option or os.environ.get("RMSD_TOKEN_FILE")
    if not path:
        return None
    try:
        with open(path, encoding="ascii") as file:
            token = file.readline().strip()
    except PermissionError as error:
        raise NotPermitted(f"{origin}: {path}: {error.strerror}") from None
    except OSError as error:
        raise UsageError(f"{origin}: {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{origin}: {path}: a token is ASCII text on the first line") from None
    if not token or not token.isprintable() or " " in token:
        raise UsageError(f"{origin}: {path}: the first line is not a token")
    return token
