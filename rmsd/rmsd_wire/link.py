"""The agent link: messages between the daemon and one agent.

A binary WebSocket frame is a MessagePack list of messages (`frames`). The agent dials `/v1/link`,
says `Hello`, and is told `Welcome`. After that:

* the agent *reports* (`LaunchedReport`, `ExitedReport`): each report has a sequence number of this
  session and is kept by the agent until the daemon has committed it and says `Ack`; after a
  reconnection the agent opens a new session (epoch + 1) and reports everything unacknowledged
  again;
* the daemon *commands* (`Launch`, `StopAttempt`, `SetLimit`, `SetSuspension`, `RebootNode`):
  commands are derived from committed state and repeated after a reconnection, so a receiver treats
  a repeat as no news;
* the daemon *calls* (`StartTask`, `ReadFile`, ...) and the agent answers with `Reply`: these
  serve people (`rrun`, `rlog`), change no job, and are never repeated by the daemon.

On a paced clock the daemon also tells each step of the clock (`Advance`), and the agent says when
its next timer ends (`Advanced`): until it has, the clock stands still.

Either side reads each message by itself. A message that it cannot read costs that message alone. A
report is acknowledged, and its job ends with what is known. A call is answered with the error.

An attempt on a node is named by (job_id, attempt, node) everywhere.
"""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

import msgspec

from rmsd_core.vocabulary import Cause, Fault
from rmsd_wire.gres import MOST_KINDS
from rmsd_wire.link_calls import (
    ReadEnded,
    ReadFile,
    ReadUse,
    Reply,
    SignalJob,
    SignalStep,
    StartTask,
    StopTask,
    WriteInput,
)
from rmsd_wire.link_values import (
    MOST_HELD,
    NO_LIMIT,
    Code,
    Count,
    Id,
    Instant,
    Name,
    Rate,
    Rlimits,
    Seconds,
    Size,
    Span,
    Umask,
)
from rmsd_wire.node_info import BootId, NodeDevices, NodeInfo


class HeldAttempt(msgspec.Struct, frozen=True):
    """An attempt that the agent has on a node at `Hello`.

    `batch`, `cores` and `start_us` are of its `Launch`, for a daemon that has lost it.
    `suspended`: its processes are stopped. `over`: the attempt has ended, and an `ExitedReport`
    that is still to come says how.
    """

    job_id: Id
    attempt: Count
    node: Name
    stopping: bool = False
    batch: bool = False
    cores: Count = 0  # 0: an agent of an older version does not send it
    start_us: Instant = 0
    over: bool = False
    suspended: bool = False


class EndedAttempt(msgspec.Struct, frozen=True):
    """An attempt that has ended on a node, as its agent remembers it (`ReadEnded`). Times are model
    time. The other fields are those of its
    `ExitedReport`."""

    job_id: Id
    attempt: Count
    node: Name
    batch: bool
    cores: Count
    start_us: Instant
    end_us: Instant
    cause: Cause
    exit_code: Code | None = None
    signal: Code | None = None
    cpu_s: Seconds | None = None
    max_rss_mib: Size | None = None
    message: str = ""
    fault: Fault | None = None


# ---------------------------------------------------------------- agent to daemon


class Hello(msgspec.Struct, tag="hello"):
    """The agent, its nodes and its attempts. `leaving` names nodes that the agent no longer hosts,
    but on which it still holds attempts. `remembers`: it answers `ReadEnded`."""

    protocol: int
    version: str
    agent_id: Name  # made once per agent state directory
    epoch: Id  # grows with every session of this agent_id
    nodes: Annotated[list[NodeInfo], msgspec.Meta(max_length=MOST_HELD)]
    held: Annotated[list[HeldAttempt], msgspec.Meta(max_length=MOST_HELD)]
    leaving: Annotated[list[Name], msgspec.Meta(max_length=MOST_HELD)] = []
    remembers: bool = False


class HelloParts(msgspec.Struct, tag="hello"):
    """A `Hello` as far as the daemon reads it at once: what its nodes and attempts are is read
    later."""

    protocol: int
    version: str
    agent_id: Name
    epoch: Id
    nodes: Annotated[list[msgspec.Raw], msgspec.Meta(max_length=MOST_HELD)]
    held: Annotated[list[msgspec.Raw], msgspec.Meta(max_length=MOST_HELD)]
    leaving: Annotated[list[msgspec.Raw], msgspec.Meta(max_length=MOST_HELD)] = []
    remembers: bool = False


class RemoteHelloParts(HelloParts, tag="hello"):
    """The same from an agent on another machine, which has fewer. The bounds are above those that
    are told in words."""

    nodes: Annotated[list[msgspec.Raw], msgspec.Meta(max_length=1 << 15)]
    held: Annotated[list[msgspec.Raw], msgspec.Meta(max_length=1 << 18)]
    leaving: Annotated[list[msgspec.Raw], msgspec.Meta(max_length=1 << 15)] = []


class LaunchedReport(msgspec.Struct, tag="launched"):
    """The attempt runs on its batch host (`pid` is None for a timer)."""

    seq: Id
    job_id: Id
    attempt: Count
    node: Name
    pid: int | None = None


