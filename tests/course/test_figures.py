"""How does a plot stand on a page? As an SVG that fits its column, in the colours of the theme."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from course import figures


def drawn(**plot):
    figure, axes = figures.new()
    axes.plot([1, 2, 3], [1, 4, 9], label="H200", **plot)
    axes.set(xlabel="stride", ylabel="sectors")
    axes.legend()
    return figures.svg(figure, "Sectors over the stride: 1, 4 & 9.")


def test_a_figure_is_well_formed_and_says_what_it_shows():
    svg = ElementTree.fromstring(drawn(**figures.style("H200")))
    assert svg.find("{*}title").text == "Sectors over the stride: 1, 4 & 9."
    assert {"stride", "sectors", "H200"} <= {
        text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")
    }


def test_a_device_has_its_colour_in_both_themes_and_ink_is_the_pages():
    svg = drawn(**figures.style("H200"))
    assert "var(--h200, #0072b2)" in svg
    assert f"stroke: {figures.INK}" in svg
    assert not re.search(r"(?<!, )#0072b2", svg)


def test_two_figures_of_a_page_share_no_id_and_no_style():
    one, other = drawn(), drawn(marker="s")
    assert "<style" not in one
    shared = set(re.findall(r' id="([^"]+)"', one)) & set(re.findall(r' id="([^"]+)"', other))
    assert all(
        re.search(rf'<(path|clipPath)[^>]* id="{name}"', one) for name in shared
    )  # the same thing twice


def test_the_same_plot_is_the_same_text():
    assert drawn() == drawn()


def test_a_caption_is_shown_below():
    figure, axes = figures.new()
    axes.plot([1, 2], [2, 1])
    shown = figures.show(figure, "Falls < rises.", "A line that falls.").data
    assert shown.endswith("<figcaption>Falls &lt; rises.</figcaption></figure>")
