"""The moving views in a real browser: they show what the report says, by mouse, by keys, for all readers."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import gpusim
from gpusim import cuda
from gpusim.reports.source import SourceText
from gpusim.views import embed, text
from tests.hunting import some
from tests.views import handmade, real, trees

WARPS = handmade.warp_report(32, 64)
FRAMES, FRAMES_64 = (variant["frames"] for variant in WARPS.as_dict()["variants"])
BLOCKS = handmade.block_report(((16, 4, 1), 32), ((16, 4, 1), 64), ((200, 1, 1), 64), ((4, 4, 4), 32))
PHONE = 360


@cuda.jit
def collatz(values, steps):
    i = cuda.grid(1)
    if i >= values.size:
        return
    n = values[i]
    count = 0
    while n != 1:
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        count += 1
    steps[i] = count


def collatz_report():
    """Real runs under both scheduling models and both widths."""
    values, runs = np.arange(36) % 6 + 1, []
    for device in ("H200", "P100", "MetaX C500"):
        with gpusim.profile(device=device) as run:
            collatz[1, 40](values, np.zeros_like(values))
        runs.append(run)
    return gpusim.views.warp_player(*runs).report


@pytest.fixture
def open_views(open_fragments):
    """A page with a warp player and a block mapper, from `file://`, as the book embeds them."""

    def open_views(warps=WARPS, **settings) -> Page:
        views = (
            embed.fragment("warp_player", warps, text.warp_player(warps)),
            embed.fragment("block_mapper", BLOCKS, text.block_mapper(BLOCKS)),
        )
        page = open_fragments(*views, **settings)
        if settings.get("java_script_enabled", True):
            page.locator("details").evaluate_all("all => all.forEach((each) => (each.open = true))")
        return page

    return open_views


@pytest.fixture
def player(open_views) -> Locator:
    return open_views().locator(".warp-player")


@pytest.fixture
def mapper(open_views) -> Locator:
    return open_views().locator(".block-mapper")


def press(view: Locator, name: str) -> None:
    view.get_by_role("button", name=name, exact=True).click()


def choose(view: Locator | Page, name: str, option: str | None = None, **which: object) -> None:
    view.get_by_role("combobox", name=name, exact=True).select_option(option, **which)


def lane_states(view: Locator) -> str:
    return "".join(
        view.locator(".lanes .lane").evaluate_all("cells => cells.map(cell => cell.dataset.state)")
    )


SHOWN = """(view) => ({
    line: Number(view.querySelector("[aria-current] .number").textContent),
    states: [...view.querySelectorAll(".lanes .lane")].map((cell) => cell.dataset.state).join(""),
    masks: [...view.querySelectorAll(".stack li[data-mask]")].map((row) => row.dataset.mask).reverse(),
    instructions: [...view.querySelectorAll(".instructions li")].map((row) => row.textContent),
})"""


def shown(player: Locator) -> dict[str, object]:
    """What the player shows now, in the report's terms."""
    return player.evaluate(SHOWN)


def shown_step_by_step(player: Locator) -> list[dict[str, object]]:
    """What it shows from here on, pressing the step button until there is no further step."""
    return player.evaluate(
        f"""(view) => {{
            const shown = {SHOWN};
            const forward = view.querySelector("button.step");
            const steps = [shown(view)];
            while (!forward.disabled) {{
                forward.click();
                steps.push(shown(view));
            }}
            return steps;
        }}"""
    )


def reported(frame) -> dict[str, object]:
    return {
        "line": frame["line"],
        "states": frame["states"],
        "masks": [entry["mask"] for entry in frame["stack"]],
        "instructions": frame["instructions"],
    }


@pytest.mark.parametrize("make_report", [lambda: WARPS, collatz_report], ids=["handmade", "real runs"])
def test_every_step_shows_what_the_report_in_the_page_says(open_views, make_report):
    player = open_views(warps=make_report()).locator(".warp-player")
    report = json.loads(player.page.locator("[data-gpusim-view=warp_player] script").text_content())
    for index, variant in enumerate(report["variants"]):
        choose(player, "Run", index=index)
        if index:
            press(player, "First step")
        assert shown_step_by_step(player) == [reported(frame) for frame in variant["frames"]]


def test_the_sentence_is_the_reports(player):
    for frame in FRAMES:
        said = player.locator(".event").inner_text()
        assert frame["event"].lower() in said.lower()
        assert said.endswith(".")
        if frame is not FRAMES[-1]:
            press(player, "One step forward")


