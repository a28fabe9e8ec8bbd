"""Live pages in a real browser: a reader changes a kernel, runs it, and the page follows."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import FORGET, Cached

PAGE = "book/divergence-and-masks.html"
READY, RAN = re.compile("Ready"), re.compile("Ran in")
LONG = 120_000  # ms, on a busy computer
PRESS = 150  # ms for which a hand holds a mouse down


@pytest.fixture(scope="module")
def loaded(browser, live_site) -> Iterator[Page]:
    """A page whose Python has begun; the tests of this file use it one after the other."""
    page = browser.new_context(reduced_motion="reduce", service_workers="block").new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{live_site}/{PAGE}")
    yield begun(page)
    page.context.close()
    assert errors == []


@pytest.fixture
def page(loaded) -> Page:
    """The first kernel is the page's again."""
    reset = first(loaded).get_by_role("button", name="Reset")
    if reset.is_visible():
        reset.click()
        # at once, or when the run before is over: it may still end while its time is told
        expect(said(loaded)).to_contain_text("the page's text again", timeout=LONG)
    return loaded


def said(page: Page) -> Locator:
    return page.locator(".live-said")


def begun(page: Page) -> Page:
    """Python is loaded."""
    page.get_by_role("button", name="Run here").click()
    expect(said(page)).to_have_text(READY, timeout=LONG)
    return page


def first(page: Page) -> Locator:
    """The editor of the first kernel."""
    return page.locator(".live-editor").first


def write(page: Page, text: str, editor: Locator | None = None) -> None:
    """Replace the text of an editor, the first kernel's if no other is named."""
    (editor or first(page)).locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.type(text[0])  # by a key, as a reader would; the rest at once
    page.keyboard.insert_text(text[1:])


def run(page: Page) -> None:
    page.keyboard.press("Shift+Enter")
    expect(said(page)).to_have_text(RAN, timeout=LONG)


KERNEL = """@cuda.jit
def two_sides(out, half):
    i = cuda.grid(1)
    if i < half:
        out[i] = 10 * i
    elif i < half + 4:
        out[i] = 7777
"""
BOTH_TABS = KERNEL.replace("7777", "8888")


def section(page: Page) -> Locator:
    """What stands around the first kernel."""
    return first(page).locator("xpath=ancestor::section[1]")


def test_nothing_is_loaded_before_the_click(open_page, live_site, book):
    visit = open_page("about:blank", alone=True)
    asked: list[str] = []
    visit.page.on("request", lambda request: asked.append(request.url))
    visit.page.goto(f"{live_site}/{PAGE}")
    expect(said(visit.page)).to_contain_text(re.compile(r"Loads \d+ MB, once"))
    loaded = {Path(url).name for url in asked if "/_live/" in url}
    assert loaded >= {"live.js", "live.css"}
    assert not {"worker.js", "editor.js", "files.json"} & loaded
    assert not [name for name in loaded if name.endswith((".wasm", ".whl", ".zip"))]
    for address in (book / PAGE, Path(book / "index.html")):
        page = open_page(address, alone=True).page
        assert page.get_by_role("button", name="Run here").count() == 0


def test_a_page_that_is_opened_as_a_file_says_so_below_its_title(open_page, live_book):
    visit = open_page(live_book / PAGE, alone=True)
    page = visit.page
    said, title = page.get_by_text("Opened as a file"), page.locator("article h1")
    bar, above = said.bounding_box(), title.bounding_box()
    assert bar
    assert above
    assert bar["height"] > 15
    assert bar["y"] > above["y"]
    assert all("live.js" in each for each in visit.console_errors)  # which a browser loads from no file
    visit.console_errors.clear()


def test_a_changed_kernel_changes_what_stands_below_it(page):
    assert page.locator(".live-editor").count() > 8
    write(page, KERNEL)
    run(page)
    expect(section(page)).to_contain_text("7777")
    assert page.evaluate(
        "[...document.querySelectorAll('[data-gpusim-view=warp_player] > script')]"
        ".some((each) => each.textContent.includes('7777'))"
    )


