"""The happens-before view in a real browser: it lights up the chain that the report gives, and no other."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

import gpusim
from gpusim import cuda, cudart
from gpusim.measurements import order_report
from gpusim.views import embed, text
from tests.hunting import some
from tests.views import real

NO_EVENT, EVENTS = real.streams(False), real.streams(True)
STREAMS = gpusim.views.happens_before(NO_EVENT, EVENTS, labels=["no event", "events"]).report


@pytest.fixture
def open_view(open_fragments):
    """The view in a page of its own, from `file://`."""

    def open_view(report=STREAMS, **settings) -> Locator:
        fragment = embed.fragment("happens_before", report, text.happens_before(report))
        return open_fragments(fragment, **settings).locator(".happens-before")

    return open_view


def pick(view: Locator, *boxes: int) -> None:
    for box in boxes:
        view.locator(f"[data-box='{box}']").first.click()


def run(view: Locator, label: str) -> None:
    view.get_by_role("combobox", name="Run").select_option(label)


def said(view: Locator) -> list[str]:
    return view.locator(".verdict :is(p, li)").all_inner_texts()


ALL_PAIRS = """(view) => {
    const all = (selector) => [...view.querySelectorAll(selector)];
    const numbers = (selector) => [...new Set(all(selector).map((each) => +each.dataset.box))];
    const count = Math.max(...numbers("[data-box]")) + 1;
    const box = (number) => view.querySelector(`[data-box="${number}"]`), found = [];
    for (let first = 0; first < count; first++) for (let second = first + 1; second < count; second++) {
        box(second).click();
        box(first).click();
        found.push({
            verdict: view.querySelector(".verdict").dataset.verdict,
            lit: numbers("[data-box][data-lit]"),
            arrows: view.querySelectorAll("g[data-lit]").length,
            steps: all(".verdict li").map((each) => each.textContent),
        });
        box(first).click();
        box(second).click();
    }
    return found;
}"""


def many_calls():
    """Calls on four streams, of which some wait for each other, the default stream among them."""
    there, pinned = cuda.device_array(8), cuda.pinned_array(8)
    streams = [cuda.default_stream(), cuda.stream(), cuda.stream()]
    streams.append(cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)[1])
    random, event = np.random.default_rng(4), cuda.event()
    with gpusim.profile() as run:
        for _ in range(18):
            stream = streams[random.integers(4)]
            what = random.integers(5)
            if what < 2:
                there.copy_to_host(pinned, stream=stream)
            elif what == 2:
                event.record(stream)
            elif what == 3:
                event.wait(stream)
            else:
                stream.synchronize()
    return run.streams()


def test_of_every_pair_the_chain_that_lights_up_is_the_one_that_the_report_gives(open_view):
    """The words are those of the chain, too."""
    calls = many_calls()
    shown = iter(open_view(order_report.of(calls)).evaluate(ALL_PAIRS))
    ordered = 0
    for first, second in combinations(range(len(calls.calls)), 2):
        chain, found = calls.happens_before(first, second), next(shown)
        assert found["lit"] == [call.number for call in chain.calls]
        assert (found["verdict"] == "ordered") == bool(chain)
        assert found["arrows"] == len(chain.why)
        assert found["steps"] == [line.strip() for line in str(chain).splitlines()] * bool(chain)
        ordered += bool(chain)
    assert 0 < ordered < len(calls.calls) * (len(calls.calls) - 1) / 2


def test_a_race_says_who_touches_what_and_what_would_order_them(open_view):
    view = open_view()
    assert said(view) == ["Choose two calls: what orders them?"]
    pick(view, 0, 1)
    kinds, hint = said(view)
    assert kinds.startswith("Not ordered: both touch parts[0:64], which is a race: copy_to_device in stream")
    assert hint.startswith("To order them: record an event in stream")
    expect(view.locator(".verdict")).to_have_attribute("data-verdict", "race")
    pick(view, 2)
    assert said(view)[0].endswith("And which other?"), "a third one begins anew"


def test_with_events_the_same_two_are_ordered_call_by_call(open_view):
    view = open_view()
    run(view, "events")
    pick(view, 3, 0)
    first, *steps = said(view)
    assert first == "Ordered. In 3 steps:"
    assert steps[0].startswith("copy (copy_to_device) in stream")
    assert [step.rpartition(": ")[2] for step in steps[1:]] == [
        "it is in the same stream",
        "it waits for the event",
        "it is in the same stream",
    ]


def test_a_launch_in_the_default_stream_is_not_said_to_be_harmless(open_view):
    free = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)[1]
    x = cuda.device_array(64)
    with gpusim.profile() as run:
        real.doubled[1, 64, free](x)
        real.doubled[1, 64](x)
    view = open_view(order_report.of(run.streams()))
    pick(view, 0, 1)
    assert 'gpusim.sanitize("streamcheck") knows' in said(view)[0]


def test_it_plays_the_calls_in_program_order_a_sentence_each(open_view):
    view = open_view(STREAMS)
    run(view, "events")
    rows = STREAMS.variants[1].rows
    view.get_by_role("button", name="First step").click()
    for step, row in enumerate(rows):
        assert view.locator(".words").inner_text() == f"{row.says} {row.source}"
        assert view.locator("button[data-later]").count() == len(rows) - step - 1
        if step < len(rows) - 1:
            view.get_by_role("button", name="One step forward").click()


def test_by_keys_and_what_a_screen_reader_hears(open_view):
    view = open_view()
    first, second = (view.locator(f"[data-box='{box}']") for box in (0, 1))
    first.focus()
    expect(view.locator(".words")).to_contain_text("Copy (copy_to_device) in stream")
    view.page.keyboard.press("Enter")
    view.page.keyboard.press("ArrowDown")
    expect(second).to_be_focused()
    view.page.keyboard.press("Enter")
    expect(second).to_have_attribute("aria-pressed", "true")
    expect(view.locator(".verdict")).to_have_attribute("role", "status")
    assert said(view)[0].startswith("Not ordered")
    name = view.locator("[data-box='3']").get_attribute("aria-label")
    assert name.startswith("synchronise by the host")
    assert "follows copy (copy_to_host) in stream" in name
    assert view.locator("[data-box][tabindex='0']").count() == 1


def test_an_arrow_says_its_reason(open_view):
    view = open_view()
    run(view, "events")
    view.locator("g[data-arrow] .reach").first.dispatch_event("pointerover")
    expect(view.locator(".words")).to_contain_text(": it is in the same stream.")


def test_threads_hand_over_from_fence_to_fence(open_view):
    report = real.accesses()
    (variant,) = report.variants
    view = open_view(report)
    wrote = next(
        n for n, box in enumerate(variant.boxes) if box.called.startswith("write of sums[0] by thread 0 of")
    )
    read = max(n for n, box in enumerate(variant.boxes) if box.called.startswith("read of sums[0]"))
    pick(view, wrote, read)
    assert said(view)[0].startswith("Ordered.")
    assert any(
        "atomics between the two fences hand it over (atomic of tickets[0]" in line for line in said(view)
    )
    lit = view.locator("[data-lit][data-kind=atomic]").count()
    assert lit == 2


@pytest.mark.parametrize("width", some([1280, 390], 2))
def test_it_breaks_no_accessibility_rule_and_fits(open_view, violations, width):
    for report in (STREAMS, real.accesses()):
        view = open_view(report, width=width)
        pick(view, 0, 1)
        view.page.mouse.move(0, 0)
        assert violations(view.page, ".happens-before") == []
        assert view.page.evaluate("document.documentElement.scrollWidth") == width


def test_without_scripts_the_still_stands_there(open_view):
    page = open_view(java_script_enabled=False).page
    expect(page.locator("pre")).to_contain_text("not ordered, both touch parts[0:64], which is a race")
    report = json.loads(page.locator("script").first.text_content())
    assert len(report["variants"]) == 2
