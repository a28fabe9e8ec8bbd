"""Predictions in a real browser: asked, answered, remembered, and what they hide."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from gpusim.reports.prediction import PredictionReport
from gpusim.views import embed
from gpusim.views.predictions import report
from gpusim.views.widgets import Prediction
from tests.hunting import some
from tests.views import handmade

COURSE = (Path(__file__).parents[2] / "book/_static/course.css").read_text(encoding="utf-8")
WARPS = report(
    "200 threads: how many warps?",
    7,
    unit="warps",
    wrong={6: "Six warps hold 192 threads.", (6.25, 6.5): "A warp is whole.", "more": "So many?"},
    why="The last one is not full.",
    id="warps",
)
AFTER = '<div class="revealed" data-revealed-by="warps"><p>The run.</p><p id="there">A place.</p></div>'
OLDER = "for (const key of Object.keys(localStorage)) localStorage[key] = localStorage[key].replace('7', '6')"
AGAIN = "Try again, or let the page show you."


def fragment(report: PredictionReport) -> str:
    html: str = Prediction(report=report)._repr_mimebundle_()[0]["text/html"]
    return html


@pytest.fixture
def ask(open_fragments):
    """A prediction in a page of its own, from `file://`, with what follows it."""

    def ask(*reports, after: str = "", **settings) -> Locator:
        # the theme marks a page on which scripts run
        marked = "<script>document.documentElement.dataset.mode = 'auto'</script>"
        page = open_fragments(f"<style>{COURSE}</style>{marked}", *map(fragment, reports), after, **settings)
        return page.locator(".prediction")

    return ask


def said(view: Locator) -> str:
    return view.get_by_role("status").inner_text()


def check(view: Locator) -> None:
    view.get_by_role("button", name="Check").click()


def answer(view: Locator, *values: str) -> str:
    for box, value in zip(view.get_by_role("textbox").all(), values, strict=True):
        box.fill(value)
    check(view)
    return said(view)


def is_hidden(page: Page, text: str = "The run.") -> bool:
    return not page.get_by_text(text, exact=True).is_visible()


@pytest.mark.parametrize(
    ("typed", "reply"),
    [
        ("6", f"Six warps hold 192 threads. {AGAIN}"),
        ("6.25", f"A warp is whole. {AGAIN}"),
        ("6,5 warps", f"A warp is whole. {AGAIN}"),
        ("5", f"5 is too small. {AGAIN}"),
        ("8", f"So many? {AGAIN}"),
        ("seven", "Type a number."),
        ("", "Type a number."),
        ("7", "✓ Right: 7 warps. The last one is not full."),
        ("0x7", "✓ Right: 7 warps. The last one is not full."),
        (" 7 warps", "✓ Right: 7 warps. The last one is not full."),
    ],
)
def test_every_number_has_its_reply(ask, typed, reply):
    assert answer(ask(WARPS), typed) == reply


@pytest.mark.parametrize("typed", ["2,133", "2133", "2133.0", "2,133 cycles"])
def test_thousands_are_read(ask, typed):
    assert answer(ask(report("How many?", 2133, unit="cycles")), typed) == "✓ Right: 2,133 cycles."


def test_fractions_may_be_rounded(ask):
    assert answer(ask(report("How many?", 200 / 7)), "28.6") == "✓ Right: 28.57."


def test_what_follows_waits_for_the_right_answer(ask):
    view = ask(WARPS, after=AFTER)
    page = view.page
    assert is_hidden(page)
    answer(view, "6")
    assert is_hidden(page)
    assert answer(view, "7").startswith("✓ Right at the second try: 7 warps.")
    assert not is_hidden(page)
    expect(view.get_by_role("textbox")).not_to_be_editable()


def test_show_me_reveals_without_an_answer(ask):
    view = ask(WARPS, after=AFTER)
    view.get_by_role("button", name="show me").click()
    assert said(view) == "7 warps. The last one is not full."
    assert not is_hidden(view.page)


def test_names_of_parameters_are_shown_as_they_are_written(ask):
    view = ask(report("At which byte does each begin?", {"n": 0, "c": 4}))
    view.get_by_role("button", name="show me").click()
    assert said(view) == "n: 0; c: 4."


def test_an_answer_that_is_code_is_shown_as_code(ask):
    view = ask(report("Which is shorter?", "`longer_than`", choices=["`longer_than`", "`wider`"]))
    view.get_by_role("button", name="show me").click()
    assert said(view) == "longer_than."
    expect(view.get_by_role("status").locator("code")).to_have_text("longer_than")


def test_it_remembers_and_forgets(ask):
    view = ask(WARPS, after=AFTER)
    answer(view, "6")
    view.page.reload()
    assert said(view) == f"Six warps hold 192 threads. {AGAIN}"
    expect(view.get_by_role("textbox")).to_have_value("6")
    answer(view, "7")
    view.page.reload()
    assert said(view).startswith("✓ Right at the second try")
    assert not is_hidden(view.page)
    view.get_by_role("button", name="forget my answer").click()
    assert said(view) == ""
    assert is_hidden(view.page)
    view.page.reload()
    expect(view.get_by_role("textbox")).to_have_value("")
    assert is_hidden(view.page)


def test_pages_do_not_share_their_memory(ask):
    view = ask(WARPS)
    answer(view, "6")
    other = Path(view.page.url.removeprefix("file://")).with_name("other.html")
    other.write_text(other.with_name("page.html").read_text(encoding="utf-8"), encoding="utf-8")
    view.page.goto(other.as_uri())
    expect(view.get_by_role("textbox")).to_have_value("")
    view.page.go_back()
    expect(view.get_by_role("textbox")).to_have_value("6")


def test_without_a_memory_it_works_all_the_same(ask):
    view = ask(WARPS, after=AFTER, alone=True)
    view.page.add_init_script(
        "Storage.prototype.getItem = Storage.prototype.setItem = () => { throw new Error('no'); }"
    )
    view.page.reload()
    assert answer(view, "7").startswith("✓ Right")
    assert not is_hidden(view.page)


def test_what_was_right_in_an_older_edition_is_asked_again(ask):
    view = ask(WARPS, after=AFTER)
    answer(view, "7")
    view.page.evaluate(OLDER)
    view.page.reload()
    assert said(view).startswith("Six warps hold 192 threads.")
    assert is_hidden(view.page)


def test_several_numbers_are_partly_right(ask):
    view = ask(handmade.predictions()[2])
    assert answer(view, "200", "24") == f"1 of 2 right. threads: In all warps. {AGAIN}"
    expect(view.get_by_role("textbox", name="threads")).to_have_attribute("aria-invalid", "true")
    expect(view.get_by_role("textbox", name="idle lanes")).to_have_attribute("aria-invalid", "false")
    assert answer(view, "8", "") == "Type a number into each field."
    assert answer(view, "8", "24").startswith("✓ Right at the second try: threads: 8; idle lanes: 24.")


def test_a_choice(ask):
    view = ask(handmade.predictions()[3])
    check(view)
    assert said(view) == "Choose one."
    view.get_by_label("both at once").check()
    check(view)
    assert said(view) == f"A warp has one program counter. {AGAIN}"
    view.get_by_label("the else side").check()
    check(view)
    assert said(view) == f"That is not what happens. {AGAIN}"
    view.page.reload()
    expect(view.get_by_label("the else side")).to_be_checked()
    view.get_by_label("the if side").check()
    check(view)
    assert said(view) == "✓ Right at the third try: the if side."


def press(view: Locator, *lanes: int) -> None:
    for lane in lanes:
        view.get_by_role("button", name=f"lane {lane}", exact=True).click()


def on(view: Locator) -> list[str]:
    return view.locator(".lane[aria-pressed=true]").all_inner_texts()


def test_lanes_are_clicked(ask):
    view = ask(handmade.predictions()[4])
    press(view, 0, 2)
    check(view)
    assert said(view) == f"6 of 8 lanes right: 1 lane missing, 1 too many. {AGAIN}"
    press(view, 4)
    check(view)
    assert said(view) == f"7 of 8 lanes right: 1 too many. Not only multiples of 4. {AGAIN}"
    view.page.reload()
    assert on(view) == ["0", "2", "4"]
    press(view, 2)
    check(view)
    assert said(view) == "✓ Right at the third try: lanes 0, 4."
    view.locator(".lane").nth(5).click(force=True)
    assert on(view) == ["0", "4"]


def test_lanes_are_painted_with_the_pointer(ask):
    view = ask(handmade.predictions()[4])
    first, last = (view.locator(".lane").nth(lane).bounding_box() for lane in (1, 6))
    mouse = view.page.mouse
    mouse.move(first["x"] + 5, first["y"] + 5)
    mouse.down()
    mouse.move(last["x"] + 5, last["y"] + 5, steps=20)
    mouse.up()
    mouse.move(first["x"] - 12, first["y"] + 5, steps=10)
    assert on(view) == list("123456")
    view.get_by_role("button", name="all of them").click()
    assert len(on(view)) == 8
    view.get_by_role("button", name="none of them").click()
    assert on(view) == []


def test_a_mask_is_drawn_over_its_digits(ask):
    view = ask(handmade.predictions()[5])
    box = view.get_by_role("textbox", name="Mask in hexadecimal")
    press(view, 0, 5, 31)
    expect(box).to_have_value("0x80000021")
    assert view.locator(".nibble b").all_inner_texts() == list("12000008")
    box.fill("88888888")
    check(view)
    assert on(view)[:2] == ["3", "7"]
    assert said(view) == f"16 of 32 lanes right: 8 lanes missing, 8 too many. Backwards. {AGAIN}"
    box.fill("0X1111_1111")
    check(view)
    assert said(view) == "✓ Right at the second try: 0x11111111."


def test_what_nobody_knows_is_noted(ask):
    view = ask(handmade.predictions()[6])
    keep = view.get_by_role("button", name="Keep")
    keep.click()
    assert said(view) == "Type a number."
    expect(view.get_by_role("button", name="show me")).to_have_count(0)
    view.get_by_role("textbox").fill("12")
    keep.click()
    assert said(view) == "Noted. Now measure."


def test_lanes_that_nobody_knows_are_noted(ask):
    view = ask(report("Which lanes will run?", lanes=8))
    press(view, 0, 5)
    view.get_by_role("button", name="Keep").click()
    assert said(view) == "Noted."
    view.page.reload()
    assert on(view) == ["0", "5"]


def test_the_keyboard_alone_will_do(ask):
    view = ask(WARPS, handmade.predictions()[4], handmade.predictions()[3], after=AFTER)
    page, keys = view.page, view.page.keyboard
    keys.press("Tab")
    keys.type("7")
    keys.press("Enter")
    assert not is_hidden(page)
    keys.press("Tab")  # on from what was said
    for key in ("Space", "ArrowRight", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "Space"):
        keys.press(key)
    assert on(view.nth(1)) == ["0", "4"]
    for key in ("Tab", "Tab", "Enter"):  # all of them, Check
        keys.press(key)
    assert said(view.nth(1)) == "✓ Right: lanes 0, 4."
    for key in ("Tab", "ArrowDown", "ArrowUp", "Enter"):
        keys.press(key)
    assert said(view.nth(2)) == "✓ Right: the if side."


def test_two_side_by_side_are_asked_together(ask):
    other = report("And then?", 2, id="then")
    view = ask(
        WARPS, other, after='<div class="revealed" data-revealed-by="warps then"><p>The run.</p></div>'
    )
    answer(view.nth(0), "7")
    assert is_hidden(view.page)
    answer(view.nth(1), "2")
    assert not is_hidden(view.page)
    assert view.locator("> .subtitle:first-child").all_inner_texts() == [
        "Predict · 1 of 2",
        "Predict · 2 of 2",
    ]


def test_a_link_to_a_hidden_place_opens_it(ask):
    view = ask(WARPS, after=f'<p><a href="#there">there</a></p><p style="height: 3000px"></p>{AFTER}')
    assert is_hidden(view.page)
    view.page.get_by_role("link", name="there").click()
    expect(view.page.locator("#there")).to_be_in_viewport()
    assert not is_hidden(view.page)
    view.page.reload()
    expect(view.page.locator("#there")).to_be_in_viewport()


def test_paper_shows_everything(ask):
    view = ask(WARPS, after=AFTER)
    expect(view.get_by_text("Answer: 7 warps.")).to_be_hidden()
    view.page.emulate_media(media="print")
    assert not is_hidden(view.page)
    expect(view.get_by_text("Answer: 7 warps.")).to_be_visible()
    expect(view.get_by_role("button")).to_have_count(0)


def test_without_scripts_nothing_is_hidden(ask):
    page = ask(WARPS, after=AFTER, java_script_enabled=False).page
    assert not is_hidden(page)
    answer = page.locator("noscript p")
    expect(answer).to_be_hidden()
    page.get_by_text("Answer", exact=True).click()
    expect(answer).to_have_text("7 warps. The last one is not full.")


def test_a_view_that_fails_hides_nothing(open_page, tmp_path):
    unknown = replace(WARPS, kind="unknown")
    scripts = f"<script>document.documentElement.dataset.mode = 'auto'; {embed.static_script()}</script>"
    page = f"<style>{COURSE}</style>{fragment(unknown)}{AFTER}{scripts}"
    (tmp_path / "failing.html").write_text(page, encoding="utf-8")
    visit = open_page(tmp_path / "failing.html")
    assert not is_hidden(visit.page)
    assert visit.console_errors
    visit.console_errors.clear()


@pytest.mark.parametrize("width", some([1280, 360], 2))
def test_it_breaks_no_accessibility_rule_and_fits(ask, violations, width):
    view = ask(*handmade.predictions(), width=width)
    page = view.page
    assert violations(page, ".prediction") == []
    for box in page.locator("input[type=text]").all():
        box.fill("1")
    page.locator("input[type=radio]").last.check()
    for each in view.all():
        each.locator("button.check").click()
    assert violations(page, ".prediction") == []
    page.evaluate("for (const button of document.querySelectorAll('.deeds span .plain')) button.click()")
    assert violations(page, ".prediction") == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_live_the_reader_s_answer_is_the_value(open_page, tmp_path):
    (tmp_path / "live.html").write_text("<title>Live</title>", encoding="utf-8")
    page = open_page(tmp_path / "live.html").page
    page.evaluate(
        """async ([source, reports]) => {
            const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
            const { default: widget } = await import(url);
            window.values = reports.map(() => []);
            reports.forEach((report, index) => {
                const el = document.body.appendChild(document.createElement("div"));
                const set = (name, value) => window.values[index].push([name, value]);
                const get = (name) => (name === "report" ? report : null);
                widget.render({ el, model: { get, set, on() {}, off() {}, save_changes() {} } });
            });
        }""",
        [embed.module("prediction"), [report.as_dict() for report in handmade.predictions()]],
    )
    # as JupyterLab does
    page.evaluate("addEventListener('keydown', (event) => event.key === 'Enter' && event.preventDefault())")
    view = page.locator(".prediction")
    view.nth(0).get_by_role("textbox").fill("2,000")
    page.keyboard.press("Enter")
    answer(view.nth(2), "8", "1.5")
    view.nth(3).get_by_label("both at once").check()
    check(view.nth(3))
    for each in (4, 5):
        press(view.nth(each), 0, 3)
        check(view.nth(each))
    assert page.evaluate("values.map((each) => each.at(-1)?.[1])") == [
        2000,
        None,
        {"threads": 8, "idle lanes": 1.5},
        "both at once",
        [0, 3],
        "0x00000009",
        None,
    ]


def test_what_is_said_of_another_kernel_says_of_which(ask):
    view = ask(replace(WARPS, why_of="the page’s kernel"))
    assert answer(view, "7") == "✓ Right: 7 warps. Said of the page’s kernel: The last one is not full."
    reason = view.get_by_role("status").locator(".of-another")
    assert reason.evaluate("(each) => getComputedStyle(each).color") != view.get_by_role("status").evaluate(
        "(each) => getComputedStyle(each).color"
    )


def test_a_reader_s_own_question_keeps_its_answer_apart_and_hides_nothing_of_the_page(ask):
    """As a live page shows it: it opens what the page's question hides, and closes nothing."""
    own = replace(WARPS, id="warps:2", asked=report("How many?", 2).asked, solution="2 warps")
    views = ask(WARPS, own, after=AFTER)
    page = views.page
    answer(views.nth(1), "2")
    assert not is_hidden(page)
    views.nth(1).get_by_role("button", name="forget my answer").click()
    assert not is_hidden(page)
    answer(views.nth(1), "2")
    answer(views.nth(0), "7")
    page.reload()
    assert [said(each)[:7] for each in views.all()] == ["✓ Right", "✓ Right"]
    views.nth(0).get_by_role("button", name="forget my answer").click()
    assert is_hidden(page)
