"""The bank view and the sector view in a real browser: they show what their reports say."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import gpusim
from gpusim import cuda
from gpusim.views import embed, text
from tests.hunting import some
from tests.views import handmade

BANKS = handmade.bank_report(1, 4, 32)
SECTORS = handmade.sector_report(1, 4, 32)
PHONE = 360


@cuda.jit
def strided(x, y, stride):
    data = cuda.shared.array(1024, np.float32)
    t = cuda.threadIdx.x
    data[stride * t % 1024] = x[stride * t % x.size]
    cuda.syncthreads()
    if t % 7 != 3:
        y[t] = data[stride * t % 1024] + data[3]
    cuda.atomic.add(data, t // 2, 1)


@cuda.jit
def wide(x, y, stride):
    data = cuda.shared.array(128, np.complex128)
    t = cuda.threadIdx.x
    data[stride * t % 128] = x[t]
    cuda.syncthreads()
    y[t * 100 % y.size] = data[t // 4]


def runs() -> list[gpusim.profile]:
    """Both kernels, three devices: half-warps and 16 banks, 32 banks, 64 lanes."""
    found = []
    for device, threads in (("G80", 32), ("H200", 32), ("MetaX C500", 64)):
        for kernel, kind in ((strided, np.float32), (wide, np.complex128)):
            with gpusim.profile(device) as run:
                kernel[1, threads](np.zeros(2048, kind), np.zeros(2048, kind), 3)
            found.append(run)
    return found


@pytest.fixture(scope="module")
def real_runs():
    return runs()


@pytest.fixture
def open_views(open_fragments):
    """A page with a bank view and a sector view, from `file://`, as the book embeds them."""

    def open_views(banks=BANKS, sectors=SECTORS, **settings) -> Page:
        return open_fragments(
            embed.fragment("bank_view", banks, text.bank_view(banks)),
            embed.fragment("sector_view", sectors, text.sector_view(sectors)),
            **settings,
        )

    return open_views


@pytest.fixture
def bank_view(open_views) -> Locator:
    return open_views().locator(".bank-view")


@pytest.fixture
def sector_view(open_views) -> Locator:
    return under_older_rules(open_views().locator(".sector-view"))


def under_older_rules(view: Locator) -> Locator:
    view.locator("details").evaluate("details => details.open = true")
    return view


def press(view: Locator, name: str) -> None:
    view.get_by_role("button", name=name, exact=True).click()


def choose(view: Locator, name: str, **which: object) -> None:
    view.get_by_role("combobox", name=name, exact=True).select_option(**which)


def step_by_step(view: Locator, shown: str) -> list[object]:
    """What `shown`, a function of the view in JavaScript, gives from the first step to the last."""
    return view.evaluate(
        f"""(view) => {{
            const shown = {shown}, forward = view.querySelector("button.step");
            view.querySelector("button.first").click();
            const steps = [shown(view)];
            while (!forward.disabled) {{
                forward.click();
                steps.push(shown(view));
            }}
            return steps;
        }}"""
    )


LANES = """[...view.querySelectorAll(":is(.lanes, .lane-row) .lane")]
    .map((cell) => cell.dataset.state).join("")"""
SHOWN_BANKS = f"""(view) => ({{
    cells: [...view.querySelectorAll("[data-now] .across > span")]
        .map((cell, bank) => [bank, Number(cell.lastChild?.textContent), cell.firstChild?.textContent])
        .filter(([, , lanes]) => lanes),
    now: [...{LANES}].flatMap((state, lane) => "ce".includes(state) ? [lane] : []),
    idle: [...{LANES}].filter((state) => state === ".").length,
    waiting: [...view.querySelectorAll(".banks .lane[data-state=s]")].length,
    later: [...view.querySelectorAll(".banks .lane[data-state=l]")].length,
}})"""


def reported_banks(variant, access) -> list[dict[str, object]]:
    waves = [(number, wave) for number, phase in enumerate(access["phases"]) for wave in phase["wavefronts"]]
    active = {lane for _, wave in waves for _, _, lanes in wave for lane in lanes}
    return [
        {
            "cells": [
                [bank, word, str(lanes[0]) if len(lanes) == 1 else f"×{len(lanes)}"]
                for bank, word, lanes in wave
            ],
            "now": sorted({lane for _, _, lanes in wave for lane in lanes}),
            "idle": variant["lanes"] - len(active),
            "waiting": sum(len(later) for phase, later in waves[number + 1 :] if phase == own),
            "later": sum(len(later) for phase, later in waves if phase > own),
        }
        for number, (own, wave) in enumerate(waves)
    ]


def choose_access(view: Locator, number: int) -> None:
    if view.locator(".access select option").count() > 1:
        view.locator(".access select").select_option(index=number)


@pytest.mark.parametrize("real", [False, True], ids=["handmade", "real runs"])
def test_every_wavefront_shows_what_the_report_in_the_page_says(open_views, real_runs, real):
    report = gpusim.views.bank_view(*real_runs).report if real else BANKS
    view = open_views(banks=report).locator(".bank-view")
    report = json.loads(view.page.locator("[data-gpusim-view=bank_view] script").text_content())
    for index, variant in enumerate(report["variants"]):
        choose(view, "Run", index=index)
        for number, access in enumerate(variant["accesses"]):
            choose_access(view, number)
            assert step_by_step(view, SHOWN_BANKS) == reported_banks(variant, access)


def test_a_conflict_in_words_and_numbers(bank_view):
    choose(bank_view, "Run", label="stride 4")
    for _ in range(2):
        press(bank_view, "One step forward")
    expect(bank_view.locator(".event")).to_have_text(
        "8 banks serve 8 lanes; 8 lanes wait, lane 24 for lane 16 at bank 0."
    )
    expect(bank_view.locator(".so-far").first).to_have_text("Wavefront 3 of 4; conflicts so far 2 of 3.")
    expect(bank_view.locator(".so-far").last).to_have_text(
        "In all: 2 requests, 5 wavefronts, 3 bank conflicts."
    )
    shown = bank_view.locator(".banks .wavefront")
    assert shown.evaluate_all("rows => rows.map((row) => 'extra' in row.dataset)") == [
        False,  # the numbers of the banks
        False,
        True,
        True,
        True,
    ]


def test_the_first_access_is_shown_first_and_a_sweep_has_a_slider(open_views):
    report = gpusim.views.bank_view(BANKS, labels=["1", "4", "32"], sweep="stride").report
    view = open_views(banks=report).locator(".bank-view")
    expect(view.locator(".access code")).to_have_text("data[1 * t] = x[t]")
    view.get_by_role("slider", name="stride").press("ArrowRight")  # the slider's own key, not the player's
    expect(view.get_by_role("slider", name="stride")).to_have_attribute("aria-valuetext", "4")
    view.get_by_role("slider", name="stride").fill("2")
    expect(view.get_by_role("slider", name="stride")).to_have_attribute("aria-valuetext", "32")
    expect(view.locator(".event")).to_have_text(
        "Bank 0 gives word 0 to lane 0; 31 lanes wait, lane 1 for lane 0 at bank 0."
    )


def test_wavefronts_are_equally_high_and_those_of_conflicts_are_hatched(bank_view):
    choose(bank_view, "Run", label="stride 4")
    bars = bank_view.locator(".turns span")
    assert len(set(bars.evaluate_all("bars => bars.map((bar) => bar.getBoundingClientRect().height)"))) == 1
    assert bars.evaluate_all("bars => bars.map((bar) => bar.dataset.state).join('')") == "ciii"
    hatched = "bars => bars.map((bar) => getComputedStyle(bar).backgroundImage !== 'none')"
    assert bars.evaluate_all(hatched) == [False, True, True, True]


def test_lanes_of_a_later_phase_do_not_look_like_a_conflict(open_views, real_runs):
    report = gpusim.views.bank_view(real_runs[3]).report  # 16 bytes per lane: quarter-warps
    view = open_views(banks=report).locator(".bank-view")
    expect(view.locator(".event")).to_have_text(
        "32 banks serve 8 lanes; no lane waits; 24 lanes come in a later phase."
    )
    assert set(view.evaluate(f"(view) => {LANES}")) == {"c", "l"}


def test_a_broadcast_looks_different_and_is_said(bank_view):
    choose_access(bank_view, 1)
    expect(bank_view.locator(".event")).to_have_text("Bank 3 gives word 3 to lanes 0–31; no lane waits.")
    expect(bank_view.locator("[data-now] .lane")).to_have_attribute("data-state", "e")
    lanes = bank_view.get_by_role("img", name="lanes 0–31: served now, one word for several lanes")
    expect(lanes).to_be_visible()


def test_one_access_alone(bank_view):
    choose(bank_view, "Run", label="stride 4")
    choose(bank_view, "Access", label="line 11: load data[3], warp 0")
    expect(bank_view.locator(".counter")).to_have_text("step 1 of 1")
    expect(bank_view.locator(".access code")).to_have_text("x[t] = data[3]")


def test_the_current_wavefront_is_scrolled_into_sight_and_the_page_stays(bank_view):
    choose(bank_view, "Run", label="stride 32")
    panel = bank_view.locator(".banks")
    before = bank_view.page.evaluate("scrollY")
    bank_view.get_by_role("slider", name="Step").focus()
    for _ in range(31):
        bank_view.page.keyboard.press("ArrowRight")
    box, row = panel.bounding_box(), panel.locator("[data-now]").bounding_box()
    assert box["y"] <= row["y"] <= row["y"] + row["height"] <= box["y"] + box["height"]
    assert bank_view.page.evaluate("scrollY") == before
    expect(panel).to_have_attribute("tabindex", "0")


SHOWN_SECTORS = f"""(view) => ({{
    now: [...{LANES}].flatMap((state, lane) => state === "c" ? [lane] : []),
    done: [...{LANES}].flatMap((state, lane) => state === "d" ? [lane] : []),
    moving: view.querySelectorAll(".strip-sector[data-moved=now]").length * 32,
    said: view.querySelector(".event").textContent.replace(/(, (for lane|of which|and every).*)?\\.$/, ""),
}})"""


def reported_sectors(access, rule) -> list[dict[str, object]]:
    moves = access["rules"][rule]["moves"]
    if rule == "sectors32":
        everyone = sorted({lane for _, _, lanes, _ in moves for lane in lanes})
        what = f"{len(moves)} sectors move" if len(moves) > 1 else "1 sector moves"
        said = f"{what} at once: {32 * len(moves):,} bytes"
        return [{"now": everyone, "done": [], "moving": 32 * len(moves), "said": said}]
    steps, done = [], list[int]()
    for first, length, lanes, _so_far in moves:
        said = f"Bytes {first:,}–{first + length - 1:,} move"
        steps.append({"now": lanes, "done": sorted(set(done) - set(lanes)), "moving": length, "said": said})
        done += lanes
    return steps


@pytest.mark.parametrize("real", [False, True], ids=["handmade", "real runs"])
def test_every_transfer_shows_what_the_report_in_the_page_says(open_views, real_runs, real):
    report = gpusim.views.sector_view(*real_runs).report if real else SECTORS
    view = under_older_rules(open_views(sectors=report).locator(".sector-view"))
    report = json.loads(view.page.locator("[data-gpusim-view=sector_view] script").text_content())
    for index, variant in enumerate(report["variants"]):
        choose(view, "Run", index=index)
        for number, rule in enumerate(report["rules"]):
            view.get_by_role("radio").nth(number).check()
            for index, access in enumerate(variant["accesses"]):
                choose_access(view, index)
                assert step_by_step(view, SHOWN_SECTORS) == reported_sectors(access, rule["key"])


PLACES = "paths => paths.map((path) => path.getAttribute('d'))"


def test_the_rule_switch_shows_the_same_addresses_under_three_rules(sector_view):
    choose(sector_view, "Run", label="stride 4")
    rows = sector_view.locator(".rule")
    assert [row.replace("\n", " ") for row in rows.all_inner_texts()] == [
        "compute capability 1.0 and 1.1 32 transactions, 1,024 bytes 12.5 % wanted",
        "compute capability 1.2 and 1.3 4 segments, 512 bytes 25 % wanted",
        "32-byte sectors, 2.0 and later (this device) 16 sectors, 512 bytes 25 % wanted",
    ]
    wanted = sector_view.locator(".lane-lines path").evaluate_all(PLACES)
    expect(sector_view.locator(".event")).to_have_text(
        "16 sectors move at once: 512 bytes, of which 25 % are wanted."
    )
    expect(sector_view.locator(".controls")).to_be_hidden()
    sector_view.get_by_role("radio", name="1.2 and 1.3").check()
    expect(sector_view.locator(".counter")).to_have_text("step 1 of 4")
    expect(sector_view.locator(".event")).to_have_text("Bytes 0–127 move, for lanes 0–7.")
    expect(sector_view.locator(".so-far").first).to_have_text(
        "Segment 1 of 4, 128 bytes so far; the lanes want 128 bytes of x, which begins at byte 0."
    )
    assert sector_view.locator(".lane-lines path").evaluate_all(PLACES) == wanted
    # the rule that was chosen stays when another run is
    choose(sector_view, "Run", label="stride 32")
    expect(sector_view.get_by_role("radio", name="1.2 and 1.3")).to_be_checked()


def test_older_rules_are_folded_unless_the_device_follows_one(open_views):
    view = open_views().locator(".sector-view")
    expect(view.get_by_role("radio")).to_have_count(0)
    variants = [replace(SECTORS.variants[0], rule="cc1.0"), *SECTORS.variants[1:]]
    view = open_views(sectors=replace(SECTORS, variants=tuple(variants))).locator(".sector-view")
    expect(view.get_by_role("radio", name="1.0 and 1.1")).to_be_checked()


def test_the_rules_are_chosen_by_keys_and_arrows_there_do_not_step(sector_view):
    own = sector_view.get_by_role("radio", name="32-byte sectors")
    expect(own).to_be_checked()
    own.focus()
    sector_view.page.keyboard.press("ArrowUp")
    expect(sector_view.get_by_role("radio", name="1.2 and 1.3")).to_be_checked()
    expect(sector_view.locator(".counter")).to_have_text("step 1 of 2")


def test_two_sector_views_on_a_page_have_their_own_rules(open_fragments):
    page = open_fragments(*(embed.fragment("sector_view", SECTORS, "") for _ in range(2)))
    first, second = map(under_older_rules, page.locator(".sector-view").all())
    first.get_by_role("radio", name="1.0 and 1.1").check()
    expect(second.get_by_role("radio", name="32-byte sectors")).to_be_checked()


def test_a_sector_that_moves_again_and_again_says_how_often(sector_view):
    choose(sector_view, "Run", label="stride 4")
    sector_view.get_by_role("radio", name="1.0 and 1.1").check()
    press(sector_view, "One step forward")
    assert sector_view.locator(".strip-sector").first.locator("small").all_inner_texts() == ["2×"]
    assert sector_view.locator(".strip-sector").nth(1).locator("small").count() == 0


def test_a_stride_is_seen_as_distance_and_long_gaps_are_cut(open_views):
    view = open_views().locator(".sector-view")
    choose(view, "Run", label="stride 32")
    sectors = view.locator(".strip-sector")
    lefts = sectors.evaluate_all("all => all.map((one) => parseFloat(one.style.left))")
    assert lefts == pytest.approx([100 * place / 32 for place in range(32)])
    assert view.locator(".break").count() == 0
    (access,) = SECTORS.variants[0].accesses
    far = tuple(want._replace(first_byte=want.lane * 100_000) for want in access.wants)
    (only, *_) = handmade.first_changed(SECTORS, accesses=(replace(access, wants=far),)).variants
    view = open_views(sectors=replace(SECTORS, variants=(only,))).locator(".sector-view")
    assert view.locator(".break").count() == 31


def test_the_load_is_shown_first(open_views, real_runs):
    view = open_views(sectors=gpusim.views.sector_view(real_runs[3]).report).locator(".sector-view")
    expect(view.locator(".access .subtitle")).to_contain_text("load x[t]")


def test_a_cell_under_the_pointer_says_what_it_holds(bank_view):
    choose(bank_view, "Access", label="line 11: load data[3], warp 0")
    bank_view.locator(".banks .across .lane").hover()
    expect(bank_view.locator(".event")).to_have_text("Bank 3 gives word 3 to lanes 0–31.")
    bank_view.locator(".heading").hover()
    expect(bank_view.locator(".event")).to_have_text("Bank 3 gives word 3 to lanes 0–31; no lane waits.")


def test_a_word_under_the_pointer_says_who_wants_it(sector_view):
    choose(sector_view, "Run", label="stride 4")
    sector = sector_view.locator(".strip-sector").first
    sector.locator("span").nth(1).hover()
    expect(sector_view.locator(".event")).to_have_text("Bytes 16–19: lane 1.")
    sector.hover(position={"x": sector.bounding_box()["width"] * 0.35, "y": 10})
    expect(sector_view.locator(".event")).to_have_text("Bytes 0–31: moved.")


@pytest.mark.parametrize("kind", [".bank-view", ".sector-view"])
def test_play_scrub_and_keys(open_views, kind):
    view = open_views().locator(kind)
    choose(view, "Run", index=1)
    counter, last = view.locator(".counter"), 4
    if kind == ".sector-view":
        under_older_rules(view).get_by_role("radio", name="1.2 and 1.3").check()
    choose(view, "Speed", label="8×")
    press(view, "Play")
    expect(view.get_by_role("status")).to_have_attribute("aria-live", "off")
    expect(counter).to_have_text(f"step {last} of {last}")
    for key, step in [("Home", 1), ("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("End", last)]:
        view.page.keyboard.press(key)
        expect(counter).to_have_text(f"step {step} of {last}")
    box = view.locator(".timeline").bounding_box()
    view.page.mouse.click(box["x"] + box["width"] * 2.5 / last, box["y"] + box["height"] / 2)
    expect(counter).to_have_text(f"step 3 of {last}")
    expect(view.get_by_role("slider", name="Step")).to_have_attribute(
        "aria-valuetext", re.compile(r"^(wavefront|segment) 3 of \d+: \w")
    )


@pytest.mark.parametrize("width", some([PHONE, 1280], 2))
def test_breaks_no_accessibility_rule(open_views, violations, real_runs, width):
    views = gpusim.views
    page = open_views(views.bank_view(*real_runs).report, views.sector_view(*real_runs).report, width=width)
    under_older_rules(page.locator(".sector-view"))
    for kind in (".bank-view", ".sector-view"):
        view = page.locator(kind)
        for variant in (0, 1, 4):
            choose(view, "Run", index=variant)
            for rule in view.get_by_role("radio").all()[:1]:
                rule.check()
            press(view, "One step forward")
            assert violations(page, within=kind) == []


def test_fits_a_phone(open_views, real_runs):
    views = gpusim.views
    page = open_views(views.bank_view(*real_runs).report, views.sector_view(*real_runs).report, width=PHONE)
    for kind in (".bank-view", ".sector-view"):
        for variant in range(len(real_runs)):
            choose(page.locator(kind), "Run", index=variant)
            assert page.evaluate("document.documentElement.scrollWidth") == PHONE


def test_without_scripts_the_stills_are_there(open_views):
    page = open_views(java_script_enabled=False)
    expect(page.locator("pre").first).to_contain_text("stride 4: 2 requests, 5 wavefronts, 3 bank conflicts")
    expect(page.locator("pre").last).to_contain_text("16 sectors, 512 bytes (25.0 % wanted)")
