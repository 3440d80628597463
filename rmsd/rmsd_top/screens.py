"""The screens over the queue: a question, a text, the search, and the nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import DataTable, Input, Static

from rmsd_client.errors import UsageError
from rmsd_client.nodes.device_text import counted
from rmsd_top.texts import cell
from rmsd_top.view import JobFilter, parse_filter
from rmsd_wire.sizes import format_mem

Json = dict[str, Any]

MOST_NODES = 1000
"""Nodes that are listed."""


class Question(ModalScreen[bool]):
    """Asks whether to do something. Enter alone does nothing, so that no key too many does it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "dismiss(True)", "yes"),
        Binding("n,escape,q", "dismiss(False)", "no"),
    ]

    def __init__(self, question: str) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(cell(self._question), markup=False, id="question")
            yield Static("y: yes    n: no", markup=False)


class TextScreen(ModalScreen[None]):
    """Shows lines of text, until a key closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,e,question_mark", "dismiss", "close")
    ]

    def __init__(self, title: str, lines: list[str]) -> None:
        super().__init__()
        self._title = title
        self._lines = lines

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="page"):
            yield Static(cell(self._title, "bold"), markup=False)
            text = Text("\n").join(cell(line) for line in ["", *self._lines])
            yield Static(text, markup=False, id="text")


class Search(ModalScreen[JobFilter | None]):
    """Asks for a filter."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "leave")]

    def __init__(self, present: JobFilter) -> None:
        super().__init__()
        self._present = present

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static("A job's number, or user:NAME name:NAME partition:NAME", markup=False)
            yield Input(str(self._present).replace("job:", ""), id="search")
            yield Static("Names are exact. Enter: search; empty: all.", markup=False, id="wrong")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        try:
            self.dismiss(parse_filter(event.value))
        except UsageError as error:
            self.query_one("#wrong", Static).update(cell(str(error)))


class NodesScreen(ModalScreen[None]):
    """Lists the nodes. `ask` has the present ones read, and `show` called with them."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,n", "dismiss", "close")]
    _AGAIN_S = 5.0
    _COLUMNS = ("NODE", "STATE", "CPUS", "USED", "MEMORY", "DEVICES", "JOBS", "REASON")

    def __init__(self, ask: Callable[[NodesScreen], None]) -> None:
        super().__init__()
        self._ask = ask

    def compose(self) -> ComposeResult:
        with Vertical(classes="page"):
            yield Static("Nodes", markup=False, id="nodes-title")
            yield DataTable(cursor_type="row", id="nodes")

    def on_mount(self) -> None:
        self.query_one(DataTable).add_columns(*self._COLUMNS)
        self._ask(self)
        self.set_interval(self._AGAIN_S, lambda: self._ask(self))

    def show(self, nodes: list[Json]) -> None:
        table = self.query_one(DataTable)
        line = table.cursor_row
        table.clear()
        for node in nodes[:MOST_NODES]:
            table.add_row(*(cell(text) for text in _node_row(node)))
        table.move_cursor(row=line)
        shown = f"Nodes: {len(nodes):,}"
        if len(nodes) > MOST_NODES:
            shown += f", of which the first {MOST_NODES:,} are listed; `rnode` lists all"
        self.query_one("#nodes-title", Static).update(cell(shown, "bold"))


def _node_row(node: Json) -> tuple[str, ...]:
    return (
        *(node["name"], node["state"], str(node["cores"]), str(node["cores_used"])),
        format_mem(node["mem_mib"]),
        counted([node]) or "-",
        str(len(node["jobs"])),
        node["reason"],
    )
