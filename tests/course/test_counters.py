"""Does the page of counters say what is so? Names, rules, lines of source, headings of chapters."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import gpusim
from course import counters
from gpusim import cuda

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "book" / "counters.md").read_text(encoding="utf-8")
ROWS = [counters.described(name) for name in counters.names()]
of_each = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)


@cuda.jit
def add_one(x):
    x[cuda.grid(1)] += 1


def test_the_page_has_what_a_profile_reports_and_nothing_else():
    with gpusim.profile(caches=True) as run:
        add_one[1, 32](np.zeros(32, np.float32))
    (kernel,) = run.kernels
    report = kernel.report()
    assert sorted(row.name for row in ROWS) == sorted([*report.counters, *report.resources])
    assert run.counters().keys() == report.counters.keys()
    assert re.findall(r'id="counter-(\w+)"', counters.table().data) == [row.name for row in ROWS]


@of_each
def test_a_counter_is_taught_under_a_heading_that_its_chapter_has(row):
    chapter = (ROOT / "book" / f"{row.chapter}.md").read_text(encoding="utf-8")
    headings = re.findall(r"^##+ (.+)$", re.sub(r"^```.*?^```", "", chapter, flags=re.M | re.S), re.M)
    assert headings.count(row.heading) == 1
    assert f"{row.chapter}\n" in (ROOT / "_toc.yml").read_text(encoding="utf-8")


def test_an_anchor_is_as_the_book_makes_it():
    row = counters.described("divergent_branches")
    assert (row.heading, row.anchor) == ("What does a warp do at an `if`?", "what-does-a-warp-do-at-an-if")


@of_each
def test_a_rule_begins_at_the_line_that_is_linked_and_the_book_has_a_page_of_its_file(row):
    path, line = row.source
    text = (ROOT / path).read_text(encoding="utf-8").splitlines()[line - 1]
    module, name = row.rule_name.split(".", 3)[:3], row.rule_name.rpartition(".")[2]
    assert re.match(rf"\s*(def|class) {name}\b", text)
    assert re.search(rf"^\.\. auto\w+:: {'.'.join(module)}\.\w+(\(\))?$", PAGE, re.M), (
        "viewcode makes it for these"
    )


@of_each
def test_what_a_row_says_is_a_short_sentence(row):
    assert 5 < len(row.meaning) < 100
    assert 5 < len(row.rule) < 250
    assert row.rule.count("`") % 2 == 0


def test_wavefronts_over_requests_is_said_by_a_ratio():
    assert counters.described("shared_wavefronts_per_request").rule == (
        "`shared_load_wavefronts` + `shared_store_wavefronts` over "
        "`shared_load_requests` + `shared_store_requests`"
    )
