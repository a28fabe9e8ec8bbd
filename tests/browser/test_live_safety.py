"""A link may bring a cell: what it runs and what it shows reach nothing. Files that are gone are named."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import ClassVar

import pytest
from playwright.sync_api import Page, expect

from gpusim.views import embed
from tests.browser.conftest import FORGET, LIVE, Cached, Quiet, served
from tests.browser.test_live import KERNEL, LONG, PAGE, begun, first, run, said, section, write
from tests.views import handmade

HOSTILE, REACHING = (Path(__file__).with_name(name) for name in ("hostile.html", "reaching.js"))


class Elsewhere(Quiet):
    """A machine that somebody would like to be told something."""

    told: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.told.append(self.path)
        super().do_GET()

    do_POST = do_GET


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[str]:
    Elsewhere.told.clear()
    with served(tmp_path, Elsewhere) as address:
        yield address


@pytest.fixture(scope="module")
def page(browser, live_site) -> Iterator[Page]:
    page = browser.new_context(service_workers="block").new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{live_site}/{PAGE}")
    page.evaluate("document.cookie = 'reader=ada'; localStorage.setItem('mine', 'kept')")
    yield begun(page)
    page.context.close()
    assert errors == []


ASKED = re.compile(r"AWAY/([\w-]+)")  # what is asked for in a text, each by its own name
SCRIPT = """import js
from pyodide.ffi import to_js

def script(text):  # `js.eval` is refused
    js.importScripts(js.URL.createObjectURL(js.Blob.new(to_js([text]))))
"""
CELL = f"""{SCRIPT}
script("globalThis.heard = []; globalThis.told = (name) => heard.push(name)")
for place in ("AWAY", "OWN"):
    script("{{" + WAYS.replace("AWAY", place) + "}}")
