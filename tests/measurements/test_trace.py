"""What does the warp player show? Every frame of small kernels, checked by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import ReportError
from gpusim.measurements.trace import hexadecimal

END = "the kernel's end"


@cuda.jit
def halves(x):
    i = cuda.threadIdx.x
    if i < 16:
        x[i] = 1
    else:
        x[i] = 2
    x[i] += 3


@cuda.jit
def waits(x):
    i = cuda.threadIdx.x
    if i >= 40:
        return
    cuda.syncthreads()
    x[i] = 1


@cuda.jit
def nested(x):
    i = cuda.threadIdx.x
    if i < 16:
        if i < 8:
            x[i] = 1
        x[i] += 2


def frames(run):
    """(warp, source text, states, active) of each frame."""
    report = run.warp_report().as_dict()
    first, texts = report["source"]["first_line"], texts_of(report)
    return [
        (f["warp"], texts[f["line"] - first], f["states"], f["active"])
        for f in report["variants"][0]["frames"]
    ]


def texts_of(report):
    """The lines of the kernel, and of its end."""
    return [*(text.strip() for text in report["source"]["lines"]), END]


def stacks(run, line):
    """The mask stacks of the frames at a source text: (what, mask, its text, text of the meeting line)."""
    report = run.warp_report().as_dict()
    first, texts = report["source"]["first_line"], texts_of(report)
    return [
        [
            (
                e["what"],
                e["mask"],
                texts[e["line"] - first],
                e["reconverges_at"] and texts[e["reconverges_at"] - first],
            )
            for e in frame["stack"]
        ]
        for frame in report["variants"][0]["frames"]
        if texts[frame["line"] - first] == line
    ]


def test_a_halved_warp_frame_by_frame(scheduling):
    with gpusim.profile("H200", scheduling=scheduling) as run:
        halves[1, 32](np.zeros(32))
    assert frames(run) == [
        (0, "i = cuda.threadIdx.x", "c" * 32, 32),
        (0, "if i < 16:", "c" * 32, 32),
        (0, "x[i] = 1", "i" * 16 + "s" * 16, 16),
        (0, "x[i] = 2", "s" * 16 + "e" * 16, 16),
        (0, "x[i] += 3", "c" * 32, 32),
        (0, END, "c" * 32, 32),
    ]
    shown = run.warp_report().as_dict()["variants"][0]["frames"]
    assert [f["instructions"] for f in shown][2:4] == [
        ["st.global.f64 x[%i], 1.0", "bra B3"],
        ["st.global.f64 x[%i], 2.0"],
    ]
    assert [f.get("taken", "") for f in shown] == ["", "0000ffff", "", "", "", ""]
    assert [f["so_far"]["thread_instructions"] for f in shown] == [32, 128, 160, 176, 272, 304]
    assert [f["so_far"]["active_lanes_per_instruction"] for f in shown] == [32, 32, 26.67, 25.14, 27.2, 27.64]


def test_the_stack_of_a_halved_warp():
    with gpusim.profile("H200", scheduling="stack") as run:
        halves[1, 32](np.zeros(32))
    whole = ("everyone", "ffffffff", "x[i] += 3", None)
    other = ("else side", "ffff0000", "x[i] = 2", "x[i] += 3")
    assert stacks(run, "if i < 16:") == [[("everyone", "ffffffff", "if i < 16:", None)]]
    assert stacks(run, "x[i] = 1") == [[whole, other, ("if side", "0000ffff", "x[i] = 1", "x[i] += 3")]]
    assert stacks(run, "x[i] = 2") == [[whole, other]]
    assert stacks(run, "x[i] += 3") == [[whole]]


def test_independent_lanes_wait_for_each_other_without_a_stack():
    with gpusim.profile("H200", scheduling="independent") as run:
        halves[1, 32](np.zeros(32))
    (expected, *_, running) = stacks(run, "x[i] = 1")[0]
    assert expected == ("meeting point", "ffffffff", "x[i] += 3", None)
    assert running == ("if side", "0000ffff", "x[i] = 1", "x[i] += 3")
    assert stacks(run, "x[i] += 3") == [[("everyone", "ffffffff", "x[i] += 3", None)]]


def test_a_partial_warp_an_early_return_and_a_barrier(scheduling):
    with gpusim.profile("H200", scheduling=scheduling) as run:
        waits[1, 48](np.zeros(48))
    second = [(text, states, active) for warp, text, states, active in frames(run) if warp == 1]
    assert second == [
        ("i = cuda.threadIdx.x", "c" * 16 + "." * 16, 16),
        ("if i >= 40:", "c" * 16 + "." * 16, 16),
        ("return", "s" * 8 + "i" * 8 + "." * 16, 8),
        ("cuda.syncthreads()", "c" * 8 + "x" * 8 + "." * 16, 8),
        ("x[i] = 1", "c" * 8 + "x" * 8 + "." * 16, 8),
        (END, "c" * 8 + "x" * 8 + "." * 16, 8),
    ]
    variant = run.warp_report().as_dict()["variants"][0]
    assert variant["warps"] == [
        {"block": [0, 0, 0], "warp": 0, "threads": 32},
        {"block": [0, 0, 0], "warp": 1, "threads": 16},
    ]
    assert run.kernels[0].warps() == run.warp_report().variants[0].warps


def test_nested_branches_stack_up():
    with gpusim.profile("H200", scheduling="stack") as run:
        nested[1, 32](np.zeros(32))
    inner = stacks(run, "x[i] = 1")[0]
    assert [mask for _, mask, *_ in inner] == ["ffffffff", "0000ffff", "000000ff"]
    assert [len(stack) for stack in stacks(run, "x[i] += 2")] == [2]
    assert [(text, states) for _, text, states, _ in frames(run)][-2:] == [
        ("x[i] += 2", "i" * 16 + "s" * 16),
        (END, "c" * 32),
    ]


def test_64_lanes_have_masks_of_16_digits():
    with gpusim.profile("MetaX C500") as run:
        halves[1, 64](np.zeros(64))
    variant = run.warp_report().as_dict()["variants"][0]
    assert variant["lanes"] == 64
    assert {len(f["states"]) for f in variant["frames"]} == {64}
    assert stacks(run, "x[i] = 1")[0][-1][1] == "000000000000ffff"


def test_every_frame_is_consistent(machine):
    with gpusim.profile(schedule=3) as run:
        waits[2, 70](np.zeros(70))
    variant = run.warp_report().as_dict()["variants"][0]
    total = 0
    for frame in variant["frames"]:
        lanes = variant["warps"][frame["warp"]]["threads"]
        assert len(frame["states"]) == variant["lanes"]
        assert frame["states"].count(".") == variant["lanes"] - lanes
        assert sum(frame["states"].count(state) for state in "cie") == frame["active"]
        assert int(frame["stack"][-1]["mask"], 16).bit_count() == frame["active"]
        total += frame["active"] * len(frame["instructions"])
    assert total == run.thread_instructions == variant["totals"]["thread_instructions"]
    json.dumps(run.warp_report().as_dict())


def test_large_grids_are_not_traced():
    with gpusim.profile("H200") as run:
        halves[17, 32](np.zeros(32))
    with pytest.raises(
        ReportError, match="halves was not traced: its grid has 17 warps, and traces are kept up to 16"
    ):
        run.warp_report()


def test_blocks_are_cut_into_warps_in_linear_order():
    with gpusim.profile("MetaX C500") as run:
        halves[1, (40, 2)](np.zeros(40))
    variant = run.block_report().as_dict()["variants"][0]
    assert (variant["lanes"], variant["block"]) == (64, [40, 2, 1])
    first, second = variant["warps"]
    assert (first["threads"], second["threads"]) == (64, 16)
    assert (list(first["last"]), list(second["first"])) == ([23, 1, 0], [24, 1, 0])


def test_masks_are_written_as_cuda_prints_them():
    mask = np.zeros(32, bool)
    mask[[0, 5, 31]] = True
    assert hexadecimal(mask) == "80000021"
