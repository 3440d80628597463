"""The caller for whom the tools act, and its connection to the daemon, as every client has one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

from rmsd_client.api import Client
from rmsd_client.errors import ApiError, ClientError, Unreachable
from rmsd_mcp import bounded
from rmsd_mcp.confirmations import Confirmations

_RETRY_S = 2.0
_MOST_ERROR = 2000
_ADVICE = {
    400: "correct the arguments and call the tool again",
    401: "the token of this server's caller is not good; the caller must get another",
    403: "the caller of this server may not do this; ask the person you work for",
    404: "the tool `queue` lists the jobs that the caller may see",
    409: "the tool `job` shows the state of the job",
    429: "wait a few seconds and call the tool again",
    503: "wait a few seconds and call the tool again",
    507: "the daemon's disk is full; its administrator must free space",
}
"""Advice by the status of a refusal."""


@dataclass(frozen=True)
class ToolCaller:
    """The options of the command, which lead to the daemon, and the words that were told."""

    server: str | None = None
    token_file: str | None = None
    ca_file: str | None = None
    confirmations: Confirmations = field(default_factory=Confirmations)

    @contextmanager
    def client(self) -> Iterator[Client]:
        """Yield a connection for one call of a tool. Errors of clients become errors of the tool,
        with what to do about them."""
        try:
            with Client(self.server, self.token_file, self.ca_file, retry_for_s=_RETRY_S) as client:
                yield client
        except ClientError as error:
            raise ToolError(told(error)) from error

    def options(self) -> list[str]:
        """Return the options for a command of rmsd that is to reach the same daemon."""
        given = {
            "--server": self.server,
            "--token-file": self.token_file,
            "--ca-file": self.ca_file,
        }
        return [word for flag, text in given.items() if text for word in (flag, text)]


def told(error: ClientError) -> str:
    """Return an error as a model is told it: what happened, and what to do."""
    text = bounded.line(str(error), _MOST_ERROR)
    if isinstance(error, Unreachable):
        return f"{text}. No tool works until then."
    advice = _ADVICE.get(error.status) if isinstance(error, ApiError) else None
    return f"{text}. Advice: {advice}." if advice else text


def caller_of(context: Context[ToolCaller]) -> ToolCaller:
    """Return the caller that the server was made for."""
    return context.request_context.lifespan_context
