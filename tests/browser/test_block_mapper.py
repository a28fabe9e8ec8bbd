"""The block mapper in a real browser: any shape is cut as the package cuts it; threads fly to their warp."""

from __future__ import annotations

import json
import random
from types import SimpleNamespace

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from gpusim import cuda
from gpusim.errors import LaunchError
from gpusim.measurements import block_report
from gpusim.views import embed, text
from tests.hunting import some
from tests.views import handmade

BLOCKS = handmade.block_report(((20, 10, 1), 32), ((200, 1, 1), 64))
RULES = """([source, asked]) => {
    const { threadsOf } = new Function(`${source}; return { threadsOf };`)();
    return JSON.stringify(JSON.parse(asked).map(([block, lanes]) => {
        const warps = [];
        for (const { x, y, z, warp, lane } of threadsOf(block, lanes)) (warps[warp] ??= [])[lane] = [x, y, z];
        return warps.map((warp) => [warp.filter(Boolean).length, warp[0], warp.at(-1)]);
    }));
}"""


@pytest.fixture
def open_mapper(open_fragments):
    def open_mapper(**settings) -> Locator:
        fragment = embed.fragment("block_mapper", BLOCKS, text.block_mapper(BLOCKS))
        return open_fragments(fragment, **settings).locator(".block-mapper")

    return open_mapper


def shape(view: Locator, *extents: object) -> None:
    for axis, extent in zip("xyz", extents, strict=True):
        view.get_by_label(f"Threads along {axis}").fill(str(extent))


def rules() -> str:
    return embed._body("warp_rules.js")


def random_blocks(count: int):
    draw = random.Random(7)
    for _ in range(count):
        x = draw.choice([draw.randint(1, 1024), draw.randint(1, 64), 1])
        y = draw.randint(1, min(40, 1024 // x))
        yield (x, y, draw.randint(1, min(64, 1024 // (x * y)))), draw.choice([32, 64])


def test_the_rule_is_that_of_the_package_for_thousands_of_shapes(open_mapper):
    asked = [*random_blocks(2000), ((1024, 1, 1), 32), ((1, 1, 1), 64), ((16, 1, 64), 64)]
    found = json.loads(open_mapper().page.evaluate(RULES, [rules(), json.dumps(asked)]))
    for (block, lanes), warps in zip(asked, found, strict=True):
        device = SimpleNamespace(warp_size=lanes, product_name="")
        launch = SimpleNamespace(
            kernel="", device=device, grid=(1, 1, 1), block=block, warps_per_block=-(-np.prod(block) // lanes)
        )
        (variant,) = block_report.of(launch).variants
        assert warps == [[w.threads, list(w.first), list(w.last)] for w in variant.warps]


def test_a_shape_is_refused_where_a_launch_is(open_mapper):
    @cuda.jit
    def nothing(x):
        pass

    shapes = [(1024, 1, 1), (1025, 1, 1), (1, 1024, 1), (1, 1, 64), (1, 1, 65)]
    shapes += [(32, 33, 1), (0, 1, 1), (16, 8, 8), (16, 8, 9)]
    said = open_mapper().page.evaluate(
        "([source, shapes]) => shapes.map(new Function(`${source}; return shapeError;`)())", [rules(), shapes]
    )
    for block, wrong in zip(shapes, said, strict=True):
        if wrong:
            with pytest.raises(LaunchError):
                nothing[1, block](np.zeros(1))
        else:
            nothing[1, block](np.zeros(1))


@pytest.mark.parametrize(
    ("extents", "lanes", "sentence"),
    [
        ((200, 1, 1), "64", "200 threads: 3 waves of 64 and one of 8; 56 lanes idle."),
        ((8, 8, 2), "32", "128 threads: 4 warps of 32; every lane used."),
        ((33, 1, 1), "32", "33 threads: 1 warp of 32 and one of 1; 31 lanes idle."),
        ((31, 1, 1), "32", "31 threads: one warp of 31; 1 lane idle."),
        ((40, 40, 1), "32", "40 × 40 × 1 are 1,600 threads; a block has at most 1,024."),
        ((1, 1, 65), "32", "z is a whole number from 1 to 64."),
        (("", 1, 1), "32", "x is a whole number from 1 to 1,024."),
    ],
)
def test_any_shape_may_be_typed(open_mapper, extents, lanes, sentence):
    view = open_mapper()
    view.get_by_role("combobox", name="Lanes", exact=True).select_option(lanes)
    shape(view, *extents)
    expect(view.locator(".cut")).to_have_text(sentence)
    expect(view.get_by_role("combobox", name="Block", exact=True)).to_have_value("your own shape")
    if "idle" in sentence:
        assert view.locator(".hardware .idle").count() == int(sentence.split("; ")[1].split()[0])
    view.get_by_role("combobox", name="Block", exact=True).select_option(index=1)
    expect(view.locator(".cut")).to_have_text("200 threads: 3 waves of 64 and one of 8; 56 lanes idle.")
    expect(view.get_by_label("Threads along x")).to_have_value("200")


FLIGHTS = "document.getAnimations().filter((each) => each.effect.target.dataset.thread !== undefined).length"


@pytest.mark.parametrize(("reduced_motion", "flying"), [("no-preference", 32), ("reduce", 0)])
def test_threads_fly_to_their_warp(open_mapper, reduced_motion, flying):
    view = open_mapper(reduced_motion=reduced_motion)
    forward = view.get_by_role("button", name="One step forward")
    assert forward.evaluate(f"(button) => {{ button.click(); return {FLIGHTS}; }}") == flying
    longest = view.evaluate(
        "() => Math.max(0, ...document.getAnimations().map((each) => each.effect.getTiming().duration || 0))"
    )
    assert longest <= 300
    expect(view.locator(".hardware .arrived")).to_have_count(32)
    view.get_by_role("button", name="Last step").click()
    expect(view.locator(".hardware .arrived")).to_have_count(200)


def test_a_colour_that_comes_again_has_a_number(open_mapper):
    view = open_mapper()
    tags = view.locator(".logical .tag").all_text_contents()
    assert set(tags) == {f"w{warp}" for warp in range(7)}
    assert view.locator(".strip path[data-state='0']").count() == 0, "seven warps, six colours"


@pytest.mark.parametrize("width", some([390, 1280], 2))
def test_numbers_are_legible(open_mapper, width):
    view = open_mapper(width=width)
    numbers = view.locator(".map g[data-thread] text")
    sizes = numbers.evaluate_all("all => all.map((each) => each.getAttribute('font-size'))")
    assert len(sizes) >= 400
    assert min(map(float, sizes)) >= 7.2
    assert view.page.evaluate("document.documentElement.scrollWidth") == width


def test_breaks_no_accessibility_rule(open_mapper, violations):
    view = open_mapper()
    for x in (20, 2000):
        shape(view, x, 10, 1)
        assert violations(view.page, within=".block-mapper") == []


def test_200_threads_and_their_warps_fit_600_pixels(open_mapper):
    view = open_mapper(width=688)  # as the book's column is at 1280 pixels
    assert view.bounding_box()["height"] <= 600
    assert view.locator(".logical [data-thread='37']").text_content() == "37"
