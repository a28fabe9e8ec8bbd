"""How does a tree of launches that grows look? A line a grid, then a line a step."""

from __future__ import annotations

from gpusim.reports.tree_growth import GrowthReport, TreeNode, TreeVariant
from gpusim.whole import number_of

NODES_SHOWN = 40


def grown_text(report: GrowthReport) -> str:
    """For a terminal, and where no script runs."""
    return "\n\n".join([report.title, *map(_grown, report.variants)])


def _grown(variant: TreeVariant) -> str:
    rows = [f"{variant.label}: {number_of(variant.launches, 'grid')} on {variant.device}, CDP{variant.cdp}"]
    rows += [_grid_of_tree(node) for node in variant.nodes[:NODES_SHOWN]]
    hidden = len(variant.nodes) - NODES_SHOWN
    rows += [f"  … and {number_of(hidden, 'line')} more"] if hidden > 0 else []
    rows += [f"{number:3}. {step.says}" for number, step in enumerate(variant.steps[:NODES_SHOWN], start=1)]
    hidden = len(variant.steps) - NODES_SHOWN
    rows += [f"  … and {number_of(hidden, 'step')} more"] if hidden > 0 else []
    return "\n".join([*rows, *([variant.left_out] if variant.left_out else [])])


def _grid_of_tree(node: TreeNode) -> str:
    first = node.grids[0]
    name = f"{node.kernel} × {node.count:,}" if node.count > 1 else f"{node.kernel} #{first.number}"
    stream = f", {node.stream}" if node.stream else ""
    line = f", line {node.line}" if node.line else ""
    error = f": {node.error}" if node.error else ""
    return f"{'  ' * (node.depth + 1)}{name}<<<{node.configuration}{stream}>>> by {first.by}{line}{error}"
