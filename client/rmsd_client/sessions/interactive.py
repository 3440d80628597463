"""`rsub --interactive`: a job whose script is a terminal, with the submitter at it."""

from __future__ import annotations

from rmsd_client.console import cli
from rmsd_client.errors import EXIT_NOT_STARTED, ApiError
from rmsd_client.sessions.attaching import NOT_FOUND, attach, running_steps
from rmsd_client.sessions.guardian import guarded
from rmsd_client.sessions.held_jobs import await_start, give_up
from rmsd_client.sessions.session import DETACHED, GONE, HANGUP_S
from rmsd_client.show.job_text import how_it_ended
from rmsd_client.submit.script import exec_script

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from rmsd_client.api import Client


def terminal_script(command: Sequence[str], hangup_s: float | None) -> str:
    """Return the script of a job that runs a command in a terminal, and ends as the command
    does."""
    hangup = f"{hangup_s or HANGUP_S:g}s"
    return exec_script(["rrun", "--pty", "--detached", "--hangup", hangup, "--", *command])


class SessionWords:
    """The words of a program for a user who waits for a terminal: its name, and what it says of a
    job that waits, and of one that has begun."""

    program = "rsub"

    def waits(self, job: dict[str, Any]) -> None:
        """Tell that the job waits; called once."""
        text = f"job {job['job_id']} waits ({job['reason']}); Ctrl-C cancels it"
        cli.notice(self.program)(text)

    def begins(self) -> None:
        """Tell that the terminal is there."""


def attend(
    client: Client,
    connect: Callable[[], Client],
    job_id: int,
    words: SessionWords = SessionWords(),  # noqa: B008  (it cannot be changed)
) -> dict[str, Any] | None:
    """Wait for the job's start, and be at its terminal. Returns the job when it is over, None if
    its user has left. One who gives up before the start has the job cancelled."""
    try:
        with guarded(connect, job_id):
            started = _started(client, job_id, words)
    except BaseException:
        give_up(client, job_id, cli.notice(words.program))
        raise
    code = None
    if started is not None:
        words.begins()
        code = _at_terminal(client, connect, started, words.program)
    if code == DETACHED:
        cli.notice(words.program)(
            f"job {job_id} goes on for a while; 'rattach {job_id}' comes back"
        )
        return None
    ended = client.wait(job_id)
    if code is None:
        how = how_it_ended(ended)
        cli.complain(words.program, f"job {job_id} was over before it had a terminal: {how}")
    elif EXIT_NOT_STARTED in (code, ended["exit_code"] if code == GONE else 0):
        # The terminal may have been there for a moment.
        how = how_it_ended(ended)
        cli.complain(words.program, f"job {job_id} {how}: its command cannot be run, or ended so")
    return ended


def _at_terminal(
    client: Client, connect: Callable[[], Client], step: dict[str, Any], program: str
) -> int | str | None:
    """Return how the session has ended; None if the terminal is gone, or never was there."""
    try:
        return attach(client, connect, step, program, first=True)
    except ApiError as error:
        if error.status != NOT_FOUND:
            raise
        return None


def _started(client: Client, job_id: int, words: SessionWords) -> dict[str, Any] | None:
    """Return the step with the terminal once it is there; None if the job is over before."""
    steps: list[dict[str, Any]] = []

    def has_terminal(job: dict[str, Any]) -> bool:
        if job["state"] != "PENDING":
            steps.extend(running_steps(client, job_id))
        return bool(steps)

    await_start(client, job_id, words.waits, has_terminal)
    return steps[0] if steps else None
