"""A private cluster, as its owner has it: what runs there, and what is to fail."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn, Self

from rmsd.testing.control import ENDS, ask
from rmsd.testing.faults import REFUSAL, Faults
from rmsd.testing.settings import Files, Settings
from rmsd.testing.starters import write_starters
from rmsd_client.api import Client
from rmsd_client.errors import ApiError
from rmsd_core.vocabulary import LIVE_STATES

VARIABLE = "RMSD_TEST_CLUSTER"
"""The variable with the folder of the cluster, for what runs with its environment."""

_END_S = 60.0
_WITHIN_S = 60.0
_LOOK_EVERY_S = 0.02
_FOREIGN = ("RMS_", "RMSD_", "SLURM_", "SBATCH_", "SQUEUE_", "SACCT_", "SINFO_", "SRUN_", "SALLOC_")
_AWAY = ("down", "suspect")


class ClusterError(Exception):
    """The cluster does not come up, or does not do in time what was asked; the message says why."""


class Cluster:
    """A private cluster: `env` is the environment in which Slurm's commands are the cluster's."""

    def __init__(self, folder: Path, guard: subprocess.Popen[bytes] | None = None) -> None:
        self._guard = guard
        self._files = Files(folder)
        self._faults = Faults(str(self._files.faults))
        self.settings = Settings.from_json(self._files.settings.read_text())
        self.bin = self._files.bin
        self.env = environment(self._files, os.environ)

    @classmethod
    def of_environment(cls) -> Self:
        """Return the cluster in whose environment this process runs.

        Raises:
            ClusterError: there is none.
        """
        folder = os.environ.get(VARIABLE)
        if not folder or not Files(Path(folder)).settings.exists():
            raise ClusterError("there is no cluster here; start one with 'rmsd slurm up'")
        return cls(Path(folder))

    def await_failure(self) -> NoReturn:
        """Wait until the cluster that this process has started ends by itself.

        Raises:
            ClusterError: it has ended.
        """
        assert self._guard is not None
        self._guard.wait()
        raise ClusterError("the cluster has ended: its supervisor was killed")

    # ------------------------------------------------------------ its use

    def run(
        self, *command: str | Path, cwd: Path | None = None, stdin: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in the cluster's environment to its end."""
        return subprocess.run(
            list(map(str, command)),
            input=stdin,
            cwd=cwd,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )

    def output(self, *command: str | Path, cwd: Path | None = None, stdin: str = "") -> str:
        """Return what a command prints; a failure raises CalledProcessError."""
        done = self.run(*command, cwd=cwd, stdin=stdin)
        done.check_returncode()
        return done.stdout

    def client(self) -> Client:
        """Return a client of the daemon, which no fault is in the way of."""
        return Client(self._files.server)

    def state(self, job: int | str) -> str:
        """Return the state of a job as it is, whatever accounting says."""
        with self.client() as client:
            return str(client.job(job)["state"])

    def wait(self, job: int | str, *states: str, within_s: float = _WITHIN_S) -> str:
        """Return the state of a job once it is one of these, by default once the job is over.

        Raises:
            ClusterError: that takes too long.
        """
        with self.client() as client:

            def reached() -> str:
                state = str(client.job(job)["state"])
                return state if (state in states if states else state not in LIVE_STATES) else ""

            return str(_await(reached, f"job {job} is {' or '.join(states) or 'over'}", within_s))

    # ------------------------------------------------------------ what fails

    def fail_node(self, name: str, back_after_s: float | None = None) -> None:
        """Let a node die with all that runs there. Return once the controller takes it for down,
        or at once if it comes back by itself, some time after that.

        Its jobs are put back, or end as NODE_FAIL if they may not be.
        """
        self._ask(act="fail-node", node=name, back_after_s=back_after_s)
        if back_after_s is None:
            _await(lambda: self._node_state(name) == "down", f"{name} is down", _WITHIN_S)

    def bring_back(self, name: str) -> None:
        """Let a dead node come back. Return once it is up."""
        self._ask(act="bring-back", node=name)
        _await(lambda: self._node_state(name) not in _AWAY, f"{name} is up", _WITHIN_S)

    def refuse_submits(self, count: int = 1, message: str = REFUSAL) -> None:
        """Have the next submits refused, with this message of Slurm's. 0 takes back the rest."""
        if count == 0:
            self._faults.take_back_refusals()
        self._faults.refuse(count, message)

    def unreachable(self, seconds: float) -> None:
        """Have no command reach the controller for some time from now on. Jobs and accounting go
        on; 0 ends this."""
        self._faults.unreachable_for(seconds)

    def accounting_lags(self, seconds: float) -> None:
        """Have `sacct` tell what was true some seconds ago, from now on; 0 ends this."""
        self._faults.let_accounting_lag(seconds)

    def drain(self, *nodes: str) -> None:
        """Let nodes, by default all, take no further jobs: jobs wait."""
        with self.client() as client:
            for name in nodes or self.settings.node_names:
                client.drain(name, "the test says so")

    def resume(self, *nodes: str) -> None:
        """Let nodes, by default all, take jobs again."""
        with self.client() as client:
            for name in nodes or self.settings.node_names:
                client.resume(name)

    def time_out(self, job: int | str) -> None:
        """Have a job end as by its time limit, as soon as it runs: TIMEOUT."""
        self._end_job(job, "timeout")

    def out_of_memory(self, job: int | str) -> None:
        """Have a job end as for its memory, as soon as it runs: OUT_OF_MEMORY."""
        self._end_job(job, "memory")

    def preempt(self, job: int | str, *, requeue: bool = True) -> None:
        """Have a job ended as soon as it runs, and put back, as with Slurm's PreemptMode=REQUEUE.
        Without `requeue` it is over, as with PreemptMode=CANCEL: PREEMPTED."""
        self._end_job(job, "preempt" if requeue else "preempt-cancel")

    def reset(self) -> None:
        """End all faults and cancel all jobs. Return once all nodes are idle."""
        self._faults.clear()
        with self.client() as client:
            for node in client.nodes():
                if node["state"] in _AWAY:
                    self._ask(act="bring-back", node=node["name"])
            for job in client.jobs():
                with contextlib.suppress(ApiError):  # the job has just ended
                    client.cancel(job["job_id"])
            self.resume()
            _await(
                lambda: (
                    not client.jobs() and all(node["state"] == "idle" for node in client.nodes())
                ),
                "all nodes are idle",
                _WITHIN_S,
            )

    def _end_job(self, job: int | str, how: str) -> None:
        assert how in ENDS
        with self.client() as client:
            number = client.job(job)["job_id"]
        self._ask(act="end-job", job=number, how=how)

    def _ask(self, **request: Any) -> None:
        ask(str(self._files.control), request)

    def _node_state(self, name: str) -> str:
        with self.client() as client:
            return next(str(node["state"]) for node in client.nodes() if node["name"] == name)


