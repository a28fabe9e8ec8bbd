"""How does a plot become a figure of the page? An SVG in the theme's colours, with its finding below.

    figure, axes = figures.new()
    axes.plot(strides, sectors, **figures.style("H200"))
    figures.show(figure, "Odd strides never conflict.", alt="Wavefronts over the stride, 1 to 32. …")

Text stays text, so it has the page's font and can be found; black is the page's ink, and a device has one
colour, one mark and one kind of line throughout the book. The build numbers the captions
(`book/_ext/figures.py`).
"""

from __future__ import annotations

import io
import re
from html import escape
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from IPython.display import HTML

# device -> what `Axes.plot` needs to draw it
STYLES: dict[str, dict[str, Any]] = {
    "G80": {"color": "#d55e00", "marker": "s", "linestyle": ":"},
    "GT200": {"color": "#9a6b00", "marker": "x", "linestyle": "--"},
    "P100": {"color": "#b0508a", "marker": "^", "linestyle": "-."},
    "V100": {"color": "#56789a", "marker": "v", "linestyle": "--"},
    "A100": {"color": "#008060", "marker": "D", "linestyle": "-."},
    "H200": {"color": "#0072b2", "marker": "o", "linestyle": "-"},
    "MetaX C500": {"color": "#7a3fc0", "marker": "P", "linestyle": (0, (5, 1))},
}
# colour -> what a style sheet may say instead; JupyterLab's themes have a name of their own for ink
INK = "var(--figure-ink, var(--jp-content-font-color1, #000000))"
COLOURS = {"#000000": INK, "#b0b0b0": "var(--figure-rule, #b0b0b0)"} | {
    colour: f"var(--{name.lower().replace(' ', '-')}, {colour})"
    for name, colour in ((name, style["color"]) for name, style in STYLES.items())
}
NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
# What matplotlib writes for a file of its own, and what stands on a page with others.
CLEANED = (
    (r"^<svg [^>]*>", ""),
    (r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", ""),
    (r' id="(?:figure|axes|patch|line2d|text|matplotlib|xtick|ytick|legend|[A-Z]\w+?Collection)[\w.]*"', ""),
    (r"font-family: [^;\"]+;?\s*|font: (?=\d)", ""),
    (r"\s+", " "),
    (r"> <", "><"),
    (r"([ML] -?\d+\.\d)\d+ (-?\d+\.\d)\d+", r"\1 \2"),
)
LOOK: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "gpusim",
    "font.size": 12,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.markersize": 5,
    "path.simplify": True,
}


def new(rows: int = 1, columns: int = 1, height: float = 3.2, **settings: Any) -> Any:
    """A figure as wide as the page's text and its axes, as `plt.subplots` gives them; `height` in inches."""
    with mpl.rc_context(LOOK):
        return plt.subplots(rows, columns, figsize=(6.6, height), layout="constrained", **settings)


def style(device: str) -> dict[str, Any]:
    """The colour, mark and line of a device."""
    return STYLES[device]


def svg(figure: Any, alt: str) -> str:
    """The drawing alone: an `<svg>` whose colours a style sheet may change and that fits its column."""
    drawn = io.StringIO()
    for legend in filter(None, (axes.get_legend() for axes in figure.axes)):
        legend.set_frame_on(False)
    with mpl.rc_context(LOOK):
        figure.savefig(drawn, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    plt.close(figure)
    body = drawn.getvalue()
    body = body[body.index("<svg") :]
    (box,) = re.findall(r'viewBox="([^"]+)"', body)[:1]
    look = f'style="max-width:44rem; fill:{INK}"'
    head = f'<svg class="plot" role="img" {look} viewBox="{box}" {NAMESPACES}><title>{escape(alt)}</title>'
    for pattern, instead in CLEANED:
        body = re.sub(pattern, instead, body, flags=re.DOTALL)
    for colour, instead in COLOURS.items():
        body = re.sub(colour, instead, body, flags=re.IGNORECASE)
    return head + body


def show(figure: Any, caption: str, alt: str) -> HTML:
    """The figure with its caption, as the last value of a cell. `alt` is for those who do not see it."""
    return HTML(  # type: ignore[no-untyped-call]
        f'<figure class="course-figure">{svg(figure, alt)}<figcaption>{escape(caption)}</figcaption></figure>'
    )
