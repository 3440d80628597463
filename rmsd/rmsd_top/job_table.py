"""The table of the jobs of a page."""

from __future__ import annotations

import time
from typing import Any, ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import DataTable

from rmsd_client.show.job_fields import elapsed, label, state_colour, where
from rmsd_core.vocabulary import JobState
from rmsd_top.texts import cell

Json = dict[str, Any]
Row = tuple[tuple[str, str], ...]

_COLUMNS = ("JOBID", "NAME", "USER", "ST", "TIME", "CPUS", "NODES OR REASON")
_WIDEST = {1: 20, 2: 12, 6: 34}
_TIME = 4


class JobTable(DataTable[Text]):
    """Shows jobs, and keeps the cursor on the chosen one while rows come and go."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("home", "scroll_top", "first job", show=False),
        Binding("end", "scroll_bottom", "last job", show=False),
    ]

    class Chosen(Message):
        """Another job is under the cursor; None: there is no job."""

        def __init__(self, job: Json | None) -> None:
            super().__init__()
            self.job = job

    class HasLeft(Message):
        """The job that was chosen is not among those that are shown any more."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self) -> None:
        super().__init__(cursor_type="row", zebra_stripes=False, id="jobs")
        self.jobs: dict[str, Json] = {}
        self._rows: dict[str, Row] = {}
        self._read_s = 0.0
        self._rate = 1.0
        self._chosen = ""

    def on_mount(self) -> None:
        for number, title in enumerate(_COLUMNS):
            self.add_column(title, key=str(number))

    @property
    def job(self) -> Json | None:
        """Return the job under the cursor."""
        return self.jobs.get(self._under_cursor())

    def show_jobs(self, jobs: list[Json], rate: float, *, is_other_view: bool = False) -> None:
        """Show these jobs. `rate`: how fast the daemon's clock runs. A chosen job that leaves stays
        chosen until the cursor is moved, unless this is another view."""
        self.jobs = {label(job): job for job in jobs}
        self._read_s, self._rate = time.monotonic(), rate
        rows = {name: _row(job) for name, job in self.jobs.items()}
        if list(rows) == list(self._rows):
            for name, row in rows.items():
                self._update(name, row)
            self._rows = rows
        else:
            self._replace(rows)
        if self._chosen in ("", *rows) or is_other_view:
            self._choose(self._under_cursor(), is_known=True)
        else:
            self.post_message(self.HasLeft(self._chosen))

    def tick(self) -> None:
        """Let the times of running jobs go on without a look at the daemon."""
        since_s = (time.monotonic() - self._read_s) * self._rate
        for name, job in self.jobs.items():
            if job["state"] == JobState.RUNNING and job["elapsed_s"] is not None:
                now = _row({**job, "elapsed_s": job["elapsed_s"] + since_s})
                self._update(name, now)
                self._rows[name] = now

    def _update(self, name: str, row: Row) -> None:
        for number, (old, new) in enumerate(zip(self._rows[name], row, strict=True)):
            if old != new:
                self.update_cell(name, str(number), cell(*new), update_width=number != _TIME)

    def _replace(self, rows: dict[str, Row]) -> None:
        line, scroll = self.cursor_row, self.scroll_offset
        with self.prevent(DataTable.RowHighlighted):
            self.clear()
            for name, row in rows.items():
                self.add_row(*(cell(*one) for one in row), key=name)
            self._rows = rows
            if self._chosen in rows:
                line = list(rows).index(self._chosen)
            if rows:
                self.move_cursor(row=min(line, len(rows) - 1), scroll=False)
            self.scroll_to(y=scroll.y, animate=False)

    def _under_cursor(self) -> str:
        names = list(self._rows)
        return names[self.cursor_row] if 0 <= self.cursor_row < len(names) else ""

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        event.stop()
        name = event.row_key.value or ""
        if name in self.jobs:
            self._choose(name, is_known=False)

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Choose on Enter, where the cursor is on a job already that is not the chosen one."""
        event.stop()
        self._choose(self._under_cursor(), is_known=True)

    def _choose(self, name: str, *, is_known: bool) -> None:
        """Tell of the chosen job if it is another one, or may have changed (`is_known`)."""
        if name != self._chosen or is_known:
            self._chosen = name
            self.post_message(self.Chosen(self.jobs.get(name)))


def _row(job: Json) -> Row:
    texts = (
        *(label(job), str(job["name"]), str(job["user"]), str(job["state_code"])),
        *(elapsed(job), str(job["cpus"]), where(job)),
    )
    colour = state_colour(job) or ""
    return tuple(
        (_cut(text, _WIDEST.get(number)), colour if number == 3 else "")
        for number, text in enumerate(texts)
    )


def _cut(text: str, most: int | None) -> str:
    return text if most is None or len(text) <= most else f"{text[: most - 1]}+"