class ExitedReport(msgspec.Struct, tag="exited"):
    """Nothing of the attempt is left on the node.

    From the batch host it carries how the script ended. `ago_s` is the real time since the end,
    when the message was made ready to send (0 for fresh news), so that clocks need not agree.
    `end_us` is the exact model end of a timer and wins over `ago_s`. `fault` says whose fault a
    failed launch was; agents of earlier versions do not tell it. `drain` is the reason why the node
    is to take no further jobs, "" if it goes on: a program of the site's has failed there.
    """

    seq: Id
    job_id: Id
    attempt: Count
    node: Name
    cause: Cause
    exit_code: Code | None = None
    signal: Code | None = None
    cpu_s: Seconds | None = None
    max_rss_mib: Size | None = None
    message: str = ""
    ago_s: Seconds = 0.0
    end_us: Instant | None = None
    fault: Fault | None = None
    drain: str = ""


class RebootProblem(msgspec.Struct, tag="reboot-problem"):
    """The node does not reboot, though a `RebootNode` of the boot said so. It is told once: if the
    link breaks, the daemon finds that the node does not come back in time."""

    node: Name
    boot_id: BootId
    message: str


class Advanced(msgspec.Struct, tag="advanced"):
    """The answer to the `Advance` of this number. All that was sent before it is done, and all ends
    up to its instant are reported. `next_end_us` is when the next timer ends; None if there is
    none."""

    number: Count
    next_end_us: Instant | None


# ---------------------------------------------------------------- daemon to agent


class Clock(msgspec.Struct, frozen=True):
    """The daemon's clock: model time = `model_us` + (monotonic now - `monotonic_ns` / 1000) *
    `rate`. It is paced if the rate is `link_values.PACED`.

    `monotonic_ns` is the daemon's CLOCK_MONOTONIC, and means something only on the machine with
    this `boot_id`. Any other agent takes the arrival of the message for that instant.
    """

    rate: Rate
    model_us: Instant
    monotonic_ns: Instant
    boot_id: str


class Welcome(msgspec.Struct, tag="welcome"):
    """The session is open. `refused` names the nodes that are not taken, with the reason."""

    epoch: int
    clock: Clock
    heartbeat_s: Span
    refused: dict[str, str] = {}


class Goodbye(msgspec.Struct, tag="goodbye"):
    """The daemon will not talk to this agent, or is leaving; `retry` says whether to dial again."""

    reason: str
    retry: bool


class Ack(msgspec.Struct, tag="ack"):
    """Reports up to `seq` are committed; the agent may forget them and their files."""

    seq: Id


class Emulation(msgspec.Struct, frozen=True):
    """The behaviour of an emulated job, in place of a script: it lasts `run_us` of model time.

    `timer`: no process is started, the end is exactly start + run. `process`: a real process that
    lives run / rate real seconds, in every respect a real job.
    """

    run_us: Instant
    exec: Literal["timer", "process"] = "timer"


