"""What does a printed page show? All that is folded or waits for an answer, nothing to press, nothing cut."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from gpusim.views import embed, text
from tests.hunting import some
from tests.views import handmade

ROOT = Path(__file__).resolve().parents[2]
A4 = 718  # CSS pixels between its margins
SHEETS = {"devices": 1047}  # whose tables go across the sheet
CHAPTERS = sorted(path.stem for path in (ROOT / "book").glob("*.md") if "\n# " in path.read_text("utf-8"))
PRINTED = [*some([name for name in CHAPTERS if name not in SHEETS], 8), *SHEETS]

# what scrolls on a screen, and on paper would be cut; words for screen readers are a pixel wide, and views
# may shorten a label; a timeline is a window
CUT = """() => [...document.querySelectorAll('.bd-article *')].filter((each) => {
    const style = getComputedStyle(each), box = each.getBoundingClientRect();
    const small = box.width < 2 || box.height < 2 || !each.checkVisibility();
    if (small || each.closest('svg, math, .clocks')) return false;
    const hides = each.closest('.gpusim') ? ['auto', 'scroll'] : ['auto', 'scroll', 'hidden'];
    const wide = hides.includes(style.overflowX) && each.scrollWidth > each.clientWidth + 1;
    const high = hides.includes(style.overflowY) && each.scrollHeight > each.clientHeight + 1;
    return wide || high || box.right > document.documentElement.clientWidth + 1;
}).map((each) => `${each.tagName} ${each.className} ${each.textContent.slice(0, 40)}`)"""
FOLDED = """() => [...document.querySelectorAll('.bd-article details')]
    .filter((each) => !each.closest('.gpusim, .tag_puzzle-answer'))
    .filter((each) => !each.lastElementChild.checkVisibility() || each.lastElementChild.offsetHeight === 0)
    .map((each) => each.textContent.slice(0, 60))"""
TO_PRESS = """() => [...document.querySelectorAll('button, summary svg, .bd-sidebar, .slides-bar')]
    .filter((each) => each.checkVisibility() && each.offsetWidth > 1 && !each.matches('.gpusim *'))
    .map((each) => each.outerHTML.slice(0, 80))"""


def printed(page: Page, width: int = A4) -> Page:
    page.emulate_media(media="print")
    page.set_viewport_size({"width": width, "height": 1000})
    return page


@pytest.mark.parametrize("name", PRINTED)
def test_nothing_is_cut_folded_or_to_be_pressed(open_page, book, name):
    width = SHEETS.get(name, A4)
    page = printed(open_page(book / "book" / f"{name}.html").page, width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(CUT) == []
    assert page.evaluate(FOLDED) == []
    assert page.evaluate(TO_PRESS) == []
    assert page.locator(".revealed:not(:visible)").count() == 0


def test_answers_are_at_the_end_and_not_below_their_questions(open_page, book):
    page = open_page(book / "book" / "coalescing.html").page
    expect(page.locator(".on-paper:visible")).to_have_count(0)
    printed(page)
    assert page.locator(".prediction .printed:visible").count() == 0
    answers = page.locator(".answers li:visible")
    assert answers.count() == page.locator(".prediction").count() > 3
    expect(answers.first).to_contain_text("How many sectors does the load take at stride 2? 8 sectors.")
    expect(page.locator(".bd-article p.on-paper")).to_have_text(
        "On paper, what plays or can be pressed stands still. "
        "The answers to its questions and the solutions of its puzzles are at the end."
    )


def test_solutions_of_puzzles_are_at_the_end_and_not_below_their_puzzles(open_page, book):
    page = printed(open_page(book / "book" / "coalescing.html").page)
    assert page.locator(".tag_puzzle-answer:visible").count() == 0
    answers = page.locator(".answers")
    assert answers.locator("h3").all_inner_texts() == ["Puzzle: two at a time", "Puzzle: across the diagonal"]
    expect(answers.locator("pre").first).to_contain_text("column, row = cuda.threadIdx.x, cuda.blockIdx.x")
    assert [text.split(".")[0] for text in answers.locator("h3 ~ p").all_inner_texts()] == ["Solved"] * 2


@pytest.mark.parametrize("part", [".cell_input", ".gpusim.warp-player", ".gpusim.prediction", "figure"])
def test_what_a_sheet_can_hold_stays_whole(open_page, book, part):
    page = printed(open_page(book / "book" / "threads-warps-and-waves.html").page)
    found = page.locator(f".bd-article {part}:visible").first
    assert found.evaluate("(each) => getComputedStyle(each).breakInside") == "avoid"


@pytest.mark.parametrize(
    ("name", "coloured"),
    [("divergence-and-masks", ".gpusim .lane"), ("launching-from-ptx", "[style*='background:#']")],
)
def test_colours_that_say_something_are_printed(open_page, book, name, coloured):
    page = printed(open_page(book / "book" / f"{name}.html").page)
    found = page.locator(f".bd-article {coloured}").first
    assert found.evaluate("(each) => getComputedStyle(each).printColorAdjust") == "exact"


def test_what_leads_in_stays_with_what_it_leads_to(open_page, book):
    page = printed(open_page(book / "book" / "shared-memory-and-banks.html").page)
    leads = page.locator(".bd-article p:has(+ .cell):visible")
    assert leads.count() > 5
    after = "(all) => [...new Set(all.map((each) => getComputedStyle(each).breakAfter))]"
    assert leads.evaluate_all(after) == ["avoid"]


def test_a_long_table_goes_on_overleaf_between_rows_and_a_short_one_stays_whole(open_page, book):
    page = printed(open_page(book / "book" / "how-the-simulator-works.html").page)
    inside = "(each) => getComputedStyle(each).breakInside"
    long, short = (
        page.get_by_role("table").filter(has_text="You ask"),
        page.get_by_role("table").filter(has_text="step() gives"),
    )
    assert [each.evaluate(inside) for each in (long, short)] == ["auto", "avoid"]
    assert long.locator("tr").first.evaluate(inside) == "avoid"


def test_many_wavefronts_go_on_overleaf_below_the_banks_and_few_stay_whole(open_fragments):
    banks = handmade.bank_report(32), handmade.bank_report(4)
    page = printed(
        open_fragments(*(embed.fragment("bank_view", each, text.bank_view(each)) for each in banks))
    )
    look = "(all) => all.map((each) => getComputedStyle(each).display)"
    assert page.locator(".wavefront.head").evaluate_all(look) == ["table-header-group", "grid"]
    wide = "(all) => all.map((each) => each.lastElementChild.getBoundingClientRect().x)"
    assert len(set(page.locator(".banks").first.locator(".wavefront").evaluate_all(wide))) == 1


@pytest.mark.parametrize("width", [A4, 794])  # a browser may count the margins to the sheet
def test_all_of_a_page_begins_at_the_edge_of_the_sheet(open_page, book, width):
    page = printed(open_page(book / "book" / "coalescing.html").page, width)
    starts = (".onlyprint h1", "#jb-print-toc h2", "#jb-print-toc li", ".bd-article section > p:visible")
    assert {page.locator(each).first.bounding_box()["x"] for each in starts} == {0}


def test_a_sheet_has_margins_of_its_own(open_page, site):
    page = open_page(f"{site}/book/coalescing.html").page
    rules = "[...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])"
    own = f"{rules}.find((rule) => rule instanceof CSSPageRule && !rule.selectorText)?.style.margin"
    assert page.evaluate(own) == "12mm 10mm"


def test_on_paper_nothing_lies_over_a_view(open_page, book):
    page = printed(open_page(book / "book" / "divergence-and-masks.html").page)
    stuck = "(all) => all.filter((each) => getComputedStyle(each).position === 'sticky').length"
    assert page.locator(".bd-article .gpusim *").evaluate_all(stuck) == 0


def test_a_view_is_a_picture_with_what_is_chosen(open_page, book):
    page = printed(open_page(book / "book" / "cooperative-groups.html").page)
    view = page.locator('[data-gpusim-view="group_map"]').first
    expect(view.locator(".members")).to_be_visible()
    expect(view.locator("select").first).to_be_visible()
    expect(view.get_by_role("button", name="Play")).not_to_be_visible()


def test_both_languages_are_printed(open_page, book):
    page = printed(open_page(book / "book" / "coalescing.html").page)
    kernels = page.locator(".languages > .sd-tab-content")
    assert kernels.count() == page.locator(".languages > .sd-tab-content:visible").count() > 2


def test_a_dark_page_is_printed_light_and_dark_again_afterwards(open_page, book):
    page = open_page(book / "book" / "coalescing.html", color_scheme="dark").page
    theme = "document.documentElement.dataset.theme"
    page.evaluate("document.addEventListener('visibilitychange', () => {})")
    page.evaluate(f"addEventListener('beforeprint', () => (window.printedAs = {theme}))")
    page.pdf()
    assert page.evaluate("window.printedAs") == "light"
    assert page.evaluate(theme) == "dark"


def on_paper_and_after(player):
    """Which step is printed, and which is shown again afterwards?"""
    steps = []
    for event in ("beforeprint", "afterprint"):
        player.page.evaluate(f"dispatchEvent(new Event('{event}'))")
        steps.append(player.locator(".counter").inner_text())
    return steps


def test_a_view_that_nobody_has_played_is_printed_at_the_step_that_stands_longest(open_fragments):
    banks, warps = handmade.bank_report(32), handmade.warp_report(32)
    frames = list(warps.variants[0].frames)
    frames[2:5] = (
        replace(frame, happens=said)
        for frame, said in zip(frames[2:5], ("leave", "push", "pop"), strict=True)
    )
    warps = handmade.first_changed(warps, frames=tuple(frames))
    page = open_fragments(
        embed.fragment("warp_player", warps, text.warp_player(warps)),
        embed.fragment("bank_view", banks, text.bank_view(banks)),
    )
    player, view = page.locator(".warp-player"), page.locator(".bank-view")
    steps = len(frames)
    assert on_paper_and_after(player) == [f"step 4 of {steps}", f"step 1 of {steps}"]
    assert on_paper_and_after(view) == ["step 32 of 32", "step 1 of 32"], "all stand alike: the last"


def test_a_view_is_printed_where_its_reader_has_left_it(open_fragments):
    warps = handmade.warp_report(32)
    player = open_fragments(embed.fragment("warp_player", warps, text.warp_player(warps))).locator(
        ".warp-player"
    )
    player.get_by_role("button", name="One step forward").click()
    here = player.locator(".counter").inner_text()
    assert on_paper_and_after(player) == [here, here]
