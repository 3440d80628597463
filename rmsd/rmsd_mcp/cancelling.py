"""The tool that cancels jobs. A person says yes to it where the client can ask one; elsewhere it
takes two calls."""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

from rmsd_client.console.cli import job_names
from rmsd_client.errors import ClientError
from rmsd_core.vocabulary import TERMINAL_STATES
from rmsd_mcp import bounded
from rmsd_mcp.caller import ToolCaller, caller_of
from rmsd_mcp.confirmations import KEPT_S
from rmsd_mcp.views import Json, job_row

_MOST_JOBS = 100
_MOST_SHOWN = 20
Jobs = Annotated[
    list[Annotated[str, Field(max_length=200)]],
    Field(min_length=1, max_length=_MOST_JOBS, description="jobs as 12, 12_3 or 12_[3-5]"),
]


class UserAnswer(BaseModel):
    """The answer of a person who was asked."""

    cancel: bool = Field(description="Cancel the jobs named above")


class _NotAsked(BaseModel):
    """The client cannot ask a person."""


def _names(jobs: list[str]) -> tuple[str, ...]:
    try:
        return tuple(job_names(jobs))
    except ClientError as error:
        raise ToolError(f"{bounded.line(str(error))}; give numbers as 12 or 12_3") from error


def _live(ctx: Context[ToolCaller], names: tuple[str, ...]) -> list[Json]:
    """Return the jobs of these names that are not over. Raises ToolError if there is none."""
    with caller_of(ctx).client() as client:
        found = client.jobs(ids=names, states="all", brief=True, limit=10 * _MOST_JOBS)
    if not found:
        listed = bounded.line(", ".join(names))
        raise ToolError(f"no job {listed}, or not one that the caller may see; `queue` lists them")
    live = [one for one in found if one["state"] not in TERMINAL_STATES]
    if not live:
        raise ToolError("these jobs are over already; there is nothing to cancel")
    return live


def ask(ctx: Context[ToolCaller], jobs: list[str]) -> Elicit[UserAnswer] | _NotAsked:
    """Have the client ask its user, if it can."""
    capabilities = ctx.client_capabilities
    form = capabilities.elicitation if capabilities is not None else None
    if form is None or (form.form is None and form.url is not None):
        return _NotAsked()
    live = _live(ctx, _names(jobs))
    shown = [
        bounded.line(f"{row['job']} {row['name']} of {row['user']}, {row['state']}", 120)
        for row in map(job_row, live[:_MOST_SHOWN])
    ]
    more = [f"and {len(live) - len(shown)} more"] if len(live) > len(shown) else []
    return Elicit("\n".join(["Cancel these jobs?", *shown, *more]), UserAnswer)


def cancel(
    ctx: Context[ToolCaller],
    jobs: Jobs,
    answer: Annotated[ElicitationResult[Any], Resolve(ask)],
    confirmation: Annotated[
        str, Field(max_length=64, description="the word that the first call has told")
    ] = "",
) -> dict[str, Any]:
    """Cancel jobs, in two steps: the first call cancels nothing, shows the jobs and tells a
    confirmation word; the second call with the same jobs and that word cancels. A client that can
    ask its user does so instead. What a cancelled job has computed may be lost."""
    names = _names(jobs)
    data = answer.data if isinstance(answer, AcceptedElicitation) else None
    if not isinstance(data, _NotAsked):
        if not (isinstance(data, UserAnswer) and data.cancel):
            return {"cancelled": [], "note": "the user did not agree; nothing was cancelled"}
        return _cancelled(ctx, names)
    known = caller_of(ctx).confirmations
    if not confirmation:
        live = _live(ctx, names)
        return {
            "cancelled": [],
            "would_cancel": [job_row(one) for one in live[:_MOST_SHOWN]],
            "would_cancel_count": len(live),
            "confirmation": known.word_for(names),
            "note": "nothing was cancelled yet. If this is wanted, call cancel again with the same "
            f"jobs and this confirmation, within {KEPT_S / 60:.0f} minutes",
        }
    if not known.take(confirmation, names):
        raise ToolError(
            "this confirmation is not one for these jobs, was used, or is too old; call cancel "
            "without a confirmation first"
        )
    return _cancelled(ctx, names)


def _cancelled(ctx: Context[ToolCaller], names: tuple[str, ...]) -> dict[str, Any]:
    with caller_of(ctx).client() as client:
        return {"cancelled": client.cancel_named(names)}
