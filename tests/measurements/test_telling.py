"""Are the warp player's sentences true? On kernels of many kinds, both models, both widths, any order."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import pairwise

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import GpuSimError, ReportError
from gpusim.machine.device_state import DeviceState
from gpusim.measurements.telling import who


@cuda.jit
def nested(x):
    i = cuda.grid(1)
    total = 0
    if i < 24:
        for step in range(i // 8 + 1):  # noqa: B007
            if i % 2 == 0:
                total += 10
            else:
                total += 1
    else:
        total = -1
    x[i] = total


@cuda.jit
def countdown(x):
    i = cuda.grid(1)
    left = i % 4
    while left > 0:
        if left == 2 and i > 3:
            left -= 1
            continue
        left -= 1
    if i < 3:
        x[i] = 1


@cuda.jit
def early(x):
    i = cuda.grid(1)
    if not i < 20:
        return
    for k in range(5):
        if k == i // 4:
            break
        x[i] += k


@cuda.jit
def hand_over(x):
    i = cuda.threadIdx.x
    if i < 16:
        while x[0] == 0:
            pass
        x[i] = x[0]
    else:
        x[0] = 7


@cuda.jit
def at_a_barrier(x):
    tile = cuda.shared.array(64, np.int32)
    i = cuda.threadIdx.x
    if i >= 40:
        return
    tile[i] = x[i]
    cuda.syncthreads()
    x[i] = tile[39 - i] if i % 3 == 1 else tile[i]


@cuda.jit
def one_lane(x):
    i = cuda.threadIdx.x
    if i == 5:
        while x[5] < 3:
            x[5] += 1
    elif i > 5 and x[i] == 0:
        x[i] = 2


KERNELS = [nested, countdown, early, hand_over, at_a_barrier, one_lane]
MACHINES = [
    ("P100", None),
    ("H200", None),
    ("MetaX C500", None),
    ("H200", "serial"),
    ("H200", 3),
    ("P100", 11),
]
LANES = (
    r"(?:[Ll]anes? (?P<ranges>[\d–, ]+\d|\d+)|[Aa]ll (?P<all>\d+)(?: lanes)?(?: in use)?"
    r"|(?:[Tt]he )?(?P<count>\d+) (?:odd |even )?lanes(?: from \d+ to \d+| \([^)]*\))?)"
)


def told(kernel, device, schedule, threads=48):
    """The report's one variant, and the frames of each warp in order."""
    with gpusim.profile(device, schedule=schedule, step_budget=900) as run, suppress(GpuSimError):
        kernel[1, threads](np.zeros(64, np.int32))
    report = run.warp_report()
    (variant,) = report.variants
    by_warp = [[f for f in variant.frames if f.warp == warp] for warp in range(len(variant.warps))]
    return report, variant, by_warp


def number_of(found: re.Match[str]) -> int:
    """How many lanes does a phrase name?"""
    if found["ranges"]:
        ends = [part.split("–") for part in found["ranges"].split(", ")]
        return sum(int(end[-1]) - int(end[0]) + 1 for end in ends)
    return int(found["all"] or found["count"])


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.py_func.__name__)
@pytest.mark.parametrize(("device", "schedule"), MACHINES)
def test_every_sentence_is_true(kernel, device, schedule):
    report, variant, by_warp = told(kernel, device, schedule)
    end = report.source.first_line + len(report.source.lines)

    def place(line: int) -> str:
        return "the kernel's end" if line == end else f"line {line}"

    for frames in by_warp:
        for frame, after in zip(frames, [*frames[1:], None], strict=True):
            text = frame.event
            assert "whole warp" not in text
            taken = int(frame.taken or "0", 16).bit_count()
            if "disagree" not in text:  # who runs comes first
                who = re.match(LANES, text)
                assert who, text
                assert number_of(who) == frame.active, text
                assert "PUSH" not in text
            else:
                assert 0 < taken < frame.active
                condition = re.search("`(.*)`", text)
                line = report.source.lines[frame.line - report.source.first_line]
                assert condition is None or condition[1] in line
            if "agree: " in text:
                assert (" is true" in text, " is false" in text) == (taken > 0, taken == 0), text
            if after is None:
                continue
            deeper = len(after.stack) - len(frame.stack)
            if variant.scheduling == "stack":
                assert ("PUSH" in text, "POP" in text) == (deeper > 0, deeper < 0), text
                assert ("Nothing to push" in text) == ("disagree" in text and deeper == 0)
            for phrase in ("on top now, at", "go on together at", "and go on together", "the turn of"):
                if phrase in text:
                    who = re.search(LANES, text.split(". ")[-1])
                    assert number_of(who) == after.active, text
                    assert place(after.line) in text
            if frame.happens in ("push", "part") and "the turn of" not in text:
                first = re.search(
                    LANES + r" (?:runs?|goes|go)(?: first, to)? (the kernel's end|line \d+)", text
                )
                assert first, text
                assert number_of(first) == after.active
                assert first[4] == place(after.line)


