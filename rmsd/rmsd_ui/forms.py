"""The forms that pages send: their fields, with bounds."""

from __future__ import annotations

from urllib.parse import parse_qsl

from aiohttp import web

FORM = web.RequestKey("form", dict[str, str])
"""The fields of a form whose token is right."""
MOST_BYTES = 4 << 20
_MOST_FIELDS = 40


async def read_form(request: web.Request) -> dict[str, str]:
    """Return the fields of a form. Lines of a text area end as on this machine, not in the way of
    HTML. Raises an error of HTTP if the body is none, or too long."""
    if request.content_type != "application/x-www-form-urlencoded":
        raise web.HTTPUnsupportedMediaType(text="Send a form.")
    body = await request.read()
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=_MOST_FIELDS,
        )
    except ValueError as error:
        raise web.HTTPBadRequest(text="This is no form.") from error
    return {name: text.replace("\r\n", "\n") for name, text in pairs}
