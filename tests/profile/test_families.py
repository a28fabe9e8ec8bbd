"""What a profile keeps of launches that led nowhere, and what it says of those it did not keep."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.profile import families
from gpusim.profile import run as run_module
from tests.views import trees


def test_launches_of_the_host_beyond_the_first_are_counted_and_not_drawn(monkeypatch):
    monkeypatch.setattr(run_module, "MOST_LAUNCHES", 4)
    x = np.zeros(32)
    with gpusim.profile() as run:
        for _ in range(10):
            trees.child[1, 32](x, 1)
        trees.parent[1, 4](x)
    tree = run.launch_tree()
    assert (tree.launches, tree.growth.launches) == (15, 15)
    assert sum(node.count for node in tree.growth.nodes) == 10
    assert tree.growth.left_out == "Not drawn: 5 grids more."
    assert tree.growth.steps[-1].says == "parent #5 is over: all that it launched is over."


def test_where_very_much_is_known_whole_trees_are_forgotten(monkeypatch):
    monkeypatch.setattr(run_module, "MOST_LAUNCHES", 5)
    monkeypatch.setattr(families, "MOST_MOMENTS", 60)
    with gpusim.profile() as run:
        for _ in range(20):
            trees.parent[1, 4](np.zeros(32))
    tree = run.launch_tree()
    drawn = sum(node.count for node in tree.growth.nodes)
    assert tree.launches == 100
    assert 15 <= drawn <= 25
    assert tree.growth.left_out == f"Not drawn: {100 - drawn} grids more."


def test_of_launches_that_count_together_the_figures_of_the_first_are_said_to_be_its(monkeypatch):
    with gpusim.profile() as run:
        trees.child[1, 32](np.zeros(32), 1)
    assert repr(run.launch_tree()).startswith("child on H200: 1 grid\nchild: grid 1, block 32")
    monkeypatch.setattr(run_module, "MOST_LAUNCHES", 1)
    with gpusim.profile() as run:
        for _ in range(2):
            trees.parent[1, 4](np.zeros(32))
        trees.child[1, 32](np.zeros(32), 1)
    lines = repr(run.launch_tree()).splitlines()
    assert lines[1].startswith("parent: grid 1")
    assert "of child, the first: grid 1, block" in lines[2]


@cuda.jit
def nested(x, left):
    x[left] = left
    if left:
        nested[1, 1](x, left - 1)


def test_the_deepest_grid_counts_also_where_it_is_counted_with_others(monkeypatch):
    monkeypatch.setattr(run_module, "MOST_LAUNCHES", 4)
    x = np.zeros(21)
    with gpusim.profile() as run:
        nested[1, 1](x, 20)
    tree = run.launch_tree()
    assert (tree.launches, len(tree.grids), tree.depth) == (21, 5, 20)
    assert "20 launches deep" in repr(tree)


def test_launches_of_the_host_that_are_counted_together_take_their_time_each(monkeypatch):
    def begin():
        with gpusim.profile() as run:
            for _ in range(8):
                trees.child[1, 32](np.zeros(32), 1)
            trees.parent[1, 4](np.zeros(32))
        return next(one.begin for one in run.launch_tree().grids if one.kernel == "parent")

    each = begin()
    monkeypatch.setattr(run_module, "MOST_LAUNCHES", 3)
    assert begin() == pytest.approx(each)


def test_a_grid_that_was_not_recorded_takes_what_those_of_its_size_take(monkeypatch):
    monkeypatch.setattr(run_module, "MOST_RECORDED", 2)
    x = np.zeros(4096)
    with gpusim.profile() as run:
        for blocks in (1, 4096, 1, 4096, 2048):
            trees.child[blocks, 1](x, 1)
    took = [grid.threads_end - grid.begin for grid in run.launch_tree().grids]
    one, many = took[:2]
    assert one < many
    assert took[2:] == pytest.approx([one, many, (one + many) / 2])