@pytest.mark.parametrize(("device", "schedule"), MACHINES)
def test_masks_that_are_told_are_the_masks_that_wait(device, schedule):
    """Whoever waits "for line 12" is in an entry at line 12, below the top."""
    _, variant, by_warp = told(nested, device, schedule)
    for frame in (frame for frames in by_warp for frame in frames):
        for waits in re.finditer(
            LANES + r" waits? (?:for|in|at) line (\d+)", frame.event.split("disagree")[0]
        ):
            lines = {entry.line for entry in frame.stack[:-1]}
            assert int(waits[4]) in lines, frame.event
            assert number_of(waits) <= variant.lanes - frame.active


def test_a_kernel_told_from_beginning_to_end():
    _, _, (frames,) = told(nested, "P100", None, threads=32)
    first = frames[0].line
    assert [frame.event.replace(f"line {frame.line}", "this line") for frame in frames[2:8]] == [
        f"Lanes disagree about `i < 24`. PUSH: lanes 24–31 wait for line {first + 9}, lanes 0–23 run line "
        f"{first + 3} first. All 32 meet again at line {first + 10}.",
        f"Lanes 0–23 run `for step in range(i // 8 + 1)`; lanes 24–31 wait for line {first + 9}.",
        f"Lanes 0–23 agree: `step in range(i // 8 + 1)` is true, so line {first + 4} comes next.",
        "Lanes disagree about `i % 2 == 0`. PUSH: the 12 odd lanes from 1 to 23 wait for line "
        f"{first + 7}, the 12 even lanes from 0 to 22 run line {first + 5} first. All 24 meet again at line "
        f"{first + 3}.",
        f"The 12 even lanes from 0 to 22 run `total += 10`. They reach line {first + 3}, the meeting point: "
        f"POP. The 12 odd lanes from 1 to 23 are on top now, at line {first + 7}.",
        f"The 12 odd lanes from 1 to 23 run `total += 1`. They reach line {first + 3}, the meeting point: "
        f"POP. Lanes 0–23 go on together at line {first + 3}.",
    ]
    assert frames[-1].event == "All 32 lanes leave the kernel. The warp is done."


@pytest.mark.parametrize(
    ("numbers", "name"),
    [
        ([3], "lane 3"),
        ([0, 1, 2, 8, 9, 30], "lanes 0–2, 8–9, 30"),
        ([1, 3, 5, 7], "the 4 odd lanes from 1 to 7"),
        (range(0, 32, 4), "8 lanes (mask 0x11111111)"),
    ],
)
def test_lanes_are_told_so_that_each_of_them_is_known(numbers, name):
    assert who(np.isin(np.arange(32), numbers)) == name


def test_who_ran_and_then_waits_is_not_told_twice():
    _, _, (frames,) = told(nested, "H200", None, threads=32)
    line = frames[0].line + 3
    assert frames[6].event == (
        f"The 12 even lanes from 0 to 22 run `total += 10`. Then they wait at line {line} for the others. "
        f"Now it is the turn of the 12 odd lanes from 1 to 23, at line {line + 4}."
    )


