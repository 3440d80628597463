"""The judge of a round: what must hold whatever the parties say."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from rmsd_client.errors import ClientError
from tests.fuzz_system.system import LIARS, System
from tests.fuzz_system.transcript import Act, Transcript

MOST_MIB = {"daemon": 1024, "agent": 512}
"""Resident memory that a daemon and an agent may have."""

_LOOK_S = 0.5
_AWAY_S = 90.0
"""Time that a node of an honest agent may be without a link, on a busy machine."""
_REFUSALS = frozenset({503, 504, 507})
"""Statuses of answers that a daemon may give when an agent or the disk does not do its part."""
_NEVER = frozenset(
    {
        "request-failed", "pass-failed", "launch-failed", "server-failed", "commit-failed",
        "reload-failed", "read-failed", "agent-ended", "accept-failed", "job-damaged",
        "event-damaged", "script-damaged", "database-damaged", "planner-damaged", "database-mended",
        "pruning-failed",
    }
)  # fmt: skip
"""Events of the daemon's log that tell of a failure. (It loads its state again after a snapshot,
too, so that `state-reloaded` tells of none.)"""
_NEVER_OF_AGENTS = frozenset(
    {"shepherd-failed", "shepherd-killed", "shepherd-hung", "shepherd-stopped",
     "shepherd-malformed", "shepherd-not-started", "nursery-failed", "watch-blind", "guard-blind"}
)  # fmt: skip
"""Events of an honest agent's log that tell of a failure."""
_CRASH = re.compile(r"Traceback|never awaited|Fatal Python|Segmentation")
_FRAME = re.compile(r'File "[^"]*/(rmsd_\w+/[^"]+)", line \d+, in (\w+)')
_KIND = re.compile(r"([\w.]+).* (at rmsd_\S+ \w+)(?: \{.*)?")
_DIGITS = re.compile(r"[0-9]+|/tmp/rt\w+|'[^']*'|0x[0-9a-f]+")
_MOST_LINE_BYTES = 2_000
_FAIR = ("v", "message-failed")
"""The agent that is lied to, and its event for an order that no daemon of this version gives."""
_SUSPECTS = {
    "log of b": ("lying shepherd", "damaged files"),
    "shepherds of b": ("lying shepherd", "damaged files"),
    "log of v": ("lying daemon",),
    "log of daemon": ("callers", "callers-2", "lying agent"),
}
"""The parties that can have caused a finding, by finding. Any party can have caused a finding that
is not here."""


@dataclass(slots=True)
class Finding:
    """Something that does not hold. `acts` has what was said last."""

    what: str
    text: str
    acts: list[Act] = field(default_factory=list)

    @property
    def signature(self) -> str:
        """Return a text that is the same when the same is found again."""
        line = self.text.partition("\n")[0]
        if found := _KIND.fullmatch(line):  # the exception's text is of no interest
            line = f"{found[1]} {found[2]}"
        return f"{self.what}: {_DIGITS.sub('#', line)[:200]}"

    def __str__(self) -> str:
        return f"{self.what}: {self.text}"


