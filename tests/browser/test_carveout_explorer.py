"""The carve-out explorer in a real browser: it shows what the report says, for every request."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.sync_api import Locator, expect

import gpusim
from gpusim.reports.carveout import Start
from gpusim.views import embed, text
from tests.hunting import some

REPORT = gpusim.explore_carveouts(shared_bytes=[0, 4096, 24576, 65536, 163840], percents=[-1, 0, 50, 100])
SHARED, THREADS, PERCENT = "Shared memory of a block", "Threads of a block", "Preferred carve-out"
LEGACY = "Legacy cache configuration"


@pytest.fixture
def open_explorer(open_fragments):
    """The explorer in a page of its own, from `file://`."""

    def open_explorer(report=REPORT, **settings) -> Locator:
        fragment = embed.fragment("carveout_explorer", report, text.carveout_explorer(report))
        return open_fragments(fragment, **settings).locator(".carveout-explorer")

    return open_explorer


def slide(view: Locator, name: str, place: int) -> None:
    slider = view.get_by_role("slider", name=name)
    slider.focus()
    view.page.keyboard.press("Home")
    for _ in range(place):
        view.page.keyboard.press("ArrowRight")


def choose(view: Locator, name: str, **which: object) -> None:
    view.get_by_role("combobox", name=name).select_option(**which)


def said(view: Locator) -> list[str]:
    return [line for line in view.get_by_role("status").inner_text().split("\n") if line]


def rows(view: Locator) -> list[list[str]]:
    """What each row shows: shared memory, L1, blocks, occupancy."""
    return view.locator(".splits li:not(.head)").evaluate_all(
        "rows => rows.map(row => [...row.children].filter(cell => !cell.matches('.split'))"
        ".map(cell => cell.lastChild.textContent))"
    )


def test_it_opens_with_the_requests_first_case(open_explorer):
    view = open_explorer()
    assert said(view) == [
        "50 % of 96 KB are 48 KB, which V100 does not offer; the next capacity up is 64 KB.",
        "Blocks at once: 2 × 24 KB, 25 % occupancy; other limits would allow 8.",
    ]
    assert rows(view) == [
        ["0 KB", "128 KB", "none", "0 %"],
        ["8 KB", "120 KB", "none", "0 %"],
        ["16 KB", "112 KB", "none", "0 %"],
        ["32 KB", "96 KB", "1", "12.5 %"],
        ["64 KB", "64 KB", "2", "25 %"],
        ["96 KB", "32 KB", "4", "50 %"],
    ]
    expect(view.locator("[aria-current]")).to_contain_text("Chosen: shared memory 64 KB")
    expect(view.locator(".asked")).to_have_text("48 KB")


SWEEP = """(view, [device, sizes, percents, configs]) => {
    const [bytes, , percent] = view.querySelectorAll("input");
    const [devices, legacy] = view.querySelectorAll("select");
    const slide = (slider, value) => {
        slider.value = value;
        slider.dispatchEvent(new Event("input"));
    };
    const choose = (box, index) => {
        box.selectedIndex = index;
        box.dispatchEvent(new Event("change"));
    };
    const cell = (row, place) => row.children[place].lastChild.textContent;
    const shown = () => ({
        said: [...view.querySelectorAll("[role=status] p")].map((p) => p.textContent).join(" ").trim(),
        rows: [...view.querySelectorAll(".splits li:not(.head)")].map((row) =>
            [cell(row, 0), cell(row, 2), cell(row, 3), row.hasAttribute("aria-current")]),
    });
    choose(devices, device);
    const all = [];
    for (let size = 0; size < sizes; size++) {
        slide(bytes, size);
        for (let config = 0; config < configs; config++) {
            choose(legacy, config);
            for (let preference = 0; preference < (config ? 1 : percents); preference++) {
                slide(percent, preference);
                all.push(shown());
            }
        }
    }
    return all;
}"""


@pytest.mark.parametrize("device", range(len(REPORT.variants)))
def test_every_request_shows_what_the_still_of_the_request_says(open_explorer, device):
    variant, threads = REPORT.variants[device], REPORT.start.threads
    sizes, percents, configs = (len(of) for of in (REPORT.shared, REPORT.percents, REPORT.configs))
    found = iter(open_explorer().evaluate(SWEEP, [device, sizes, percents, configs]))
    for size in range(sizes):
        for config in range(configs):
            for percent in range(1 if config else percents):
                start = Start(size, threads, percent, config)
                still = text.carveout_explorer(replace(REPORT, variants=(variant,), start=start)).splitlines()
                shown = next(found)
                assert shown["said"] == still[-1].removeprefix(f"{variant.label}: ")
                table = [line.split() for line in still if line.startswith("  ")][1:]
                assert shown["rows"] == [
                    [
                        f"{shared} KB",
                        f"{l1} KB",
                        "none" if "refuses" in shown["said"] else blocks.replace("0", "none", blocks == "0"),
                        mark != [],
                    ]
                    for shared, _, l1, _, blocks, *mark in table
                ]
    assert next(found, None) is None


def test_what_a_real_h200_took_is_told_where_the_rule_says_otherwise(open_explorer):
    """Without shared memory, 0 and 3 % should come to 8 KB, and came to 32 (tests/hardware/carveout.json)."""
    report = gpusim.explore_carveouts(
        ["H200", "A100"], start={"shared_bytes": 0, "threads": 128, "percent": 3}
    )
    view = open_explorer(report)
    told = "A real H200 took 32 KB: so it was recorded, with 128 threads per block."
    for place in (1, 2):
        slide(view, PERCENT, place)
        assert said(view)[-1] == told
        expect(view.locator("[data-took]")).to_contain_text("Really taken: shared memory 32 KB")
        expect(view.locator("[aria-current]")).to_contain_text("Chosen: shared memory 8 KB")
    slide(view, THREADS, 4)
    assert said(view)[-1] == told, "recorded with another number of threads, and it says so"
    slide(view, SHARED, 13)
    assert view.locator("[data-took]").count() == 0
    choose(view, "Device", label="A100")
    slide(view, SHARED, 0)
    assert view.locator("[data-took]").count() == 0


def test_the_reserved_kilobyte_has_a_stripe_of_its_own(open_explorer):
    view = open_explorer(
        gpusim.explore_carveouts(["H200", "V100"], start={"shared_bytes": 0, "threads": 256})
    )
    expect(view.get_by_text("1 KB that the system reserves for each block")).to_be_visible()
    stripes = view.locator("[aria-current] path.reserved")
    assert stripes.get_attribute("d").count("M") == int(rows(view)[-1][2])
    choose(view, "Device", label="V100")
    expect(view.get_by_text("1 KB that the system reserves for each block")).to_be_hidden()


def test_what_l1_has_is_shown_where_it_was_run(open_explorer):
    rates = {"V100": [90, 80.5, 70, 60, 50, 0]}
    report = gpusim.explore_carveouts(
        ["V100", "A100"], hit_rates=rates, hits_of="One block reads 64 KB again."
    )
    view = open_explorer(report)
    assert [row[2] for row in rows(view)] == ["90 %", "80.5 %", "70 %", "60 %", "50 %", "0 %"]
    expect(view.get_by_text("One block reads 64 KB again.")).to_be_visible()
    choose(view, "Device", label="A100")
    expect(view.get_by_text("One block reads 64 KB again.")).to_be_hidden()


def test_the_picture_is_to_scale(open_explorer):
    view = open_explorer()
    chosen = view.locator("[aria-current] .split")
    whole = chosen.bounding_box()["width"] - 2  # its border
    assert chosen.locator(".shared").bounding_box()["width"] == pytest.approx(whole / 2, abs=1.5)  # 64 of 128
    wanted = chosen.locator(".wanted").bounding_box()
    middle = wanted["x"] + wanted["width"] / 2 - chosen.bounding_box()["x"] - 1
    assert middle == pytest.approx(whole * 48 / 128, abs=1.5)


def test_a_requirement_rules_out_the_percentage(open_explorer):
    view = open_explorer()
    choose(view, "Device", label="K40")
    slide(view, SHARED, 1)
    choose(view, LEGACY, label="PreferL1: more L1")
    expect(view.get_by_role("slider", name=PERCENT)).to_be_disabled()
    assert said(view)[0] == (
        "cudaFuncCachePreferL1 requires 16 KB: if the launch before had another split, this one waits for it."
    )
    choose(view, LEGACY, label="none")
    expect(view.get_by_role("slider", name=PERCENT)).to_be_enabled()


def test_sliders_say_what_they_stand_at(open_explorer):
    view = open_explorer()
    slider = view.get_by_role("slider", name=PERCENT)
    expect(slider).to_have_attribute("aria-valuetext", "50 %")
    slider.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", "0 %")
    slider.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", "no preference")
    expect(view.locator("label", has_text=PERCENT).locator("b")).to_have_text("no preference")
    expect(view.get_by_role("status")).to_contain_text("No preference: 96 KB is the smallest capacity")


def test_all_of_it_is_reached_by_tab(open_explorer):
    view = open_explorer()
    view.page.keyboard.press("Tab")
    names = []
    for _ in range(5):
        names.append(
            view.page.evaluate("document.activeElement.closest('label').firstChild.firstChild.textContent")
        )
        view.page.keyboard.press("Tab")
    assert names == ["Device", SHARED, THREADS, PERCENT, LEGACY]


@pytest.mark.parametrize("width", some([1280, 360], 2))
def test_it_breaks_no_accessibility_rule(open_explorer, violations, width):
    view = open_explorer(width=width)
    for device in ("V100", "H200", "P100"):
        choose(view, "Device", label=device)
        assert violations(view.page, ".carveout-explorer") == []
    choose(view, LEGACY, index=2)
    assert violations(view.page, ".carveout-explorer") == []


def test_it_fits_a_phone(open_explorer):
    view = open_explorer(width=360)
    for device in range(len(REPORT.variants)):
        choose(view, "Device", index=device)
        assert view.page.evaluate("document.documentElement.scrollWidth") == 360
        assert view.locator(".split").first.bounding_box()["width"] > 100


def test_without_scripts_the_still_stands_there(open_explorer):
    page = open_explorer(java_script_enabled=False).page
    expect(page.locator("pre")).to_contain_text("64 KB     64 KB       2  <- chosen")