class WarnSignal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A signal `before_s` real seconds ahead of the limit and of the end of a trial run: to the
    script's own process (`batch`), or to all the others of the job. Slurm's `--signal`.
    """

    number: int
    before_s: float = 60.0
    batch: bool = False


class LaunchLimits(NamedTuple):
    """The limits of a `Launch` on memory and on processes; None is no limit."""

    mem_mib: int | None
    max_processes: int | None


class Launch(msgspec.Struct, tag="launch"):
    """Run a job's attempt. Sent to every node of the allocation; `batch` on the first alone.

    A node with `batch=False` only prepares for `StartTask`. `time_limit_s` is real time from the
    start there, None for no limit, and `overrun_s` what the job gets beyond it before it is killed;
    the agent enforces them on its own clock. `model_start_us` is the start that was decided: a
    timer ends at that + its run time. `trial_end_us` is model time, None if it is no trial run.
    `keep_output_of` is the earlier attempt whose output files are renamed first (0: overwritten).
    `user` is whose account the job runs as; "" is the agent's own, from a daemon that serves one
    account alone. `mem_mib`, `max_processes` and `max_output_bytes` are limits on this node
    (`NO_LIMIT`: none): memory and processes of all that runs there, what a script writes to its
    output files. `refused` is the reason why the daemon cannot have the attempt started; "" if it
    can. The agent ends the attempt with these words, unless it holds the attempt already. `stdin`
    is the absolute path of a file that the script reads, "" for none. `append`: output files are
    not emptied. An older agent leaves out both: the script reads nothing, and files are emptied.
    `suspended_since_us`, `suspended_us`: as in `SetSuspension`, for an attempt that is launched
    again. `rlimits` are soft limits of the script and of tasks, as far as the hard limits of the
    agent allow them; others are the agent's, and with an older agent all are. `umask` is that of
    the script, of tasks that have no other, and of output files; None, and with an older agent: 022
    or, without accounts of users, the agent's. `gres` are the devices of the attempt on this node;
    None from a daemon of an earlier version, which does not tell them.
    """

    job_id: Id
    attempt: Count
    node: Name
    batch: bool
    model_start_us: Instant
    time_limit_s: Span | None = msgspec.field(name="limit_s")  # the name in protocol 1
    kill_grace_s: Span
    cores: Count
    script: str = ""
    args: list[str] = []
    env: dict[str, str] = {}
    workdir: str = ""
    stdout: str = ""  # absolute, patterns already filled in
    stderr: str = ""  # "" : the same file as stdout
    emulation: Emulation | None = None
    overrun_s: Span = 0.0
    trial_end_us: Instant | None = None
    keep_output_of: Count = 0
    warn_signal: WarnSignal | None = None
    user: str = ""
    mem_mib: Size = NO_LIMIT
    max_processes: Size = NO_LIMIT
    max_output_bytes: Size = NO_LIMIT
    refused: str = ""
    stdin: str = ""
    append: bool = False
    rlimits: Rlimits = {}
    umask: Umask | None = None
    suspended_since_us: Instant | None = None
    suspended_us: Instant = 0
    gres: Annotated[tuple[NodeDevices, ...], msgspec.Meta(max_length=MOST_KINDS)] | None = None

    @property
    def killed_after_s(self) -> float | None:
        """Return the real time from the start to SIGTERM: limit and overrun; None is no limit."""
        return None if self.time_limit_s is None else self.time_limit_s + self.overrun_s

    @property
    def limits(self) -> LaunchLimits:
        """Return the limits on this node of all that the job runs there. None is no limit."""
        return LaunchLimits(_limit(self.mem_mib), _limit(self.max_processes))


def _limit(sent: int) -> int | None:
    return None if sent == NO_LIMIT else sent


class StopAttempt(msgspec.Struct, tag="stop"):
    """End the attempt on this node: SIGTERM to the whole tree, the grace, SIGKILL; then
    `ExitedReport`.

    An attempt that the agent does not know is confirmed at once with `cause`. `grace_s`: None: that
    of its `Launch`, which agents of earlier versions always go by.
    """

    job_id: Id
    attempt: Count
    node: Name
    cause: Cause
    grace_s: Span | None = None


class SetLimit(msgspec.Struct, tag="set-limit"):
    """Give an attempt another time limit: real time from its start there, None for no limit. The
    overrun of its `Launch` is added, and its signal ahead of the limit moves as well. A command,
    repeated at each `Hello`. An agent that is one version behind cannot read it: the job keeps its
    old limit there."""

    job_id: Id
    attempt: Count
    node: Name
    time_limit_s: Span | None


class SetSuspension(msgspec.Struct, tag="suspend"):
    """Stop the processes of an attempt on this node and its clock, or let them go on.

    `since_us`: the model time since which it is suspended; None: it goes on. `before_us`: how long
    it was suspended before. A timer goes by both, and ends so much later; a script's limit stands
    still from the moment at which its processes are stopped. A command, repeated at each `Hello`.
    An agent that is one version behind cannot read it: the job goes on there.
    """

    job_id: Id
    attempt: Count
    node: Name
    since_us: Instant | None
    before_us: Instant = 0


class RebootNode(msgspec.Struct, tag="reboot"):
    """Reboot the node, which holds no attempt, once. A command, repeated at each `Hello` that tells
    this `boot_id`; it is void on any other boot. `asked_us`: when an operator has asked for it, in
    model time, which tells one reboot from another of the same boot. It is sent to agents alone
    that have told `can_reboot`."""

    node: Name
    boot_id: BootId
    asked_us: Instant


class Advance(msgspec.Struct, tag="advance"):
    """The paced clock shows `to_us`. Timers that end by then end, and `Advanced` with this number
    follows."""

    number: Count
    to_us: Instant


AfterHello = LaunchedReport | ExitedReport | RebootProblem | Advanced | Reply
ToDaemon = Hello | AfterHello
ToAgent = (
    Welcome
    | Goodbye
    | Ack
    | Launch
    | StopAttempt
    | SetLimit
    | SetSuspension
    | RebootNode
    | Advance
    | StartTask
    | StopTask
    | SignalJob
    | SignalStep
    | WriteInput
    | ReadFile
    | ReadUse
    | ReadEnded
)
Report = LaunchedReport | ExitedReport
Command = Launch | StopAttempt | SetLimit | SetSuspension | RebootNode

encoder = msgspec.msgpack.Encoder()
to_daemon: msgspec.msgpack.Decoder[ToDaemon] = msgspec.msgpack.Decoder(ToDaemon)
hello_parts = msgspec.msgpack.Decoder(HelloParts)
remote_hello_parts = msgspec.msgpack.Decoder(RemoteHelloParts)
after_hello: msgspec.msgpack.Decoder[AfterHello] = msgspec.msgpack.Decoder(AfterHello)
to_agent: msgspec.msgpack.Decoder[ToAgent] = msgspec.msgpack.Decoder(ToAgent)
"""Each reads one message; `frames.messages_in` reads a frame of them."""
ended_attempts = msgspec.msgpack.Decoder(list[EndedAttempt])
