"""Where does each counter stand in a table, and what does Nsight Compute call it?"""

from __future__ import annotations

import re

import pytest

from gpusim.reports import counters, topics
from gpusim.views import tables

COUNTED = counters.names(caches=True)
MEASURED = [*COUNTED, *topics.RESOURCES]
METRIC = re.compile(r"\b(smsp|sm|l1tex|lts|dram|launch|memory|idc)_\w+")


@pytest.mark.parametrize("name", COUNTED)
def test_a_counter_stands_under_exactly_one_heading(name):
    assert sum(name.startswith(beginnings) for beginnings in topics.TOPICS.values()) == 1


def test_resources_have_a_heading_of_their_own():
    assert {topics.topic(name) for name in topics.RESOURCES} == {"resources"}


@pytest.mark.parametrize("name", MEASURED)
def test_a_counter_has_a_meaning_and_a_metric_or_says_that_there_is_none(name):
    assert topics.meaning(name)
    said = topics.metric(name)
    assert METRIC.search(said) or "no metric" in said or said == counters.ONLY_1_X


def test_the_order_of_exports_holds_every_counter_once_by_topic():
    order = topics.in_order(caches=True)
    assert sorted(order) == sorted(COUNTED)
    assert [name for name in order if name in counters.names()] == list(topics.in_order())
    headings = [topics.topic(name) for name in order]
    assert headings == sorted(headings, key=list(topics.TOPICS).index)


# These a run and its exports show, and the table by line leaves out: other columns tell enough of them.
WITHOUT_A_COLUMN = {
    "thread_instructions", "atomics", "shared_atomic_bank_conflicts", "constant_load_pass_hits",
    *(f"global_{kind}_transactions" for kind in ("load", "store")),
    *(f"global_{kind}_ideal_sectors" for kind in ("load", "store", "atomic")),
    *(f"l1_{kind}_sector_hits" for kind in ("store", "local_load", "local_store")),
    "l2_store_sectors", "l2_atomic_sectors", "l2_atomic_sector_hits", "dram_store_sectors",
    *(name for name in counters.ALL_RATIOS if name != "active_lanes_per_instruction"),
}  # fmt: skip


def test_the_table_by_line_has_a_column_for_every_counter_but_for_these():
    shown = [name for columns in tables.LINE_COLUMNS.values() for names in columns.values() for name in names]
    assert len(shown) == len(set(shown))
    assert set(shown) | WITHOUT_A_COLUMN == set(COUNTED)
    assert not WITHOUT_A_COLUMN & set(shown)


def test_every_column_of_the_table_by_line_shows_counters_of_its_topic():
    for topic, columns in tables.LINE_COLUMNS.items():
        for names in columns.values():
            assert {topics.topic(name) for name in names} == {topic}
