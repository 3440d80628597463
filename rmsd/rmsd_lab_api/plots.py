"""Charts of results, drawn by matplotlib as `rmsd report` and `rmsd gantt` draw them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rmsd_cli.errors import INSTALL_LAB, CommandError, CommandUsageError
from rmsd_core.model_time import SECOND_US
from rmsd_lab.charts.gantt import gantt_of
from rmsd_lab.schedule import Schedule
from rmsd_lab_api.options import PathName
from rmsd_lab_api.tables import needed
from rmsd_lab_cli.pictures.chart import instant_of_trace
from rmsd_lab_cli.pictures.figures import OF_SCHEDULES
from rmsd_lab_cli.pictures.output import PICTURES, check_output, write_picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from rmsd_lab_cli.pictures.picture import Picture


class LabPlot:
    """A chart. A notebook shows it; `figure` is matplotlib's, and `write` makes a file of it."""

    def __init__(self, picture: Picture) -> None:
        self._picture = picture

    @property
    def figure(self) -> Figure:
        """Return the figure of matplotlib."""
        return self._picture.figure

    def write(self, path: PathName) -> None:
        """Write the chart to a file, .svg, .pdf or .png.

        Raises:
            CommandUsageError: another ending.
            CommandError: the file cannot be written.
        """
        check_output(Path(path), PICTURES)
        write_picture(Path(path), self._picture)

    def __repr__(self) -> str:
        return f"<chart: {self._picture.title}>"

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        from rmsd_lab_cli.pictures.picture import content

        figure = self._picture.figure
        width = round(figure.get_figwidth() * figure.dpi)
        return content(self._picture, ".png"), {"width": width}


def plotted(schedules: Mapping[str, Schedule], chart: str) -> LabPlot:
    """Return a chart of schedules side by side. Raises CommandUsageError if there is no such
    chart."""
    if chart not in OF_SCHEDULES:
        raise CommandUsageError(f"no chart '{chart}'; there are: {', '.join(OF_SCHEDULES)}")
    needed("matplotlib", "a chart", INSTALL_LAB)
    from rmsd_lab_cli.pictures.drawing import drawn

    return LabPlot(drawn(OF_SCHEDULES[chart](schedules)))


def gantt_plot(name: str, schedule: Schedule, window_s: Sequence[float] | None) -> LabPlot:
    """Return a Gantt chart, of all or of the time between two instants of the schedule [s]."""
    needed("matplotlib", "a chart", INSTALL_LAB)
    from rmsd_lab_cli.pictures.gantt_drawing import gantt_drawn

    gantt = gantt_of(schedule, name)
    since_us, until_us = gantt.span_us()
    if window_s is not None:
        first_s, last_s = window_s
        since_us = max(since_us, round(first_s * SECOND_US))
        until_us = min(until_us, round(last_s * SECOND_US))
    if not gantt.bars or until_us <= since_us:
        raise CommandError(f"there is nothing to draw: {name} has no run in this time")
    return LabPlot(gantt_drawn(gantt, since_us, until_us, instant_of_trace))