def test_a_run_says_where_its_results_are_and_reset_brings_back_the_pages(page):
    """The first result of this page waits behind a question: the link leads there. Then nothing is left."""
    views = section(page).locator("[data-gpusim-view=warp_player] > script")
    published = views.first.text_content()
    write(page, KERNEL)
    expect(first(page).locator(".live-due")).to_have_text("Your change, not run yet")
    run(page)
    ran = section(page).locator(".live-ran")
    expect(ran).to_contain_text("stands behind the question")
    expect(first(page).locator(".live-due")).to_have_text("")
    ran.get_by_role("link").first.click()
    assert page.evaluate("Boolean(document.activeElement.closest('[id^=prediction-]'))")
    assert views.first.text_content() != published
    first(page).get_by_role("button", name="Reset").click()
    expect(said(page)).to_contain_text("the page's text again, and its results")
    assert views.first.text_content() == published
    assert page.locator(".live-ran, .live-changed, .live-stale, .live-was").count() == 0


def test_a_result_says_how_it_differs_from_the_pages_which_a_button_brings(page):
    views = section(page).locator("[data-gpusim-view=warp_player] > script")
    published = views.first.text_content()
    write(page, KERNEL)
    run(page)
    mine = views.first.text_content()
    assert mine != published
    expect(section(page).locator(".live-ran")).to_contain_text("stands behind the question")
    was = section(page).locator(".live-was", has_text="Your result").first
    brings = was.locator("button")
    for words, shown in (("Back to yours", published), ("Show the page’s", mine)):
        brings.dispatch_event("click")  # it may wait behind the question
        expect(brings).to_have_text(words)
        assert views.first.text_content() == shown
    first(page).locator(".cm-content").click()
    run(page)
    expect(section(page).locator(".live-ran")).to_contain_text("as it was before this run", timeout=LONG)


def test_without_a_network_and_without_a_mouse_it_runs_on(page):
    """Once it has loaded, nothing more is fetched; Escape and Tab lead out of an editor."""
    page.context.set_offline(True)
    try:
        page.locator(".live-terms a").focus()
        for _ in range(40):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.matches('.cm-content')"):
                break
        page.keyboard.press("Control+End")
        page.keyboard.type("# 1/2 by keyboard")  # on pages "/" begins a search
        run(page)
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.textContent") == "Run"
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")  # Reset
        expect(first(page)).not_to_contain_text("by keyboard")
    finally:
        page.context.set_offline(False)


def test_what_is_wrong_is_said_at_its_line_and_an_endless_loop_is_stopped(page):
    cell = first(page).locator("xpath=ancestor::*[contains(@class, 'cell')][1]")
    write(page, "@cuda.jit\ndef two_sides(out, half):\n    out[0] = (1\n")
    page.keyboard.press("Shift+Enter")
    expect(cell.locator(".live-error")).to_contain_text("SyntaxError", timeout=LONG)
    expect(cell.locator(".live-error")).to_contain_text("line 3")
    expect(cell.locator(".live-error")).to_contain_text("^")
    stray = "two_sides[1, 32](np.zeros(4), 2)"
    write(page, f"{KERNEL}\n\n{stray}\n")
    page.keyboard.press("Shift+Enter")
    expect(cell.locator(".live-error")).to_contain_text("OutOfBounds", timeout=LONG)
    write(page, KERNEL.replace("out[i]", "out[i + 5000]"))  # the launch is in a later cell
    page.keyboard.press("Shift+Enter")
    expect(cell.locator(".live-ran")).to_contain_text(
        "Your kernel, line 5, ends with this error", timeout=LONG
    )
    expect(cell.locator(".live-error")).to_contain_text("OutOfBounds")
    assert section(page).locator(".live-error").count() == 1
    write(page, "while True:\n    pass\n")
    page.keyboard.press("Shift+Enter")
    page.get_by_role("button", name="Stop").click(timeout=LONG)
    expect(said(page)).to_contain_text("Stopped")
    write(page, KERNEL)
    run(page)
    expect(section(page)).to_contain_text("7777")


RACES = """
@cuda.jit
def turn(x):
    s = cuda.shared.array(64, np.int32)
    s[cuda.threadIdx.x] = x[cuda.threadIdx.x]
    x[cuda.threadIdx.x] = s[63 - cuda.threadIdx.x]

turn[1, 64](np.arange(64, dtype=np.int32))
"""


def test_a_race_in_a_readers_kernel_is_said_below_it_and_leads_to_its_cell(page):
    write(page, KERNEL + RACES)
    run(page)
    ran = section(page).locator(".live-ran")
    expect(ran).to_contain_text("racecheck finds: thread (")
    title = first(page).locator(".live-title").inner_text()
    ran.get_by_role("link", name=title, exact=True).last.click(delay=PRESS)
    expect(page.locator("[id^=live-in-]:focus").locator(".live-title")).to_have_text(title)


