"""Does what the host asks for run in the order, and take the time, that it did on an H200? By `streams.json`.

A launch that began after another had ended, in all three recorded runs, came after it; here it must be
ordered by something. What began before the other's end must not be.
"""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim import cuda, cudart
from gpusim.devices.speeds import link

RECORDED = json.loads((Path(__file__).parent / "streams.json").read_text())
FILLS = {name for name, _ in RECORDED["orders"] if "GPU" in name}


@cuda.jit
def work(x):
    x[cuda.threadIdx.x] += 1


def streams():
    return {
        "a": cuda.stream(),
        "b": cuda.stream(),
        "default": 0,
        "per-thread": cuda.per_thread_default_stream(),
        "non-blocking": cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)[1],
    }


def ordered(name: str) -> list[bool]:
    """Of each two launches of the recorded program: does the second come after the first here?"""
    kind, launches = streams(), list[int]()
    arrays = [cuda.to_device(np.zeros(32)) for _ in range(3)]
    with gpusim.profile() as run:
        for step in name.split(", "):
            if step == "event":
                event = cuda.event()
                event.record(kind["a"])
                event.wait(kind["non-blocking"])
            elif step.startswith("host function"):
                cudart.cudaLaunchHostFunc(kind["a"], lambda _: None, None)
            else:
                launches.append(len(launches))
                work[1, 32, kind[step.split()[0]]](arrays[launches[-1]])
        cuda.synchronize()
    report = run.streams()
    numbers = [call.number for call in report.calls if call.what == "launch"]
    return [
        bool(report.happens_before(numbers[one], numbers[other]))
        for one, other in combinations(range(len(numbers)), 2)
    ]


@pytest.mark.parametrize(("name", "runs"), [row for row in RECORDED["orders"] if row[0] not in FILLS])
def test_what_ran_side_by_side_is_unordered_and_all_else_ordered(name, runs):
    marks = [dict(run) for run in runs]
    launches = len(marks[0]) // 2
    after = [
        all(mark[10 * other + 1] >= mark[10 * one + 2] for mark in marks)
        for one, other in combinations(range(1, launches + 1), 2)
    ]
    assert ordered(name) == after


PINNED = [
    row for row in RECORDED["copies"] if row[0] in ("pinned to device, async", "device to pinned, async")
]
PAGEABLE = [
    row for row in RECORDED["copies"] if row[0] in ("pageable to device, async", "device to pageable, async")
]


@pytest.mark.parametrize(("rows", "speed", "off"), [(PINNED, "pinned", 0.1), (PAGEABLE, "pageable", 0.35)])
def test_large_copies_take_what_they_took(rows, speed, off):
    way = link("H200")
    for _what, size, _call, whole in rows:
        here = way.latency_microseconds + size / getattr(way, f"{speed}_gb_per_s") * 1e-3
        assert here == pytest.approx(whole, rel=off if size >= 1 << 20 else 0.6), size


def test_one_engine_copies_each_way_and_none_of_them_needs_multiprocessors():
    took = {what: whole for what, _size, _call, whole in RECORDED["copies"]}
    one_way = next(row[3] for row in PINNED if row[1] == 1 << 26)
    assert took["twice to device, two streams"] == pytest.approx(2 * one_way, rel=0.02)
    assert took["to device and to host, two streams"] < 1.15 * one_way
    assert took["to device beside a kernel of 1000 us"] == pytest.approx(one_way, rel=0.02)
