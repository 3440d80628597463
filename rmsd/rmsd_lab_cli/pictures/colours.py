"""The colours of series, on a light and on a dark ground."""

from __future__ import annotations

LIGHT = ("#1f6fb4", "#c8500a", "#24824a", "#8a4fb0", "#9a6c00", "#b8336a", "#1d7884", "#666666")
DARK = ("#6cb4f0", "#ff9a5c", "#6fce8e", "#c79bec", "#e3c15a", "#f583ae", "#62c8d6", "#b5b5b5")
DASHES = ("", "6 3", "2 2", "8 3 2 3", "1 3", "10 4", "4 2 1 2", "12 2")
"""Lines differ without colour too: in print, and for who sees none."""

_GROUND = {
    "light": {"ink": "#1c1c1c", "faint": "#5f6368", "rule": "#d9dce0", "ground": "#ffffff"},
    "dark": {"ink": "#e8e8e8", "faint": "#a5abb3", "rule": "#3a3f46", "ground": "#16181c"},
}


def chart_style() -> str:
    """CSS for what `svg` draws: light, and dark where the reader asks for it."""
    return (
        f"{_rules(LIGHT, **_GROUND['light'])}"
        f"@media screen and (prefers-color-scheme:dark){{{_rules(DARK, **_GROUND['dark'])}}}"
    )


def variables() -> str:
    """The same colours as CSS variables, for a page; light on `:root.printing` in any case."""
    light, dark = _declared(LIGHT, _GROUND["light"]), _declared(DARK, _GROUND["dark"])
    return (
        f":root,:root.printing{{{light}}}"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"
    )


def _declared(series: tuple[str, ...], ground: dict[str, str]) -> str:
    named = {f"series-{at}": colour for at, colour in enumerate(series)} | ground
    return "".join(f"--{name}:{colour};" for name, colour in named.items())


def _rules(series: tuple[str, ...], *, ink: str, faint: str, rule: str, ground: str) -> str:
    lines = "".join(f".l{at}{{stroke:{colour}}}" for at, colour in enumerate(series))
    areas = "".join(f".a{at}{{fill:{colour}}}" for at, colour in enumerate(series))
    return (
        f".ground{{fill:{ground}}}.title{{fill:{ink};font-weight:600}}.text{{fill:{faint}}}"
        f".legend{{fill:{ink}}}.inside{{fill:{ground}}}.rule{{stroke:{rule}}}.axis{{stroke:{faint}}}{lines}{areas}"
    )
