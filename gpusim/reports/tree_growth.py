"""How did a tree of launches grow, step by step? For the launch tree view, which folds like grids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpusim.reports.report import Drawn, Report

# what a grid may be doing, in the order of `TreeStep.changes`
DOING: dict[str, str] = {
    "waits": "launched, and waits for others",
    "runs": "its threads run",
    "synchronizes": "a thread waits for its children",
    "closes": "its threads have left; it waits for its children",
    "over": "over, with all that it launched",
    "failed": "failed, or did not come about",
    "stopped": "ended by another's error",
}


@dataclass(frozen=True, slots=True)
class GotArgument(Report):
    """What a parameter got: "int64" and "3"; "float64[8]" and where in an array of its parent: "x + 32"."""

    name: str
    type: str
    value: str


@dataclass(frozen=True, slots=True)
class TreeGrid(Report):
    """One grid: `number` as of `LaunchTreeReport.grids`; in words, who launched it and what it waited for.

    `of_block`: the number of the block that launched it. begins, ends: its first and last step in the
    picture.
    """

    number: int
    by: str
    arguments: tuple[GotArgument, ...]
    waits: str
    of_block: int
    begins: int
    ends: int


@dataclass(frozen=True, slots=True)
class TreeNode(Report):
    """A grid, or `count` like ones: launched by the grids of node `parent` (-1: the host) at one line.

    behind: the node before it in its stream, -1 for none. `counters` are sums over all, none where grids of
    other nodes count with them. `grids` are the first of them.
    """

    parent: int
    kernel: str
    count: int
    depth: int
    blocks: int
    configuration: str
    stream: str
    line: int
    source: str
    behind: int
    counters: Mapping[str, float]
    grids: tuple[TreeGrid, ...]
    error: str = ""


@dataclass(frozen=True, slots=True)
class TreeStep(Report):
    """What happened, in words; `changes`: a node, and how many of its grids do now what `DOING` lists."""

    says: str
    changes: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class TreeVariant(Report):
    """A run: nodes with parents before their children, in the order of launches."""

    label: str
    device: str
    cdp: int
    launches: int
    nodes: tuple[TreeNode, ...]
    steps: tuple[TreeStep, ...]
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class GrowthReport(Drawn):
    """Runs to choose from; `doing` are the items of `DOING`."""

    variants: tuple[TreeVariant, ...]
    doing: tuple[tuple[str, str], ...]
