"""What does a counter count, by which rule, and where is it taught? One row each, for the page of counters.

Names, meanings and metrics are those that reports have (`gpusim.reports.topics`). Here are only the rule, the
function that is the rule, and the section that explains it: by patterns, of which the first that fits counts.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from IPython.display import HTML

from course.listed import coded
from gpusim.devices import carveout, occupancy
from gpusim.ir import registers, spilling
from gpusim.measurements import banks, caches, coalescing, constants, divergence, ledger, touched_sectors
from gpusim.reports import counters, topics
from gpusim.runtime import residency

HEADINGS = "Counter, and its metric in `ncu`", "What it counts, by which rule", "Taught in"
TITLE = re.compile(r"^# (\d+) · ", re.MULTILINE)
ROOT = Path(__file__).resolve().parents[2]
EVERY_INSTRUCTION = "every warp instruction of the kernel's IR counts once, whatever its mask"
BLOCKS_FIRST = "the least of what warps, blocks, registers and shared memory allow"

# counters -> the rule, and the function that is it
RULES: dict[str, tuple[str, Any]] = {
    "instructions": (EVERY_INSTRUCTION, divergence.Divergence.observe),
    "thread_instructions": (
        "each instruction counts as often as lanes are active",
        divergence.Divergence.observe,
    ),
    "branches": ("each branch counts once for each warp that comes to it", divergence.Divergence.observe),
    "divergent_branches": (
        "a branch counts if some active lanes take it and others do not",
        divergence.Divergence.observe,
    ),
    "barriers": ("each warp that reaches a block barrier counts once", divergence.Divergence.observe),
    "atomics": (
        "each atomic instruction of a warp counts once, of any memory",
        coalescing.Coalescing.observe,
    ),
    r"global_(load|store)_requests": ("one for each instruction of a warp", coalescing.Coalescing.observe),
    r"global_(load|store)_sectors": (
        "the distinct aligned 32 bytes that active lanes touch; before compute capability 2.0, what moves, "
        "in units of 32 bytes",
        coalescing.transactions,
    ),
    r"global_(load|store)_transactions": (
        "for each half-warp, by the rule of compute capability 1.0 or 1.2",
        coalescing.transactions,
    ),
    r"global_\w+_ideal_sectors": (
        "what as many lanes with aligned neighbours would take, but never more than was taken",
        coalescing.ideal_sectors,
    ),
    "global_atomic_requests": ("one for each instruction of a warp", coalescing.Coalescing.observe),
    "global_atomic_sectors": (
        "over the sectors of the warp, the sum of the most lanes that want one word of it",
        coalescing.transactions,
    ),
    r"shared_\w+_requests": ("one for each instruction of a warp", banks.Banks.observe),
    r"shared_\w+_wavefronts": (
        "for each phase, the most distinct words that its lanes want of one bank; of atomics, the most lanes",
        banks.wavefronts,
    ),
    r"shared_\w+_bank_conflicts": (
        "wavefronts beyond one for each phase that has an active lane",
        banks.conflicts,
    ),
    r"local_\w+_requests": (
        "one for each 4-byte word of the access: a double is two",
        coalescing.local_words,
    ),
    r"local_\w+_sectors": (
        "the sectors of the lanes' words; memories of a warp's lanes are interleaved word by word",
        coalescing.local_sectors,
    ),
    "texture_requests": ("one for each instruction of a warp", coalescing.Coalescing.observe),
    "texture_sectors": (
        "the distinct sectors of all elements that its filter takes",
        touched_sectors.touched,
    ),
    "constant_load_requests": ("one for each instruction of a warp", constants.Constants.observe),
    "constant_load_passes": ("one for each different address among the active lanes", constants.passes),
    "constant_load_pass_hits": (
        "a pass hits if its 64 bytes are in the multiprocessor's constant cache",
        caches.Caches,
    ),
    r"(l1|texture)_\w*hits": (
        "a sector hits if all bytes that are wanted are there; the oldest line of a set leaves",
        caches.Caches,
    ),
    r"(l2|dram)_\w+(sectors|hits)": (
        "what the multiprocessors' caches miss or write, sector by sector; L2 writes back when a line leaves",
        caches.Caches,
    ),
    r"\w+(_per_\w*(instruction|request)|_rate)": ("", ledger.summary),  # what is over what
    "registers_per_thread": ("the most 32-bit registers that are live at once", registers.pressure),
    "spilled_registers_per_thread": ("values that a bound leaves without a register", spilling.bounded),
    "shared_bytes_per_block": ("what the kernel declares, and the bytes of the launch", residency.of),
    "(carveout|l1)_bytes": (
        "the preference, rounded up to a capacity that the device has; L1 gets the rest",
        carveout.choose,
    ),
    "blocks_per_multiprocessor": (BLOCKS_FIRST, occupancy.blocks_per_multiprocessor),
    "theoretical_occupancy": ("resident warps over the most that fit: " + BLOCKS_FIRST, residency.of),
}

# counters -> names that nvprof, the profiler before, had for it or for a share of it (Nsight Compute's guide
# compares them), by which a reader may look for it
NVPROF = {
    "instructions": "inst_executed",
    "thread_instructions": "thread_inst_executed",
    "active_lanes_per_instruction": "warp_execution_efficiency",
    "divergent_branches": "branch_efficiency",
    "global_load_requests": "global_load_requests",
    "global_load_sectors": "gld_transactions",
    "global_load_ideal_sectors": "gld_efficiency",
    "global_store_sectors": "gst_transactions",
    "global_store_ideal_sectors": "gst_efficiency",
    "sectors_per_request": "gld_transactions_per_request, gst_transactions_per_request",
    "shared_load_wavefronts": "shared_load_transactions",
    "shared_store_wavefronts": "shared_store_transactions",
    "shared_wavefronts_per_request": "shared_load_transactions_per_request, shared_efficiency",
    "local_load_sectors": "local_load_transactions",
    "local_store_sectors": "local_store_transactions",
    "l2_load_sectors": "l2_read_transactions",
    "l2_store_sectors": "l2_write_transactions",
    "dram_load_sectors": "dram_read_transactions",
    "dram_store_sectors": "dram_write_transactions",
    "l1_hit_rate": "global_hit_rate",
}

# counters -> the chapter and the heading of the section that teaches it
TAUGHT: dict[str, tuple[str, str]] = {
    "instructions": ("divergence-and-masks", "What it costs"),
    "thread_instructions": ("divergence-and-masks", "What it costs"),
    "active_lanes_per_instruction": ("divergence-and-masks", "What it costs"),
    "(divergent_)?branches": ("divergence-and-masks", "What does a warp do at an `if`?"),
    "barriers": ("inside-a-multiprocessor", "Whom does it wait for?"),
    "atomics": ("scaling", "Unequal work"),
    r"global_\w+_transactions": ("coalescing", "Two older rules"),
    r"global_\w+_ideal_sectors": ("coalescing", "Spread it"),
    r"global_atomic_\w+": ("scaling", "Unequal work"),
    r"global_\w+|sectors_per_request": ("coalescing", "One request, many addresses"),
    r"shared_atomic_\w+": ("shared-memory-and-banks", "Stores and atomics"),
    r"shared_store_\w+": ("shared-memory-and-banks", "Stores and atomics"),
    r"shared_\w+_bank_conflicts": ("shared-memory-and-banks", "A bank gives one word at a time"),
    r"shared_\w*wavefronts\w*": ("shared-memory-and-banks", "What a wavefront costs"),
    "shared_load_requests": ("shared-memory-and-banks", "A bank gives one word at a time"),
    r"(l1_)?local_\w+": ("inside-a-multiprocessor", "Say which cache"),
    r"texture_\w+": ("inside-a-multiprocessor", "Two more paths to memory"),
    r"constant_\w+": ("inside-a-multiprocessor", "Two more paths to memory"),
    r"l1_\w*hit_rate": ("on-chip-memory", "What the rest is good for"),
    r"(l1|l2|dram)_(load|store|atomic)_\w+|l1_hit_rate": ("inside-a-multiprocessor", "Say which cache"),
    "registers_per_thread": ("wide-loads", "How many registers are there?"),
    "spilled_registers_per_thread": ("wide-loads", "Always two blocks?"),
    "shared_bytes_per_block": ("on-chip-memory", "What a tile costs in warps"),
    "carveout_bytes|l1_bytes": ("on-chip-memory", "One memory, two uses"),
    "blocks_per_multiprocessor|theoretical_occupancy": ("occupancy", "Places for warps"),
}


@dataclass(frozen=True)
class Counter:
    """One row of the table. `source`: file and line of the function `rule_name`, which is the rule."""

    name: str
    topic: str
    meaning: str
    metric: str
    rule: str
    source: tuple[str, int]
    rule_name: str
    chapter: str
    heading: str

    @property
    def anchor(self) -> str:
        """Of the heading, as pages have it: "What it costs" is `what-it-costs`."""
        return re.sub(r"[^a-z0-9]+", "-", self.heading.lower()).strip("-")


def names() -> list[str]:
    """All counters, ratios and resources that a profile can report, in the order of reports."""
    return [*topics.in_order(caches=True), *topics.RESOURCES]


def described(name: str) -> Counter:
    """The row of one counter."""
    rule, function = fitting(RULES, name)
    chapter, heading = fitting(TAUGHT, name)
    if name in counters.ALL_RATIOS:
        above, below, *_ = counters.ALL_RATIOS[name]
        rule = " over ".join(" + ".join(f"`{part}`" for part in parts) for parts in (above, below))
    return Counter(
        name=name,
        topic=topics.topic(name),
        meaning=topics.meaning(name),
        metric=topics.metric(name),
        rule=rule,
        source=place(function),
        rule_name=f"{function.__module__}.{function.__qualname__}",
        chapter=chapter,
        heading=heading,
    )


def fitting(table: dict[str, Any], name: str) -> Any:
    """What a table says about a counter: the first pattern that is all of its name."""
    return next(said for pattern, said in table.items() if re.fullmatch(pattern, name))


@cache
def number_of(chapter: str) -> str:
    """The number with which the title of a chapter begins."""
    return str(TITLE.findall((ROOT / "book" / f"{chapter}.md").read_text(encoding="utf-8"))[0])


def place(function: Callable[..., Any]) -> tuple[str, int]:
    """File within the repository, and line, of a function or class."""
    path = Path(inspect.getsourcefile(function) or "")
    return path.relative_to(ROOT).as_posix(), inspect.getsourcelines(function)[1]


def source_page(path: str, line: int) -> str:
    """Where the book has a line: `../_modules/gpusim/source.html#L12` (`book/_ext/source_lines.py`)."""
    return f"../_modules/{path.removesuffix('.py')}.html#L{line}"


def table() -> HTML:
    """All of them, by topic; `filter.js` gives the table a box that finds rows."""
    rows = [described(name) for name in names()]
    bodies = (
        f'<tbody><tr><th colspan="3" scope="rowgroup">{heading}</th></tr>'
        f"{''.join(map(_row, of_topic))}</tbody>"
        for heading, of_topic in groupby(rows, lambda row: row.topic)
    )
    headings = "".join(f'<th scope="col">{coded(heading)}</th>' for heading in HEADINGS)
    whole = f"<table><thead><tr>{headings}</tr></thead>{''.join(bodies)}</table>"
    return HTML(  # type: ignore[no-untyped-call]
        f'<div class="listing" data-filter="Find a counter, a metric, a word">{whole}</div>'
    )


def _row(row: Counter) -> str:
    path, line = row.source
    name = path.removeprefix("gpusim/")
    cells = (
        f'<td><code>{row.name}</code><div class="metric">{_metric(row.metric)}</div>{_nvprof(row.name)}</td>',
        f'<td>{coded(row.meaning)}<div class="rule">{coded(row.rule)} '
        f'<a class="source" href="{source_page(path, line)}">{name}:{line}</a></div></td>',
        f'<td><a href="{row.chapter}.html#{row.anchor}">'
        f"{number_of(row.chapter)} · {coded(row.heading)}</a></td>",
    )
    return f'<tr id="counter-{row.name}">{"".join(cells)}</tr>'


def _nvprof(name: str) -> str:
    """What it was looked for by in nvprof."""
    broken = NVPROF.get(name, "").replace("_", "_<wbr>").split(", ")
    known = ", ".join(f"<code>{each}</code>" for each in broken)
    return f'<div class="metric">(nvprof: {known})</div>' if name in NVPROF else ""


def _metric(metric: str) -> str:
    """Metrics are names with dots, which may be broken at underscores; what is no metric is a sentence."""
    return re.sub(
        r"[\w…]*__[\w.]+|…_[\w.]+",
        lambda name: f"<code>{name[0].replace('_', '_<wbr>')}</code>",
        escape(metric),
    )
