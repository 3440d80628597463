"""The colours of series, on a light and on a dark ground."""

from __future__ import annotations

LIGHT = ("#1f6fb4", "#c8500a", "#24824a", "#8a4fb0", "#9a6c00", "#b8336a", "#1d7884", "#666666")
_DARK = ("#6cb4f0", "#ff9a5c", "#6fce8e", "#c79bec", "#e3c15a", "#f583ae", "#62c8d6", "#b5b5b5")

INK, FAINT, RULE, GROUND = "#1c1c1c", "#5f6368", "#d9dce0", "#ffffff"
_GROUND = {"ink": INK, "faint": FAINT, "rule": RULE, "ground": GROUND}
_DARK_GROUND = {"ink": "#e8e8e8", "faint": "#a5abb3", "rule": "#3a3f46", "ground": "#16181c"}

_ON_DARK = "@media screen and (prefers-color-scheme:dark)"


def dark_style() -> str:
    """Return the CSS that makes a picture dark, for readers who prefer dark pages.

    The picture itself names its colours in place, so that programs that know no CSS show it too.
    """
    pairs = [
        *zip(LIGHT, _DARK, strict=True),
        *((_GROUND[name], _DARK_GROUND[name]) for name in _GROUND),
    ]
    rules = (
        f'[style*="{what}: {light}"]{{{what}:{dark}!important}}'
        for light, dark in pairs
        for what in ("fill", "stroke")
    )
    return f"{_ON_DARK}{{{''.join(rules)}}}"


def variables() -> str:
    """Return the same colours as CSS variables, for a page; on `:root.printing` the light ones."""
    light, dark = _declared(LIGHT, _GROUND), _declared(_DARK, _DARK_GROUND)
    return f":root,:root.printing{{{light}}}{_ON_DARK}{{:root{{{dark}}}}}"


def _declared(series: tuple[str, ...], ground: dict[str, str]) -> str:
    named = {f"series-{at}": colour for at, colour in enumerate(series)} | ground
    return "".join(f"--{name}:{colour};" for name, colour in named.items())
