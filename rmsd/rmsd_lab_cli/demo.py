"""Start a daemon in a temporary directory, with this machine as a real node beside emulated ones.
Run real scripts, kill one at its limit and one by hand. Then replay a generated trace at an
accelerated clock and compare the result with the simulation of the same jobs. Everything is removed
afterwards.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from rmsd_cli.errors import CommandError
from rmsd_cli.termination import ended_in_order, scratch_directory, undisturbed
from rmsd_daemon.setup.state_dir import running_pid
from rmsd_lab_cli.replay.private_daemon import end_jobs
from rmsd_lab_cli.report import measures_table

EPILOG = """\
exit codes:
  0  everything went as it should
  1  something did not; the last lines say what
"""

JOBS, PROCESSORS, SEED, RATE = 300, 64, 4, 4000

HELLO = """#!/bin/sh
#RSUB --job-name=hello --time=1:00 --constraint=real
echo "Hello from job $RMS_JOB_ID on $RMS_NODELIST"
"""
WIDE = """#!/bin/sh
#SBATCH --job-name=wide
#SBATCH --nodes=2 --ntasks=4 --time=1:00
rrun -l sh -c 'echo "task $RMS_PROCID of $RMS_NTASKS"' | sort
"""
STUBBORN = """#!/bin/sh
#RSUB -J stubborn -t 2s
trap 'echo "I was asked to stop and exit 0"; exit 0' TERM
echo "I would run for an hour"
sleep 3600 & wait
"""
FOREVER = """#!/bin/sh
#RSUB -J forever -t 1:00:00
sleep 3600
"""


class Demo:
    """Runs commands as a user would, shows them, and insists on what they do."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = Path(sys.executable).parent
        self.environ = os.environ | {
            "RMSD_STATE_DIR": str(folder / "state"),
            "PATH": f"{self.bin}{os.pathsep}{os.environ.get('PATH', '')}",
        }
        for name in ("RMSD_SERVER", "RMSD_TOKEN_FILE", "RMSD_CA_FILE", "RMSD_CONFIG"):
            self.environ.pop(name, None)

    def say(self, text: str) -> None:
        bold, plain = ("\x1b[1m", "\x1b[0m") if _colours() else ("", "")
        print(f"\n{bold}== {text}{plain}", flush=True)

    def run(self, *command: str, shown: bool = True, expect: int = 0) -> str:
        """Run a command to its end and return its output; another exit code ends the demo."""
        if shown:
            print(f"$ {shlex.join(command)}", flush=True)
        code, out, err = self._carry_out(command, subprocess.PIPE)
        if shown and out:
            print(out.rstrip(), flush=True)
        if code != expect:
            raise CommandError(
                f"`{shlex.join(command)}` exited with {code}, expected {expect}:\n"
                f"{out[-2000:]}{err[-2000:]}"
            )
        return out

    def run_with_progress(self, *command: str) -> str:
        """Run a command and return its output. Unlike `run`, leave standard error, and so the
        progress bar, to the terminal."""
        print(f"$ {shlex.join(command)}", flush=True)
        code, out, _ = self._carry_out(command, None)
        if code:
            raise CommandError(f"`{shlex.join(command)}` exited with {code}")
        return out

    def _carry_out(self, command: Sequence[str], stderr: int | None) -> tuple[int, str, str]:
        """Run a command and return its exit code, output and errors. Ctrl-C reaches the demo alone.
        The demo then ends the command, and gives the command time to clean up."""
        with ExitStack() as stack:
            with undisturbed():
                child = stack.enter_context(
                    subprocess.Popen(
                        command,
                        cwd=self.folder,
                        env=self.environ,
                        stdout=subprocess.PIPE,
                        stderr=stderr,
                        text=True,
                        start_new_session=True,
                    )
                )
                stack.callback(_end, child)
            out, err = child.communicate()
        return child.returncode, out, err or ""

    def script(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text)
        return name

    def submit(self, *arguments: str) -> int:
        return int(self.run("rsub", "--parsable", *arguments))

    def job(self, job_id: int) -> dict[str, Any]:
        answer = json.loads(self.run("rstat", "--json", str(job_id), shown=False))
        job: dict[str, Any] = answer["job"] if "job" in answer else answer["jobs"][0]
        return job

    def await_state(self, job_id: int, wanted: str, within_s: float = 20.0) -> dict[str, Any]:
        """Return the job once it is in state `wanted`. Another terminal state ends the demo."""
        deadline = time.monotonic() + within_s
        while True:
            job = self.job(job_id)
            if job["state"] == wanted:
                return job
            if job["end_us"] is not None or time.monotonic() > deadline:
                raise CommandError(
                    f"job {job_id} is {job['state']}, expected {wanted}: {job['message']}"
                )
            time.sleep(0.1)


