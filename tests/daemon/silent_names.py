"""A name server that does not answer for one name, `silent.invalid`."""

from __future__ import annotations

from pathlib import Path

from tests.live import Daemon

_SILENT = """
import socket, threading
look_up = socket.getaddrinfo
def of_somebody(host, *args, **more):
    if host == "silent.invalid":
        open({asked!r}, "w").close()
        threading.Event().wait()
    return look_up(host, *args, **more)
socket.getaddrinfo = of_somebody
"""


def silence(daemon: Daemon) -> Path:
    """Let the next start of the daemon get no answer for `silent.invalid`. Return the file that is
    there once the daemon has asked."""
    folder, asked = daemon.root / "site", daemon.root / "asked"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(_SILENT.format(asked=str(asked)))
    daemon.env["PYTHONPATH"] = str(folder)
    return asked
