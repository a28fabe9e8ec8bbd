"""Which counters are there, and what do they sum to? Counts by source line, and the ratios made of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from gpusim.source import Source, Span

# counter -> (Nsight Compute's metric, what it counts)
COUNTERS = {
    "instructions": ("smsp__inst_executed.sum", "warp instructions (of the IR, not SASS)"),
    "thread_instructions": ("smsp__thread_inst_executed.sum", "the same, counted by active lanes"),
    "branches": ("smsp__sass_branch_targets.sum", "branches executed by warps"),
    "divergent_branches": ("smsp__sass_branch_targets_threads_divergent.sum", "branches that split a mask"),
    "global_load_requests": ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "load instructions of warps"),
    "global_load_sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "32-byte sectors they touch"),
    "global_store_requests": (
        "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
        "store instructions of warps",
    ),
    "global_store_sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "32-byte sectors they touch"),
    "atomics": (
        "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum + …_op_red.sum + "
        "smsp__inst_executed_op_shared_atom.sum",
        "atomic instructions of warps",
    ),
    "barriers": ("no metric of its own", "arrivals of warps at block barriers"),
}
# ratio -> (counters above the line, counters below, Nsight Compute's metric, what it says)
RATIOS = {
    "active_lanes_per_instruction": (
        ("thread_instructions",),
        ("instructions",),
        "smsp__thread_inst_executed_per_inst_executed.ratio",
        "the warp size means no divergence",
    ),
    "sectors_per_request": (
        ("global_load_sectors", "global_store_sectors"),
        ("global_load_requests", "global_store_requests"),
        "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio, …_op_st.ratio",
        "4 is ideal for 32 lanes of 4 bytes",
    ),
}


def summary(counts: Mapping[str, int]) -> dict[str, float]:
    """All counters and ratios by name; a ratio whose denominator is zero is 0."""
    values: dict[str, float] = {name: int(counts.get(name, 0)) for name in COUNTERS}
    for name, (above, below, _metric, _meaning) in RATIOS.items():
        denominator = sum(values[part] for part in below)
        values[name] = sum(values[part] for part in above) / denominator if denominator else 0.0
    return values


@dataclass
class Ledger:
    """Counts of one launch, by source line."""

    lines: dict[tuple[Source, int], Counter[str]] = field(default_factory=dict)

    def add(self, span: Span, counter: str, amount: int) -> None:
        """Count something that the line of `span` did."""
        key = span.source, span.line
        if key not in self.lines:
            self.lines[key] = Counter()
        self.lines[key][counter] += amount

    def total(self) -> Counter[str]:
        """The sum over all lines."""
        total: Counter[str] = Counter()
        for counts in self.lines.values():
            total.update(counts)
        return total
