"""The timeline in a real browser: played clock by clock, it shows what the report says."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

import gpusim
from gpusim import cuda
from gpusim.reports.timeline import NOTHING, Timeline, unpacked
from gpusim.views import embed, text
from tests.hunting import some
from tests.views import real

PHONE = 390


@cuda.jit
def total(x, n):
    t = cuda.threadIdx.x
    s = x[t]
    for _ in range(n):
        s = s * s + s
    cuda.syncthreads()
    x[t] = s


@cache
def run_of(warps: int, device: str = "H200"):
    with gpusim.profile(device=device) as run:
        total[1, 32 * warps](np.ones(32 * warps, np.float32), 12)
    return run


@cache
def sweep() -> Timeline:
    runs = {
        (warps, where): run_of(warps).timeline(clocks=160, first=first)
        for warps in (1, 4, 16, 32)
        for where, first in (("load", 0), ("sum", 330))
    }
    return gpusim.explore_timeline(
        runs, ("Warps", "Part"), start=(4, "sum"), title="Hide the latency of an addition"
    )


@pytest.fixture
def open_timeline(open_fragments):
    def open_timeline(report, **settings) -> Locator:
        fragment = embed.fragment("timeline", report, text.timeline(report))
        return open_fragments(fragment, **settings).locator(".timeline-view")

    return open_timeline


PLAYED = """(view) => {
    const shown = [], forward = view.querySelector("button.step");
    const chips = () => [...view.querySelectorAll(".chip")].map((chip) => chip.textContent);
    const lit = (box) => [...box.querySelectorAll(".pipe")].map((pipe) => pipe.dataset.slot).join("");
    for (;;) {
        shown.push({
            chips: chips(),
            lit: [...view.querySelectorAll(".scheduler")].map(lit),
            used: Number(/So far (\\d+) of/.exec(view.textContent)[1]),
            said: view.querySelector(".event").textContent,
            heard: view.querySelector("[role=status]").textContent,
        });
        if (forward.disabled) return shown;
        forward.click();
    }
}"""


@pytest.mark.parametrize("device", ["H200", "P100"])
def test_every_clock_shows_who_issues_to_which_pipe_and_what_was_used(open_timeline, device):
    report = run_of(8, device).timeline(first=20, clocks=60)
    (variant,) = report.variants
    clocks = open_timeline(report).evaluate(PLAYED)
    assert len(clocks) == variant.clocks
    slots = [unpacked(each) for each in variant.slots]
    used = 0
    for clock, shown in enumerate(clocks):
        at = [each[clock] for each in slots]
        issued = {
            warp.scheduler: f"warp {warp.warp}"
            for warp in variant.warps
            if unpacked(warp.states)[clock].isupper()
        }
        assert shown["chips"] == [
            issued.get(scheduler, "no warp" if state == NOTHING else "lost")
            for scheduler, state in enumerate(at)
        ]
        drawn = [state if state in "FIDSL" else "" for state in at]
        assert shown["lit"] == drawn
        used += sum(map(str.isupper, at))
        assert shown["used"] == used
        assert shown["said"].startswith(f"Clock {20 + clock}. ")
        assert shown["heard"].startswith(f"clock {20 + clock}: ")
    assert used == variant.used


def first_sum(report: Timeline) -> tuple[int, int, int]:
    """The column and the clock in which the first of dependent additions is issued, and its line."""
    (variant,) = report.variants
    column = unpacked(variant.warps[0].states).index("FwwwF")
    (line,) = (each.line for each in variant.lines if "s * s" in each.source)
    return column, variant.first + column, line


def test_a_sentence_says_who_issues_and_what_the_others_wait_for(open_timeline):
    report = run_of(1).timeline(first=300, clocks=100)
    column, clock, line = first_sum(report)
    said = [each["said"].strip() for each in open_timeline(report).evaluate(PLAYED)]
    assert said[column] == (
        f"Clock {clock}. Scheduler 0 issues warp 0 (FP32), line {line}: s = s * s + s. "
        "Schedulers 1–3 have no warp."
    )
    assert said[column + 2] == (
        f"Clock {clock + 2}. Nobody issues. Schedulers 1–3 have no warp. "
        f"Warp 0 waits for a result of line {line} (since clock {clock + 1})."
    )


def test_a_sentence_names_who_could_have_issued_and_who_has_waited_all_along(open_timeline):
    report = run_of(16).timeline(first=300, clocks=80)
    said = [each["said"] for each in open_timeline(report).evaluate(PLAYED)]
    assert any(re.search(r"Warps? [\d–, ]+ could have issued, too\.", each) for each in said)
    (line,) = (each.line for each in report.variants[0].lines if "x[t]" in each.source)
    assert f"Nobody issues. Warps 0–15 wait for memory, line {line} (since before clock 300)." in said[0]


def test_the_sentence_of_a_warp_under_the_pointer(open_timeline):
    report = run_of(1).timeline(first=300, clocks=60)
    column, clock, line = first_sum(report)
    view = open_timeline(report, reduced_motion="reduce")
    chart = view.get_by_role("img", name=re.compile("total, 1 warps"))
    wide = chart.bounding_box()["width"] / 60
    event = view.locator(".event")
    chart.hover(position={"x": wide * (column + 2.5), "y": 30})
    expect(event).to_have_text(
        f"Warp 0 of block 0, clock {clock + 2}: "
        f"waits for a result of line {line} (since clock {clock + 1}; stalled_wait)."
    )
    chart.hover(position={"x": wide * (column + 0.5), "y": 10})
    expect(event).to_have_text(f"Scheduler 0, clock {clock}: issues to FP32.")
    chart.hover(position={"x": wide * (column + 0.5), "y": 50})
    expect(event).to_have_text(f"Scheduler 1, clock {clock}: the slot is lost; it has no warp.")
    chart.click(position={"x": wide * (column + 3.5), "y": 30})
    expect(view.locator(".counter")).to_have_text(f"step {column + 4} of 60")


def test_keys_and_the_next_change(open_timeline):
    view = open_timeline(run_of(1).timeline(clocks=380))
    scrubber = view.get_by_role("slider", name="Step")
    scrubber.focus()
    view.page.keyboard.press("ArrowRight")
    expect(view.locator(".counter")).to_have_text("step 2 of 380")
    states = unpacked(run_of(1).timeline(clocks=380).variants[0].warps[0].states)
    memory = states.index("m")
    view.locator(".controls input").evaluate(
        "(box, at) => { box.value = at; box.dispatchEvent(new Event('input')); }", memory
    )
    view.get_by_role("button", name="Next change").click()
    expect(view.locator(".counter")).to_have_text(f"step {re.search('m+', states).end() + 1} of 380")
    expect(scrubber).to_have_attribute(
        "aria-valuetext", re.compile(r"^clock \d+: Scheduler 0 issues warp 0 ")
    )


SHOWN = """(view) => [view.querySelector(".heading .subtitle").textContent,
    ...[...view.querySelectorAll(".places")].map((each) =>
        [...each.querySelectorAll("small")].map((one) => Number(one.textContent)))]"""


def test_sliders_go_through_the_runs_and_show_what_each_comes_to(open_timeline):
    report = sweep()
    view = open_timeline(report)
    percent = [round(100 * each.used / (len(each.slots) * each.clocks) + 1e-9) for each in report.variants]
    places = [1, 1]
    for slider, place in [(None, 0), (0, 0), (0, 3), (1, 0), (0, 2), (1, 1)]:
        if slider is not None:
            places[slider] = place
            view.locator(".pushed input").nth(slider).evaluate(
                "(box, at) => { box.value = at; box.dispatchEvent(new Event('input')); }", place
            )
        here = report.variants[2 * places[0] + places[1]]
        assert view.evaluate(SHOWN) == [
            f"{percent[2 * places[0] + places[1]]} % used, "
            f"clocks {here.first}–{here.first + here.clocks - 1}, H200",
            [percent[2 * warps + places[1]] for warps in range(4)],
            [percent[2 * places[0] + part] for part in range(2)],
        ]
        assert view.locator(".row-names span").count() == len(here.warps) + 4


def test_a_choice_of_runs_zooms_and_says_what_is_left_out(open_timeline):
    report = gpusim.explore_timeline({"all": run_of(16), "some": run_of(16).timeline(warps=4)}, clocks=200)
    view = open_timeline(report)
    assert view.locator(".row-names span").count() == 20
    wide = view.locator(".clocks svg").bounding_box()["width"]
    view.get_by_role("combobox", name="In view").select_option(label="40 clocks")
    assert view.locator(".clocks svg").bounding_box()["width"] == pytest.approx(2 * wide, rel=0.01)
    letters = "".join(view.locator(".clocks text:not(.tick)").all_text_contents())
    assert set("LI") <= set(letters) <= set("FIDSLTC")
    view.get_by_role("combobox", name="Run").select_option(label="some")
    assert view.locator(".row-names span").count() == 5
    expect(view).to_contain_text(
        "Not shown: 12 more warps of this multiprocessor, nor what 3 more schedulers"
    )
    expect(view.locator(".chip").last).to_have_text("not shown")


def test_chips_slide_in_but_not_for_readers_who_asked_for_calm(open_timeline):
    moving = """(view) => {
        const counts = [], forward = view.querySelector("button.step");
        for (let clock = 0; clock < 8; clock++) {
            forward.click();
            const moving = view.getAnimations({ subtree: true });
            counts.push(moving.filter((each) => !(each instanceof CSSTransition)).length);
        }
        return Math.max(...counts);
    }"""
    report = real.launched(4).timeline(clocks=60)
    assert open_timeline(report).evaluate(moving) > 0
    assert open_timeline(report, reduced_motion="reduce").evaluate(moving) == 0


@pytest.mark.parametrize("width", some([PHONE, 690, 1280], 2))
def test_breaks_no_accessibility_rule_and_fits(open_timeline, violations, width):
    view = open_timeline(sweep(), width=width)
    for place in range(4):
        view.locator(".pushed input").first.evaluate(
            "(box, at) => { box.value = at; box.dispatchEvent(new Event('input')); }", place
        )
        for _ in range(3):
            view.get_by_role("button", name="Next change").click()
        assert violations(view.page, within=".timeline-view") == []
        assert width == PHONE or view.bounding_box()["height"] <= 600
    assert view.page.evaluate("document.documentElement.scrollWidth") == width


def test_in_print_the_picture_stays_and_controls_go(open_timeline):
    view = open_timeline(run_of(4).timeline(clocks=100))
    view.page.emulate_media(media="print")
    expect(view.locator(".clocks svg")).to_be_visible()
    expect(view.locator(".toolbar")).to_be_hidden()


def test_without_scripts_the_still_stands_there(open_timeline):
    page = open_timeline(run_of(1).timeline(clocks=60), java_script_enabled=False).page
    expect(page.locator("pre")).to_contain_text("LssssssssssssssssssssssIwwwL")