@contextlib.contextmanager
def running(settings: Settings) -> Iterator[Cluster]:
    """Run a cluster as long as the context lasts. It ends with this process, too.

    Raises:
        ClusterError: it does not come up.
    """
    supervisor = subprocess.Popen(
        [sys.executable, "-P", "-m", "rmsd.testing.supervisor", settings.to_json()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={k: v for k, v in os.environ.items() if not k.startswith(_FOREIGN)},
        cwd="/",
        start_new_session=True,
    )
    try:
        assert supervisor.stdout is not None
        line = supervisor.stdout.readline()
        answer = json.loads(line) if line else {"error": "its supervisor ended at once"}
        if "error" in answer:
            raise ClusterError(f"the cluster does not come up: {answer['error']}")
        folder = Path(answer["folder"])
        write_starters(Files(folder).bin)
        if settings.seed is not None:
            from rmsd.testing.story import begin

            begin(str(folder), settings.seed, settings.node_names)
        yield Cluster(folder, supervisor)
    finally:
        with supervisor:  # closes both pipes, which ends the supervisor, and waits for it
            pass


def environment(files: Files, env: Mapping[str, str]) -> dict[str, str]:
    """Return an environment with the cluster's commands, and without what other clusters set."""
    kept = {name: value for name, value in env.items() if not name.startswith(_FOREIGN)}
    return kept | {
        "PATH": f"{files.bin}{os.pathsep}{env.get('PATH', os.defpath)}",
        "RMSD_SERVER": files.server,
        VARIABLE: str(files.folder),
    }


def _await(condition: Callable[[], Any], what: str, within_s: float) -> Any:
    give_up = time.monotonic() + within_s
    while not (value := condition()):
        if time.monotonic() > give_up:
            raise ClusterError(f"in vain for {within_s:g} s: {what}")
        time.sleep(_LOOK_EVERY_S)
    return value
