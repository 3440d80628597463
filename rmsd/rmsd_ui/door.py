"""The door of the dashboard: a one-time address becomes a cookie, and every other request is
refused.

The port is on the loopback, where every account of the machine and every page of the browser can
reach it. So a request needs the cookie, and must name the loopback as its host: a page elsewhere
whose name leads to 127.0.0.1 names another one. The browser also sends the cookie to every other
port of the loopback, which may be another account's: so it opens for the account alone that has
opened the address.

A request that changes something is a POST with the token that this dashboard writes into its forms,
and with the dashboard itself as the Origin: no other site knows the token, or can name that origin.
"""

from __future__ import annotations

import hmac
import os
import secrets

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from rmsd_ui.forms import FORM, read_form
from rmsd_ui.peers import account_of

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # under "no-referrer" forms are sent with the Origin "null"
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Door:
    """The secrets of one dashboard. They live as long as its process."""

    def __init__(self) -> None:
        self._once: str | None = secrets.token_urlsafe(32)
        self._session = secrets.token_urlsafe(32)
        self.form_token = secrets.token_urlsafe(32)
        self._account: int | None = None  # the account that has opened the address
        self.port = 0

    @property
    def address(self) -> str:
        """Return the one-time address."""
        return f"http://127.0.0.1:{self.port}/open/{self._once}"

    @property
    def _cookie(self) -> str:
        """Return the name of the cookie. Browsers share cookies between the ports of a host."""
        return f"rmsd_ui_{self.port}"

    def is_own(self, account: int | None) -> bool:
        """Return whether an account is that of this process, or has opened the address."""
        return account is not None and account in (os.getuid(), self._account)

    async def open(self, request: web.Request) -> web.Response:
        """Exchange the one-time address for the cookie. The address is void from then on."""
        given = request.match_info["secret"]
        if self._once is None or not _is_same(given, self._once):
            raise web.HTTPForbidden(text="This address was used. Run `rmsd ui` again for another.")
        self._once = None
        self._account = account_of(request)
        response = web.Response(status=303, headers={"Location": "/"})
        response.set_cookie(self._cookie, self._session, httponly=True, samesite="Strict", path="/")
        return response

    def guard(self) -> Middleware:
        """Return the middleware that refuses requests without the cookie or of other sites."""

        @web.middleware
        async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
            if request.host not in (f"127.0.0.1:{self.port}", f"localhost:{self.port}"):
                raise web.HTTPForbidden(text="This page is at 127.0.0.1 alone.")
            if request.match_info.handler == self.open:
                return await handler(request)
            shown = request.cookies.get(self._cookie, "")
            if not _is_same(shown, self._session):
                raise web.HTTPForbidden(text="Open the address that `rmsd ui` has printed.")
            if account_of(request) != self._account:
                raise web.HTTPForbidden(text="Another account has opened this address.")
            if request.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
                raise web.HTTPForbidden(text="This page is not for other sites.")
            if request.method not in ("GET", "HEAD"):
                await self._check_form(request)
            return await handler(request)

        return guarded

    async def _check_form(self, request: web.Request) -> None:
        """Read the form of a request that may change something. Raises HTTPForbidden if the form
        is not of a page of this dashboard."""
        if request.headers.get("Origin") != f"http://{request.host}":
            raise web.HTTPForbidden(text="This page takes no forms of other sites.")
        fields = await read_form(request)
        if not _is_same(fields.pop("token", ""), self.form_token):
            raise web.HTTPForbidden(
                text="This form is of another run of `rmsd ui`: load its page again."
            )
        request[FORM] = fields


def _is_same(given: str, secret: str) -> bool:
    """Return whether a secret was given. What comes over the network need not be UTF-8."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), secret.encode())


async def add_headers(request: web.Request, response: web.StreamResponse) -> None:  # noqa: ARG001
    """Add the headers of all answers: a signal handler for `on_response_prepare`."""
    response.headers.update(HEADERS)
