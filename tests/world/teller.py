"""Stories on request: `python -m tests.world.teller` reads orders, and tells each story in a child.

Whoever needs single stories saves the time in which a process learns what all stories need.
"""

from __future__ import annotations

import os
import subprocess
import sys

import msgspec

from tests.world.story import Result, tell_apart, warm_up


class Order(msgspec.Struct):
    """The story to tell: one of chance, or the script; with the bug injected, if there is one."""

    seed: int
    bug: str | None
    script: str | None


class Teller:
    """A process that tells stories one after the other."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.world.teller"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # otherwise sets have another order in every process
            env=os.environ | {"PYTHONHASHSEED": "0"},
        )

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()

    def tell(self, seed: int = 0, *, bug: str | None = None, script: str | None = None) -> Result:
        """Return the result of a story."""
        asks, answers = self._process.stdin, self._process.stdout
        assert asks is not None
        assert answers is not None
        asks.write(msgspec.json.encode(Order(seed, bug, script)) + b"\n")
        asks.flush()
        return msgspec.json.decode(answers.readline(), type=Result)


def main() -> None:
    warm_up()
    for line in sys.stdin.buffer:
        order = msgspec.json.decode(line, type=Order)
        [result] = tell_apart([order.seed], order.bug, order.script)
        sys.stdout.buffer.write(msgspec.json.encode(result) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
