"""`rsub` from the shell against the interpreter it needs."""

from __future__ import annotations

import os
import sys
from statistics import median

from tests.bench.measure import BIN, Figures, wall_s
from tests.bench.private_daemon import private_daemon

_TIMES = 40


def bench() -> Figures:
    # A drained node: the daemon has nothing else to do than to take the job.
    with private_daemon(["--emulate", "1", "--no-local-node"]) as client:
        client.drain(client.nodes()[0]["name"], "measuring rsub")
        env = os.environ | {"RMSD_SERVER": client.server}
        command = [str(BIN / "rsub"), "--wrap", "true", "-o", "/dev/null"]
        pairs = [  # side by side, so that a busy machine slows both
            (wall_s(command, env), wall_s([sys.executable, "-c", "pass"], env))
            for _ in range(_TIMES)
        ]
    ours_s, bare_s = (median(pair[at] for pair in pairs) for at in (0, 1))
    return {
        "rsub --wrap true": f"{1e3 * ours_s:.1f} ms",
        "python3 -c pass": f"{1e3 * bare_s:.1f} ms",
        "ratio": f"{median(ours / bare for ours, bare in pairs):.2f}",
    }
