"""Reading and writing the small files of /proc and of cgroups, without buffers and text layers.

They would take twice the time, and give every shepherd a fifth of a MiB of memory of its own.
"""

from __future__ import annotations

import os

_PAGE = 4096


def read(path: str) -> str:
    """Return what a file says. Raises OSError."""
    return read_bytes(path).decode(errors="replace")


def read_bytes(path: str) -> bytes:
    """Return the bytes of a file. Raises OSError."""
    fd = os.open(path, os.O_RDONLY)
    try:
        data = chunk = os.read(fd, _PAGE)
        while chunk:
            chunk = os.read(fd, _PAGE)
            data += chunk
    finally:
        os.close(fd)
    return data


def write(path: str, text: str) -> None:
    """Write to a file of the kernel's, in one call. Raises OSError."""
    fd = os.open(path, os.O_WRONLY)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)