def test_the_lanes_are_read_out_in_words(player):
    press(player, "Last step")
    choose(player, "Warp", label="warp 0")
    lanes = player.get_by_role("img")
    expect(lanes).to_have_attribute("aria-label", "warp 0: lanes 1–31 at a barrier; 0 gone")


def test_lanes_that_wait_are_marked_on_their_lines(player):
    for _ in range(4):
        press(player, "One step forward")
    marks = player.locator(".source li:has(.lane)")
    assert [re.sub(r"\s+", " ", mark).strip() for mark in marks.all_inner_texts()] == [
        "15 18 values[i] /= 2",
        "16 19 else:",
        "join 22 cuda.syncthreads()",
    ]


def test_back_first_and_last(player):
    press(player, "Last step")
    expect(player.get_by_role("button", name="One step forward")).to_be_disabled()
    press(player, "One step back")
    assert shown(player) == reported(FRAMES[-2])
    press(player, "First step")
    assert shown(player) == reported(FRAMES[0])


def test_play_runs_to_the_end_quietly_and_starts_over(player):
    status = player.get_by_role("status")
    choose(player, "Speed", "8×")
    press(player, "Play")
    expect(status).to_have_attribute("aria-live", "off")
    expect(player.get_by_role("button", name="Pause")).to_be_visible()
    expect(player.locator(".counter")).to_have_text(f"step {len(FRAMES)} of {len(FRAMES)}")
    expect(player.get_by_role("button", name="Play")).to_be_visible()
    press(player, "Play")
    press(player, "Pause")
    expect(player.locator(".counter")).not_to_have_text(f"step {len(FRAMES)} of {len(FRAMES)}")
    press(player, "One step forward")
    expect(status).to_have_attribute("aria-live", "polite")


def test_the_keyboard_plays_too(player):
    scrubber = player.get_by_role("slider")
    scrubber.focus()
    keyboard = player.page.keyboard
    for key, step in [
        ("ArrowRight", 2),
        ("ArrowRight", 3),
        ("ArrowLeft", 2),
        ("End", len(FRAMES)),
        ("Home", 1),
    ]:
        keyboard.press(key)
        expect(player.locator(".counter")).to_have_text(f"step {step} of {len(FRAMES)}")
    keyboard.press("Space")
    expect(player.get_by_role("button", name="Pause")).to_be_visible()
    keyboard.press("Space")
    expect(player.get_by_role("button", name="Play")).to_be_visible()


def test_keys_work_after_a_click_on_the_lanes(player):
    player.locator(".lanes").click()
    player.page.keyboard.press("ArrowRight")
    expect(player.locator(".counter")).to_have_text(f"step 2 of {len(FRAMES)}")


def test_the_scrubber_stands_over_the_bar_of_its_step(player):
    box = player.locator(".timeline").bounding_box()
    for step in (0, 7, len(FRAMES) - 1):
        x = box["x"] + box["width"] * (step + 0.5) / len(FRAMES)
        player.page.mouse.click(x, box["y"] + box["height"] / 2)
        assert shown(player) == reported(FRAMES[step])


def test_the_scrubber_says_where_it_is(player):
    press(player, "One step forward")
    expect(player.get_by_role("slider")).to_have_attribute(
        "aria-valuetext",
        "step 2 of 16: line 15: Diverges: 1 lane takes the if side, the others wait.",
    )


def test_one_warp_alone(player):
    choose(player, "Warp", label="warp 1")
    of_warp_1 = [frame for frame in FRAMES if frame["warp"] == 1]
    expect(player.locator(".counter")).to_have_text(f"step 1 of {len(of_warp_1)}")
    press(player, "Last step")
    assert shown(player) == reported(of_warp_1[-1])
    assert lane_states(player) == "c" * 8 + "." * 24


def test_the_numbers_so_far_are_the_reports(player):
    press(player, "Last step")
    so_far = FRAMES[-1]["so_far"]
    expect(player.locator(".so-far")).to_have_text(
        f"warp 1: {so_far['thread_instructions']} of {32 * so_far['instructions']} lane slots used, "
        f"mean {so_far['active_lanes_per_instruction']:.1f} of 32"
    )


