"""How a tree of launches grew: worked examples, and of random trees the truth of each step's sentence."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import gpusim
from gpusim import cuda, cudart
from gpusim.reports.tree_growth import DOING, TreeVariant
from tests.views import trees

COLUMNS = list(DOING)


def says(run) -> list[str]:
    return [step.says for step in run.launch_tree().growth.steps]


def states(variant: TreeVariant) -> list[list[tuple[int, ...]]]:
    """Of each step what the grids of each node do."""
    now, found = [(0,) * len(DOING)] * len(variant.nodes), []
    for step in variant.steps:
        for node, *counts in step.changes:
            now[node] = tuple(counts)
        found.append(list(now))
    return found


# worked examples --------------------------------------------------------------------------------------------


def test_a_parent_is_over_after_its_children_which_follow_each_other():
    line = trees.parent.py_func.__code__.co_firstlineno + 3
    assert says(trees.four()) == [
        "The host launches parent #0. It waits for nothing.",
        "parent #0 begins: nothing else comes first. 4 threads run.",
        f"4 threads of parent #0 launch 4 grids of child at line {line}. They begin when the threads of "
        "parent #0 have left or get no further, 3 of them only when those before them in their streams "
        "are over.",
        "The threads of parent #0 have left. It is not over: it waits for its 4 children. "
        "1 of these may begin now.",
        "child #1 begins: the threads of parent #0 have left. 8 threads run.",
        "child #1 is over: its threads have left. 3 children of parent #0 are not over.",
        "child #2 begins: child #1, before it in its stream, is over. 8 threads run.",
        "child #2 is over: its threads have left. 2 children of parent #0 are not over.",
        "child #3 begins: child #2, before it in its stream, is over. 8 threads run.",
        "child #3 is over: its threads have left. 1 child of parent #0 is not over.",
        "child #4 begins: child #3, before it in its stream, is over. 8 threads run.",
        "child #4 is over: its threads have left.",
        "parent #0 is over: all that it launched is over.",
    ]


def test_what_each_grid_got_and_waited_for():
    tree = trees.four().launch_tree()
    (root, first, second, *_), grown = tree.grids, tree.growth
    assert [(one.name, one.type, one.value) for one in root.arguments] == [("x", "float64[32]", "")]
    assert [(one.name, one.type, one.value) for one in second.arguments] == [
        ("x", "float64[8]", "x + 8"),
        ("k", "int64", "10"),
    ]
    assert [(one.grid, one.why) for one in second.waited_for] == [(0, "parent"), (1, "stream")]
    assert (
        root.began < first.launched == second.launched < root.left < first.began < first.over < second.began
    )
    assert root.over == max(one.over for one in tree.grids)
    assert [node.behind for node in grown.nodes] == [-1, -1, 1, 2, 3]
    assert grown.nodes[2].configuration == "1, 8, 0 bytes"
    assert grown.nodes[2].grids[0].by == "thread (1, 0, 0) of block (0, 0, 0) of parent #0"


@cuda.jit
def by_two_events(x):
    trees.child[1, 1](x[16:], 1)
    for k in range(2):
        _, stream = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
        _, event = cudart.cudaEventCreateWithFlags(cudart.cudaEventDisableTiming)
        trees.child[1, 1, stream](x[8 * k :], 1)
        cudart.cudaEventRecord(event, stream)
        cudart.cudaStreamWaitEvent(0, event, 0)
    trees.child[1, 1](x, 1)


def test_a_grid_may_wait_for_several_events():
    """And for what its own stream was given before."""
    last = trees.profiled(lambda: by_two_events[1, 1](np.zeros(32))).launch_tree().grids[-1]
    assert sorted(one.why for one in last.waited_for) == ["event", "event", "parent", "stream"]


@cuda.jit
def parts(m, pair, none):
    cuda.syncthreads()
    takes[1, 1](m[1], m[1:, 1], pair[0], none, 2.5)


@cuda.jit
def takes(row, column, x, none, k):
    row[0] = k


def test_parts_of_arrays_are_told_by_their_place_in_those_of_the_parent():
    m, x = np.zeros((3, 2)), np.zeros(4, np.float32)
    run = trees.profiled(lambda: parts[1, 1](m, (x, 7), None))
    told = {one.name: (one.type, one.value) for one in run.launch_tree().grids[1].arguments}
    assert told["row"] == ("float64[2]", "m[1, 0]")
    assert told["column"] == ("float64[2]", "m[1, 1]")
    assert told["x"] == ("float32[4]", "pair.0")
    assert told["k"] == ("float64", "2.5")


POINTERS = """
__device__ int counter;
__global__ void child(float* x, int n) { if (x) { x[0] = n; counter += 1; } }
__global__ void parent(float* x) { child<<<1, 1>>>(x + 3, 5); child<<<1, 1, 0>>>(nullptr, 6); }
"""


def test_a_pointer_is_told_by_what_it_points_to():
    """What follows the parameters, such as variables of the text, nobody passed."""
    kernel = gpusim.RawModule(code=POINTERS).get_function("parent")
    first, second = trees.profiled(lambda: kernel[1, 1](np.zeros(8, np.float32))).launch_tree().grids[1:]
    told = [[(one.name, one.type, one.value) for one in grid.arguments] for grid in (first, second)]
    assert told[0] == [("x", "float32*", "x + 3"), ("n", "int32", "5")]
    assert told[1] == [("x", "float32*", "null"), ("n", "int32", "6")]


def test_under_cdp1_a_thread_waits_and_its_block_goes_on():
    told = says(trees.waiting(1))
    line = trees.waits.py_func.__code__.co_firstlineno + 6
    assert told[4:] == [
        f"A thread of block (0, 0, 0) of waits #0 calls cudaDeviceSynchronize() at line {line}: "
        "it waits until the 2 grids are over that its block has launched.",
        "child #1 begins: waits #0 gets no further before that. 1 thread runs.",
        "child #1 is over: its threads have left. 1 child of waits #0 is not over.",
        "child #2 begins: child #1, before it in its stream, is over. 1 thread runs.",
        "child #2 is over: its threads have left. So block (0, 0, 0) of waits #0 goes on behind line "
        f"{line}.",
        "waits #0 is over: its threads have left, its children too.",
    ]
    variant = trees.waiting(1).launch_tree().growth
    assert variant.cdp == 1
    waits = [now[0].index(1) for now in states(variant)]
    assert [COLUMNS[what] for what in waits[3:6]] == ["runs", "synchronizes", "synchronizes"]
    assert [COLUMNS[what] for what in waits[-2:]] == ["runs", "over"]


def test_tail_launches_come_last_one_after_the_other():
    tree = trees.with_tails().launch_tree()
    assert [(one.grid, one.why) for one in tree.grids[5].waited_for] == [(0, "tail"), (4, "stream")]
    told = says(trees.with_tails())
    assert sum("nothing but tail launches is left of tails #0" in each for each in told) == 4
    assert told[-2] == "child #5 is over: its threads have left."
    stream = [node.stream for node in tree.growth.nodes]
    assert stream == ["", "default stream", "default stream", "fire and forget", "tail launch", "tail launch"]


def test_an_event_orders_two_streams():
    run = trees.ordered_by_event()
    assert [(one.grid, one.why) for one in run.launch_tree().grids[2].waited_for] == [
        (0, "parent"),
        (1, "event"),
    ]
    assert "child #2 begins: child #1, for whose event its stream waits, is over. 1 thread runs." in says(run)
    assert [node.stream for node in run.launch_tree().growth.nodes[1:]] == ["stream 1", "stream 2"]
    assert {grid.stream for grid in run.launch_tree().grids[1:]} == {"stream 1", "stream 2"}


def test_launches_that_do_not_come_about_are_told_and_counted():
    tree = trees.refused().launch_tree()
    (found,) = tree.not_launched
    assert (found.kernel, found.grid, found.launches) == ("child", 0, 29)
    assert found.error == "cudaErrorLaunchPendingCountExceeded"
    told = f"  not launched: 29 of child, at line {found.at.line}: cudaErrorLaunchPendingCountExceeded"
    assert told in repr(tree).splitlines()
    assert any(
        "29 grids of child" in each and "They do not come about" in each for each in says(trees.refused())
    )
    (refused,) = (node for node in tree.growth.nodes if node.error)
    assert (refused.count, tree.growth.launches) == (29, 100)


def test_who_fails_is_told_and_whom_that_ends():
    tree = trees.faulting().launch_tree()
    last = tree.growth.steps[-1]
    assert last.says.startswith("far #3 fails: OutOfBounds")
    assert last.says.endswith("That ends all others: 3 that had not ended and 1 that had not begun.")
    ends = [COLUMNS[now.index(1)] for now in states(tree.growth)[-1]]
    assert ends == ["stopped", "stopped", "stopped", "failed", "stopped"]
    assert [one.over for one in tree.grids] == [None] * 4


def test_like_children_are_one_node_and_streams_are_told_apart():
    grown = trees.of_streams(60).launch_tree().growth
    assert [(node.kernel, node.count, node.stream) for node in grown.nodes[1:]] == [
        ("child", 20, f"stream {number}") for number in (1, 2, 3)
    ]
    assert any("steps as one: of child, " in step.says for step in grown.steps)
    assert len(grown.steps) < 20
    assert grown.nodes[1].counters["instructions"] == sum(
        one["instructions"] for one in trees.of_streams(60).launch_tree().grids[1::3]
    )


def test_what_is_counted_together_has_no_counters_of_its_own():
    grown = trees.many(300).launch_tree().growth
    assert [node.count for node in grown.nodes] == [1, 300]
    assert not grown.nodes[1].counters
    assert len(grown.nodes[1].grids) == 96


def test_deep_and_wide_trees_have_few_steps():
    grown = trees.recursive(8).launch_tree().growth
    assert (len(grown.nodes), grown.launches) == (511, 511)
    assert len(grown.steps) <= 400
    assert all(now == (0, 0, 0, 0, 1, 0, 0) for now in states(grown)[-1])


# random trees -----------------------------------------------------------------------------------------------


@cuda.jit
def grow(plan, node):
    """Launch the children of a node: into the default stream, apart, as tails, into streams of their own."""
    for k in range(plan[node, 1]):
        one = plan[node, 0] + k
        how = plan[one, 2]
        if how == 0:
            grow[1, 1](plan, one)
        elif how == 1:
            grow[1, 1, cudart.cudaStreamFireAndForget](plan, one)
        elif how == 2:
            grow[1, 1, cudart.cudaStreamTailLaunch](plan, one)
        else:
            _, stream = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
            grow[1, 1, stream](plan, one)


@st.composite
def plans(draw):
    """(nodes, 3): of each its first child, how many, and into which stream it goes."""
    rows, at = [[0, 0, 0]], 0
    while at < len(rows):
        rows[at][:2] = len(rows), draw(st.integers(0, 4 if len(rows) < 14 else 0))
        rows += [[0, 0, draw(st.integers(0, 3))] for _ in range(rows[at][1])]
        at += 1
    return np.array(rows)


NAMED = r"grow (#[\d #,and]*\d)|(\d+) grids of grow"
LAUNCHES = rf"^The host launches grow (#0)\.|launch(?:es)? (?:{NAMED}) at line (\d+)\."


class Truth:
    """What a report says of each grid, by number, to compare sentences with."""

    def __init__(self, tree) -> None:
        self.grids = {one.number: one for one in tree.grids}
        self.now = -1  # when what was told last happened

    def whom(self, text: str, moment: str) -> list[int]:
        """Of which grids does a sentence begin to tell, that had this moment at once?"""
        names, count = re.match(NAMED, text).groups()
        if not names:
            assert any(many >= int(count) for many in self.at_once(moment).values())
            return []
        whom = [int(number) for number in re.findall(r"\d+", names)]
        (self.now,) = {getattr(self.grids[number], moment) for number in whom}
        return whom

    def at_once(self, moment: str) -> Counter[int]:
        """How many have this moment at each time from now on?"""
        times = (getattr(one, moment) for one in self.grids.values())
        return Counter(when for when in times if when >= self.now)

    def began(self, text: str) -> None:
        whom = self.whom(text, "began")
        assert int(re.search(r"(\d+) threads? runs?\.$", text)[1]) == (len(whom) or int(text.split()[0]))
        for number in whom:
            self.why_now(self.grids[number], text.partition(": ")[2])

    def why_now(self, one, reason: str) -> None:
        parent = None if one.by is None else self.grids[one.by.grid]
        blockers = [self.grids[each.grid] for each in one.waited_for if each.why in ("stream", "event")]
        assert all(before.over < one.began for before in blockers)
        if reason.startswith("nothing else comes first"):
            assert parent is None or (not one.waited_for and parent.left < one.began)
        elif reason.startswith(("the threads of", "what they waited for")):
            assert parent.left < one.began
        elif "before it in its stream" in reason:
            assert int(re.search(r"#(\d+)", reason)[1]) in [before.number for before in blockers]
        elif reason.startswith("those before them"):
            assert blockers
        elif reason.startswith("nothing but tail launches"):
            others = [self.grids[child] for child in parent.children]
            assert parent.left < one.began
            assert all(other.over < one.began for other in others if other.stream != "tail launch")
        else:
            assert "though" in reason
            assert parent.left > one.began

    def over(self, text: str) -> None:
        whom = self.whom(text, "over")
        for number in whom:
            one = self.grids[number]
            children = [self.grids[child] for child in one.children]
            assert all(child.over <= one.over for child in children)
            assert bool(children) == ("launched is over" in text or "children too" in text)
            assert one.left <= one.over
        more = re.search(r"(\d+) child(?:ren)? of grow #(\d+) (?:is|are) not over", text)
        if more and whom:
            others = [self.grids[child] for child in self.grids[int(more[2])].children]
            assert int(more[1]) == sum(child.launched < self.now < child.over for child in others)

    def left(self, text: str) -> None:
        whom = self.whom(text.removeprefix("The threads of "), "left")
        if not whom:
            return
        children = [self.grids[child] for number in whom for child in self.grids[number].children]
        waiting = [child for child in children if child.over >= self.now]
        told = re.search(r"for (?:its|their) (?:child|(\d+) children)\.", text)
        assert int(told[1] or 1) == len(waiting)
        ready = [
            child
            for child in waiting
            if child.began > self.now
            and child.stream != "tail launch"
            and all(
                self.grids[each.grid].over < self.now for each in child.waited_for if each.why == "stream"
            )
        ]
        may = re.search(r"\. (That|All|\d+ of these) may begin now\.$", text)
        said = 0 if may is None else len(waiting) if may[1] in ("That", "All") else int(may[1].split()[0])
        assert said == len(ready)

    def launched(self, text: str) -> None:
        host, names, count, line = re.search(LAUNCHES, text).groups()
        whom = [int(number) for number in re.findall(r"\d+", host or names or "")]
        if not whom:
            assert int(count) in self.at_once("launched").values()
            return
        (self.now,) = {self.grids[number].launched for number in whom}
        for one in map(self.grids.get, whom):
            assert (one.by is None) == bool(host)
            if one.by is not None:
                assert int(line) == one.by.at.line
            if one.by is not None and len(whom) == 1:
                who = f"Thread {one.by.thread} of block {one.by.block} of grow #{one.by.grid} launches"
                assert text.startswith(who)
                assert all(f"#{each.grid}" in text for each in one.waited_for)
            assert ("wait for nothing" in text or "waits for nothing" in text) == (not one.waited_for)


@settings(phases=[Phase.explicit, Phase.generate])
@given(plan=plans(), schedule=st.none() | st.integers(0, 50))
def test_of_random_trees_the_sentence_of_each_step_is_true(plan, schedule):
    run = trees.profiled(lambda: grow[1, 1](plan, 0), schedule=schedule)
    tree = run.launch_tree()
    truth = Truth(tree)
    assert len(tree.grids) == len(plan)
    for step in tree.growth.steps:
        if re.search(LAUNCHES, step.says):
            truth.launched(step.says)
        elif step.says.startswith("The threads"):
            truth.left(step.says)
        elif re.search(r" begins?: ", step.says):
            truth.began(step.says)
        else:
            truth.over(step.says)
    told = Counter(
        COLUMNS[place] for now in states(tree.growth)[-1] for place, many in enumerate(now) if many
    )
    assert set(told) == {"over"}


@pytest.mark.parametrize("schedule", [None, 1, 2])
def test_what_grids_of_a_node_do_adds_up_at_each_step(schedule):
    for run in (trees.four(schedule=schedule), trees.recursive(4, schedule=schedule), trees.of_streams(30)):
        variant = run.launch_tree().growth
        launched = [0] * len(variant.nodes)
        for now in states(variant):
            for place, counts in enumerate(now):
                assert launched[place] <= sum(counts) <= variant.nodes[place].count
                launched[place] = sum(counts)
        assert launched == [node.count for node in variant.nodes]
