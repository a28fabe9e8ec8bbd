"""The instructor's guide holds together: labs have goals and marked answers, plans name chapters."""

from __future__ import annotations

import json
import re

import pytest
import yaml

from classroom import course
from course import teaching
from tests.test_book import IN_BOTH_LANGUAGES

LABS = sorted(path.name for path in teaching.NOTEBOOKS.iterdir())


@pytest.mark.parametrize("name", LABS)
def test_each_point_by_hand_has_three_answers_and_something_to_say(name):
    lab, notebook = teaching.labs()[name], teaching.NOTEBOOKS / name / f"{name}.ipynb"
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    by_hand = [cell["metadata"]["nbgrader"] for cell in cells if "nbgrader" in cell["metadata"]]
    assert sum(one["points"] for one in by_hand if one["grade"] and one["solution"]) == len(lab.parts)
    assert len(lab.goals) >= 3
    for part in lab.parts:
        texts = [part.question, part.earns, part.full, part.half, part.none, part.say]
        assert len(set(texts)) == len(texts)
        assert all(text.strip() and "|" not in text for text in texts)
        assert len(part.full) > len(part.half)
        assert "1 point" not in part.full


def test_no_marking_is_left_of_a_lab_that_is_gone():
    assert sorted(teaching.read("marking.toml")) == LABS


@pytest.mark.parametrize("weeks", [4, 8, 14])
def test_a_plan_names_each_chapter_and_lab_once_and_reads_before_it_asks(weeks):
    given = teaching.read("plans.toml")
    plan = given["weeks"][str(weeks)]
    assert len(plan) == weeks
    read = [name for week in plan for name in week["read"]]
    due = [name for week in plan for name in week["due"]]
    assert len(set(read)) == len(read)
    assert len(set(due)) == len(due)
    assert set(read) <= set(IN_BOTH_LANGUAGES) == set(given["together"])
    for position, week in enumerate(plan):
        assert set(week["due"]) <= {name for earlier in plan[: position + 1] for name in earlier["read"]}
    if weeks == 14:
        assert set(read) == set(IN_BOTH_LANGUAGES)
        assert set(due) == set(LABS)
    for position, week in enumerate(plan):
        known = {name for earlier in plan[: position + 1] for name in earlier["read"]}
        for name in week["read"]:
            assert set(teaching.needs(name)) <= known, name
    assert teaching.plan(weeks).data.count("<tr>") == weeks + 1


@pytest.mark.parametrize("weeks", [4, 8, 14])
def test_the_dates_of_a_plan_are_a_course(weeks, tmp_path):
    head = 'name = "plan"\ntimezone = "Europe/Berlin"\n'
    (tmp_path / "course.toml").write_text(head + teaching.dates(weeks))
    (tmp_path / "roster.csv").write_text("id\nada\n")
    plan = teaching.read("plans.toml")["weeks"][str(weeks)]
    assert [*course.read(tmp_path).due] == [name for week in plan for name in week["due"]]
    assert teaching.dates(weeks) in teaching.to_copy(weeks).data


def test_parts_need_what_the_page_says():
    """Part II needs I, III needs II, IV needs I only, V needs IV: by what chapters say that they need."""
    listed = yaml.safe_load((teaching.ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
    parts = [part for part in listed if " · " in part["caption"]]
    of = {
        each["file"].removeprefix("book/"): part
        for part, given in enumerate(parts, 1)
        for each in given["chapters"]
    }
    needed = {part: set() for part in range(1, 6)}
    for name, part in of.items():
        needed[part] |= {of[each] for each in teaching.needs(name)} - {part}
    assert needed == {1: set(), 2: {1}, 3: {1, 2}, 4: {1}, 5: {4}}


def test_links_lead_to_pages_and_marks_that_are_there():
    marks = set(re.findall(r'id="(mark-[\w-]+)"', teaching.marking().data))
    assert len(marks) == len(LABS)
    for table in (teaching.goals(), *map(teaching.plan, (4, 8, 14))):
        for page, mark in re.findall(r'href="([\w-]+)\.html(?:#([\w-]+))?"', table.data):
            assert (teaching.ROOT / "book" / f"{page}.md").exists()
            assert not mark or mark in marks


def test_each_chapter_has_its_slides():
    linked = re.findall(r'href="([\w-]+)\.html#slides">(\d+) ', teaching.slides().data)
    assert {name for name, _ in linked} == set(IN_BOTH_LANGUAGES)
    assert [int(number) for _, number in linked] == [*range(1, len(linked) + 1)]


def test_minutes_are_those_of_the_pages():
    lab = teaching.labs()["coalescing"]
    assert (lab.title, lab.chapter, lab.minutes) == ("Lab 4: Coalescing", 4, 85)
    assert teaching.chapter("coalescing")[2] == lab.reading
