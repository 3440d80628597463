"""Job scripts that do odd things to themselves, and harm nobody."""

from __future__ import annotations

from tests.fuzz_system.values import Values

_SHELL = (
    "exit 0",
    "exit 3",
    "exit 255",
    "kill -9 $$",
    "kill -SEGV $$",
    "kill -STOP $$",
    "kill -TERM 0",
    "trap '' TERM INT HUP; sleep 2",
    "exec 0<&- 1>&- 2>&-; sleep 0.2; exit 4",
    "head -c 100000 /dev/urandom",
    "head -c 3000 /dev/urandom >&2; printf '\\000\\377\\200'",
    "printf '\\033]0;title\\007\\033[2J'; printf '\\n%.0s' 1 2 3 4 5",
    "head -c 3000000 /dev/zero",
    'for f in rms-*.out; do mv "$f" "$f.moved"; done; echo after',
    "rm -f rms-*.out; echo gone",
    'for f in rms-*.out; do rm -f "$f"; mkdir "$f"; done; echo folder',
    'for f in rms-*.out; do rm -f "$f"; ln -s /dev/null "$f"; done; echo link',
    'for f in rms-*.out; do rm -f "$f"; mkfifo "$f"; done; echo fifo',
    "chmod 000 rms-*.out; echo closed",
    ": > rms-$RMS_JOB_ID.out; echo short; sleep 0.3; : > rms-$RMS_JOB_ID.out",
    'cd "$(mktemp -d -p .)" && rmdir "$PWD"; sleep 0.2; pwd',
    "setsid sleep 1 & setsid sleep 1 & exit 0",
    "(sleep 0.5; exit 3) & (setsid sh -c 'sleep 1' &); wait; exit 7",
    "sleep 0.2 & kill -STOP $!; exit 0",
    "env -i sh -c 'sleep 0.4' & exit 5",
    "ulimit -n 3; ulimit -f 1; sleep 0.1; echo limited",
    "i=0; while [ $i -lt 40 ]; do sleep 0.3 & i=$((i+1)); done; wait",
    "umask 777; echo masked > masked.$RMS_JOB_ID; exit 6",
    "sleep 5",
    "exec sleep 1",
    "exec /nonexistent/program",
    "rrun",
    "rrun true",
    "rrun -n 0 true",
    "rrun -n 99999999 true",
    "rrun --nonsense",
    "rrun sh -c 'exit 9'",
    "rrun sh -c 'kill -9 $$'",
    "rrun /nonexistent/program",
    "rrun head -c 50000 /dev/urandom",
    "rrun sh -c 'exec 1>&- 2>&-; exit 2'",
    "rrun -D /nonexistent true",
    "rrun sleep 1 & rrun true & wait",
    "rrun '' x",
)

_OTHERS = (
    "#!/bin/true\n",
    "#!/bin/false\n",
    "#!/bin/cat\n\x1b[0m text \u202e\n",
    "#!/nonexistent/interpreter\n",
    "#!/bin/true" + " x" * 200 + "\n",
    "#!",
    "#!/\n",
    "#!/bin/sh",
    "#! \n",
    "#!/bin/true\r\n",
)


def script(values: Values) -> str:
    """Return the text of a script; among odd values also one that is too long, or no script."""
    if not values.odd or values.chance(0.8):
        return f"#!/bin/sh\n{values.rng.choice(_SHELL)}\n"
    if values.chance(0.6):
        return values.rng.choice(_OTHERS)
    if values.chance(0.1):
        return "#!/bin/true\n" + "x" * ((1 << 22) - 12 + values.rng.choice((0, 1)))
    return f"#!/bin/true\n{values.text()}"
