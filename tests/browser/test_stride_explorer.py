"""The stride explorer in a real browser: pushed, it shows what the package counts."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

import gpusim
from gpusim.measurements.strides import sectors
from gpusim.views import embed, text
from tests.hunting import some

REPORT = gpusim.explore_strides()
PHONE = 360


@pytest.fixture
def open_explorer(open_fragments):
    def open_explorer(report=REPORT, **settings) -> Locator:
        fragment = embed.fragment("stride_explorer", report, text.stride_explorer(report))
        return open_fragments(fragment, **settings).locator(".stride-explorer")

    return open_explorer


@pytest.fixture
def explorer(open_explorer) -> Locator:
    return open_explorer()


def push(view: Locator, which: str, to: int) -> None:
    view.get_by_role("slider", name=which).fill(str(to))


def test_every_stride_shows_what_the_package_counts(explorer):
    for index, variant in enumerate(REPORT.variants):
        explorer.get_by_role("combobox", name="Element").select_option(index=index)
        for offset in (0, 1, 5):
            push(explorer, "Offset", offset)
            shown = explorer.evaluate(
                """(view) => {
                    const [box] = view.querySelectorAll(".timeline input"), found = [];
                    const [places] = view.querySelectorAll(".places");
                    const said = () => parseInt(view.querySelector(".event b").textContent);
                    for (let place = 0; place <= box.max; place++) {
                        box.value = place;
                        box.dispatchEvent(new Event("input"));
                        const drawn = view.querySelectorAll(".strip-sector").length;
                        const small = places.children[place].querySelector("small");
                        found.push([drawn, said(), Number(small.textContent)]);
                    }
                    return found;
                }"""
            )
            counted = [
                sectors(variant.width, stride, offset=offset) for stride in range(len(variant.sectors))
            ]
            assert shown == [[count] * 3 for count in counted]


@pytest.mark.parametrize(
    ("stride", "offset", "said", "why"),
    [
        (1, 0, "4 sectors: 128 bytes move, 128 are wanted, 100 %.", "Every byte that moves is wanted."),
        (1, 1, "5 sectors: 160 bytes move, 128 are wanted, 80 %.", "over an edge, into one sector more."),
        (2, 0, "8 sectors: 256 bytes move, 128 are wanted, 50 %.", "Of every 8 bytes only 4 are wanted."),
        (0, 0, "1 sector: 32 bytes move, 4 are wanted, 12.5 %.", "All lanes want the same element"),
        (
            32,
            3,
            "32 sectors: 1,024 bytes move, 128 are wanted, 12.5 %.",
            "of which 28 bytes move for nobody.",
        ),
    ],
)
def test_the_count_and_its_cause_answer_at_once(explorer, stride, offset, said, why):
    push(explorer, "Stride", stride)
    push(explorer, "Offset", offset)
    expect(explorer.locator("code")).to_have_text(f"x[{offset} + {stride} * t]")
    expect(explorer.locator(".event")).to_have_text(said)
    expect(explorer.locator(".so-far")).to_contain_text(why)


def test_every_lane_has_a_line_to_its_element(explorer):
    push(explorer, "Stride", 32)
    ends = explorer.locator(".lane-lines path").evaluate_all(
        "paths => paths.map((path) => parseFloat(path.getAttribute('d').split('L')[1]))"
    )
    assert ends == pytest.approx([1000 * (128 * lane + 2) / 4096 for lane in range(32)])
    assert explorer.locator(".strip-sector").count() == 32


def test_a_word_under_the_pointer_says_who_wants_it(explorer):
    explorer.locator(".strip-sector > span").nth(3).hover()
    expect(explorer.locator(".event")).to_have_text("Bytes 12–15: lane 3.")
    explorer.locator(".heading").hover()
    expect(explorer.locator(".event")).to_contain_text("4 sectors")


def test_begins_where_the_report_says(open_explorer):
    view = open_explorer(gpusim.explore_strides(widths=(8,), stride=3, offset=2))
    expect(view.locator("code")).to_have_text("x[2 + 3 * t]")
    expect(view.get_by_role("slider", name="Offset")).to_have_attribute("aria-valuetext", "2: 24")


@pytest.mark.parametrize("width", some([PHONE, 1280], 2))
def test_breaks_no_accessibility_rule_and_fits(open_explorer, violations, width):
    view = open_explorer(width=width)
    push(view, "Stride", 3)
    assert violations(view.page, within=".stride-explorer") == []
    assert view.page.evaluate("document.documentElement.scrollWidth") == width
