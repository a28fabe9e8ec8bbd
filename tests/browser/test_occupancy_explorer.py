"""The occupancy explorer in a real browser: pushed, it shows what the package says."""

from __future__ import annotations

import random
import re

import pytest
from playwright.sync_api import Locator, expect

import gpusim
from gpusim.views import embed, text
from tests.hardware.memory import recording
from tests.hunting import some

KNOWN = recording("occupancy")
REPORT = gpusim.explore_occupancy(recorded={"H200": KNOWN})
REGISTERS, THREADS, SHARED = "Registers per thread", "Threads per block", "Shared memory per block"
PHONE = 390


@pytest.fixture
def open_explorer(open_fragments):
    def open_explorer(report=REPORT, **settings) -> Locator:
        fragment = embed.fragment("occupancy_explorer", report, text.occupancy_explorer(report))
        return open_fragments(fragment, **settings).locator(".occupancy-explorer")

    return open_explorer


PUSH = """(view, asked) => {
    const [registers, threads, shared] = view.querySelectorAll("input"), box = view.querySelector("select");
    const to = (slider, place) => { slider.value = place; slider.dispatchEvent(new Event("input")); };
    return asked.map(([device, ...places]) => {
        box.selectedIndex = device;
        box.dispatchEvent(new Event("change"));
        [registers, threads, shared].forEach((slider, at) => to(slider, places[at]));
        const text = (selector) => [...view.querySelectorAll(selector)].map((each) => each.textContent);
        return {
            said: view.querySelector("[role=status]").lastChild.textContent,
            share: text(".share-of")[0],
            lets: text(".vessel p > b"),
            limits: text(".vessel[data-limits] > b"),
            layers: [...view.querySelectorAll(".inside")]
                .map((inside) => inside.querySelectorAll("[data-in]").length),
            slots: view.querySelectorAll(".slots [data-in]").length,
            heights: [...view.querySelectorAll("input")].map((each) => each.getAttribute("aria-valuetext")),
        };
    });
}"""


