"""The puzzles of chapter 16: an order of parameters, and the bytes that a launch reads."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np

import gpusim
from course.puzzles import Puzzle
from course.puzzles.goals import Goal
from gpusim.errors import GpuSimError

SEVEN = ["char c", "float3 p", "double d", "char3 k", "short s", "float2 v", "int* x"]
BYTES = 42  # 1 + 12 + 8 + 3 + 2 + 8 + 8
NUMBERS = [((1, 2.0, 3, 4), (-5, 600.0, -700, 80_000)), ((9, -0.5, 77, -1), (3, 8.25, -1, 123_456))]
X = 0x7F0000000000
READ = ["int* x", "char c", "double d", "short s", "int n"]  # as letters of struct: Q, b, d, h, i


def _found(packed: Any, *rows: Any) -> Any:
    """What a child finds in c, d, s and n, for each row of numbers, in the bytes that a function made."""
    found = []
    for numbers in rows:
        places = gpusim.pack_parameters(READ, X, *numbers)
        octets = bytes(packed(X, *numbers))
        if len(octets) < places.size:
            raise GpuSimError(f"the buffer has {len(octets)} bytes, and child reads {places.size}")
        read = [
            struct.unpack_from("<" + letter, octets, places[name].offset)[0]
            for letter, name in zip("bdhi", "cdsn", strict=True)
        ]
        found.append(read)
    return np.array(found)


def _explored(order: Any) -> Any:
    return gpusim.explore_parameters([*order], title="child, with your order")


def _end(packing: Any) -> int:
    """Bytes up to the end of the last parameter, with 64-bit addresses."""
    end = 0
    for one in packing.parameters:
        layout = one.type.wide
        end = math.ceil(end / layout.alignment) * layout.alignment + layout.size
    return end


def _picture(packing: Any) -> Any:
    """Of an order that solves it: beside any other the view would name a better one."""
    return gpusim.views.parameter_packer(packing) if _end(packing) <= BYTES else None


def _sorted(order: Any) -> Any:
    _explored(order)
    return sorted(order)


fewest_bytes = Puzzle(
    _sorted,
    sorted(SEVEN),
    [
        Goal(
            "bytes",
            _end,
            at_most=BYTES,
            hint="Before which of them is padding, and what is each aligned to? A vector of three is "
            "aligned as its widest member.",
        )
    ],
    _picture,
    called="order",
    told_of=_explored,
    hint="All seven stay as they are; only their order is yours.",
)

where_it_is_read = Puzzle(
    _found,
    lambda *rows: np.array(rows),
    called="function",
    hint="A row has c, d, s and n as the child found them. Each is read at the next multiple of its size.",
    inputs=NUMBERS,
)
