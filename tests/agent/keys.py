"""Keys of the kernel (keyrings(7)): the calls that programs in jobs make for them."""

from __future__ import annotations

import platform
import sys

from tests.agent.users import MultiUserRig

KEYCTL, ADD_KEY = {
    "x86_64": (250, 248),
    "aarch64": (219, 217),
    "riscv64": (219, 217),
    "ppc64le": (271, 269),
    "s390x": (280, 278),
}.get(platform.machine(), (0, 0))
CALL = """
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *values):
    found = libc.syscall(number, *(ctypes.c_long(v) if isinstance(v, int) else v for v in values))
    return found if found >= 0 else -ctypes.get_errno()
"""
JOIN, INVALIDATE, SESSION = 1, 21, -3  # linux/keyctl.h


class KeyringRig(MultiUserRig):
    """A rig whose agent has a session keyring, as services of systemd and logins have."""

    def command(self, *options: str) -> list[str]:
        joined = f"{CALL}\nimport sys\ncall({KEYCTL}, {JOIN}, None)\n"
        become = "os.execvp(sys.argv[1], sys.argv[1:])"
        return [sys.executable, "-c", joined + become, *super().command(*options)]
