"""The application of `rmsd top`: panes, keys, and the questions to the daemon."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.filter import LineFilter, NoColor
from textual.timer import Timer
from textual.widgets import Footer, Static

from rmsd_client.api import Client
from rmsd_client.console.cli import plural, printable
from rmsd_client.errors import ClientError
from rmsd_client.show.explain_text import explain
from rmsd_client.show.job_fields import label, where
from rmsd_client.show.job_text import how_it_ended
from rmsd_client.show.news import LinkState, NewsThread
from rmsd_core.vocabulary import TERMINAL_STATES
from rmsd_top.job_table import JobTable
from rmsd_top.keys import KEYS
from rmsd_top.loops import call_in
from rmsd_top.output_pane import OutputPane
from rmsd_top.screens import NodesScreen, Question, Search, TextScreen
from rmsd_top.texts import cell
from rmsd_top.view import ORDERS, STATES, JobFilter, QueuePage, QueueView, read
from rmsd_wire.durations import format_duration

Json = dict[str, Any]
T = TypeVar("T")

_PAUSE_S = 0.5
"""The time between two looks at the queue while it changes."""
_SLOW_POLL_S = 5.0
"""The time between two looks where the daemon has no events."""
_TICK_S = 1.0
_REST_S = 0.2
"""The time for which the cursor must rest on a job before its output is read."""


class TopApp(App[None]):
    """Shows the queue and the output of a job. `connect` makes connections that do not retry."""

    TITLE = "rmsd top"
    ENABLE_COMMAND_PALETTE = False
    CSS_PATH = "top.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 -- as App has it
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit", "Quit"),
        Binding("question_mark", "help", "Help", key_display="?"),
        Binding("slash", "search", "Search", key_display="/"),
        Binding("s", "states", "States"),
        Binding("a", "mine", "Mine/all"),
        Binding("o", "order", "Order"),
        Binding("less_than_sign", "newer", "Newer", show=False),
        Binding("greater_than_sign", "older", "Older", show=False),
        Binding("e", "explain", "Explain"),
        Binding("c", "cancel", "Cancel"),
        Binding("h", "hold", "Hold"),
        Binding("r", "release", "Release"),
        Binding("l", "stream", "Out/err"),
        Binding("n", "nodes", "Nodes"),
        Binding("tab", "app.focus_next", "Pane", show=False),
    ]

    def __init__(self, connect: Callable[[], Client], *, mine: bool = False) -> None:
        super().__init__()
        self.view = QueueView(is_mine=mine)
        self.link = LinkState.LOST
        self.table = JobTable()
        self.output = OutputPane(connect)
        self._status_line = Static(markup=False, id="status")
        self._job_lines = Static(markup=False, id="job")
        self._client = connect()
        self._one_at_a_time = asyncio.Lock()
        self._wanted = asyncio.Event()
        self._snapshot: QueuePage | None = None
        self._shown: QueueView | None = None  # the view of the snapshot
        self._why_lost = "connecting"
        self._slow_poll: Timer | None = None  # where the daemon has no events
        self._stream = "stdout"
        self._followed: tuple[str, str] | None = None
        self._news = NewsThread(connect, self._changed_in_thread, self._linked_in_thread)

    # ------------------------------------------------------------ panes

    def compose(self) -> ComposeResult:
        yield self._status_line
        with Horizontal(id="panes"):
            yield self.table
            with Vertical(id="right"):
                yield self._job_lines
                yield self.output
        yield Footer()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the filters of what is written. Textual alone would leave greys in NO_COLOR."""
        filters = super().get_line_filters()
        return [*filters, NoColor()] if self.no_color else filters

    def on_mount(self) -> None:
        self.table.focus()
        self.run_worker(self._keep_fresh(), name="fresh", exit_on_error=True)
        self.set_interval(_TICK_S, self.table.tick)
        self._wanted.set()
        self._news.start()

    def on_unmount(self) -> None:
        self._news.close()
        self.output.close()
        self._client.connection.end()
        self._client.close()

    # ------------------------------------------------------------ news, in threads of their own

    def _changed_in_thread(self, _: frozenset[int] | None) -> None:
        self._in_app(self._wanted.set)

    def _linked_in_thread(self, link: LinkState, why: str) -> None:
        self._in_app(lambda: self._linked(link, why))

    def _in_app(self, call: Callable[[], object]) -> None:
        if (loop := self._loop) is not None:
            call_in(loop, call)

    def _linked(self, link: LinkState, why: str) -> None:
        self.link, self._why_lost = link, why
        if self._slow_poll is not None:
            self._slow_poll.stop()
            self._slow_poll = None
        if link is LinkState.WITHOUT_EVENTS:
            self._slow_poll = self.set_interval(_SLOW_POLL_S, self._wanted.set)
        self._wanted.set()
        self._show_status()

    # ------------------------------------------------------------ questions to the daemon

    async def _ask(self, question: Callable[[Client], T]) -> T:
        """Return what the daemon says. Raises ClientError."""
        async with self._one_at_a_time:
            return await asyncio.to_thread(question, self._client)

    async def _keep_fresh(self) -> None:
        """Read the page again whenever something may have changed, twice a second at most."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            view = self.view
            try:
                snapshot = await self._ask(lambda client, view=view: read(client, view))  # type: ignore[misc]
            except ClientError as error:
                if self.link is not LinkState.LOST:
                    self.notify(printable(str(error)), severity="error", markup=False)
            else:
                if view == self.view:
                    self._show(snapshot)
            await asyncio.sleep(_PAUSE_S)

    def _show(self, snapshot: QueuePage) -> None:
        self._snapshot = snapshot
        rate = float(snapshot.status["clock"]["rate"])
        self.table.show_jobs(snapshot.jobs, rate, is_other_view=self.view != self._shown)
        self._shown = self.view
        self._show_status()

    def _show_status(self) -> None:
        parts = [Text(" rmsd ", "bold")]
        if self._snapshot is not None:
            parts += [cell(text) for text in _status_texts(self._snapshot.status)]
        shown = [self.view.states, "mine" if self.view.is_mine else "everybody's"]
        shown += [f"by {self.view.order}"] + [str(self.view.filter)] * bool(str(self.view.filter))
        if self.view.pages:
            shown.append(f"page {len(self.view.pages) + 1}")
        parts.append(cell(", ".join(shown)))
        if self.link is LinkState.LOST:
            parts.append(cell(f"NO NEWS, trying again: {self._why_lost}", "bold red"))
        elif self.link is LinkState.WITHOUT_EVENTS:
            parts.append(cell(f"without events, read every {_SLOW_POLL_S:.0f} s", "yellow"))
        self._status_line.update(Text("  ").join(parts))

    # ------------------------------------------------------------ the chosen job

    def on_job_table_chosen(self, event: JobTable.Chosen) -> None:
        job = event.job
        self._job_lines.update(_job_text(job) if job else cell("no such jobs", "dim"))
        chosen = None if job is None else (label(job), self._stream)
        if chosen == self._followed:
            return
        self._followed = chosen
        self.output.stop()
        self.output.border_title = "error output" if self._stream == "stderr" else "output"
        if chosen is not None and job is not None and job.get("array_task_str"):
            self.output.border_subtitle = "each task of an array has its own"
        elif chosen is not None:
            self.set_timer(_REST_S, lambda: self._follow(chosen))

    def on_job_table_has_left(self, event: JobTable.HasLeft) -> None:
        """Tell how a job has ended while its output was shown, and leave the output there."""

        def show(job: Json) -> None:
            if self._followed is not None and self._followed[0] == event.name:
                self._job_lines.update(_job_text(job))

        self._do(lambda client: client.job(event.name), show, refreshes=False)

    def _follow(self, chosen: tuple[str, str]) -> None:
        if chosen == self._followed:
            self.output.follow(*chosen)

    # ------------------------------------------------------------ keys that change the view

    def _look_at(self, view: QueueView) -> None:
        self.view = view
        self._wanted.set()
        self._show_status()

    def action_mine(self) -> None:
        self._look_at(self.view.changed(is_mine=not self.view.is_mine))

    def action_states(self) -> None:
        self._look_at(self.view.changed(states=_next(STATES, self.view.states)))

    def action_order(self) -> None:
        self._look_at(self.view.changed(order=_next(ORDERS, self.view.order)))

    def action_newer(self) -> None:
        self._look_at(self.view.newer())

    def action_older(self) -> None:
        if self._snapshot is not None:
            self._look_at(self.view.older(self._snapshot))

    def action_search(self) -> None:
        def found(chosen: JobFilter | None) -> None:
            if chosen is not None:
                self._look_at(self.view.changed(filter=chosen))

        self.push_screen(Search(self.view.filter), found)

    def action_stream(self) -> None:
        self._stream = "stdout" if self._stream == "stderr" else "stderr"
        self.table.post_message(JobTable.Chosen(self.table.job))

    # ------------------------------------------------------------ keys that ask or change

    def action_help(self) -> None:
        self.push_screen(TextScreen("rmsd top", KEYS.splitlines()))

    def action_nodes(self) -> None:
        def ask(screen: NodesScreen) -> None:
            self._do(lambda client: client.nodes(), screen.show)

        self.push_screen(NodesScreen(ask))

    def action_explain(self) -> None:
        if (job := self.table.job) is None:
            return
        name = label(job)

        def show(told: Json) -> None:
            lines = [f"{title:11} {text}" for title, text in explain(told)]
            self.push_screen(TextScreen(f"Job {name}", lines))

        self._do(lambda client: client.explain(name), show)

    def action_cancel(self) -> None:
        if (job := self.table.job) is None:
            return
        name = label(job)

        def answered(yes: bool | None) -> None:
            if yes:
                self._do(
                    lambda client: client.cancel_named([name]),
                    lambda done: self._say(f"job {name} is cancelled" if done else "it was over"),
                )

        what = f"{name} {job['name']} of {job['user']} ({job['state']})"
        self.push_screen(Question(f"Cancel job {what}?"), answered)

    def action_hold(self) -> None:
        self._change("hold", "is held until its release")

    def action_release(self) -> None:
        self._change("release", "may start")

    def _change(self, action: str, then: str) -> None:
        if (job := self.table.job) is not None:
            name = label(job)
            self._do(
                lambda client: client.change(job["job_id"] if "[" in name else name, action),
                lambda _: self._say(f"job {name} {then}"),
            )

    def _do(
        self,
        question: Callable[[Client], T],
        then: Callable[[T], object],
        *,
        refreshes: bool = True,
    ) -> None:
        """Ask the daemon beside all else, and tell a refusal."""

        async def done() -> None:
            try:
                then(await self._ask(question))
            except ClientError as error:
                self.notify(printable(str(error)), severity="error", markup=False)
            if refreshes:
                self._wanted.set()

        self.run_worker(done())

    def _say(self, text: str) -> None:
        self.notify(printable(text), markup=False)


def _next(choices: dict[str, Any], present: str) -> str:
    names = list(choices)
    return names[(names.index(present) + 1) % len(names)]


def _status_texts(status: Json) -> list[str]:
    counts = {name: status["jobs"].get(name, 0) for name in ("RUNNING", "PENDING")}
    return [
        f"{counts['RUNNING']:,} running, {counts['PENDING']:,} waiting",
        f"{status['cores_used']:,}/{plural(status['cores'], 'cpu')}",
        str(status["recipe"]),
    ]


def _job_text(job: Json) -> Text:
    """Return the two lines over the output."""
    first = f"{label(job)} {job['name']} of {job['user']}: {job['state']}"
    second = f"{plural(job['cpus'], 'cpu')}, limit {format_duration(job['time_limit_s'])}, "
    second += how_it_ended(job) if job["state"] in TERMINAL_STATES else where(job)
    return Text("\n").join([cell(first, "bold"), cell(second)])
