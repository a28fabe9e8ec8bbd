"""Shared memory and banks: every kernel in Python and in CUDA C++."""

from __future__ import annotations

import numpy as np

from course.chapters import Kernels
from course.pairs import Pairs

NUMBERS = {"float": np.float32, "double": np.float64, "double2": np.complex128}
FIRST = ("G80",)  # 16 banks, half a warp at a time


def check(both: Pairs, of: Kernels) -> None:
    cpp = of.cpp
    matrix, turned = np.arange(32 * 64, dtype=np.float32).reshape(32, 64), np.zeros((64, 32), np.float32)
    pair = of.transpose[(2, 1), (32, 8)], cpp.transpose[(2, 1), (32, 8)]
    for pitch in (32, 33):
        both.check(*pair, pitch, matrix, turned, sizes=matrix.shape)
    integers = np.zeros(32, np.int32)
    for stride in (1, 4, 16, 17):
        both.check(of.strided[1, 32], cpp.strided[1, 32], 5, stride, integers)
        both.check(of.strided[1, 32], cpp.strided[1, 32], 5, stride, integers, devices=FIRST)
    square = np.arange(256, dtype=np.float32)
    for pitch in (16, 17):
        both.check(of.columns[1, 256], cpp.columns[1, 256], pitch, square, np.zeros_like(square))
        both.check(
            of.columns[1, 256], cpp.columns[1, 256], pitch, square, np.zeros_like(square), devices=FIRST
        )
    for name, number in NUMBERS.items():
        for where in (np.arange(32), 9 * np.arange(32) % 64, np.arange(32) // 2):
            arguments = np.arange(64).astype(number), where.astype(np.int32), np.zeros(32, number)
            pair = of.read[1, 32], cpp.get_function(f"read<{name}>")[1, 32]
            both.check(*pair, *arguments)
            both.check(*pair, *arguments, devices=FIRST)
    chunks = np.arange(64) * (1 + 1j)
    for pitch, mask in ((8, 0), (9, 0), (8, 7)):
        both.check(of.chunks[1, 64], cpp.chunks[1, 64], pitch, mask, chunks, np.zeros_like(chunks))
    for group in (1, 4, 32):
        both.check(of.three_kinds[1, 64], cpp.three_kinds[1, 64], group, np.zeros(64, np.int32))
