"""Calls about a job, which an agent answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rmsd_wire.link_calls import ReadFile, Reply, StartTask, StopTask

if TYPE_CHECKING:
    from tests.agent.rig import Rig


class Caller:
    """Makes calls about job 1 and waits for their replies."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.calls = 0

    def start(self, task: int, *argv: str, **fields: Any) -> Reply:
        fields = {"env": {}, "workdir": "", "step": "s0"} | fields
        return self._call(StartTask, task=task, argv=list(argv), **fields)

    def stop(self, task: int, number: int) -> Reply:
        return self._call(StopTask, step="s0", task=task, signal=number)

    def read(self, offset: int = 0, **fields: Any) -> Reply:
        fields = {"stream": "stdout", "limit": 1000, "wait_s": 30.0} | fields
        return self._call(ReadFile, offset=offset, **fields)

    def read_all(self, **fields: Any) -> tuple[bytes, Reply]:
        data = b""
        while True:
            reply = self.read(len(data), **fields)
            assert (reply.status, reply.offset) == (200, len(data) + len(reply.data))
            data += reply.data
            if reply.eof:
                return data, reply

    def _call(self, kind: Any, **fields: Any) -> Reply:
        self.calls += 1
        self.rig.peer.send(kind(self.calls, 1, 1, "n1", **fields))
        return self.rig.peer.reply(self.calls)
