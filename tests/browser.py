"""A page in a real browser: Chromium without a window, over the DevTools protocol."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.waiting import wait_until

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_DEADLINE_S = 60.0
_HAS_LEFT = "Inspected target navigated or closed"
"""The error of an expression that was under way when its page was left."""
_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-extensions",
    "--disable-dev-shm-usage",
)


def browser_or_skip() -> str:
    """Return the browser's path; skip the test where there is none."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip("there is no Chromium (apt-get install chromium)")
    return found


class Navigated(Exception):
    """The page went to another address before it had answered."""


class Page:
    """An open page. `errors`: what its scripts have thrown, and what it could not load."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0
        self.errors: list[str] = []
        self.requests: list[str] = []

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Return the result of a DevTools method; what the page reports meanwhile is noted.

        Raises:
            Navigated: the page has left its address since.
        """
        self._number += 1
        await self._socket.send_json({"id": self._number, "method": method, "params": parameters})
        while True:
            message = await self._socket.receive_json(timeout=_DEADLINE_S)
            if message.get("id") == self._number:
                if _HAS_LEFT in message.get("error", {}).get("message", ""):
                    raise Navigated
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result
            self._note(message)

    def _note(self, message: dict[str, Any]) -> None:
        match message["method"]:
            case "Runtime.exceptionThrown":
                self.errors.append(str(message["params"]["exceptionDetails"]))
            case "Log.entryAdded" if message["params"]["entry"]["level"] == "error":
                self.errors.append(message["params"]["entry"]["text"])
            case "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])

    async def open(self, path: Path, width: int = 1280, height: int = 900) -> None:
        for domain in ("Runtime", "Log", "Network", "Page"):
            await self.call(f"{domain}.enable")
        await self.resize(width, height)
        await self.call("Page.navigate", url=path.as_uri())

    async def resize(self, width: int, height: int) -> None:
        await self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    async def media(self, *, dark: bool) -> None:
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        await self.call("Emulation.setEmulatedMedia", features=features)

    async def evaluate(self, expression: str) -> Any:
        """Return the value of a JavaScript expression."""
        found = await self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    async def until(self, expression: str) -> Any:
        """Return the value of a JavaScript expression once it is true. The page may go to another
        address meanwhile."""
        async with asyncio.timeout(_DEADLINE_S):
            while True:
                with contextlib.suppress(Navigated):
                    if value := await self.evaluate(expression):
                        return value
                assert not self.errors, self.errors
                await asyncio.sleep(0.05)

    async def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        await self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    async def key(self, key: str) -> None:
        text = {"text": key} if len(key) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            await self.call("Input.dispatchKeyEvent", type=kind, key=key, **text)

    async def screenshot(self) -> bytes:
        """Return a picture of the whole page, as PNG."""
        found = await self.call("Page.captureScreenshot", captureBeyondViewport=True)
        return base64.b64decode(found["data"])


@contextlib.contextmanager
def running_browser() -> Iterator[int]:
    """Yield the DevTools port of a browser of its own."""
    program = browser_or_skip()
    with tempfile.TemporaryDirectory(prefix="rc", dir="/tmp", ignore_cleanup_errors=True) as home:
        process = subprocess.Popen(
            [program, *_OPTIONS, "--remote-debugging-port=0", f"--user-data-dir={home}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            file = Path(home) / "DevToolsActivePort"
            lines = wait_until(lambda: file.exists() and file.read_text().splitlines(), "browser")
            yield int(lines[0])
        finally:
            process.terminate()
            process.wait()


@contextlib.asynccontextmanager
async def empty_page(port: int) -> AsyncIterator[Page]:
    """Yield a page of the browser that listens there."""
    async with aiohttp.ClientSession() as session:
        async with session.put(f"http://127.0.0.1:{port}/json/new?about:blank") as reply:
            url = (await reply.json())["webSocketDebuggerUrl"]
        async with session.ws_connect(url, max_msg_size=1 << 28) as socket:
            yield Page(socket)