def pushed(view: Locator, *asked: tuple[str, int, int, int]) -> list[dict]:
    """What is shown for (device, registers, threads, shared bytes)."""
    labels = [variant.label for variant in REPORT.variants]
    return view.evaluate(
        PUSH, [[labels.index(device), r - 1, t // 16 - 1, s // 512] for device, r, t, s in asked]
    )


def test_whatever_is_pushed_shows_what_the_package_says(open_explorer):
    chance, asked = random.Random(8), []
    for _ in range(150):
        device = gpusim.devices.get(chance.choice(REPORT.variants).label)
        shared = 512 * chance.randint(0, chance.choice((0, device.shared_bytes_per_block_optin // 512)))
        asked.append((device.name, chance.randint(1, 255), 16 * chance.randint(1, 64), shared))
    for (device, registers, threads, shared), shown in zip(
        asked, pushed(open_explorer(), *asked), strict=True
    ):
        told = gpusim.occupancy(device, threads=threads, registers_per_thread=registers, shared_bytes=shared)
        assert shown["said"] == told.says
        assert shown["share"] == f"{int(1000 * told.theoretical_occupancy + 0.5) / 10:g} %"
        named = ("warps", "registers", "shared memory")
        assert shown["lets"] == [
            "all" if told[name].blocks is None else str(told[name].blocks) for name in named
        ]
        assert shown["limits"] == [name.capitalize() for name in named if name in told.limiting]
        assert [*shown["layers"], shown["slots"]] == [told.blocks] * 4
        assert all(f": {told.warps} of {told.max_warps} warps" in each for each in shown["heights"])


DOTS = """(view) => [...view.querySelectorAll(".staircase")].map((each) => {
    const stairs = [...each.querySelector("[data-state]").getAttribute("d").matchAll(/V([\\d.]+)h1/g)];
    const dots = [...each.querySelector(".dots").getAttribute("d").matchAll(/M([\\d.]+) ([\\d.]+)/g)];
    return [stairs.map(([, y]) => 64 * (1 - y)), dots.map(([, x, y]) => [x - 0.5, 64 * (1 - y)])];
})"""


def test_recorded_answers_lie_on_the_staircases(open_explorer):
    view = open_explorer()
    pushed(view, ("H200", 38, 256, 16384))
    (registers, dots_r), (threads, dots_t), (shared, dots_s) = view.evaluate(DOTS)
    assert [len(registers), len(threads), len(shared)] == [255, 64, 455]
    needed = {name: held for name, held, static, *_ in KNOWN["kernels"] if not static}
    tables = {needed[name]: table for name, table in KNOWN["blocks_per_sm"] if name in needed}
    row, column = KNOWN["dynamic_shared_bytes"].index(16384), KNOWN["block_sizes"].index(256)
    assert dots_r == [[held - 1, 8 * tables[held][row][column]] for held in sorted(tables)]
    assert len(dots_t) == 41  # of 42 sizes; 1 lies before the first place
    assert len(dots_s) == 26  # up to 227 KB
    for stairs, dots in ((registers, dots_r), (threads, dots_t), (shared, dots_s)):
        assert [stairs[int(x)] for x, _ in dots if x == int(x)] == [y for x, y in dots if x == int(x)]
    pushed(view, ("H200", 39, 256, 16384))
    assert [len(dots) for _, dots in view.evaluate(DOTS)] == [len(tables), 0, 0]
    pushed(view, ("A100", 38, 256, 16384))
    assert [len(dots) for _, dots in view.evaluate(DOTS)] == [0, 0, 0]
    expect(view.get_by_text("what the driver of a real")).to_be_hidden()


def test_it_begins_with_a_kernels_own_numbers(open_explorer):
    found = gpusim.occupancy("V100", threads=100, registers_per_thread=33, shared_bytes=4356)
    view = open_explorer(gpusim.explore_occupancy(found))
    expect(view.get_by_role("status")).to_contain_text(found.says)
    for name, said in ((REGISTERS, "33, takes 40"), (THREADS, "100, takes 4 warps"), (SHARED, "4,356 bytes")):
        expect(view.get_by_role("slider", name=name)).to_have_attribute(
            "aria-valuetext", re.compile(f"^{said}")
        )


def test_another_device_keeps_what_it_allows(open_explorer):
    view = open_explorer()
    slider = view.get_by_role("slider", name=SHARED)
    pushed(view, ("H200", 40, 256, 100 * 1024))
    view.get_by_role("combobox", name="Device").select_option(label="P100")
    expect(slider).to_have_attribute("aria-valuetext", "48 KB: 8 of 64 warps")
    view.get_by_role("combobox", name="Device").select_option(label="H200")
    expect(slider).to_have_attribute("aria-valuetext", "100 KB, takes 101 KB: 16 of 64 warps")


def test_the_next_block_does_not_fit_where_it_is_marked(open_explorer):
    """6 blocks of 256 threads with 40 registers: the 7th would stand above the brim of these alone."""
    view = open_explorer(reduced_motion="reduce")
    for vessel in view.locator(".vessel").all():
        brim, block = vessel.locator(".inside").bounding_box(), vessel.locator(".next").bounding_box()
        limits = vessel.get_attribute("data-limits") is not None
        assert (block["y"] < brim["y"] - 1) == limits
    layers = view.locator(".vessel[data-limits] [data-in]")
    assert layers.count() == 6
    whole = view.locator(".vessel[data-limits] .inside").bounding_box()["height"] - 2
    assert layers.first.bounding_box()["height"] == pytest.approx(whole * 10240 / 65536, abs=0.5)


def test_keys_push_a_slider_and_tab_reaches_all(open_explorer):
    view = open_explorer()
    names = []
    for _ in range(4):
        view.page.keyboard.press("Tab")
        names.append(view.page.evaluate("document.activeElement.ariaLabel ?? 'Device'"))
    assert names == ["Device", REGISTERS, THREADS, SHARED]
    slider = view.get_by_role("slider", name=REGISTERS)
    for _ in range(8):
        slider.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", "32: 64 of 64 warps")
    expect(view.get_by_role("status")).to_contain_text("100 %")
    expect(view.get_by_role("img", name="Registers: 65,536 of 65,536 taken")).to_have_attribute(
        "aria-label", "Registers: 65,536 of 65,536 taken, 8,192 per block; lets in 8, and so limits"
    )


def test_blocks_fall_in_unless_the_reader_asked_for_calm(open_explorer):
    falls = "(view) => getComputedStyle(view.querySelector('.inside [data-in]')).transitionDuration"
    assert open_explorer().evaluate(falls).startswith("0.25s")
    assert set(open_explorer(reduced_motion="reduce").evaluate(falls).split(", ")) == {"0s"}


@pytest.mark.parametrize("width", some([PHONE, 1280], 2))
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_breaks_no_accessibility_rule(open_explorer, violations, width, scheme):
    view = open_explorer(width=width, color_scheme=scheme)
    for case in (
        ("H200", 40, 256, 0),
        ("MetaX C500", 72, 1024, 0),
        ("H200", 20, 32, 0),
        ("P100", 9, 64, 9216),
    ):
        pushed(view, case)
        assert violations(view.page, ".occupancy-explorer") == []


def test_it_fits_the_screen_and_a_phone(open_explorer):
    most = (("H200", 64, 256, 48 * 1024), ("H200", 128, 512, 225 * 1024 + 512), ("MetaX C500", 72, 1024, 0))
    view = open_explorer()
    for case in most:
        pushed(view, case)
        assert view.bounding_box()["height"] <= 600
    view = open_explorer(width=PHONE)
    for case in most:
        pushed(view, case)
        assert view.page.evaluate("document.documentElement.scrollWidth") == PHONE


def test_without_scripts_the_still_stands_there(open_explorer):
    page = open_explorer(java_script_enabled=False).page
    expect(page.locator("pre")).to_contain_text("H200: 6 blocks, 48 of 64 warps. Registers let no more in")
