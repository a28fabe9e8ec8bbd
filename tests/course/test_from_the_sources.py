"""Does the table of the sources name each of their headings, figures, listings and tables?

The sources are not part of the project: `GPUSIM_SOURCES` names their folder.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

BOOK = Path(__file__).resolve().parents[2] / "book"
PAGE = "from-the-sources.md"
# source -> its title on the page, and how its headings, figures and so on begin where they stand
SOURCES = {
    "000": (
        "The article on compute capabilities",
        r"^\s?(Compute Capability 6\.x|计算能力\s7\.x)\s*$|^[1-4]\.\s",
    ),
    "001": ("The dynamic parallelism appendix", r"^D(\.\d)+"),
    "002": ("The article on memory access tuning", r"^(上下文|第.步|结论)|^图 ?\d"),
    "003": ("The introduction to GPU hardware", r"^  (Shared|Global) memory$"),
    "004": (
        "The MXMACA textbook",
        r"图5-\d+|示例代码5-\d|式\(5-\d\)|表5-\d|^\(\d\)|^\d\.(协作组API|线程组\w+)",
    ),
}
IN_ENGLISH = {"图": "Figure ", "示例代码": "Listing ", "式": "Equation ", "表": "Table "}


def rows(title: str) -> list[list[str]]:
    """The cells of this source's table, without its heading."""
    section = (BOOK / PAGE).read_text(encoding="utf-8").partition(f"## {title}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[1:]]


def named(mark: str) -> str:
    """As the page calls it: `图5-7` is Figure 5-7."""
    mark = " ".join(mark.split()).rstrip(".")
    kind = next((one for one in IN_ENGLISH if mark.startswith(one)), "")
    return IN_ENGLISH.get(kind, "") + mark.removeprefix(kind).strip(" ()") if kind else mark


def marks(text: str, pattern: str) -> list[str]:
    """What the source has, in order: its parts are numbered anew below `计算能力 7.x`."""
    found = [named(each.group()) for each in re.finditer(pattern, text, re.MULTILINE)]
    above, told = "", []
    for mark in found:
        if mark.endswith(".x"):
            above = mark
        else:
            told.append(f"{above}, {mark}" if above else mark)
    return told


def test_marks_are_named_as_on_the_page():
    assert marks("如图5-7所示\n式(5-1)", SOURCES["004"][1]) == ["Figure 5-7", "Equation 5-1"]
    assert marks(" 计算能力 7.x \n\n2. 独立", SOURCES["000"][1]) == ["计算能力 7.x, 2"]
    assert marks("D.2.1.1. Parent\n见 D.3", SOURCES["001"][1]) == ["D.2.1.1"]


@pytest.mark.parametrize("source", SOURCES)
def test_each_row_leads_to_a_section(source: str):
    found = rows(SOURCES[source][0])
    assert len(found) >= 2
    assert [row for row in found if len(row) != 4 or ".md" not in row[2]] == []


@pytest.mark.skipif(
    "GPUSIM_SOURCES" not in os.environ, reason="GPUSIM_SOURCES names no folder with the sources"
)
@pytest.mark.parametrize("source", SOURCES)
def test_nothing_of_a_source_is_left_out(source: str):
    title, pattern = SOURCES[source]
    (file,) = Path(os.environ["GPUSIM_SOURCES"]).glob(f"{source}_*.txt")
    text = file.read_text(encoding="utf-8")
    shown = [re.sub(r" \([^)]*[a-z][^)]*\)", "", row[0]) for row in rows(title)]
    told = [mark for each in shown for mark in ([each] if source == "000" else each.split(", "))]
    there = set(marks(text, pattern))
    assert there <= set(told)
    assert [
        mark for mark in told if mark not in there and mark not in text
    ] == []  # quoted by its first words
