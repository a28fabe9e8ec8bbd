"""The parameter packer in a real browser: every byte is the one that `gpusim.pack_parameters` gives."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

import gpusim
from gpusim.views import embed, text
from tests.hunting import some

PHONE = 360
TYPES = ["char tag", "double scale", "int n", "const float* x"]
VALUES = (7, -0.1, 16909060, 0x1000)


@pytest.fixture
def open_packer(open_fragments):
    def open_packer(types=TYPES, *values, width: int = 1280, browser=None, **asked) -> Locator:
        report = gpusim.explore_parameters(types, *values, **asked)
        fragment = embed.fragment("parameter_packer", report, text.parameter_packer(report))
        return open_fragments(fragment, width=width, **(browser or {})).locator(".parameter-packer")

    return open_packer


def choose(view: Locator, name: str, option: str | int) -> None:
    how = {"index": option} if isinstance(option, int) else {"label": option}
    view.get_by_role("combobox", name=name, exact=True).select_option(**how)


def names(view: Locator) -> list[str]:
    return view.locator(".parcel > b").all_inner_texts()


def octets(view: Locator) -> list[str]:
    """Of each byte that is drawn its value, or how it is empty."""
    found: list[str] = view.locator(".octets .octet").evaluate_all(
        "(all) => all.map((each) => each.textContent || each.dataset.state)"
    )
    return found


def packed(types: list[str], *values, **how) -> list[str]:
    report = gpusim.pack_parameters(types, *values, **how)
    return ["padding" if one is None else f"{one:02x}" for one in report.octets]


@pytest.mark.parametrize("bits", [64, 32])
def test_every_byte_is_the_packages(open_packer, bits):
    types = ["bool b", "long k", "half h", "double2 v", "unsigned char c", "const int* p"]
    values = (True, -5, 1.5, (1.25, -3), 200, None)
    view = open_packer(types, *values, address_bits=64)
    choose(view, "Addresses", f"{bits}-bit")
    assert octets(view) == packed(types, *values, address_bits=bits)


def test_each_step_has_its_sentence_and_fills_its_bytes(open_packer):
    view = open_packer(TYPES, *VALUES)
    view.get_by_role("button", name="First step").click()
    assert set(octets(view)) == {"free"}
    said = [view.locator(".event").inner_text()]
    for _ in TYPES:
        view.get_by_role("button", name="One step forward").click()
        said.append(view.locator(".event").inner_text())
    assert said == [
        "The buffer begins at 0x10000040, a multiple of 64. Parameters follow in the order of the kernel.",
        *(one.replace("`", "") for one in gpusim.explore_parameters(TYPES, *VALUES).says[:-1]),
    ]
    assert said[2] == "double scale needs an address divisible by 8: 7 bytes of padding, then bytes 8 to 15."
    assert octets(view) == packed(TYPES, *VALUES)


def test_the_legend_speaks_of_structs_where_one_has_padding(open_packer):
    view = open_packer()
    inside = view.get_by_text("padding inside a struct")
    expect(inside).to_be_hidden()
    view.get_by_label("Type of tag").select_option(label="Pair { char tag; double value; }")
    expect(inside).to_be_visible()


def test_the_order_is_pushed_by_keys_and_by_dragging(open_packer):
    view = open_packer()
    expect(view.locator(".so-far")).to_have_text(
        "32 bytes, 11 of them padding between parameters. "
        "In the order scale, x, n, tag it would be 21, without padding."
    )
    handle = view.get_by_role("button", name="Move char tag, parameter")
    handle.focus()
    for _ in range(3):
        view.page.keyboard.press("ArrowRight")
    assert names(view) == ["scale", "n", "x", "tag"]
    expect(handle).to_be_focused()
    expect(handle).to_have_accessible_name("Move char tag, parameter 4 of 4, with the arrow keys")
    expect(view.locator(".so-far")).to_contain_text("25 bytes, 4 of them padding between parameters.")
    dragged, over = "int n", "double scale"
    source, target = (view.get_by_role("button", name=f"Move {one}, parameter") for one in (dragged, over))
    view.page.mouse.move(*middle(source))
    view.page.mouse.down()
    view.page.mouse.move(*middle(target), steps=8)
    view.page.mouse.up()
    assert names(view) == ["n", "scale", "x", "tag"]
    view.get_by_role("button", name="Take that order").click()
    assert names(view) == ["scale", "x", "n", "tag"]
    so_far = "21 bytes, none of them padding between parameters. No order needs less."
    expect(view.locator(".so-far")).to_have_text(so_far)
    expect(view.locator(".asks code")).to_have_text("cudaGetParameterBuffer(8, 21)")


def middle(of: Locator) -> tuple[float, float]:
    box = of.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_types_change_and_parameters_come_and_go(open_packer):
    view = open_packer(TYPES, *VALUES)
    choose(view, "Type of tag", "float4")
    assert octets(view)[:16] == packed(["float4"], (2.5,) * 4)
    choose(view, "Type of tag", "char")
    assert octets(view) == packed(TYPES, *VALUES)  # its own value is back
    choose(view, "Add", "Pair { char tag; double value; }")
    assert octets(view)[32:] == ["41", *["between"] * 7, *packed(["double"], 2.5)]
    view.get_by_role("button", name="Remove const float *x").click()
    assert names(view) == ["tag", "scale", "n", "p0"]
    for name in ("char tag", "double scale", "int n"):
        view.get_by_role("button", name=f"Remove {name}").click()
    expect(view.get_by_role("button", name="Remove Pair p0")).to_be_disabled()


def test_a_byte_tells_whose_it_is_by_pointer_and_by_keys(open_packer):
    view = open_packer(["int n", "float2 v", "double d"], 16909060, (1, 2), 2.5)
    line, buffer = view.locator(".pointed"), view.get_by_role("slider", name="Byte of the buffer")
    view.locator("[data-byte='1']").hover()
    told = "Byte 1 is 0x03: byte 1 of the 4 of int n = 16909060 (0x01020304), whose lowest byte comes first."
    expect(line).to_have_text(told)
    assert view.locator("[data-mine]").count() == 4
    buffer.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight"):
        view.page.keyboard.press(key)
    expect(line).to_have_text("Byte 4 is padding: float2 v begins at a multiple of 8.")
    view.page.keyboard.press("End")
    view.page.keyboard.press("ArrowUp")
    expect(buffer).to_have_attribute("aria-valuenow", "7")
    view.locator("[data-byte='15']").click()
    expect(buffer).to_have_attribute(
        "aria-valuetext",
        "Byte 15 is 0x40: byte 3 of the 4 of float v.y = 2.0 (0x40000000), whose lowest byte comes first.",
    )


def test_more_than_a_buffer_holds_is_said_and_its_rows_are_folded(open_packer):
    view = open_packer(["char c"])
    for _ in range(2):
        choose(view, "Add", "Table { float row[1000]; }")
    expect(view.locator("[data-over]")).to_contain_text(
        "8,004 bytes are more than the 4,096 of a buffer under CDP1; CDP2 takes up to 32,764."
    )
    assert view.locator(".folded").all_inner_texts() == ["⋮ 245 rows more of p0", "⋮ 245 rows more of p1"]
    assert len(octets(view)) < 200
    view.locator("[data-byte='8003']").click()
    expect(view.locator(".pointed")).to_contain_text("byte 3 of the 4 of float p1.row[999] = 2.5")


def test_bytes_fly_unless_the_reader_wants_calm(open_packer):
    flying = """(view) => {
        view.querySelector("button.first").click();
        for (const each of document.getAnimations()) each.finish();
        view.querySelector("button.step").click();
        view.querySelector("button.step").click();
        return document.getAnimations().filter((each) => each.effect.target.matches(".octet")).length;
    }"""
    assert open_packer().evaluate(flying) == 1 + 8
    assert open_packer(browser={"reduced_motion": "reduce"}).evaluate(flying) == 0


def test_printed_it_shows_the_filled_buffer_and_no_controls(open_packer):
    view = open_packer(TYPES, *VALUES)
    view.page.emulate_media(media="print")
    for hidden in (".toolbar", ".handle", ".remove", ".more", ".asks button"):
        expect(view.locator(hidden).first).to_be_hidden()
    assert octets(view) == packed(TYPES, *VALUES)


@pytest.mark.parametrize("width", some([PHONE, 1280], 2))
def test_breaks_no_accessibility_rule_and_fits(open_packer, violations, width):
    view = open_packer(width=width)
    choose(view, "Add", "Pair { char tag; double value; }")
    assert violations(view.page, within=".parameter-packer") == []
    assert view.page.evaluate("document.documentElement.scrollWidth") == width


def test_buffer_words_and_controls_fit_600_pixels(open_packer):
    view = open_packer(width=688)  # as the book's column is at 1280 pixels
    assert view.bounding_box()["height"] <= 600
