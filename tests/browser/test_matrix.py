"""Devices side by side: what stays in view while the table scrolls, and what lies over what?"""

from __future__ import annotations

import pytest

from course import devices
from tests.browser.test_filter import STATIC

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Devices</title>
<style>:root {{ --pst-color-background: #fff }}
body {{ padding-top: 4rem }} {style}</style><main class="bd-article">{table}</main>
<script src="words.js"></script><script src="filter.js"></script></html>"""
AT_CORNER = """([across, down]) => {
    const matrix = document.querySelector('.matrix');
    matrix.scrollTo(across, down);
    const {left, top} = matrix.getBoundingClientRect();
    return document.elementFromPoint(left + 20, top + 12).outerHTML;
}"""


@pytest.fixture
def page(open_page, tmp_path):
    for script in ("words.js", "filter.js"):
        (tmp_path / script).write_text((STATIC / script).read_text(encoding="utf-8"), encoding="utf-8")
    table = devices.side_by_side(devices.Sources()).data
    style = (STATIC / "course.css").read_text(encoding="utf-8")
    (tmp_path / "devices.html").write_text(PAGE.format(style=style, table=table), encoding="utf-8")
    return open_page(tmp_path / "devices.html").page


@pytest.mark.parametrize("down", range(200, 320, 20))
def test_no_name_of_a_figure_stands_beside_the_names_of_devices(page, down):
    assert page.evaluate(AT_CORNER, [300, down]) == "<td></td>"


@pytest.mark.parametrize(
    ("typed", "columns", "said"),
    [
        ("", [gpu.name for gpu in devices.COLUMNS], ""),
        ("a100 H200", ["H200", "A100"], "48 of 48, of H200 and A100"),
        ("4090 l2_bytes", ["RTX 4090"], "1 of 48, of RTX 4090"),
        ("l2_bytes", [gpu.name for gpu in devices.COLUMNS], "1 of 48"),
    ],
)
def test_names_of_devices_leave_their_columns(page, typed, columns, said):
    page.get_by_role("searchbox").fill(typed)
    assert page.locator("thead th:visible").all_inner_texts() == columns
    assert page.locator("tbody tr:has(td):visible").first.locator("td:visible").count() == len(columns)
    assert page.locator("output").inner_text() == said
