"""Jobs of other users, as Slurm's commands tell of them: as of jobs that are not there, which is
what a Slurm 22.05 with PrivateData=jobs says."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from rmsd_client.api import Client
from rmsd_client.slurm.words.jobs import is_not_seen
from tests.commands import BIN
from tests.live import Daemon
from tests.tcp import Tcp

pytestmark = [pytest.mark.live, pytest.mark.long]  # starts a daemon that listens for users


def test_the_last_number_is_asked_for_once() -> None:
    """Each of many unseen jobs took a request of its own."""

    class Asked:
        count = 0

        def status(self) -> dict[str, Any]:
            self.count += 1
            return {"last_job_id": 5, "you": {"role": "user"}}

    asked = Asked()
    client = cast("Client", asked)
    seen = {name: is_not_seen(client, name) for name in ("3", "5_1", "6", "x")}
    assert seen == {"3": True, "5_1": True, "6": False, "x": False}
    assert asked.count == 1


def test_a_user_learns_nothing_of_others_jobs(
    start_daemon: Callable[..., Daemon], tmp_path: Path
) -> None:
    config = "allow_root_jobs = true\n"
    daemon = start_daemon("--no-local-node", "--emulate", "2x4", config=config, begin=False)
    tcp = Tcp(daemon)
    daemon.start()
    subprocess.run([BIN / "rmsd", "slurm-commands", tmp_path / "bin"], check=True)
    with tcp.client(tcp.token(user="ann", role="user")) as ann:
        spec = {"emulate": {"run_s": 1e6}, "name": "secret"}
        number = str(ann.submit([spec])[0]["job_id"])
    token_file = str(tcp.file(tcp.token(user="bob", role="user")))
    own = {key: value for key, value in tcp.daemon.env.items() if key != "RMSD_STATE_DIR"}
    own |= {"RMSD_SERVER": tcp.url, "RMSD_TOKEN_FILE": token_file, "RMSD_CA_FILE": str(tcp.ca)}

    def said(*words: str) -> tuple[int, str, str]:
        command = [tmp_path / "bin" / words[0], *words[1:]]
        done = subprocess.run(command, env=own, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    unknown = "slurm_load_jobs error: Invalid job id specified\n"
    assert said("squeue", "-h") == said("squeue", "-h", "-t", "all") == (0, "", "")
    assert said("squeue", "-h", "-j", number) == (1, "", unknown)
    assert said("scontrol", "show", "job", number) == (1, "", unknown)
    assert said("sacct", "-n", "-j", number) == said("sacct", "-n", "-a") == (0, "", "")
    denied = "Access/permission denied"
    error = f"scancel: error: Kill job error on job id {number}: {denied}\n"
    assert said("scancel", number) == said("scancel", "-Q", number, "987654") == (210, "", error)
    assert said("scancel", "987654") == (0, "", "")
    error = f"scancel: error: Kill job error on job step id {number}: Invalid user id\n"
    assert said("scancel", f"{number}.0") == (218, "", error)
    for name, why in ((number, denied), ("987654", "Invalid job id specified")):
        code, _, error = said("srun", "--jobid", name, "true")
        confirmed = f"srun: error: Unable to confirm allocation for job {name}: {why}"
        assert (code, error.splitlines()[0]) == (1, confirmed)
    for verb, why in (("hold", "Invalid user id"), ("requeuehold", denied)):
        code, _, error = said("scontrol", verb, number)
        assert (code, error.splitlines()[0]) == (1, f"{why} for job {number}")
    for command in (("sprio", "-h"), ("sstat", "-n"), ("scancel", "-n", "secret"), ("seff",)):
        words = (*command, "-j", number) if command[0] in ("sprio", "sstat") else (*command, number)
        code, out, error = said(*words)
        others = said(*(word.replace(number, "987654") for word in words))
        assert (code, out, error) == (others[0], others[1], others[2].replace("987654", number))
    code, _, error = said("scontrol", "update", "NodeName=x", "State=DRAIN", "Reason=x")
    assert (code, error) == (1, "slurm_update error: Invalid user id\n")
    with tcp.client(tcp.token(user="ann", role="user")) as ann:
        assert ann.job(number)["state"] in ("PENDING", "RUNNING")