def _end(child: subprocess.Popen[str]) -> None:
    """Terminate a child process and wait for its end. A child that has ended already is left
    alone."""
    child.terminate()
    child.wait()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add nothing: the demo has no arguments."""


def run(args: argparse.Namespace) -> int:  # noqa: ARG001
    begun = time.monotonic()
    with ended_in_order(), scratch_directory("rmsd-demo-") as folder:
        demo = Demo(folder)
        with demo_daemon(demo):
            _run_scripts(demo)
        _replay_a_trace(demo)
    print(f"\nAll as it should be, in {time.monotonic() - begun:.0f} s.")
    return 0


@contextmanager
def demo_daemon(demo: Demo) -> Iterator[None]:
    """Run a daemon in the demo's state directory. Neither the daemon nor a job is left
    afterwards."""
    demo.say("A daemon, with this machine as a real node beside four emulated ones")
    state_dir = demo.folder / "state"
    try:
        with undisturbed():
            demo.run("rmsd", "start", "--detach", "--emulate", "4x2", "--recipe", "easy++")
        yield
    finally:
        with undisturbed():
            try:
                if running_pid(state_dir) is not None:
                    demo.run("rmsd", "stop")
            finally:
                end_jobs(state_dir)


def _run_scripts(demo: Demo) -> None:
    demo.run("rnode")
    demo.say("Real scripts: one here, one across two nodes, one too long, one to be killed")
    hello = demo.submit(demo.script("hello.sh", HELLO))
    wide = demo.submit(demo.script("wide.sh", WIDE))
    stubborn = demo.submit(demo.script("stubborn.sh", STUBBORN))
    forever = demo.submit(demo.script("forever.sh", FOREVER))
    filler = demo.submit(
        "-J", "filler", "-n", "8", "-t", "5", "-C", "emulated", "--wrap", "sleep 1"
    )
    demo.await_state(forever, "RUNNING")
    demo.run("rstat")
    demo.run("rdel", str(forever))

    demo.say("How they ended")
    demo.await_state(forever, "CANCELLED")
    late = demo.await_state(stubborn, "TIMEOUT")
    if late["cause"] != "limit":
        raise CommandError(f"job {stubborn} ended by {late['cause']}, expected its limit")
    for job_id in (hello, wide, filler):
        demo.await_state(job_id, "COMPLETED")
    demo.run("rstat", "-t", "all")
    _expect(demo.run("rlog", str(hello)), f"Hello from job {hello}")
    _expect(demo.run("rlog", str(wide)), "3: task 3 of 4")
    _expect(demo.run("rlog", str(stubborn)), "I was asked to stop")


def _replay_a_trace(demo: Demo) -> None:
    demo.say(f"A trace of {JOBS} jobs, replayed {RATE:,} times as fast through a daemon's API")
    generate = ["rmsd", "generate", "--jobs", str(JOBS), "--procs", str(PROCESSORS)]
    generate += ["--seed", str(SEED)]
    trace = demo.script("sample.swf", demo.run(*generate, shown=False))
    print(f"$ {shlex.join(generate)} > {shlex.quote(str(trace))}")
    replay = ["rmsd", "replay", trace, "--rate", str(RATE), "--recipe", "easy++", "--json"]
    report = json.loads(demo.run_with_progress(*replay))
    reference = json.loads(
        demo.run("rmsd", "simulate", trace, "--recipe", "easy++", "--json", shown=False)
    )
    print(measures_table({"replayed live": report, "simulated": reference}))
    deviation = 100 * report["fidelity"]["wait_mean_deviation"]
    print(f"The live mean wait is {deviation:+.2f}% off the simulated one.")
    if report["jobs"]["counted"] != JOBS:
        raise CommandError(f"{report['jobs']['counted']} of {JOBS} jobs came back")


def _expect(output: str, wanted: str) -> None:
    if wanted not in output:
        raise CommandError(f"expected '{wanted}' in the output above")


def _colours() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
