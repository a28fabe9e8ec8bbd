"""Which array and element does a step of the schedule explorer name, where a pointer was used?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gpusim.ir.instructions import Opcode
from gpusim.ir.types import B64, F32, F64, S32, U64
from gpusim.runtime import settings
from gpusim.schedules.explore import Traced
from tests.machine.by_hand import Kernel


def told(kernel, *arguments, threads=2):
    """All reads and writes: (array, elements), without values."""
    found = Traced("friendly", 0)
    with settings.during(replace(settings.current(), observers=(found,))):
        kernel.run(threads, *arguments)
    (trace,) = found.traces
    reads = [(name, elements) for step in trace.steps for name, elements in step.reads.items()]
    writes = [
        (name, [e for e, _value in pairs]) for step in trace.steps for name, pairs in step.writes.items()
    ]
    return reads, writes, trace


def test_a_shared_array_behind_another():
    kernel = Kernel()
    kernel.store(kernel.array("first", S32, (5,)), 0, 1)
    tile = kernel.array("tile", S32, (8,))
    t = kernel.special("tid.x")
    kernel.store(kernel.part(tile, S32, 1), t, 4, 4, t)
    assert told(kernel)[1] == [("first", [0]), ("tile.part", [1, 2])]


def test_an_address_is_told_as_the_array_it_leads_to():
    kernel = Kernel()
    x, tile = kernel.pointer("x", S32), kernel.array("tile", S32, (8,))
    t, anything = kernel.special("tid.x"), kernel.generic("*p", S32)
    kernel.store(anything, kernel.at(kernel.address(tile), t, 4), t)
    value = kernel.load(anything, kernel.at(kernel.address(x), kernel.do(Opcode.ADD, S32, t, 2), 4))
    kernel.store(anything, kernel.address(x), value)
    reads, writes, trace = told(kernel, np.arange(10, 14, dtype=np.int32))
    assert reads == [("x", [2, 3])]
    assert writes == [("tile", [0, 1]), ("x", [0])]
    assert trace.steps[0].writes["x"] == [(0, "13")]


def test_an_array_seen_as_another_type_has_elements_of_its_own():
    kernel = Kernel()
    x = kernel.pointer("x", F32)
    t = kernel.special("tid.x")
    kernel.store(kernel.part(x, F64, 1), t, 0, 8, kernel.convert(t, F64))
    kernel.load(kernel.part(x, B64, 1), 1, 0, 8)
    reads, writes, trace = told(kernel, np.zeros(4, np.float32))
    assert writes == [("x.part as f64", [0, 1])]
    assert reads == [("x.part", [2, 3])], "eight bytes at once are two of x's numbers"
    assert trace.initial["x.part"] == ["0", "0", "0", "1.875"], "the bits of 1.0, as two floats"


def test_lanes_that_go_to_several_arrays_tell_each_its_elements_and_no_more_than_is_known():
    kernel = Kernel()
    x, y = kernel.pointer("x", S32), kernel.pointer("y", S32)
    t, anything = kernel.special("tid.x"), kernel.generic("*p", S32)
    apart = kernel.do(Opcode.SUB, U64, kernel.address(y), kernel.address(x))
    there = kernel.do(Opcode.MUL, U64, apart, kernel.convert(t, U64))
    kernel.store(anything, kernel.do(Opcode.ADD, U64, kernel.at(kernel.address(x), 1, 4), there), 7)
    _reads, writes, trace = told(kernel, np.arange(4, dtype=np.int32), np.arange(4, 8, dtype=np.int32))
    assert writes == [("x", [1]), ("y", [1])]
    assert trace.initial == {"x": [], "y": []}
