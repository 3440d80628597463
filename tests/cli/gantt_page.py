"""The content of a page with a Gantt chart, in its file and in a browser."""

from __future__ import annotations

import base64
import gzip
import json
import re
from array import array
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.browser import Page, browser_or_skip, empty_page, running_browser

PANELS = "[...document.querySelectorAll('.gantt-panel canvas:not(.over)')]"


def gantt_data(path: Path) -> dict[str, Any]:
    found = re.search(r'id="gantt-data">(.*?)</script>', path.read_text())
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


def unpacked(run: dict[str, Any]) -> list[list[int]]:
    numbers = array("i", gzip.decompress(base64.b64decode(run["data"])))
    columns = []
    for length in [run["bars"]] * 9 + [run["pieces"]] * 2:
        columns.append(list(numbers[:length]))
        del numbers[:length]
    assert not numbers
    return columns


@asynccontextmanager
async def in_browser(report: Path) -> AsyncIterator[Page]:
    """Yield the page of a report whose chart has been drawn, and check that it has no error and
    loads nothing."""
    browser_or_skip()
    with running_browser() as port:
        async with empty_page(port) as page:
            await page.open(report)
            await page.until("document.getElementById('gantt')?.dataset.ready")
            await page.until(f"{PANELS}.every((one) => one.dataset.frames >= 2)")
            yield page
            assert page.errors == []
            assert [url for url in page.requests if not url.startswith("file:")] == []
