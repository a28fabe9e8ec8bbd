"""A link may bring a cell: what it runs and what it shows reach nothing. Files that are gone are named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import FORGET, Cached, Quiet, served
from tests.browser.test_live import KERNEL, LONG, PAGE, begun, first, run, said, section, write

HOSTILE = Path(__file__).with_name("hostile.html")


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


CELL = """import js
from pyodide.ffi import to_js

def tried(way):
    try:
        return way() is None and None
    except BaseException as error:
        return str(error)

def blob(text):
    return js.URL.createObjectURL(js.Blob.new(to_js([text])))

away, own = "AWAY/", "OWN/"
for place in (away, own):
    within = f"for (const way of [fetch, (at) => import(at)]) way('{place}within').catch(() => {{}})"
    for way in (
        lambda: js.fetch(place + "fetch"),
        lambda: js.WorkerGlobalScope.prototype.fetch.call(js.self, place + "prototype"),
        lambda: js.eval(f"network('{place}network')"),
        lambda: js.eval(f"fetched('{place}fetched', 'default', () => {{}})"),
        lambda: js.eval(f"import('{place}import.js')"),
        lambda: js.importScripts(place + "scripts.js"),
        lambda: js.importScripts(blob(within)),
        lambda: js.Worker.new(place + "worker.js"),
        lambda: js.Worker.new(blob(within)),
        lambda: js.FontFace.new("x", f"url({place}font)").load(),
        lambda: js.WebSocket.new(place.replace("http", "ws") + "socket"),
        lambda: js.WebSocketStream.new(place.replace("http", "ws") + "stream"),
        lambda: js.EventSource.new(place + "events"),
        lambda: js.WebTransport.new(place.replace("http:", "https:")),
    ):
        tried(way)
    request = js.XMLHttpRequest.new()
    request.open("GET", place + "request", False)
    tried(request.send)
kept = [name for name in ("caches", "indexedDB") if hasattr(js, name)]
print([name for name in kept if tried(lambda: getattr(js, name).open("gpusim")) is None], "kept")
"""


def waited(page: Page) -> None:
    """Requests that were begun have arrived."""
    page.wait_for_timeout(1000)


def clicked(page: Page) -> None:
    for each in page.locator("a.tempting").all():
        each.dispatch_event("click")
    assert page.evaluate("globalThis.reached") is None


def test_a_cell_reaches_neither_another_machine_nor_the_site_nor_what_it_keeps(page, elsewhere, live_site):
    Cached.asked.clear()
    write(page, KERNEL + "\n" + CELL.replace("AWAY", elsewhere).replace("OWN", live_site))
    run(page)
    expect(section(page)).to_contain_text("[] kept")
    waited(page)
    assert Elsewhere.told == []
    assert Cached.asked == []


def test_what_a_cell_shows_runs_no_script_and_fetches_nothing_clicked_or_not(page, elsewhere):
    html = HOSTILE.read_text(encoding="utf-8").replace("AWAY", elsewhere)
    write(page, f"{KERNEL}\nfrom IPython.display import HTML\nHTML({html + '<p>all of it</p>'!r})")
    run(page)
    expect(section(page)).to_contain_text("all of it")
    waited(page)
    clicked(page)
    assert page.locator("a.tempting[href], a.tempting[ping]").count() == 0
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
