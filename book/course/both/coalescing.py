"""Coalescing: every kernel in both languages, most of them under the rules of 2007 and 2008 as well."""

from __future__ import annotations

import numpy as np

from course.chapters import Kernels
from course.pairs import Pairs

OLD_AND_NEW = (("G80", "GT200"), ("H200", "MetaX C500"))
CASES = ((0, 1, 0), (1, 1, 0), (0, 2, 0), (0, 1, 31), (0, 0, 0), (0, 32, 0))
WIDTHS = {"float": "f4", "float2": "c8", "double2": "c16"}
PACKED = np.dtype([("x", "f4"), ("y", "f4"), ("z", "f4")])
ALIGNED = np.dtype({"names": ["x", "y", "z"], "formats": ["f4"] * 3, "itemsize": 16})


def check(both: Pairs, of: Kernels) -> None:
    cpp, out = of.cpp, np.zeros(64, np.float32)
    x = np.arange(4096, dtype=np.float32)
    for case in CASES:
        both.check(of.look[1, 64], cpp.look[1, 64], x, out, *case)
    for devices in OLD_AND_NEW:
        both.check(of.all_but_three[1, 64], cpp.all_but_three[1, 64], x[:64], out, devices=devices)
        for name, dtype in WIDTHS.items():
            wide, copied = np.arange(64).astype(dtype), cpp.get_function(f"copy<{name}>")
            both.check(of.copy[1, 64], copied[1, 64], wide, np.zeros_like(wide), devices=devices)
        for name, struct in {"vec3_aligned": ALIGNED, "vec3": PACKED}.items():
            data, squares = np.zeros(64, struct), cpp.get_function(f"squares<{name}>")
            data["x"] = x[:64]
            both.check(of.squares[1, 64], squares[1, 64], data, out, devices=devices)
        both.check(
            of.squares_staged[2, 256],
            cpp.squares_staged[2, 256],
            x[: 3 * 512],
            np.zeros(512, np.float32),
            devices=devices,
        )
        square = x.reshape(64, 64)
        for kernel in (of.double_rows, of.double_columns):
            in_cpp = cpp.get_function(kernel.__name__)
            both.check(
                kernel[(1, 8), (64, 8)],
                in_cpp[(1, 8), (64, 8)],
                square,
                np.zeros_like(square),
                sizes=(64,),
                devices=devices,
            )
    both.check(of.squares_of_arrays[1, 64], cpp.squares_of_arrays[1, 64], x[:64], x[64:128], x[128:192], out)
