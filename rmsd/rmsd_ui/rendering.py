"""Pages from templates: the texts of the API, escaped, with the caller and the messages of acts."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

from aiohttp import web
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from rmsd_client.console.cli import plural
from rmsd_client.console.terminal import or_dash
from rmsd_client.nodes import device_text
from rmsd_client.nodes.reservations import admitted, repeat_of
from rmsd_client.show.job_fields import label, local_time
from rmsd_ui.daemon import DaemonSocket, RefusedError
from rmsd_wire.durations import format_duration
from rmsd_wire.sizes import format_mem

_TEMPLATES = Path(__file__).parent / "templates"
_MOST_MESSAGES = 100


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["duration"] = lambda value: "" if value is None else format_duration(value)
    made.filters["limit"] = format_duration
    made.filters["counted"] = lambda some, noun="job": plural(len(some), noun)
    made.filters["when"] = lambda value: "" if value is None else local_time(value)
    made.filters["label"] = label
    made.filters["devices"] = lambda node: device_text.counted([node]).replace(",", ", ")
    made.filters["memory"] = lambda mib: or_dash(mib, format_mem)
    made.filters["time_used"] = lambda seconds: or_dash(seconds, format_duration)
    made.filters["repeat"] = repeat_of
    made.filters["admitted"] = admitted
    made.filters["count"] = plural
    made.filters["thousands"] = "{:,}".format
    made.filters["number"] = lambda value: or_dash(value, str)
    return made


class Messages:
    """The messages of acts for the pages after them. Each is shown once, at the address that its
    act has led to: no other address can put words into a page."""

    def __init__(self) -> None:
        self._kept: dict[str, str] = {}

    def keep(self, text: str) -> str:
        """Return a key for a message. The oldest of too many messages are dropped."""
        key = secrets.token_urlsafe(9)
        self._kept[key] = text
        while len(self._kept) > _MOST_MESSAGES:
            del self._kept[next(iter(self._kept))]
        return key

    def told(self, key: str) -> str:
        """Return the message of a key, which stays."""
        return self._kept.get(key, "")

    def take(self, key: str) -> str:
        """Return the message of a key, once; "" if there is none."""
        return self._kept.pop(key, "")


class Renderer:
    """Makes the answers that people see. `form_token` is written into each form."""

    def __init__(self, daemon: DaemonSocket, form_token: str) -> None:
        self._daemon = daemon
        self._form_token = form_token
        self._environment = _environment()
        self._messages = Messages()

    async def caller(self) -> dict[str, Any]:
        """Return the caller as the daemon knows it. Raises RefusedError."""
        you: dict[str, Any] = (await self._daemon.get("/v1/status"))["you"]
        return you

    async def page(
        self,
        request: web.Request,
        template: str,
        *,
        status: int = 200,
        you: dict[str, Any] | None = None,
        is_late: bool = False,
        **values: Any,
    ) -> web.Response:
        """Return a page. `you`: the caller, if the daemon was asked already. `is_late`: the page
        should ask again soon. Raises RefusedError."""
        you = you or await self.caller()
        # A late page is asked for again, which takes the message then.
        tell = self._messages.told if is_late else self._messages.take
        said = tell(request.query.get("said", ""))
        late = "part" if is_late else ""
        return self._answer(template, status, you=you, said=said, late=late, **values)

    def later(self, template: str) -> web.Response:
        """Return the page that stands for one whose values are not there yet: it becomes the
        page of `template` by itself. The message of an act stays for that one."""
        text = self._environment.get_template("late.html").render(
            page=template, you=None, said="", late="whole"
        )
        return web.Response(text=text, content_type="text/html", charset="utf-8")

    def refused(self, request: web.Request, error: RefusedError) -> web.Response:
        """Return the page that tells what the daemon has said. It leads to the page before."""
        if job := request.match_info.get("id"):
            back = f"/jobs/{job}" if request.method == "POST" else "/"
        else:
            back = "/nodes" if "node" in request.match_info else "/"
        values = {"you": None, "said": "", "late": "", "detail": str(error), "back": back}
        return self._answer("refused.html", error.status, **values)

    def done(self, location: str, message: str) -> web.Response:
        """Return the answer to an act that was carried out: its message is shown at `location`."""
        key = self._messages.keep(message)
        return web.Response(status=303, headers={"Location": f"{location}?said={key}"})

    def _answer(self, template: str, status: int, **values: Any) -> web.Response:
        text = self._environment.get_template(template).render(
            page=template, form_token=self._form_token, **values
        )
        return web.Response(text=text, status=status, content_type="text/html", charset="utf-8")