def test_what_is_pressed_stays_below_the_mouse_while_the_editor_loses_the_keyboard(page):
    """A line that is there only while one writes would go when the mouse goes down, and the button move."""
    write(page, KERNEL)
    button = first(page).get_by_role("button", name="Run")
    before = button.bounding_box()
    button.click(delay=PRESS)
    expect(said(page)).to_have_text(RAN, timeout=LONG)
    assert button.bounding_box()["y"] == pytest.approx(before["y"], abs=1)
    expect(section(page)).to_contain_text("7777")


def linked(page: Page, edits: object) -> str:
    """The address of this page with a link's changes."""
    code = base64.b64encode(json.dumps(edits).encode()).decode()
    return f"{page.url.split('#')[0]}#edit={code}"


def test_what_a_link_says_of_cells_that_nobody_sees_is_not_taken(page):
    script = page.locator("script[data-cells]")
    cells = page.evaluate(
        "(script) => fetch(new URL(script.dataset.cells, script.src)).then((response) => response.json())",
        script.element_handle(),
    )["cells"]
    other = page.context.new_page()
    other.goto(linked(page, {cell["name"]: "raise SystemExit" for cell in cells.values()}))
    begun(other)
    for editor in other.locator(".live-editor").all():
        expect(editor).to_contain_text("raise SystemExit")
    expect(other.locator(".live-apart summary")).to_contain_text(re.compile(r": \d+$"))
    hidden = len(cells) - other.locator(".live-editor").count()
    assert other.locator(".live-apart pre").count() == hidden > 0
    first(other).locator(".cm-content").click()
    other.keyboard.press("Shift+Enter")
    below = first(other).locator("xpath=following-sibling::*[contains(@class, 'live-ran')]")
    expect(below).to_contain_text("Your cell, line 1, ends with this error", timeout=LONG)
    other.evaluate(FORGET)
    other.close()


def test_a_change_without_its_cell_is_kept_to_copy_and_a_broken_link_is_said(page):
    """After a new edition of the page; then a link is pasted where it is open, whole and cut off."""
    other = page.context.new_page()
    other.goto(f"{page.url.split('#')[0]}#edit=eyJ")
    expect(said(other)).to_contain_text("is broken")
    own = {"0123456789ab": "gone = 1", "7": "of an edition that counted"}
    other.evaluate(
        "(own) => localStorage.setItem(`gpusim edits ${location.pathname}`, JSON.stringify(own))", own
    )
    begun(other)
    expect(said(other)).to_contain_text("Some changes are not in the page")
    apart = other.locator(".live-apart")
    apart.locator("summary").click()
    assert set(apart.locator("pre").all_inner_texts()) == set(own.values())
    expect(other.locator(".live-editor .cm-content", has_text="gone = 1")).to_have_count(0)
    apart.get_by_role("button", name="Forget").first.click()
    write(other, KERNEL)
    kept = other.evaluate("JSON.parse(localStorage.getItem(`gpusim edits ${location.pathname}`))")
    (name,) = kept.keys() - own.keys()
    assert len(kept) == 2
    other.evaluate("(hash) => { location.hash = hash }", linked(page, {name: BOTH_TABS}).partition("#")[2])
    expect(first(other)).to_contain_text("8888")
    assert "#" not in other.url  # a reload brings the link's change over no later one
    expect(apart).to_contain_text("7777")  # the reader's own
    other.evaluate("location.hash = 'edit=eyJ'")
    expect(said(other)).to_contain_text("is broken")
    other.evaluate(FORGET)
    other.close()


def test_what_a_browser_kept_is_looked_at_and_what_is_endless_is_cut(page):
    """A file that was changed in the store comes anew; a cell that prints a book shows its beginning."""
    kept = """async (text) => {
        const store = await caches.open("gpusim");
        const course = (await store.keys()).find(({ url }) => url.endsWith("course.zip"));
        if (text) await store.put(course, new Response(text));
        return (await (await store.match(course)).blob()).size;
    }"""
    size = page.evaluate(kept)
    assert page.evaluate(kept, "changed") == len("changed") < size
    other = page.context.new_page()
    other.goto(page.url)
    begun(other)
    assert other.evaluate(kept) == size
    write(other, "for _ in range(10**6):\n    print('again and again')\n1 / 0")
    other.keyboard.press("Shift+Enter")
    expect(section(other)).to_contain_text("characters more", timeout=LONG)
    assert len(section(other).inner_text()) < 100_000
    other.evaluate(FORGET)
    other.close()


