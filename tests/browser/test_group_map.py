"""The group map in a real browser: pushed, clicked and played, it shows what the package's rule says."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

import gpusim
from gpusim.measurements import groups
from gpusim.views import embed, text
from tests.hunting import some

PHONE = 360
KINDS = {"tiles": (), "coalesced": "t % 3 == 0", "binary": "t % 8 < 5", "labeled": "t >> 2 & 3"}


@pytest.fixture
def open_map(open_fragments):
    def open_map(threads: int = 64, width: int = 1280, browser=None, **asked) -> Locator:
        report = gpusim.explore_groups(threads, **asked)
        fragment = embed.fragment("group_map", report, text.group_map(report))
        return open_fragments(fragment, width=width, **(browser or {})).locator(".group-map")

    return open_map


def choose(view: Locator, name: str, option: str) -> None:
    view.get_by_role("combobox", name=name, exact=True).select_option(option)


def press(view: Locator, name: str) -> None:
    view.get_by_role("button", name=name, exact=True).click()


def push(view: Locator, name: str, place: int) -> None:
    view.get_by_role("slider", name=name, exact=True).fill(str(place))


def click(view: Locator, thread: int) -> None:
    view.locator(f"[data-thread='{thread}']").click()


def rows(view: Locator) -> list[list[str]]:
    return view.locator(".belongs li:not(:first-child)").evaluate_all(
        "rows => rows.map((row) => [...row.children].map((part) => part.textContent))"
    )


def shown(view: Locator) -> dict[int, list[str]]:
    """Value and rank of each thread that is in a group."""
    found = view.locator(".member[data-tint]").evaluate_all(
        """(all) => all.map((cell) =>
            [cell.dataset.thread, ...["b", "small"].map((part) => cell.querySelector(part).textContent)])"""
    )
    return {int(thread): told for thread, *told in found}


def test_a_clicked_lane_tells_every_group_it_is_in(open_map):
    view = open_map(tile=16, inner=4)
    click(view, 23)
    assert rows(view) == [
        ["this_thread_block()", "23 of 64", "0 of 1", "none", "all 64 threads"],
        ["tiled_partition<16>(block)", "7 of 16", "1 of 4", "0xffff0000", "16–31"],
        ["tiled_partition<4>(tile)", "3 of 4", "1 of 4", "0x00f00000", "20–23"],
    ]
    expect(view.locator(".event")).to_have_text(
        "Thread 23 is lane 23 of warp 0: rank 3 of 4 in group 1 of 4, "
        "whose mask 0x00f00000 names lanes 20–23."
    )
    assert view.locator("[data-mine]").count() == 4
    choose(view, "Warps of", "64 lanes")
    assert rows(view)[2][3] == "0x0000000000f00000"
    choose(view, "Groups", "coalesced")
    assert rows(view)[1:] == [
        ["coalesced_threads()", "not in it"],
        ["tiled_partition(active, 4)", "not in it"],
    ]
    expect(view.locator(".event")).to_contain_text("t % 3 == 0 is false: it is in no group but the block.")


def test_tiles_are_pushed_up_to_several_warps(open_map):
    view = open_map()
    for place, size in enumerate((1, 2, 4, 8, 16, 32, 64)):
        push(view, "Tile of the block", place)
        assert rows(view)[1][:2] == [f"tiled_partition<{size}>(block)", f"0 of {size}"]
        assert [int(rank) for _, rank in shown(view).values()] == [t % size for t in range(64)]
    choose(view, "Groups", "binary")  # of tiles that have a mask
    assert rows(view)[1][0] == "tiled_partition<32>(block)"
    expect(view.get_by_role("slider", name="Tile of the block")).to_have_value("5")


def test_lanes_are_picked_by_clicks_and_by_keys(open_map):
    view = open_map(groups="coalesced", conditions={"t < 4": lambda t: t < 4})
    choose(view, "Picked by", "the lanes you click")
    click(view, 40)
    click(view, 2)
    assert sorted(shown(view)) == [0, 1, 3, 40]
    block = view.get_by_role("slider", name="Thread of the block")
    block.focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "Enter"):
        view.page.keyboard.press(key)
    assert sorted(shown(view)) == [0, 1, 3, 36, 40]
    expect(block).to_have_attribute(
        "aria-valuetext",
        "Thread 36 is lane 4 of warp 1: rank 0 of 2 in group 0 of 1, whose mask 0x00000110 names lanes 4, 8.",
    )


@pytest.mark.parametrize("kind", KINDS)
def test_collectives_end_with_what_the_package_says(open_map, kind):
    view = open_map(100, groups=kind, lanes=[32], tile=4, by=2)
    if picked := KINDS[kind]:
        choose(view, "Picked by", picked)
    rule = {**groups.CONDITIONS, **groups.LABELS}.get(picked, bool)
    level = groups.levels(100, 32, kind, 4, 0, [int(rule(t)) for t in range(100)])[-1]
    names = ["shfl_down", "reduce", "inclusive_scan", *(["shfl_xor"] if kind == "tiles" else [])]
    for name in names:
        choose(view, "Collective", name)
        press(view, "Last step")
        assert shown(view) == {
            t: [str(value), str(rank)]
            for group in level
            for rank, (t, value) in enumerate(
                zip(group.threads, groups.result(group, name, range(100), 2), strict=True)
            )
        }


def test_each_step_has_its_sentence_and_values_fly(open_map):
    view = open_map(thread=13)
    said = []
    for flying in (8 * 4, 8 * 2, 8, 8 * 7):
        forward = view.get_by_role("button", name="One step forward")
        ghosts = forward.evaluate(
            """(button) => {
                for (const each of document.getAnimations()) each.finish();
                button.click();
                const flying = document.getAnimations().map((each) => each.effect.target.localName);
                return flying.filter((name) => name === "i").length;
            }"""
        )
        assert ghosts == flying
        said.append(view.locator(".so-far").inner_text())
    assert said == [
        "Step 1 of 3: ranks 0–3 add what ranks 4–7 have.",
        "Step 2 of 3: ranks 0–1 add what ranks 2–3 have.",
        "Step 3 of 3: rank 0 adds what rank 1 has.",
        "Rank 0 hands the sum, 92, to all.",
    ]
    calm = open_map(browser={"reduced_motion": "reduce"})
    press(calm, "One step forward")
    assert calm.evaluate("() => document.getAnimations().length") == 0


def test_a_tile_of_several_warps_goes_through_shared_memory(open_map):
    view = open_map(tile=64, lanes=[32], thread=40)
    press(view, "Last step")
    expect(view.locator(".parts")).to_have_text("Shared memory of the tile: 496 1520")
    assert {value for value, _ in shown(view).values()} == {"2016"}
    choose(view, "Collective", "ballot")
    expect(view.locator(".so-far")).to_have_text(
        "A tile of several warps has no ballot: no mask names its threads."
    )
    expect(view.locator(".counter")).to_have_text("step 1 of 1")


def test_a_tile_across_the_end_of_a_block_and_a_group_that_waits_say_so(open_map):
    view = open_map(50, tile=16, thread=49, lanes=[32], collective="sync")
    expect(view.locator(".so-far")).to_have_text(
        "The tile counts on 16 threads, but the block ends after 2 of them: what they get is undefined."
    )
    assert view.locator(".idle").count() == 14
    click(view, 20)
    press(view, "One step forward")
    expect(view.locator(".so-far")).to_have_text("All others wait for rank 15.")
    assert view.locator("[data-mark=waits]").count() == 15


@pytest.mark.parametrize("width", some([PHONE, 1280], 2))
def test_breaks_no_accessibility_rule_and_fits(open_map, violations, width):
    view = open_map(inner=4, width=width)
    for kind in ("tiles", "coalesced"):
        choose(view, "Groups", kind)
        press(view, "One step forward")
        assert violations(view.page, within=".group-map") == []
        assert view.page.evaluate("document.documentElement.scrollWidth") == width


def test_the_map_its_words_and_its_controls_fit_600_pixels(open_map):
    view = open_map(tile=64, inner=16, width=688)  # as the book's column is at 1280 pixels
    assert view.bounding_box()["height"] <= 600
