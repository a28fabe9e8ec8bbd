"""The warp player in a real browser: what moves, which values stand where, how long, how fast, how tall."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from gzip import compress

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import gpusim
from gpusim import cuda
from gpusim.errors import GpuSimError
from gpusim.views import embed, text
from tests.hunting import some


@cuda.jit
def nested(out):
    i = cuda.grid(1)
    total = 0
    if i < 24:
        for step in range(i // 8 + 1):  # noqa: B007
            if i % 2 == 0:
                total += 10
            else:
                total += 1
    else:
        total = -1
    out[i] = total


@cuda.jit
def wait_for_message(message, out):
    i = cuda.threadIdx.x
    if i < 16:
        while message[0] == 0:
            pass
        out[i] = message[0]
    else:
        message[0] = 7


@cuda.jit
def long_way(x):
    i = cuda.threadIdx.x
    for k in range(100):
        if (i + k) % 2 == 0:
            x[i] += k
        else:
            x[i] -= k


def traced(kernel, device, *arguments, threads=32, values=None, **settings):
    with gpusim.profile(device, **settings) as run, suppress(GpuSimError):
        kernel[1, threads](*arguments)
    return run.animate(values=values).report


def integers(count: int) -> np.ndarray:
    return np.zeros(count, np.int32)


@pytest.fixture
def play(open_fragments):
    """A page with one warp player of a report."""

    def play(report, **settings) -> Locator:
        page = open_fragments(embed.fragment("warp_player", report, text.warp_player(report)), **settings)
        return page.locator(".warp-player")

    return play


def step(player: Locator, times: int = 1) -> None:
    for _ in range(times):
        player.locator("button.step").click()


def texts(player: Locator, selector: str) -> list[str]:
    return player.locator(selector).all_text_contents()


def test_at_a_branch_lanes_answer_then_entries_are_pushed(play):
    report = traced(nested, "P100", integers(32))
    player = play(report)
    step(player, 2)
    answers = player.locator(".lanes .lane").evaluate_all("cells => cells.map((cell) => cell.dataset.answer)")
    assert answers == ["T"] * 24 + ["F"] * 8
    expect(player.locator(".event")).to_have_text(report.variants[0].frames[2].event.replace("`", ""))
    for count, frame in enumerate(report.variants[0].frames[2:4]):  # the stack with which the lit line runs
        step(player, count)
        player.page.wait_for_timeout(600)
        masks = player.locator(".stack li[data-mask]").evaluate_all(
            "rows => rows.map((row) => row.dataset.mask)"
        )
        assert masks == [entry.mask for entry in reversed(frame.stack)]
    assert len(masks) == 3
    assert not player.locator(".lanes [data-answer]").count()


def test_what_is_pushed_slides_in_and_what_is_popped_lifts_off(play):
    player = play(traced(nested, "P100", integers(32)))
    step(player, 3)
    player.page.wait_for_function("document.querySelector('.stack li').getAnimations().length > 0")
    player.evaluate(
        """view => new MutationObserver(() => view.popped ||= view.querySelector(".popped") !== null)
            .observe(view.querySelector(".stack"), { subtree: true, attributes: true })"""
    )
    step(player, 4)
    player.page.wait_for_function("document.querySelector('.warp-player').popped")
    expect(player.locator(".stack .popped")).to_have_count(0)
    calm = play(traced(nested, "P100", integers(32)), reduced_motion="reduce")
    step(calm, 7)
    assert calm.evaluate("view => view.getAnimations({ subtree: true }).length") == 0


def test_entries_stay_the_same_elements_while_they_wait(play):
    player = play(traced(nested, "P100", integers(32)))
    step(player, 3)
    player.locator(".stack li[data-mask]").last.evaluate("row => (row.marked = true)")
    step(player, 10)
    assert player.locator(".stack li[data-mask]").last.evaluate("row => row.marked")
    assert texts(player, ".stack li[data-mask] b")[-3:] == ["if side", "else side", "everyone"]


def test_lanes_that_wait_elsewhere_are_drawn_as_waiting(play):
    player = play(traced(nested, "H200", integers(32)))
    step(player, 3)
    row = player.locator(".stack li[data-mask]").filter(has_text="others")
    expect(row.locator("i.lane")).to_have_attribute("data-state", "s")


def test_lanes_show_a_variable_and_arrays_what_they_hold(play):
    report = traced(nested, "P100", integers(32), values=("total", "i"))
    player = play(report)
    assert set(texts(player, ".lanes .lane")) == {"·"}  # nothing was given to it yet
    player.locator("button.last").click()
    total = [10 * (i // 8 + 1) if i % 2 == 0 else i // 8 + 1 for i in range(24)] + [-1] * 8
    assert texts(player, ".lanes .lane") == [str(each) for each in total]
    assert texts(player, ".beside .cells span") == [str(each) for each in total]
    player.get_by_label("Lanes show").select_option("i")
    assert texts(player, ".lanes .lane") == [str(lane) for lane in range(32)]
    player.locator("button.back").click()
    assert player.locator(".cells [data-written]").count() == 32
    assert player.locator(".cells [data-read]").count() == 0
    player.locator("button.back").click()
    assert set(texts(player, ".beside .cells span")) == {"0"}


def test_a_mask_is_written_out_and_its_bars_light_their_lanes(play):
    player = play(traced(nested, "P100", integers(32)))
    step(player, 6)
    top = player.locator(".stack li[data-top]").first
    assert top.locator("small").all_text_contents() == ["0x00555555"]
    top.locator("[data-group='2']").hover()
    lit = player.locator(".lanes [data-lit]").evaluate_all("cells => cells.map((cell) => cell.textContent)")
    assert lit == ["8", "9", "10", "11"]


@cuda.jit
def two_sides(out, half):
    i = cuda.grid(1)
    if i < half:
        out[i] = 10 * i
    else:
        out[i] = -i


@pytest.mark.parametrize("width", some([688, 390], 2))
@pytest.mark.parametrize("compare", [False, True])
def test_no_value_is_cut_off(play, width, compare):
    report = traced(two_sides, "MetaX C500", integers(64), 32, threads=64)
    report = replace(report, variants=report.variants * 2, compare=compare)
    player = play(report, width=width)
    player.locator("button.last").click()
    cut = player.locator(".beside .cells span").evaluate_all(
        "cells => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)"
    )
    assert cut == []
    assert "-63" in texts(player, ".beside .cells span")


def test_a_run_is_compared_with_another_one(play):
    reports = [traced(nested, device, integers(32)) for device in ("P100", "H200")]
    player = play(replace(reports[0], variants=sum((each.variants for each in reports), ())))
    runs = player.get_by_role("combobox", name="Run", exact=True)
    runs.select_option(index=1)
    player.get_by_label("Compare two runs").check()
    chosen = runs.evaluate_all("boxes => boxes.map((box) => box.selectedIndex)")
    assert chosen == [1, 0]


def test_what_comes_again_unchanged_is_folded(play):
    arrays = integers(1), integers(32)
    report = traced(wait_for_message, "V100", *arrays, scheduling="stack", step_budget=42)
    player = play(report)
    expect(player.locator(".counter")).to_have_text("step 1 of 4")
    step(player, 2)
    expect(player.locator(".event")).to_contain_text(
        f"(× {len(report.variants[0].frames) - 3}: nothing changes)"
    )
    step(player)
    expect(player.locator(".event")).to_contain_text("The launch stops here: Livelock.")


def test_the_gauge_fills_with_used_and_idle_slots(play):
    report = traced(nested, "P100", integers(32))
    player = play(report)
    player.locator("button.last").click()
    so_far = report.variants[0].frames[-1].so_far
    used, paid = (
        player.locator(f".gauge .{bar}").evaluate("bar => 100 + parseFloat(bar.style.transform.slice(11))")
        for bar in ("used", "paid")
    )
    assert used == pytest.approx(100 * so_far.thread_instructions / (32 * so_far.instructions), abs=0.01)
    assert paid == pytest.approx(100, abs=0.01)


def test_the_kernels_end_is_a_row_below_the_source(play):
    player = play(traced(nested, "P100", integers(32)))
    player.locator("button.last").click()
    expect(player.locator(".source [aria-current] .text")).to_have_text("the kernel's end")
    expect(player.get_by_role("slider").first).to_have_attribute("aria-valuetext", re.compile(r": the end: "))


def test_steps_in_which_something_happens_stand_longer(play):
    player = play(traced(nested, "P100", integers(32)), alone=True)
    page = player.page
    page.clock.install(time=0)
    page.reload()
    player.locator("button.last").click()
    page.clock.pause_at(3_600)
    player.locator("button.play").click()  # from the first step
    page.clock.run_for(2 * 900 + 50)
    expect(player.locator(".counter")).to_contain_text("step 3 of")
    page.clock.run_for(900 * 2)  # lanes disagree in this one
    expect(player.locator(".counter")).to_contain_text("step 3 of")
    page.clock.run_for(900)
    expect(player.locator(".counter")).to_contain_text("step 4 of")


@pytest.mark.parametrize(("device", "threads"), [("P100", 32), ("MetaX C500", 64)])
def test_breaks_no_rule_and_is_no_taller_than_600_pixels(play, violations, device, threads):
    report = traced(nested, device, integers(threads), threads=threads, values=("total",))
    player = play(report, width=688)  # as the book's column is at 1280 pixels
    step(player, 6)
    assert player.bounding_box()["height"] <= 600
    expect(player.locator(".stack li[data-mask]")).to_have_count(5)
    assert violations(player.page, within=".warp-player") == []


def test_two_compared_fit_600_pixels_with_every_line_that_runs_in_view(play):
    reports = [
        traced(wait_for_message, device, integers(1), integers(32), step_budget=42)
        for device in ("P100", "V100")
    ]
    both = replace(reports[0], variants=sum((each.variants for each in reports), ()), compare=True)
    player = play(both, width=688)
    source = player.locator(".source").bounding_box()
    while player.locator("button.step").is_enabled():
        assert player.bounding_box()["height"] <= 600
        for line in player.locator(".source [aria-current]").all():
            box = line.bounding_box()
            assert source["y"] <= box["y"] <= box["y"] + box["height"] <= source["y"] + source["height"]
        step(player)


def test_a_long_line_of_the_source_wraps(play):
    report = traced(nested, "P100", integers(32))
    lines = (*report.source.lines[:-1], "    " + "out[i] = " + " + ".join(["total"] * 12))
    player = play(replace(report, source=replace(report.source, lines=lines)), width=390)
    assert player.locator(".source").evaluate("source => source.scrollWidth <= source.clientWidth")


def test_sentence_and_buttons_are_in_view_on_a_phone(play):
    player = play(traced(nested, "P100", integers(32)), width=390, height=700)
    for place in (player.locator(".event"), player.locator("button.play")):
        box = place.bounding_box()
        assert box["y"] + box["height"] <= 700
    assert player.page.evaluate("document.documentElement.scrollWidth") == 390


STEPS = """async (view) => {
    const forward = view.querySelector("button.step"), changes = [];
    const watch = new MutationObserver(() => {});
    watch.observe(view, { subtree: true, childList: true, attributes: true, characterData: true });
    for (let step = 0; step < 20; step++) {
        forward.click();
        changes.push(watch.takeRecords().length);
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    }
    return changes;
}"""


FIRST_FRAME = """async ([source, report]) => {
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    const { default: widget } = await import(url);
    const el = document.createElement("div");
    document.body.append(el);
    const start = performance.now();
    const close = widget.render({ model: { get: () => report, on() {}, off() {} }, el });
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const took = performance.now() - start;
    close();
    el.remove();
    return took;
}"""


@pytest.fixture
def main_thread():
    """What took a page's main thread? The processor's milliseconds by kind, however busy it is."""

    @contextmanager
    def main_thread(page: Page) -> Iterator[dict[str, float]]:
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})

        def took() -> dict[str, float]:
            metrics = session.send("Performance.getMetrics")["metrics"]
            kinds = ("ScriptDuration", "RecalcStyleDuration", "LayoutDuration", "TaskDuration")
            return {each["name"]: 1000 * each["value"] for each in metrics if each["name"] in kinds}

        before, found = took(), {}
        yield found
        found.update({kind: after - before[kind] for kind, after in took().items()})

    return main_thread


def test_64_lanes_and_500_steps_leave_time_for_sixty_frames_a_second(play, main_thread):
    """A step changes what differs and no more; what it takes, painted, fits a frame of 16 ms."""
    report = traced(long_way, "MetaX C500", integers(64), threads=64, values=("k", "i"))
    assert len(report.variants[0].frames) >= 500
    player, beginnings, stretches = play(report), [], []
    for _ in range(3):  # the least of three: other processes of this computer take caches from them
        with main_thread(player.page) as first:
            player.page.evaluate(FIRST_FRAME, [embed.module("warp_player"), report.as_dict()])
        beginnings.append(first)
        with main_thread(player.page) as took:
            changes = player.evaluate(STEPS)
        stretches.append({kind: each / len(changes) for kind, each in took.items()})
        # three a lane are its state, its value and the element it writes; two more its answer and an outline
        assert statistics.mean(changes) < 4 * 64
        assert max(changes) < 6 * 64
    assert min(first["TaskDuration"] for first in beginnings) < 200
    drawing = ("ScriptDuration", "RecalcStyleDuration", "LayoutDuration")
    assert min(sum(step[kind] for kind in drawing) for step in stretches) < 16, "a frame"
    assert min(step["TaskDuration"] for step in stretches) < 32, "twice, where two processes share a core"


def test_a_page_of_500_steps_stays_small():
    report = traced(long_way, "MetaX C500", integers(64), threads=64)
    assert len(compress(embed.fragment("warp_player", report, "").encode())) < 60_000