def test_an_entry_keeps_its_name_until_it_is_popped():
    _, _, (frames,) = told(nested, "P100", None, threads=32)
    names = [[entry.what for entry in frame.stack] for frame in frames]
    assert names[6] == ["everyone", "else side", "if side", "else side", "if side"]
    for before, after in pairwise(names):
        shared = min(len(before), len(after)) - (len(after) == len(before))
        assert before[:shared] == after[:shared]


# values -----------------------------------------------------------------------------------------------------


def lane_values(variant, frames, name):
    """What every lane holds in a variable after each frame."""
    held, found = [None] * variant.lanes, []
    for frame in frames:
        lanes = [lane for lane, state in enumerate(frame.states) if state in "cie"]
        for place, values in frame.given:
            if variant.names[place] == name:
                texts = values.split()
                for number, lane in enumerate(lanes):
                    held[lane] = texts[number if len(texts) > 1 else 0]
        found.append(list(held))
    return found


@pytest.mark.parametrize(("device", "schedule"), MACHINES)
def test_variables_end_with_what_a_thread_alone_would_have(device, schedule):
    _, variant, by_warp = told(nested, device, schedule)
    for warp, frames in enumerate(by_warp):
        total = lane_values(variant, frames, "total")[-1]
        for lane in range(variant.warps[warp].threads):
            i = warp * variant.lanes + lane
            assert total[lane] == str((i // 8 + 1) * (1 if i % 2 else 10) if i < 24 else -1)


@pytest.mark.parametrize(("device", "schedule"), MACHINES)
def test_arrays_beside_end_with_what_the_kernel_left(device, schedule):
    x = np.arange(64, dtype=np.int32)
    with gpusim.profile(device, schedule=schedule) as run:
        at_a_barrier[1, 48](x)
    (variant,) = run.warp_report().variants
    held = {array.name: list(array.values) for array in variant.arrays}
    assert held["x"] == [str(number) for number in range(64)]
    assert set(held["tile"]) == {""}
    for frame in variant.frames:
        for array, elements, values in frame.writes:
            beside, texts, number = variant.arrays[array], values.split(), 0
            for part in elements.split():
                first, last = (part.split("-") * 2)[:2]
                for element in range(int(first), int(last) + 1):
                    held[beside.name][element - beside.first] = texts[number if len(texts) > 1 else 0]
                    number += 1
    assert held["x"] == [str(number) for number in x.tolist()]


def test_bit_patterns_are_hexadecimal_where_asked():
    @cuda.jit
    def bits(x):
        i = cuda.threadIdx.x
        mask = cuda.ballot_sync(0xFFFFFFFF, i % 4 == 3)
        x[i] = mask

    with gpusim.profile("H200") as run:
        bits[1, 32](np.zeros(32, np.int32))
    (variant,) = run.warp_report(values=("mask",), in_hexadecimal=("mask", "x")).variants
    assert variant.names == ("mask",)
    assert {values for frame in variant.frames for _, values in frame.given} == {"0x88888888"}
    assert {values for frame in variant.frames for *_, values in frame.writes} == {"0x88888888"}
    with pytest.raises(ReportError, match="bits gave nothing to 'j', but to: i, mask"):
        run.warp_report(values=("j",))


def test_of_a_large_array_only_what_is_touched_stands_beside():
    @cuda.jit
    def far(x):
        x[1000 + 2 * cuda.threadIdx.x] += 5

    with gpusim.profile("H200") as run:
        far[1, 8](np.arange(4000, dtype=np.float32))
    (array,) = run.warp_report().variants[0].arrays
    assert (array.first, len(array.values)) == (1000, 15)
    assert array.values[:3] == ("1000", "", "1002")


def test_without_a_trace_no_variable_is_told():
    """Only a small grid under a profile pays for it."""
    forms = []
    original = DeviceState.loaded
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            DeviceState, "loaded", lambda self, f, form: forms.append(form) or original(self, f, form)
        )
        nested[1, 32](np.zeros(32, np.int32))
        with gpusim.profile("H200"):
            nested[17, 32](np.zeros(17 * 32, np.int32))
        assert not any(form.tells for form in forms)
        with gpusim.profile("H200"):
            nested[1, 32](np.zeros(32, np.int32))
        assert any(form.tells for form in forms)
