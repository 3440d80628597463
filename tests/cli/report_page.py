"""The page of a report, as a browser reads it."""

from __future__ import annotations

from html.parser import HTMLParser

SVG = "{http://www.w3.org/2000/svg}"


class Links(HTMLParser):
    """The files that a page would load, and the elements that are not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loaded += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in ("meta", "wbr", "link", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Do nothing: `<path/>` has no end."""
