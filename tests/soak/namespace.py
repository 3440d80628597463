"""A network namespace of its own, with one link to this one that can be cut."""

from __future__ import annotations

import os
import subprocess


class NamespaceError(Exception):
    """Namespaces cannot be had here; the message says why."""


class Namespace:
    """Reaches this machine at `host`, through a pair of virtual links. Raises NamespaceError."""

    def __init__(self) -> None:
        self.name = f"soak{os.getpid()}"
        number = os.getpid() % 250
        self.host = f"198.18.{number}.1"  # for measurements, RFC 2544: nobody's real network
        self._link = f"sk{os.getpid()}"
        inside = f"{self._link}i"
        self._ip("netns", "add", self.name)
        try:
            self._ip("link", "add", self._link, "type", "veth", "peer", "name", inside)
            self._ip("link", "set", inside, "netns", self.name)
            self._ip("addr", "add", f"{self.host}/30", "dev", self._link)
            self._ip("link", "set", self._link, "up")
            self._ip("-n", self.name, "addr", "add", f"198.18.{number}.2/30", "dev", inside)
            self._ip("-n", self.name, "link", "set", inside, "up")
            self._ip("-n", self.name, "link", "set", "lo", "up")
        except NamespaceError:
            self.close()
            raise

    @property
    def prefix(self) -> list[str]:
        """Return the words before a command that is to run in the namespace."""
        return ["ip", "netns", "exec", self.name]

    def cut(self) -> None:
        """Let nothing come through, and tell nobody."""
        self._ip("link", "set", self._link, "down")

    def mend(self) -> None:
        self._ip("link", "set", self._link, "up")

    def close(self) -> None:
        self._ip("netns", "delete", self.name)  # the pair of interfaces goes with the namespace

    def _ip(self, *arguments: str) -> None:
        try:
            done = subprocess.run(["ip", *arguments], capture_output=True, text=True)
        except OSError as error:
            raise NamespaceError(f"ip: {error.strerror}") from error
        if done.returncode != 0:
            raise NamespaceError(f"ip {' '.join(arguments)}: {done.stderr.strip()}")
