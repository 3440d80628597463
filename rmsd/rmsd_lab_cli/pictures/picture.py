"""A figure of matplotlib, and the bytes of its file: SVG, PDF or PNG.

matplotlib takes a third of a second to import. So this module and those that draw are imported only
where a figure is drawn.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any
from xml.etree import ElementTree

from matplotlib import style
from matplotlib.artist import Artist
from matplotlib.figure import Figure

from rmsd_client.console.cli import printable
from rmsd_lab_cli.pictures.colours import FAINT, GROUND, INK, RULE, dark_style

_PIXELS_PER_INCH = 96  # CSS's
_PNG_SCALE = 3
_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"

_COORDINATES = {"d", "x", "y", "transform"}

_STYLE: dict[str, Any] = {
    "figure.dpi": _PIXELS_PER_INCH,
    "figure.facecolor": GROUND,
    "font.sans-serif": ["DejaVu Sans"],  # is part of matplotlib, and of most systems
    "font.size": 9,  # 12 pixels
    "text.color": INK,
    "text.parse_math": False,  # a name may have dollars in it
    "axes.facecolor": GROUND,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": FAINT,
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.axisbelow": True,
    "grid.color": RULE,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "ytick.left": False,
    "lines.solid_joinstyle": "round",
    "svg.fonttype": "none",  # text stays text: it can be read, searched and copied
    "pdf.fonttype": 42,
}

ElementTree.register_namespace("", _SVG)
ElementTree.register_namespace("xlink", _XLINK)


@dataclass(slots=True)
class Picture:
    """A figure with its texts. `name` makes the ids of its SVG its own among those of a page.
    `tips`: what an artist says when it is pointed at, by gid."""

    figure: Figure
    name: str
    title: str
    description: str
    tips: dict[str, str] = field(default_factory=dict)

    def tip(self, artist: Artist, text: str) -> None:
        """Show this text when a reader points at the artist."""
        gid = f"{self.name}-{len(self.tips)}"
        artist.set_gid(gid)
        self.tips[gid] = printable(text)

    def fix_layout(self) -> None:
        """Compute the layout once, so that all files of the figure are the same picture."""
        self.figure.draw_without_rendering()
        self.figure.set_layout_engine("none")


def inches(pixels: float) -> float:
    """Return the length of so many pixels of CSS."""
    return pixels / _PIXELS_PER_INCH


@contextmanager
def drawing_style(name: str = "") -> Iterator[None]:
    """Draw and write figures in one style, whatever the reader's matplotlibrc says."""
    with (
        style.context(["default", _STYLE | {"svg.hashsalt": name or "rmsd"}]),
        warnings.catch_warnings(),
    ):
        # A letter that DejaVu does not have is a box in PDF and PNG, and itself in SVG.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        yield


def svg_element(picture: Picture) -> str:
    """Return an `<svg>` element for a page, which has the CSS of `dark_style`."""
    return ElementTree.tostring(_svg(picture), encoding="unicode")


def content(picture: Picture, suffix: str) -> bytes:
    """Return the file whose name ends in `suffix`: the same bytes for the same picture."""
    if suffix == ".svg":
        root = _svg(picture)
        css = ElementTree.Element(f"{{{_SVG}}}style")
        css.text = dark_style()
        root.insert(0, css)
        return ElementTree.tostring(root, encoding="unicode").encode() + b"\n"
    if suffix == ".pdf":
        return _saved(picture, "pdf", {"Title": picture.title, "CreationDate": None})
    return _saved(picture, "png", {"Title": picture.title, "Software": None})


def _saved(picture: Picture, kind: str, metadata: dict[str, str | None]) -> bytes:
    file = BytesIO()
    with drawing_style(picture.name):
        picture.figure.savefig(
            file, format=kind, metadata=metadata, dpi=_PNG_SCALE * _PIXELS_PER_INCH
        )
    return file.getvalue()


def _svg(picture: Picture) -> ElementTree.Element:
    """Return the root with title, description and tips. Ids that nothing refers to are gone, and
    the decimals of coordinates that are too small to be seen."""
    nothing: dict[str, str | None] = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    text = _saved(picture, "svg", nothing).decode()
    used = set(re.findall(r"#(\w+)", text))
    root = ElementTree.fromstring(text)
    for element in root.iter():
        gid = element.get("id")
        if gid in picture.tips:
            ElementTree.SubElement(element, f"{{{_SVG}}}title").text = picture.tips[gid]
        if gid is not None and gid not in used:
            del element.attrib["id"]
        for key in _COORDINATES.intersection(element.keys()):
            element.set(key, re.sub(r"(\.\d\d)\d+", r"\1", element.attrib[key]).replace("\n", ""))
    ids = {"title": f"{picture.name}-title", "desc": f"{picture.name}-about"}
    texts = {"title": printable(picture.title), "desc": printable(picture.description)}
    for at, (tag, gid) in enumerate(ids.items()):
        element = ElementTree.Element(f"{{{_SVG}}}{tag}", {"id": gid})
        element.text = texts[tag]
        root.insert(at, element)
    root.set("role", "img")
    root.set("aria-labelledby", " ".join(ids.values()))
    return root
