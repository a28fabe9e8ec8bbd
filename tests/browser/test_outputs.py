"""What a cell shows has styles of its own and no others: `outputs.js` in a page of a few lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Quiet, served

SCRIPTS = Path(__file__).resolve().parents[2] / "book" / "live" / "page"
THEME = """<!doctype html><meta charset="utf-8">
<style>
  :root { --theme-colour: rgb(1, 2, 3) }
  @keyframes theme { from { opacity: 1 } to { opacity: 1 } }
  #theme { color: var(--theme-colour); animation: theme 9s infinite }
</style>
<p id="theme">The theme's.</p><div id="cell"></div><div id="other"></div>"""
SHOW = """async ([id, html]) => {
    const { show } = await import('./outputs.js');
    show(document.getElementById(id), [{ kind: 'shown', text: '', html }]);
}"""


@pytest.fixture
def page(browser, tmp_path) -> Iterator[Page]:
    for each in SCRIPTS.glob("*.js"):
        (tmp_path / each.name).write_bytes(each.read_bytes())
    (tmp_path / "index.html").write_text(THEME, encoding="utf-8")
    page = browser.new_page()
    with served(tmp_path, Quiet) as address:
        page.goto(f"{address}/index.html")
        yield page
    page.close()


def style(page: Page, selector: str, name: str) -> str:
    found: str = page.locator(selector).evaluate("(each, name) => getComputedStyle(each)[name]", name)
    return found


@pytest.mark.parametrize(
    "rule",
    [
        "@property --theme-colour { syntax: '<color>'; inherits: false; initial-value: rgb(9, 9, 9) }",
        "@keyframes theme { from { opacity: 0 } to { opacity: 0 } }",
        "@media all { @keyframes theme { from { opacity: 0 } to { opacity: 0 } } }",
        "#theme, :root { --theme-colour: rgb(9, 9, 9); opacity: 0 }",
        "b {} } #theme { color: rgb(9, 9, 9) ! important; opacity: 0 }",
    ],
)
def test_a_cell_s_styles_change_nothing_of_the_page(page, rule):
    page.evaluate(SHOW, ["cell", f"<style>{rule}</style><p>own</p>"])
    assert (style(page, "#theme", "color"), style(page, "#theme", "opacity")) == ("rgb(1, 2, 3)", "1")


def test_a_cell_s_rules_hold_for_what_it_shows_and_for_no_other_output(page):
    rules = "p { color: red; & { margin: 7px } } @media all { @supports (top: 0) { p { font-weight: 700 } } }"
    page.evaluate(SHOW, ["cell", f"<style>{rules}</style><p>own</p>"])
    page.evaluate(SHOW, ["other", "<p>another's</p>"])
    names = ("color", "fontWeight", "marginTop")
    assert [style(page, "#cell p", name) for name in names] == ["rgb(255, 0, 0)", "700", "7px"]
    assert [style(page, "#other p", name) for name in names[:2]] == ["rgb(0, 0, 0)", "400"]


HARMLESS = """async (html) => {
    const { harmless } = await import('./outputs.js'), box = document.createElement('div');
    box.append(harmless(html, '#cell'));
    return box.innerHTML;
}"""


@pytest.mark.parametrize(
    "html",
    [
        "<p onclick='a()'>x</p>",
        "<p ONPOINTERENTER='a()'>x</p>",
        "<p cite='java&#9;script:a()'>x</p>",
        "<p style='background: url(https://away.example/a)'>x</p>",
        "<p style='background: u\\72l(https://away.example/a)'>x</p>",
        "<p background=a.png>x</p>",
        "<style>p { background: u\\72l(a.png) }</style><p>x</p>",
        "<style>@import 'a.css'; p { color: red }</style><p>x</p>",
    ],
)
def test_what_runs_or_fetches_is_taken_out(page, html):
    assert page.evaluate(HARMLESS, html) == "<p>x</p>"


@pytest.mark.parametrize(
    ("address", "stays"),
    [("https://a.example/", True), ("mailto:a@b.example", True), ("#a", True), ("data:text/html,a", False)],
)
def test_a_link_leads_to_pages_only(page, address, stays):
    assert ("href" in page.evaluate(HARMLESS, f'<a href="{address}">x</a>')) is stays