"""
HEARD = "import js\nprint([*js.heard])"


def waited(page: Page) -> None:
    """Requests that were begun have arrived."""
    page.wait_for_timeout(1000)


def clicked(page: Page) -> None:
    for each in page.locator(".tempting").all():
        each.dispatch_event("click")
    assert page.evaluate("globalThis.reached") is None


def test_what_reaches_nothing_from_a_cell_reaches_much_where_nothing_is_forbidden(browser, elsewhere):
    """Without this the tests below would see nothing: a way that leads nowhere is not refused."""
    ways, html = REACHING.read_text(encoding="utf-8"), HOSTILE.read_text(encoding="utf-8")
    with closing(browser.new_page()) as page:
        page.goto(elsewhere)
        heard = page.evaluate(
            """(ways) => new Promise((resolve) => {
                const own = "const told = (name) => postMessage(name);", heard = [];
                const worker = new Worker(URL.createObjectURL(new Blob([own + ways])));
                worker.onmessage = ({ data }) => (heard.push(data), data === "the end" && resolve(heard));
            })""",
            ways.replace("AWAY", elsewhere),
        )
        assert {*heard} == {"caches", "indexedDB", "the end"}
        put = "(html) => { document.body.innerHTML = `<h1>Title</h1>${html}` }"
        page.evaluate(put, html.replace("AWAY", elsewhere))
        waited(page)
        for each in page.locator(".tempting:not([href^=data])").all():
            page.evaluate("globalThis.reached = null")
            each.dispatch_event("click")
            page.wait_for_function("globalThis.reached")
        waited(page)
    reached = {Path(path).stem for path in Elsewhere.told}
    assert {*ASKED.findall(ways + html)} - reached == set()


def test_a_cell_reaches_neither_another_machine_nor_the_site_nor_what_it_keeps(page, elsewhere, live_site):
    Cached.asked.clear()
    ways = REACHING.read_text(encoding="utf-8")
    cell = CELL.replace("WAYS", repr(ways)).replace('"AWAY", "OWN"', f'"{elsewhere}", "{live_site}"')
    write(page, f"{KERNEL}\n{cell}")
    run(page)
    waited(page)
    write(page, f"{KERNEL}\n{HEARD}")
    run(page)
    expect(section(page)).to_contain_text("['the end', 'the end']")
    assert Elsewhere.told == []
    assert Cached.asked == []


def test_what_a_cell_posts_by_itself_is_not_taken_for_pythons_answer(page):
    posted = "postMessage({ outputs: [{ kind: 'stream', text: 'for' + 'ged' }], failed: 'for' + 'ged' })"
    write(page, f'{KERNEL}\n{SCRIPT}\nscript("{posted}")\nprint("its" + " own")')
    run(page)
    expect(section(page)).to_contain_text("its own")
    expect(page.locator("article")).not_to_contain_text("forged")


def test_what_a_cell_shows_runs_no_script_and_fetches_nothing_clicked_or_not(page, elsewhere):
    html = HOSTILE.read_text(encoding="utf-8").replace("AWAY", elsewhere)
    write(page, f"{KERNEL}\nfrom IPython.display import HTML\nHTML({html + '<p>all of it</p>'!r})")
    run(page)
    expect(section(page)).to_contain_text("all of it")
    waited(page)
    clicked(page)
    assert page.locator(".tempting:is([href], [ping], [formaction])").count() == 0
    assert page.locator("img[onerror]").count() == 0
    assert Elsewhere.told == []


def test_the_page_s_policy_stops_what_is_overlooked_in_a_cell_s_html(page, elsewhere):
    html = HOSTILE.read_text(encoding="utf-8").replace("AWAY", elsewhere)
    page.evaluate("document.body.append(Object.assign(document.createElement('div'), { id: 'raw' }))")
    page.evaluate("(html) => { document.querySelector('#raw').innerHTML = html }", html)
    waited(page)
    clicked(page)
    page.evaluate("document.querySelector('#raw').remove()")
    assert Elsewhere.told == []


def test_links_of_a_cell_to_pages_and_to_parts_of_them_stay(page):
    links = ["https://course.example/a", "#section", "other.html", "mailto:ada@course.example"]
    anchors = "".join(f"<a class=good href='{link}'>{link}</a>" for link in links)
    write(page, f"{KERNEL}\nfrom IPython.display import HTML\nHTML({anchors!r})")
    run(page)
    good = page.locator("a.good")
    expect(good).to_have_count(len(links))
    assert [each.get_attribute("href") for each in good.all()] == links


def test_a_link_in_the_address_is_dropped_at_the_next_change(page):
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('refused')) }")
    write(page, KERNEL)
    first(page).get_by_role("button", name="Copy a link to it").click()
    expect(said(page)).to_contain_text("address of this page")
    assert "#edit=" in page.url
    write(page, KERNEL.replace("7777", "9999"))
    assert "#" not in page.url
    page.reload()
    begun(page)
    expect(first(page)).to_contain_text("9999")
    page.evaluate(FORGET)


def answering(name: str, page: bool) -> type[Quiet]:
    """A site where that file is gone: `404`, or a page in its place."""

    class Answering(Quiet):
        def do_GET(self) -> None:
            if Path(self.path).name != name:
                super().do_GET()
            elif page:
                self.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Welcome</title>")
            else:
                self.send_error(404)

    return Answering


@pytest.mark.parametrize("answer", ["gone", "page"])
@pytest.mark.parametrize(
    "name", ["live.js", "cells.js", "files.json", "editor.js", "worker.js", "python.html", "course.zip"]
)
def test_a_file_that_is_gone_is_said_with_what_to_do(browser, live_book, name, answer):
    with served(live_book, answering(name, answer == "page")) as address:
        page = browser.new_context(service_workers="block").new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{address}/{PAGE}")
        bar = page.locator(".live-bar")
        if name not in ("live.js", "cells.js"):
            page.get_by_role("button", name="Run here").click()
        expect(bar).to_contain_text(re.compile("[Rr]eload the page"), timeout=LONG)
        page.context.close()
    assert [error for error in errors if "Unexpected token" not in error] == []


@pytest.mark.parametrize("within", ["", "<script type='application/json'>{</script>", "<p>no report</p>"])
def test_a_view_without_its_parts_leaves_the_next_its_turn(browser, within):
    """Somebody's HTML in a live page may say that it is one."""
    good = embed.fragment("block_mapper", handmade.block_report(((4, 4, 4), 32)), "the still")
    with closing(browser.new_page()) as page:
        page.set_content(f"<div data-gpusim-view='bank_view'>{within}</div>{good}")
        page.add_script_tag(content=embed.static_script())
        expect(page.locator("[data-gpusim-view=block_mapper]")).not_to_contain_text("the still")