def test_two_tabs_keep_their_edits_and_the_second_fetches_nothing_again(page, live_site):
    """A link opens in a second tab with its change; both run, and after a reload each edit is there."""
    write(page, KERNEL)
    page.evaluate(
        "navigator.clipboard.writeText = (text) => { globalThis.copied = text; return Promise.resolve(); }"
    )
    first(page).get_by_role("button", name="Copy a link to it").click()
    expect(said(page)).to_contain_text("nothing was sent")
    link = page.evaluate("copied")
    assert link.startswith(f"{live_site}/{PAGE}#edit=")
    Cached.asked.clear()
    other = page.context.new_page()
    other.goto(link)
    expect(said(other)).to_contain_text("somebody's change")
    begun(other)
    assert not {name for name in Cached.asked if name.endswith((".wasm", ".whl", ".zip"))}
    expect(first(other)).to_contain_text("7777")
    second = other.locator(".live-editor:visible").nth(1)
    write(other, "mine = 1", second)
    write(page, BOTH_TABS)
    expect(other.locator(".live-other")).to_contain_text("Another tab of this page")
    run(page)
    expect(section(page)).to_contain_text("8888")
    other.reload()
    expect(said(other)).to_contain_text(re.compile(r"keeps your changes? of In\["))
    expect(other.get_by_role("button", name=re.compile(r"Reset all \(\d\)"))).to_be_visible()
    other.get_by_role("button", name="Run here").click()
    expect(other.locator(".live-editor:visible").nth(1)).to_contain_text("mine = 1", timeout=LONG)
    other.close()


def test_it_breaks_no_accessibility_rule_and_fits_a_phone(page, violations):
    write(page, KERNEL)
    run(page)
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for part in (".live-bar", ".live-editor"):
        assert violations(page, within=part, impacts=("serious", "critical")) == []
    page.set_viewport_size({"width": 1280, "height": 800})


def test_a_puzzle_answers_within_a_second_and_needs_no_other_cell(loaded, live_site, violations):
    page = loaded
    page.goto(f"{live_site}/book/coalescing.html")
    begun(page)
    puzzle = page.locator(".tag_puzzle").first
    reply = page.locator(".tag_puzzle-check").first
    solution = puzzle.locator(".cm-content").inner_text().replace("row, column = cuda", "column, row = cuda")
    write(page, solution.replace("2 *", "3 *"), puzzle)
    run(page)
    expect(reply).to_contain_text("Not yet.")
    write(page, solution, puzzle)
    began = time.monotonic()
    run(page)
    expect(reply).to_contain_text("Solved.")
    assert time.monotonic() - began < 5, "a second, where nothing else runs"
    assert violations(page, within=".tag_puzzle-check", impacts=("serious", "critical")) == []


def test_a_playground_follows_its_controls_and_its_text(loaded, live_site, violations):
    page = loaded
    page.goto(f"{live_site}/book/playground.html")
    begun(page)
    first(page).locator(".cm-content").click()
    run(page)
    play = page.locator(".live-row").first
    counters = play.locator(".gpusim-counters").first
    expect(counters).to_contain_text("instructions")
    text = "if i < x.size // stride"
    assert page.locator("main .cm-content:visible, main pre:visible", has_text=text).count() == 1
    stride = play.get_by_label("stride", exact=True)
    stride.fill("8")
    expect(counters).to_contain_text(re.compile(r"global_load_sectors\s*32"))
    play.get_by_label("view", exact=True).select_option(label="warp player")
    expect(play.locator("[data-gpusim-view=warp_player]")).to_be_visible()
    play.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text("    x[i + 999] = 1")
    expect(play).to_contain_text("uses index 999", timeout=LONG)
    threads = play.get_by_label(re.compile("^block, [xyz]$"))
    threads.first.fill("5000")
    page.keyboard.press("Tab")
    expect(threads.first.locator("xpath=..")).to_contain_text("5000 is not taken: a playground has 1 to 1024")
    threads.first.fill("1024")
    page.keyboard.press("Tab")
    threads.nth(1).fill("4")
    page.keyboard.press("Tab")
    expect(play.locator(".gpusim-refused p")).to_contain_text("has 4096 threads", timeout=LONG)
    expect(play.locator(".gpusim-age")).to_contain_text("Of the last run that began")
    assert violations(page, within=".live-row", impacts=("serious", "critical")) == []
    page.reload()
    begun(page)
    expect(first(page).locator(".live-due")).to_contain_text("typed into its playground is kept")
    first(page).get_by_role("button", name="Run").click()
    expect(page.locator(".gpusim-editor .cm-content")).to_contain_text("x[i + 999] = 1", timeout=LONG)
    page.evaluate(FORGET)