def test_cuda_cpp_is_coloured_and_comments_may_go_over_several_lines(open_views):
    lines = (
        "template <typename T>",
        "__global__ void k(T* x) {",
        "    /* for",
        "    all */ x[0] = 'f'; // if",
        "}",
    )
    source = SourceText("k", WARPS.source.first_line, lines)
    view = open_views(warps=replace(WARPS, source=source)).locator(".warp-player")
    found = {
        kind: view.locator(f".source .{kind}").all_text_contents()
        for kind in ("keyword", "comment", "string")
    }
    assert found == {
        "keyword": ["template", "typename", "__global__", "void"],
        "comment": ["/* for", "    all */", "// if"],
        "string": ["'f'"],
    }
    assert view.locator(".source .text").all_text_contents() == [*lines, "the kernel's end"]


def test_two_runs_side_by_side_step_together_and_the_shorter_waits(player):
    player.get_by_label("Compare two runs").check()
    stages = player.locator(".stage")
    assert [len(lane_states(stage)) for stage in stages.all()] == [32, 64]
    for _ in range(3):
        press(player, "One step forward")
    assert [lane_states(stage) for stage in stages.all()] == [FRAMES[3]["states"], FRAMES_64[3]["states"]]
    press(player, "Last step")
    assert [lane_states(stage) for stage in stages.all()] == [FRAMES[-1]["states"], FRAMES_64[-1]["states"]]
    expect(player.locator(".event").nth(1)).to_contain_text("Finished.")


def test_a_report_may_open_side_by_side(open_views):
    player = open_views(warps=replace(WARPS, compare=True)).locator(".warp-player")
    expect(player.get_by_label("Compare two runs")).to_be_checked()
    assert player.locator(".stage").count() == 2


def test_a_run_that_an_error_stopped_says_so(open_views):
    short, long = WARPS.variants
    stopped = replace(short, frames=short.frames[:2], error="Livelock")
    both = replace(WARPS, variants=(stopped, long), compare=True)
    player = open_views(warps=both).locator(".warp-player")
    press(player, "Last step")
    expect(player.locator(".event").first).to_contain_text("Stopped.")


def test_a_thread_is_found_in_both_views(mapper):
    mapper.locator(".map").first.locator("[data-thread='37']").hover()
    expect(mapper.locator(".event")).to_have_text("thread (5, 2, 0): linear 37 = 2·16 + 5 → warp 1, lane 5")
    found = mapper.locator(".cursor").evaluate_all("cells => cells.map(cell => cell.dataset.thread)")
    assert found == ["37", "37"]


def test_a_lane_is_found_in_the_block(mapper):
    choose(mapper, "Block", label="200 threads, 64 lanes")
    mapper.locator(".map").nth(1).locator("[data-thread='199']").hover()
    expect(mapper.locator(".event")).to_have_text("thread (199, 0, 0): linear 199 → wave 3, lane 7")
    assert mapper.locator(".map").nth(1).locator(".idle").count() == 56


@pytest.mark.parametrize(
    ("view", "keys", "sentence"),
    [
        (0, ["ArrowDown", "ArrowRight"], "thread (1, 1, 0): linear 17 = 1·16 + 1 → warp 0, lane 17"),
        (1, ["ArrowDown", "ArrowRight"], "thread (1, 2, 0): linear 33 = 2·16 + 1 → warp 1, lane 1"),
        (0, ["End"], "thread (15, 3, 0): linear 63 = 3·16 + 15 → warp 1, lane 31"),
        (0, ["ArrowUp"], "thread (0, 0, 0): linear 0 = 0·16 + 0 → warp 0, lane 0"),
    ],
)
def test_the_cursor_moves_by_keys(mapper, view, keys, sentence):
    threads = mapper.get_by_role("slider").nth(view)
    threads.focus()
    for key in keys:
        mapper.page.keyboard.press(key)
    expect(mapper.locator(".event")).to_have_text(sentence)
    expect(threads).to_have_attribute("aria-valuetext", sentence)


def test_slices_count_in_the_linear_number(mapper):
    choose(mapper, "Block", index=3)
    mapper.locator(".map").first.locator("[data-thread='37']").hover()
    expect(mapper.locator(".event")).to_have_text(
        "thread (1, 1, 2): linear 37 = (2·4 + 1)·4 + 1 → warp 1, lane 5"
    )


def test_every_thread_is_where_the_report_says(mapper):
    for index, variant in enumerate(BLOCKS.as_dict()["variants"]):
        choose(mapper, "Block", index=index)
        cells = mapper.locator(".map").nth(1).locator("[data-thread]")
        warps = cells.evaluate_all("cells => cells.map(cell => Number(cell.dataset.warp))")
        assert sorted(warps) == [warp["warp"] for warp in variant["warps"] for _ in range(warp["threads"])]