DRESSES = """<style>h1 { display: none }
:scope, .over { position: fixed; inset: 0; z-index: 99; background: red }
.mine { color: rgb(1, 2, 3) } } h1 { visibility: hidden }</style>
<div class="over">over all of it</div><p class="mine">its own</p>
<button popovertarget="up">up</button><div popover id="up" style="inset: 0; width: 100vw">up</div>"""


def put(page: Page, folder: Path, address: str, outputs: list[list[str]]) -> None:
    """A page of two cells and a heading, with HTML that cells gave: [id of the cell, HTML]."""
    for each in (LIVE / "page").iterdir():
        shutil.copy(each, folder)
    cells = "<div id=cell></div><p id=other></p>"
    (folder / "index.html").write_text(
        f"<!doctype html><link rel=stylesheet href=live.css><h1 id=title>Title</h1>{cells}<p id=below>"
    )
    page.goto(address)
    page.evaluate(
        """async (htmls) => {
            const { show } = await import('./outputs.js');
            for (const [place, html] of htmls)
                show(globalThis[place], [{ kind: 'shown', text: '', html }]);
        }""",
        outputs,
    )


def test_what_a_cell_shows_dresses_and_covers_nothing_but_itself(browser, tmp_path):
    with served(tmp_path) as address, closing(browser.new_page()) as page:
        put(page, tmp_path, address, [["cell", DRESSES], ["other", "<p class='mine'>another's</p>"]])
        expect(page.get_by_text("another's")).not_to_have_css("color", "rgb(1, 2, 3)")
        expect(page.get_by_text("its own")).to_have_css("color", "rgb(1, 2, 3)")
        expect(page.locator("h1")).to_be_visible()
        page.get_by_role("button", name="up").dispatch_event("click")
        page.get_by_role("heading").click(timeout=2000)  # nothing lies over it


PLAYGROUND = """<div class="live-row"><div class="live-column"><table><tr>
<td><code>x[i] = 1</code></td></tr></table>
<div class="live-row"><span class="live-number"><p class="live-refused">too many</p></span></div></div></div>
<p class="live-refused">elsewhere</p>"""


def test_source_lines_beside_a_playground_go_on_below_and_what_its_numbers_refuse_has_a_line(
    browser, tmp_path
):
    with served(tmp_path) as address, closing(browser.new_page()) as page:
        put(page, tmp_path, address, [["cell", PLAYGROUND]])
        expect(page.get_by_text("x[i] = 1")).to_have_css("white-space", "pre-wrap")
        for words, order in (("too many", "1"), ("elsewhere", "0")):
            expect(page.get_by_text(words)).to_have_css("order", order)


NAMED = """<img name=createElement><img name=querySelector id=querySelector><p id=below>not the page's</p>
<svg><linearGradient id=colours /></svg><input type=radio name=one><input type=radio name=one>"""


def test_what_a_cell_shows_takes_no_name_that_the_page_s_scripts_and_links_know(browser, tmp_path):
    with served(tmp_path) as address, closing(browser.new_page()) as page:
        put(page, tmp_path, address, [["cell", NAMED], ["cell", NAMED]])  # over its own output, too
        kinds = "['createElement', 'querySelector'].map((name) => typeof document[name])"
        assert page.evaluate(kinds) == ["function", "function"]
        assert page.locator("#below, #colours").evaluate_all("all => all.map(e => e.textContent)") == ["", ""]
        for each in page.locator("input[name=one]").all():  # a button of a set belongs to it
            each.check()
        expect(page.locator("input:checked")).to_have_count(1)
