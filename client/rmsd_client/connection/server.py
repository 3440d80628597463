"""The daemon's address, and the token that opens it."""

from __future__ import annotations

import os
import socket

from rmsd_client.connection import site_file
from rmsd_client.errors import NotPermitted, UsageError

_MAX_SOCKET_PATH = 107  # bytes, sockaddr_un of Linux
SYSTEM_SOCKETS: tuple[str, ...] = ("/run/rmsd/rmsd.sock", "/var/lib/rmsd/rmsd.sock")
"""The sockets of the machine's own daemon. The first is that of a daemon of root's, which serves
every account. The second is that of rmsd.service, which only root and the account of the daemon can
see."""


class Address:
    """The address of a daemon: a Unix socket's `path`, or a TCP `host` and `port` (then `path` is
    ""), which speaks TLS. `ca_file` has the certificates to trust there (None: the system's)."""

    __slots__ = ("ca_file", "host", "path", "port")

    def __init__(self, *, path: str = "", host: str = "", port: int = 0) -> None:
        self.path = path
        self.host = host
        self.port = port
        self.ca_file: str | None = None

    def __str__(self) -> str:
        return f"unix:{self.path}" if self.path else f"https://{self.netloc}"

    @property
    def netloc(self) -> str:
        """Return the Host header."""
        if self.path:
            return "localhost"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def of_system(self) -> bool:
        """Return whether this is the socket of the machine's own daemon."""
        return self.path in SYSTEM_SOCKETS

    def was_served(self) -> bool:
        """Return whether a daemon has served this Unix socket, though the socket may be gone: a
        daemon that stops takes it away."""
        public = self.path in SYSTEM_SOCKETS[:1]
        return _has_database(self.path) or (public and _has_folder(self.path))

    def connect(self, timeout_s: float) -> socket.socket:
        """Return a connected stream socket. Raises OSError."""
        if not self.path:
            connected = socket.create_connection((self.host, self.port), timeout_s)
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return self._encrypted(connected)
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connected.settimeout(timeout_s)
            connected.connect(self.path)
        except BaseException:
            connected.close()
            raise
        return connected

    def _encrypted(self, connected: socket.socket) -> socket.socket:
        import ssl  # costs more than all else that `rsub` imports

        try:
            context = ssl.create_default_context(cafile=self.ca_file)
            return context.wrap_socket(connected, server_hostname=self.host)
        except BaseException:
            connected.close()
            raise


def _has_database(path: str) -> bool:
    return os.path.exists(f"{os.path.dirname(path)}/rmsd.db")


def _has_folder(path: str) -> bool:
    return os.path.isdir(os.path.dirname(path))


def parse_address(url: str, origin: str) -> Address:
    """Return the address of `unix:/path` or `https://host:port`. `origin` says in messages where
    the text came from.

    Raises:
        UsageError: the text is neither.
    """
    scheme, _, rest = url.partition(":")
    if scheme == "unix" and rest.startswith("/"):
        return _unix_address("/" + rest.lstrip("/"), origin)
    if scheme == "https" and rest.startswith("//"):
        host, _, port = rest[2:].rstrip("/").rpartition(":")
        usable = port.isascii() and port.isdigit() and len(port) <= 5
        if host and usable and 0 < int(port) < 65536:
            return Address(host=host.removeprefix("[").removesuffix("]"), port=int(port))
    if scheme == "http":
        raise UsageError(f"{origin}: '{url}' is not encrypted; the daemon speaks https:// alone")
    raise UsageError(
        f"{origin}: '{url}' is not a server; expected unix:/path/to/rmsd.sock or https://HOST:PORT"
    )


def _unix_address(path: str, origin: str) -> Address:
    if len(os.fsencode(path)) > _MAX_SOCKET_PATH:
        raise UsageError(
            f"{origin}: a socket's path has at most {_MAX_SOCKET_PATH} bytes, this one has more: "
            f"'{path}'"
        )
    return Address(path=path)


def find_server(option: str | None = None) -> Address:
    """Return the address of the daemon: `option` > RMSD_SERVER > RMSD_STATE_DIR/rmsd.sock > the
    state directory of this user > the machine's own daemon > `server` in the site's file. Without a
    daemon anywhere: where there was one, else the state directory of this user.

    Raises:
        UsageError: what is given is no address, or the site's file cannot be used.
    """
    if option:
        return parse_address(option, "--server")
    if url := os.environ.get("RMSD_SERVER"):
        return parse_address(url, "RMSD_SERVER")
    if state_dir := os.environ.get("RMSD_STATE_DIR"):
        return _unix_address(os.path.abspath(f"{state_dir}/rmsd.sock"), "RMSD_STATE_DIR")
    state_home = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    own = f"{state_home}/rmsd/rmsd.sock"
    for path in (own, *SYSTEM_SOCKETS):
        if os.path.exists(path):
            return _unix_address(path, "state directory")
    if url := site_file.read().get("server"):
        return parse_address(url, site_file.PATH)
    for path in (own, *SYSTEM_SOCKETS):
        if _unix_address(path, "state directory").was_served():  # the daemon may be about to start
            return _unix_address(path, "state directory")
    return _unix_address(own, "state directory")


def read_token(option: str | None = None) -> str | None:
    """Return the first line of the file that `option` or RMSD_TOKEN_FILE names, else of
    ~/.config/rmsd/token; None: there is none.

    Raises:
        NotPermitted: the file may not be read, or may be read by others.
        UsageError: it is not there, or its first line is no token.
    """
    path, origin = _named(option, "--token-file", "RMSD_TOKEN_FILE", "token")
    if not path:
        return None
    try:
        with open(path, encoding="ascii") as file:
            if os.fstat(file.fileno()).st_mode & 0o077:
                raise NotPermitted(f"{origin}: {path} can be read by others; chmod 600 it")
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


def job_token() -> str | None:
    """Return the token that a job has for its own steps and records; None outside of a job."""
    return os.environ.get("RMSD_TOKEN") or None


def find_ca_file(option: str | None = None) -> str | None:
    """Return the file with the certificates to trust: `option`, RMSD_CA_FILE,
    ~/.config/rmsd/ca.pem, or `ca_file` in the site's file; None: the system's.

    Raises:
        UsageError: it cannot be read.
    """
    path, origin = _named(option, "--ca-file", "RMSD_CA_FILE", "ca.pem")
    if not path:
        path, origin = site_file.read().get("ca_file"), site_file.PATH
    if path and not os.access(path, os.R_OK):
        raise UsageError(f"{origin}: {path}: there is no such file, or it cannot be read")
    return path


def _named(option: str | None, flag: str, variable: str, name: str) -> tuple[str | None, str]:
    """Return the path of one of the user's files, and the option or variable that names it, for
    messages."""
    if option:
        return option, flag
    if path := os.environ.get(variable):
        return path, variable
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    path = f"{config}/rmsd/{name}"
    return (path if os.path.exists(path) else None), "configuration"
