"""When is a count higher than it need be, what is there to say, and where does the book explain it?

Each rule is a row of a table. The ideal is a count, never a time: the sectors that the same lanes would fill
side by side, one wavefront a phase, one word of a constant, whole warps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from gpusim.devices import Device
from gpusim.reports.launch import Example, LaunchReport, LineReport
from gpusim.whole import number_of


class LineRule(NamedTuple):
    """By how much does a line exceed the ideal, and what does that mean? Its `counters` are marked."""

    name: str
    counters: tuple[str, ...]
    excess: Callable[[LineReport, Device], float]
    sentence: Callable[[LineReport, Device], str]
    page: str


class LaunchRule(NamedTuple):
    """The same for a launch: (excess, sentence, the line to look at, if one), or None if all is well."""

    name: str
    counters: tuple[str, ...]
    found: Callable[[LaunchReport, Device], tuple[float, str, LineReport | None] | None]
    page: str


# sentences --------------------------------------------------------------------------------------------------

READ = {"load": "read", "store": "write", "atomic": "update"}


def mean(total: float, count: float) -> str:
    """`32`, or `4.8` where the mean is no whole number."""
    value = total / count
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


def _example(line: LineReport, memory: str, kind: str) -> Example:
    return line.examples[f"{memory}_{kind}"]


def _apart(example: Example, kind: str) -> str:
    """How far apart are the addresses of neighbouring lanes?"""
    stride = example.stride_bytes
    if stride is None:
        return "its lanes' addresses lie scattered"
    return f"neighbouring lanes {READ[kind]} addresses {abs(stride):,} bytes apart"


def _each(took: float, ideal: float, requests: float, example: Example, what: str) -> str:
    """`each request takes 32 wavefronts where 1 would do`, or the mean if requests differ."""
    means = what.format(here := mean(took, requests), best := mean(ideal, requests))
    if here == best:
        return f"at least one of {requests:,} requests {what.format(example.took, example.ideal)}: "
    if took == example.took * requests:
        return f"each request {means}: "
    return f"on average a request {means}, and one of them {example.took}: "


def _why_sectors(example: Example, kind: str, device: Device) -> str:
    if device.memory_rule == "cc1.0":
        return "lane k must access word k from a multiple of 16 words on (compute capability 1.0 and 1.1)"
    if abs(example.stride_bytes or 0) <= example.width_bytes and example.offset_bytes:
        return f"the warp's addresses begin {example.offset_bytes} bytes behind a multiple of 32"
    if example.stride_bytes is not None and abs(example.stride_bytes) <= example.width_bytes:
        return "its lanes' addresses lie in several pieces"
    return _apart(example, kind)


def _sectors_beyond(kind: str) -> Callable[[LineReport, Device], float]:
    return lambda line, _device: line[f"global_{kind}_sectors"] - line[f"global_{kind}_ideal_sectors"]


def _sectors(kind: str) -> Callable[[LineReport, Device], str]:
    def sentence(line: LineReport, device: Device) -> str:
        requests, sectors, ideal = (
            line[f"global_{kind}_{what}"] for what in ("requests", "sectors", "ideal_sectors")
        )
        example = _example(line, "global", kind)
        whole = f"of {device.warp_size} lanes " if example.lanes == device.warp_size else ""
        what = whole + "touches {} sectors where {} would hold the data"
        return _each(sectors, ideal, requests, example, what) + _why_sectors(example, kind, device)

    return sentence


def _global_atomics(line: LineReport, device: Device) -> str:
    requests, sectors, ideal = (
        line[f"global_atomic_{what}"] for what in ("requests", "sectors", "ideal_sectors")
    )
    example = _example(line, "global", "atomic")
    each = _each(sectors, ideal, requests, example, "works {} times on a sector where {} would do")
    if example.stride_bytes == 0:
        return (
            f"{each}its lanes update one word and take turns; combine their values within the warp or the "
            "block, and let one lane update the word"
        )
    return each + _apart(example, "atomic")


def _conflicts(kind: str) -> Callable[[LineReport, Device], float]:
    return lambda line, _device: line[f"shared_{kind}_bank_conflicts"]


def _banks(kind: str) -> Callable[[LineReport, Device], str]:
    def sentence(line: LineReport, device: Device) -> str:
        requests, wavefronts = line[f"shared_{kind}_requests"], line[f"shared_{kind}_wavefronts"]
        example = _example(line, "shared", kind)
        ideal = wavefronts - line[f"shared_{kind}_bank_conflicts"]
        each = _each(wavefronts, ideal, requests, example, "takes {} wavefronts where {} would do")
        stride = example.stride_bytes
        if kind == "atomic" and stride == 0:
            return f"{each}its lanes update one word and take turns"
        if stride and stride % device.bank_bytes == 0:
            reached = device.shared_banks // math.gcd(stride // device.bank_bytes, device.shared_banks)
            return f"{each}{_apart(example, kind)}, which reach {reached} of {device.shared_banks} banks"
        return f"{each}its lanes want different words of one bank"

    return sentence


def _local(line: LineReport, device: Device) -> str:
    requests = line["local_load_requests"] + line["local_store_requests"]
    sectors = line["local_load_sectors"] + line["local_store_sectors"]
    return (
        f"{number_of(requests, 'request')} to local memory, {number_of(sectors, 'sector')}: a thread's own "
        "array lies in device memory unless its elements can be kept in registers"
    )


def _constant_passes(line: LineReport, device: Device) -> float:
    """What its loads need if all lanes ask for one word; where half-warps make requests, two of them."""
    return line["constant_load_requests"] * (device.warp_size // device.request_lanes)


def _constants(line: LineReport, device: Device) -> str:
    requests = line["constant_load_requests"]
    passes, ideal = (
        mean(line["constant_load_passes"], requests),
        mean(_constant_passes(line, device), requests),
    )
    return (
        f"a read of constant memory takes {passes} passes where {ideal} would do: the lanes of a warp ask "
        "for different words, and the cache gives one at a time"
    )


def _split(line: LineReport, device: Device) -> str:
    split, branches = line["divergent_branches"], line["branches"]
    return f"at {split:,} of {branches:,} branches the warp splits and runs both sides, one after the other"


def _mostly_split(line: LineReport, device: Device) -> float:
    """Divergent branches with work on both sides, where most that come there split."""
    split = line["divergent_branches"] if line.both_sides_work else 0
    return float(split) if 2 * split >= line["branches"] else 0.0


# launches ---------------------------------------------------------------------------------------------------


def _partial_warps(launch: LaunchReport, device: Device) -> tuple[float, str, None] | None:
    threads, lanes = math.prod(launch.block), device.warp_size
    used = threads % lanes
    if not used:
        return None
    return (
        lanes - used,
        f"a block has {number_of(threads, 'thread')}, so its last warp only {used} of {lanes} lanes: the "
        f"{lanes - used} others do nothing; choose a multiple of {lanes}",
        None,
    )


def _idle_lanes(launch: LaunchReport, device: Device) -> tuple[float, str, LineReport] | None:
    """At most half of the lanes at work on average: half of the instructions would do."""
    threads = math.prod(launch.block)
    present = threads / -(-threads // device.warp_size)
    if not launch["instructions"] or 2 * launch["active_lanes_per_instruction"] > present:
        return None

    def idle(line: LineReport) -> float:
        return float(line["instructions"] * present - line["thread_instructions"])

    worst = max(launch.lines, key=idle)
    here = f"{worst['active_lanes_per_instruction']:.1f}"
    return (
        idle(worst),
        f"{here} of {device.warp_size} lanes work here on average, and nowhere do more stand idle: the "
        "others wait for lanes that took another way, or have left",
        worst,
    )


def _spills(launch: LaunchReport, device: Device) -> tuple[float, str, None] | None:
    spilled = launch["spilled_registers_per_thread"]
    if not spilled:
        return None
    held = launch["registers_per_thread"]
    return (
        spilled,
        f"{number_of(spilled, 'value')} of a thread spill to local memory: it may use {held} registers only",
        None,
    )


def _occupancy(launch: LaunchReport, device: Device) -> tuple[float, str, None] | None:
    found = launch.occupancy
    registers, shared = launch["registers_per_thread"], launch["shared_bytes_per_block"]
    held = f"{number_of(found.blocks, 'block')} of {number_of(found.threads, 'thread')} at once"
    limited = {
        "registers": f"the registers hold {held}, {registers:,} registers per thread",
        "shared memory": f"{launch['carveout_bytes']:,} bytes of shared memory hold {held}, {shared:,} bytes "
        "each",
    }
    if found.limited_by not in limited:
        return None
    more = f"; one block more needs {found.needs}" if found.needs else ""
    return (
        found.max_warps - found.warps,
        f"{limited[found.limited_by]}: {found.warps} of a multiprocessor's {found.max_warps} warps{more}",
        None,
    )


LINE_RULES = (
    *(
        LineRule(
            f"uncoalesced {kind}s",
            (f"global_{kind}_requests", f"global_{kind}_sectors"),
            _sectors_beyond(kind),
            _sectors(kind),
            "coalescing",
        )
        for kind in ("load", "store")
    ),
    LineRule(
        "atomics that wait for each other",
        ("global_atomic_requests", "global_atomic_sectors"),
        _sectors_beyond("atomic"),
        _global_atomics,
        "coalescing",
    ),
    *(
        LineRule(
            "bank conflicts",
            (f"shared_{kind}_wavefronts", f"shared_{kind}_bank_conflicts"),
            _conflicts(kind),
            _banks(kind),
            "shared-memory-and-banks",
        )
        for kind in ("load", "store", "atomic")
    ),
    LineRule(
        "local memory",
        ("local_load_requests", "local_store_requests"),
        lambda line, _device: line["local_load_requests"] + line["local_store_requests"],
        _local,
        "coalescing",
    ),
    LineRule(
        "constants at different addresses",
        ("constant_load_requests", "constant_load_passes"),
        lambda line, device: line["constant_load_passes"] - _constant_passes(line, device),
        _constants,
        "on-chip-memory",
    ),
    LineRule("divergence", ("divergent_branches",), _mostly_split, _split, "divergence-and-masks"),
)
LAUNCH_RULES = (
    LaunchRule("idle lanes", ("active_lanes_per_instruction",), _idle_lanes, "divergence-and-masks"),
    LaunchRule("partial warps", (), _partial_warps, "threads-warps-and-waves"),
    LaunchRule("spills", ("spilled_registers_per_thread",), _spills, "wide-loads"),
    LaunchRule("occupancy", ("theoretical_occupancy",), _occupancy, "occupancy"),
)
