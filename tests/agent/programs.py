"""Programs that jobs of the agent's tests run."""

from __future__ import annotations

import shlex

HOLD_160_MIB = "import time; held = bytearray(160 << 20); print('held', flush=True); time.sleep(60)"


def python(code: str) -> str:
    return f"exec python3 -c {shlex.quote(code)}"