class _Log:
    """A log file that grows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._at = 0

    def new_lines(self) -> list[str]:
        """Return the whole lines that have come since the last call."""
        if not self._path.exists():
            return []
        with self._path.open("rb") as file:
            file.seek(self._at)
            data = file.read()
        data = data[: data.rfind(b"\n") + 1]
        self._at += len(data)
        return data.decode(errors="replace").splitlines()


class Judge:
    """A thread that looks at processes, nodes and logs, and takes the findings of others.

    `over` is set by a finding after which a round cannot go on. `told` is called with every new
    finding. `peak_mib` has the most resident memory of each process.
    """

    def __init__(
        self, system: System, transcript: Transcript, told: Callable[[Finding], None]
    ) -> None:
        self._system = system
        self._transcript = transcript
        self._told = told
        self._findings: dict[str, Finding] = {}
        self._lock = threading.Lock()
        self._logs: dict[str, _Log] = {}
        self._pids: dict[str, int] = {}
        self._up_s: dict[str, float] = {}
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self.over = threading.Event()
        self.peak_mib: dict[str, int] = {}

    @property
    def findings(self) -> list[Finding]:
        with self._lock:
            return list(self._findings.values())

    def start(self) -> None:
        """Look on from here."""
        self._pids = self._system.processes()
        self._up_s = dict.fromkeys(self._system.honest_nodes, time.monotonic())
        self._thread.start()

    def stop(self) -> None:
        """Look once more, and no longer."""
        if not self._stopping.is_set():
            self._stopping.set()
            if self._thread.is_alive():
                self._thread.join()
            self._look_at_logs()

    def found(self, what: str, text: str, act: Act | None = None, *, fatal: bool = False) -> None:
        """Take a finding; one of each kind is told. The round is over after a `fatal` one."""
        acts = self._transcript.last(_SUSPECTS.get(what, ())) if act is None else [act]
        finding = Finding(what, text, acts)
        with self._lock:
            is_new = finding.signature not in self._findings
            self._findings.setdefault(finding.signature, finding)
        if is_new:
            self._told(finding)
        if fatal:
            self.over.set()

    # ------------------------------------------------------------ answers

    def answered(self, act: Act, status: int, body: bytes) -> None:
        """Look at the answer to a request."""
        if status >= 500 and status not in _REFUSALS:
            self.found("failed request", f"{act.kind}: {status} {body[:500]!r}", act)
        elif status >= 400 and not _is_problem(body):
            self.found("no problem", f"{act.kind}: {status} {body[:200]!r}", act)
        elif status < 400 and act.how == "chunked":
            self.found("body in chunks", f"{act.kind}: granted with {status}", act)

    def unanswered(self, act: Act, why: str) -> None:
        """Take note of a sound request that got no answer."""
        if not self.over.is_set() and not self._stopping.is_set():
            self.found("unanswered", f"{act.kind}: {why}", act)

    # ------------------------------------------------------------ looking on

    def _watch(self) -> None:
        with self._system.client(retry_for_s=0.0) as client:
            while not self._stopping.wait(_LOOK_S):
                self._look_at_processes()
                self._look_at_logs()
                try:
                    self._look_at_nodes(client.nodes())
                except ClientError as error:
                    self.found("no answer", str(error))

    def _look_at_processes(self) -> None:
        now = self._system.processes()
        for name, pid in self._pids.items():
            if now[name] != pid or not _lives(pid):
                self.found("ended", f"the {name} is not the process that it was", fatal=True)
                continue
            try:
                mib = psutil.Process(pid).memory_info().rss >> 20
            except psutil.Error:
                continue
            self.peak_mib[name] = max(mib, self.peak_mib.get(name, 0))
            if mib > MOST_MIB["daemon" if name == "daemon" else "agent"]:
                self.found("memory", f"the {name} has more than it may")

    def _look_at_nodes(self, nodes: list[dict[str, Any]]) -> None:
        now_s = time.monotonic()
        up = {node["name"] for node in nodes if node["state"] not in ("down", "suspect")}
        for name in self._system.honest_nodes:
            if name in up:
                self._up_s[name] = now_s
            elif now_s - self._up_s[name] > _AWAY_S:
                self.found("away", f"node {name} has had no link for {_AWAY_S:.0f} s", fatal=True)

    def _look_at_logs(self) -> None:
        for name, path in self._system.logs().items():
            log = self._logs.setdefault(name, _Log(path))
            lines = log.new_lines()
            for at, line in enumerate(lines):
                if why := complaint(name, line):
                    text = _traceback(lines[at:]) if why == "Traceback" else _entry(line)
                    self.found(f"log of {name}", text)


def complaint(name: str, line: str) -> str:
    """Return what is wrong about a line of the log of `name`; empty if nothing is."""
    try:
        entry = json.loads(line)
        event = entry["event"]
    except (ValueError, KeyError, TypeError):
        found = _CRASH.search(line)
        return found[0] if found else ""
    if "exception" in entry:
        return "" if (name, event) == _FAIR else "exception"
    if name == "daemon":
        malformed = event == "message-unreadable" and entry.get("agent_id") not in LIARS
        return event if event in _NEVER or malformed else ""
    lied_to = name in ("b", "v")
    return event if event in _NEVER_OF_AGENTS and not lied_to else ""


def _traceback(lines: list[str]) -> str:
    """Return the traceback that begins with the first line, behind its last line."""
    end = next((i for i, one in enumerate(lines[1:], 1) if not one.startswith(" ")), len(lines) - 1)
    trace = "\n".join(lines[: end + 1])
    return f"{lines[end][:300]} {_where(trace)}\n{trace}"


def _entry(line: str) -> str:
    """Return an entry of a log, behind the exception in it and its place."""
    entry = json.loads(line)
    entry.pop("ts", None)
    exception = str(entry.pop("exception", ""))
    told = json.dumps(entry)[:_MOST_LINE_BYTES]
    if not exception:
        return told
    trace = exception.splitlines()
    return f"{trace[-1][:300]} {_where(exception)} {told}\n" + "\n".join(trace[-12:])


def _where(trace: str) -> str:
    """Return the innermost place of our own code in a traceback."""
    places = _FRAME.findall(trace)
    return f"at {places[-1][0]} {places[-1][1]}" if places else ""


def _is_problem(body: bytes) -> bool:
    """Return whether this is an error as the API describes it, or the text of aiohttp's parser."""
    try:
        return "detail" in json.loads(body)
    except (ValueError, TypeError):
        return True


def _lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
