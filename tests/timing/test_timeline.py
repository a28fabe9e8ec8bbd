"""What do the schedulers of one multiprocessor do in each clock? Worked examples for an H200."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import ReportError
from gpusim.profile import Run
from gpusim.reports.timeline import NOTHING, WAITS, TimelineVariant, WarpTime, packed, unpacked

LATENCY = 4  # clocks from an addition to one that needs its result


@cuda.jit
def chain(x, n):
    t = cuda.grid(1)
    a = x[t]
    for _ in range(n):
        a = a * a + a
    x[t] = a


@cuda.jit
def two_chains(x, n):
    t = cuda.grid(1)
    a = x[t]
    b = a * a
    for _ in range(n):
        a = a * a + a
        b = b * b + b
    x[t] = a + b


@cuda.jit
def late(x):
    t = cuda.threadIdx.x
    a = x[t]
    if t < 32:
        for _ in range(64):
            a = a * a + a
    cuda.syncthreads()
    x[t] = a


def profiled(kernel, warps: int, *arguments, blocks: int = 1, device: str = "H200") -> Run:
    with gpusim.profile(device=device) as run:
        kernel[blocks, 32 * warps](np.ones(32 * warps * blocks, np.float32), *arguments)
    return run


@cache
def shown(kernel, warps_per_block: int, *arguments, **window) -> TimelineVariant:
    (variant,) = profiled(kernel, warps_per_block, *arguments).timeline(**window).variants
    return variant


def states(warp: WarpTime) -> str:
    return unpacked(warp.states)


def line_of(variant: TimelineVariant, text: str) -> str:
    """The mark of a source line."""
    (mark,) = (line.mark for line in variant.lines if text in line.source)
    return mark


def test_one_warp_of_dependent_additions_issues_every_four_clocks():
    variant = shown(chain, 1, 16, clocks=500)
    (warp,) = variant.warps
    begin = states(warp).index("Fwww")
    assert states(warp)[begin:][: 12 * LATENCY] == "Fwww" * 12
    of = line_of(variant, "a * a + a")
    assert unpacked(warp.lines)[begin:][: 12 * LATENCY] == of * 12 * LATENCY
    assert unpacked(warp.causes)[begin:][: 3 * LATENCY] == f"{NOTHING}{of * 3}" * 3
    assert unpacked(variant.slots[0])[begin:][: 3 * LATENCY] == "Fwww" * 3
    assert {unpacked(each) for each in variant.slots[1:]} == {NOTHING * variant.clocks}


def test_two_independent_chains_issue_twice_as_often():
    (warp,) = shown(two_chains, 1, 16, clocks=500).warps
    assert "FFww" * 10 in states(warp)


def test_four_warps_have_a_scheduler_each_and_never_wait_for_their_turn():
    variant = shown(chain, 4, 16, clocks=500)
    assert [(warp.warp, warp.scheduler) for warp in variant.warps] == [(0, 0), (1, 1), (2, 2), (3, 3)]
    for warp, slots in zip(variant.warps, variant.slots, strict=True):
        assert "n" not in states(warp)
        assert re.sub("[a-z]", "", unpacked(slots)) == re.sub("[a-z]", "", states(warp))


@pytest.mark.parametrize(("warps", "used"), [(4, 1), (8, 2), (16, 4)])
def test_two_and_four_warps_of_a_scheduler_hide_the_latency(warps, used):
    """Of the four clocks of every addition they use two and four."""
    variant = shown(chain, warps, 16, clocks=500)
    ends = [re.search("(Fwww){8}", states(warp)) for warp in variant.warps if warp.scheduler == 0]
    begin = max(found.start() for found in ends)
    slots = unpacked(variant.slots[0])[begin : begin + 6 * LATENCY]
    assert [slots[clock:][:LATENCY].count("F") for clock in range(0, len(slots), LATENCY)] == [used] * 6


def test_a_load_makes_its_warp_wait_for_memory_some_hundred_clocks():
    variant = shown(chain, 1, 16, clocks=500)
    (warp,) = variant.warps
    (wait,) = re.finditer("m+", states(warp))
    assert 250 < len(wait[0]) < 350
    assert states(warp)[wait.start() - 1] == "L"
    assert set(unpacked(warp.causes)[wait.start() : wait.end()]) == {line_of(variant, "a = x[t]")}
    cold = profiled(chain, 1, 16).timeline(clocks=900, warm=False).variants[0].warps[0]
    assert len(re.search("m+", states(cold))[0]) > 600


def test_warps_wait_at_a_barrier_for_the_one_that_is_late():
    variant = shown(late, 8, clocks=800)
    first, *others = variant.warps
    arrives = states(first).index("b")
    opens = re.search("b+", states(first)).end()
    assert first.warp == 0
    for warp in others:
        wait = re.search("b+", states(warp))
        assert wait.start() < arrives - 60 * LATENCY
        assert wait.end() == opens
        assert set(unpacked(warp.causes)[wait.start() : wait.end()]) == {line_of(variant, "syncthreads")}


@pytest.mark.parametrize(
    ("kernel", "warps", "arguments"), [(chain, 12, (20,)), (late, 8, ()), (late, 32, ())]
)
def test_its_clocks_are_those_of_the_timing(kernel, warps, arguments):
    """One character is one clock of `run.timing().stalls`; but for fractions of clocks."""
    run = profiled(kernel, warps, *arguments)
    (variant,), timing = run.timeline(clocks=2000).variants, run.timing()
    assert not variant.left_out
    text = "".join(map(states, variant.warps))
    counted = {name: text.count(mark) / timing.instructions for mark, (name, _) in WAITS.items()}
    issued = sum(map(str.isupper, text)) / timing.instructions
    assert {"selected": issued, **counted} == pytest.approx(timing.stalls, abs=0.02)


@pytest.mark.parametrize("device", ["H200", "P100", "MetaX C500"])
def test_a_scheduler_issues_one_warp_per_clock_and_every_slot_is_used_or_lost(device):
    (variant,) = profiled(two_chains, 16, 20, device=device).timeline(clocks=300).variants
    groups = [[states(w) for w in variant.warps if w.scheduler == s] for s, _ in enumerate(variant.slots)]
    used = 0
    for group, slots in zip(groups, map(unpacked, variant.slots), strict=True):
        assert {len(each) for each in (*group, slots)} == {variant.clocks}
        for clock, slot in enumerate(slots):
            issued = [each[clock] for each in group if each[clock].isupper()]
            waiting = [each[clock] for each in group]
            assert issued == ([slot] if slot.isupper() else [])
            assert slot.isupper() or waiting.count(slot) == max(map(waiting.count, waiting))
            used += slot.isupper()
    assert used == variant.used
    assert used + sum(variant.lost.values()) == len(variant.slots) * variant.clocks


def test_a_window_is_a_part_of_the_whole():
    whole = shown(chain, 16, 40, clocks=600)
    for first, clocks in ((0, 50), (120, 300), (350, 100)):
        part = shown(chain, 16, 40, first=first, clocks=clocks)
        for warp, all_of_it in zip(part.warps, whole.warps, strict=True):
            assert states(warp) == states(all_of_it)[first : first + clocks]
        assert (part.first, part.clocks) == (first, clocks)


def test_of_many_warps_those_of_the_first_schedulers_are_shown():
    many = shown(chain, 32, 16)
    assert many.left_out == ""
    few = shown(chain, 32, 16, warps=20)
    assert {warp.scheduler for warp in few.warps} == {0, 1}
    assert few.slots == many.slots[:2]
    assert few.left_out == (
        "Not shown: 16 more warps of this multiprocessor, nor what 2 more schedulers issued."
    )
    assert [warp.warp for warp in shown(chain, 32, 16, warps=2).warps] == [0, 4]


def test_later_blocks_take_the_place_of_earlier_ones():
    """Two of 32 warps fit on a multiprocessor; the 300 blocks are dealt to 132 of them."""
    run = profiled(chain, 32, 4, blocks=300)
    early, late = (run.timeline(first=first, warps=16, clocks=400).variants[0] for first in (0, 1500))
    assert {warp.block for warp in early.warps} == {0, 1}
    assert early.left_out.startswith("Not shown: 48 more warps")
    assert 2 in {warp.block for warp in late.warps}


def test_the_drawn_multiprocessor_has_the_pipes_of_the_device():
    pipes = {pipe.name: (pipe.units, pipe.interval) for pipe in shown(chain, 1, 4).multiprocessor.pipes}
    assert pipes["FP32"] == (32, 1)
    assert pipes["SFU"] == (4, 8)
    p100 = profiled(chain, 1, 4, device="P100").timeline().variants[0].multiprocessor
    assert (p100.schedulers, p100.registers, p100.memory) == (2, "256 KB", "88 KB")


@pytest.mark.parametrize("window", [{"first": -1}, {"clocks": 0}, {"clocks": 2001}, {"warps": 33}])
def test_a_window_that_cannot_be_drawn_is_refused(window):
    with pytest.raises(ReportError, match="a timeline shows 1 to 2000 clocks and 1 to 32 warps"):
        profiled(chain, 1, 4).timeline(**window)


def test_a_window_after_the_end_is_refused():
    with pytest.raises(ReportError, match=r"nothing happens from clock 1900 on: .* is done at clock \d+"):
        profiled(chain, 1, 4).timeline(first=1900)


def test_a_kernel_may_have_a_thousand_lines():
    lines = "v = v * 0.5f + 1.0f;\n" * 1000
    text = f"""extern "C" __global__ void kernel(float* x) {{
        float v = x[threadIdx.x];
        {lines} x[threadIdx.x] = v; }}"""
    with gpusim.profile() as run:
        gpusim.RawModule(code=text).get_function("kernel")((1,), (32,), (np.ones(32, np.float32),))
    (variant,) = run.timeline(first=3000, clocks=400).variants
    assert [line.line for line in variant.lines] == list(
        range(variant.lines[0].line, variant.lines[-1].line + 1)
    )
    assert unpacked(variant.warps[0].states).count("F") == 100


def test_a_failed_launch_has_no_timeline():
    with gpusim.profile() as run, pytest.raises(gpusim.GpuSimError):
        chain[1, 64](np.ones(40, np.float32), 4)
    with pytest.raises(ReportError, match="chain cannot be timed: an error ended it"):
        run.timeline()


def test_sliders_stand_over_all_combinations_of_runs():
    kernels = {1: chain, 2: two_chains}
    runs = {(warps, chains): profiled(kernels[chains], warps, 16) for chains in (1, 2) for warps in (2, 4, 8)}
    report = gpusim.explore_timeline(runs, ("Warps", "Chains"), start=(8, 1), title="Hidden", clocks=350)
    assert [(knob.name, knob.values) for knob in report.knobs] == [
        ("Warps", ("2", "4", "8")),
        ("Chains", ("1", "2")),
    ]
    assert [variant.label for variant in report.variants][:3] == [
        "Warps: 2, Chains: 1",
        "Warps: 2, Chains: 2",
        "Warps: 4, Chains: 1",
    ]
    assert (report.title, report.variants[report.start].label) == ("Hidden", "Warps: 8, Chains: 1")
    assert {variant.clocks for variant in report.variants} == {350}
    assert [len(variant.warps) for variant in report.variants] == [2, 2, 4, 4, 8, 8]


def test_without_sliders_runs_and_timelines_have_labels():
    run = profiled(chain, 2, 16)
    report = gpusim.explore_timeline({"warm": run, "cold": run.timeline(warm=False)})
    assert [variant.label for variant in report.variants] == ["warm", "cold"]
    assert (report.knobs, report.start) == ((), 0)


def test_what_cannot_be_explored_is_refused():
    run = profiled(chain, 2, 16)
    with pytest.raises(ReportError, match="pass at least one run"):
        gpusim.explore_timeline({})
    with pytest.raises(
        ReportError, match="one run for each combination of their values; 3 runs are no 2 × 2"
    ):
        gpusim.explore_timeline({(1, 1): run, (1, 2): run, (2, 1): run}, ("Warps", "Chains"))
    with pytest.raises(ReportError, match="sliders Warps need one run"):
        gpusim.explore_timeline({(1, 1): run, (1, 2): run}, ("Warps",))
    with pytest.raises(ReportError, match="there is no run for the start 3"):
        gpusim.explore_timeline({1: run, 2: run}, ("Warps",), start=3)


def test_packing_keeps_every_character():
    assert packed("") == ""
    for text in ("F", "FwwwF", "m" * 300 + "FI" + "n" * 12):
        assert unpacked(packed(text)) == text