def test_playing_lights_one_warp_after_another(mapper):
    press(mapper, "One step forward")
    lit = mapper.locator(".map").first.locator(".lit")
    assert lit.evaluate_all(
        "cells => cells.map(cell => Number(cell.dataset.thread)).sort((a, b) => a - b)"
    ) == [*range(32)]
    expect(mapper.locator(".so-far")).to_have_text("warp 0: threads (0, 0, 0) to (15, 1, 0), every lane used")


@pytest.mark.parametrize("width", some([PHONE, 1280], 2))
def test_breaks_no_accessibility_rule(open_views, violations, width):
    page = open_views(width=width)
    page.get_by_label("Compare two runs").check()
    for view in (".warp-player", ".block-mapper"):
        press(page.locator(view), "One step forward")
    for variant in range(2):
        choose(page, "Block", index=variant)
        assert violations(page, within=".warp-player") == []
        assert violations(page, within=".block-mapper") == []


def test_fits_a_phone(open_views):
    page = open_views(width=PHONE)
    for compare in (False, True):
        page.get_by_label("Compare two runs").set_checked(compare)
        for variant in range(len(BLOCKS.variants)):
            choose(page, "Block", index=variant)
            assert page.evaluate("document.documentElement.scrollWidth") == PHONE


@pytest.mark.parametrize(("reduced_motion", "milliseconds"), [("no-preference", 900), ("reduce", 1800)])
def test_plays_slower_for_readers_who_asked_for_calm(open_views, reduced_motion, milliseconds):
    page = open_views(reduced_motion=reduced_motion, alone=True)
    page.clock.install(time=0)
    page.reload()
    player = page.locator(".warp-player")
    press(player, "Last step")
    page.clock.pause_at(3_600)  # from here on only the test makes time pass, however busy the computer is
    press(player, "Play")  # from the first step
    page.clock.run_for(milliseconds * 3 - 100)
    expect(player.locator(".counter")).to_contain_text("step 3 of")


def test_without_scripts_the_still_is_there(open_views):
    page = open_views(java_script_enabled=False)
    expect(page.locator("pre").first).to_contain_text("32 lanes, independent: 29 instructions")
    expect(page.locator("pre").last).to_contain_text("warp 3: 8 threads (192, 0, 0) to (199, 0, 0)")


@pytest.mark.parametrize("name", embed.REPORTS)
def test_the_live_module_draws_and_follows_its_report(open_views, name):
    page = open_views()
    report = {
        "warp_player": handmade.warp_report(64),
        "block_mapper": handmade.block_report(),
        "schedule_explorer": handmade.schedule_report(),
        "bank_view": handmade.bank_report(),
        "carveout_explorer": gpusim.explore_carveouts(shared_bytes=[0, 4096], percents=[-1, 50]),
        "sector_view": handmade.sector_report(),
        "memory_chart": handmade.memory_chart(),
        "stride_explorer": gpusim.explore_strides(),
        "tile_explorer": gpusim.explore_tile(),
        "occupancy_explorer": gpusim.explore_occupancy(),
        "block_placement": gpusim.explore_placement(),
        "limits_explorer": gpusim.explore_limits(),
        "group_map": gpusim.explore_groups(),
        "parameter_packer": gpusim.explore_parameters(),
        "roofline": handmade.roofline_report(),
        "timeline": real.launched(4).timeline(clocks=60),
        "happens_before": real.streams(True).order_report(),
        "launch_tree": trees.four().growth_report(),
        "visibility_view": real.seen(),
        "prediction": handmade.predictions()[0],
    }[name].as_dict()
    titles = page.evaluate(
        """async ([source, report]) => {
            const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
            const { default: widget } = await import(url);
            const el = document.createElement("div");
            const title = () => el.querySelector(".heading b").textContent;
            const listeners = {};
            const model = {
                get: () => report,
                on: (name, redraw) => { listeners[name] = redraw; },
                off: (name) => { delete listeners[name]; },
            };
            document.body.append(el);
            const close = widget.render({ model, el });
            const before = title();
            report = { ...report, title: "Another run" };
            listeners["change:report"]();
            close();
            return [before, title(), Object.keys(listeners).length, el.querySelectorAll(".gpusim").length];
        }""",
        [embed.module(name), report],
    )
    assert titles == [report["title"], "Another run", 0, 1]
