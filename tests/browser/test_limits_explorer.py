"""The limits explorer in a real browser: pushed, it shows what the package says."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

import gpusim
from gpusim.views import embed, text

REPORT = gpusim.explore_limits(depth=2, launches=10)
UNSET = [call.call for call in gpusim.explore_limits("K40").variants[0].calls if "SetLimit" in call.call]
PHONE = 390


@pytest.fixture
def open_explorer(open_fragments):
    def open_explorer(report=REPORT, **settings) -> Locator:
        fragment = embed.fragment("limits_explorer", report, text.limits_explorer(report))
        return open_fragments(fragment, **settings).locator(".limits-explorer")

    return open_explorer


def shown(view: Locator) -> list[list[str]]:
    """Of each call what it is, its answer, and why."""
    return view.evaluate(
        "view => [...view.querySelectorAll('.limited-calls li')].map("
        "(row) => [...row.children].map((each) => each.textContent))"
    )


def told(**asked) -> list[list[str]]:
    (variant,) = gpusim.explore_limits(**asked).variants
    made = [call for call in variant.calls if call.call not in UNSET]
    return [[call.call, call.error or "cudaSuccess", call.says] for call in made]


def test_it_begins_with_what_the_report_asks(open_explorer):
    view = open_explorer()
    assert shown(view) == told(device="K40", depth=2, launches=10)
    expect(view.get_by_role("status")).to_contain_text("882.9 MB of 12 GB reserved. All calls succeed.")
    rows = view.get_by_role("list", name="Memory that is reserved").get_by_role("listitem")
    expect(rows).to_have_count(6)
    expect(rows.nth(4)).to_contain_text("2 × (4,669,440 bytes on chip + 30,720 threads × 1,024 bytes)")


def test_pushed_by_the_keyboard_the_calls_answer_at_once(open_explorer):
    view = open_explorer()
    depth = view.get_by_role("slider", name="Depth of launches")
    depth.focus()
    depth.press("ArrowRight")
    assert depth.get_attribute("aria-valuetext") == "3"
    assert shown(view) == told(device="K40", depth=3, launches=10)
    expect(view.get_by_role("status")).to_contain_text("1 call of 3 fails: cudaErrorLaunchMaxDepthExceeded.")
    failed = view.locator(".limited-calls [data-failed]")
    expect(failed).to_have_count(1)
    expect(failed).to_contain_text("cudaDeviceSynchronize()")
    depth.press("End")
    assert shown(view) == told(device="K40", depth=30, launches=10)
    levels = view.get_by_role("slider", name="Levels that may wait")
    levels.press("End")
    call, answer, _ = shown(view)[0]
    assert (call, answer) == ("cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 25)", "cudaErrorInvalidValue")


def test_devices_and_device_runtimes_are_chosen(open_explorer):
    view = open_explorer()
    view.get_by_role("combobox").first.select_option("H200")
    view.get_by_role("combobox").last.select_option("CDP2")
    assert shown(view) == told(device="H200", cdp=2, depth=2, launches=10)
    assert shown(view)[2][1] == "not compiled"
    rows = view.get_by_role("list", name="Memory that is reserved")
    expect(rows).not_to_contain_text("levels that wait")  # CDP2 keeps nothing for them


def test_the_bar_is_a_picture_with_words_and_its_parts_are_as_long_as_their_bytes(open_explorer):
    view = open_explorer()
    bar = view.get_by_role("img")
    assert bar.get_attribute("aria-label").startswith("error correction: 768 MB, heap: 8 MB, stacks of")
    widths = bar.evaluate("bar => [...bar.children].map((part) => parseFloat(part.style.width))")
    (k40, *_) = REPORT.variants
    assert widths == pytest.approx([100 * row.bytes / k40.memory_bytes for row in k40.reserved], abs=1e-3)


@pytest.mark.parametrize("width", [PHONE, 1280])
def test_it_breaks_no_accessibility_rule(open_explorer, violations, width):
    view = open_explorer(gpusim.explore_limits(depth=30, launches=50_000), width=width)
    assert violations(view.page, ".limits-explorer") == []


def test_it_is_printed_with_its_bar(open_explorer):
    page = open_explorer().page
    page.emulate_media(media="print")
    shown = page.locator(".memory-bar i").last
    assert shown.evaluate("part => getComputedStyle(part).printColorAdjust") == "exact"


def test_without_scripts_the_still_stands_there(open_explorer):
    page = open_explorer(java_script_enabled=False).page
    expect(page.locator("pre")).to_contain_text("30,720 threads × 1,024 bytes")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_a_phone_nothing_is_wider_than_the_page(open_explorer, theme):
    view = open_explorer(width=PHONE, color_scheme=theme)
    assert view.evaluate("view => view.ownerDocument.documentElement.scrollWidth") <= PHONE
    inside = "view => [...view.querySelectorAll('*')].every((e) => e.getBoundingClientRect().right <= %d)"
    assert view.evaluate(inside % PHONE)


def test_what_is_asked_is_kept_although_it_is_no_usual_place(open_explorer):
    view = open_explorer(gpusim.explore_limits("V100", stack_bytes=1500, launches=77))
    assert shown(view) == told(device="V100", stack_bytes=1500, launches=77)
    expect(view.get_by_role("slider", name="Stack of a thread")).to_have_attribute("aria-valuetext", "1.5 KB")
