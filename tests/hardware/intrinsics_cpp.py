"""Do intrinsics in CUDA C++ give what an H200's gave? Every record of `warp` and `bits` in `intrinsics.json`.

The kernels are in `intrinsics.cu`. Shuffles with a width and reductions have no Python form.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import gpusim
from tests.hardware.intrinsics import LANES, RECORDED

OPERATIONS = tuple(dict.fromkeys(row[0] for row in RECORDED["warp"]))
BITS = {row[0]: row[1:] for row in RECORDED["bits"]}


@cache
def module() -> gpusim.RawModule:
    """All the kernels."""
    return gpusim.RawModule(path=Path(__file__).parent / "intrinsics.cu")


def records(operation: str) -> list[Any]:
    """All records of a warp intrinsic."""
    return [row for row in RECORDED["warp"] if row[0] == operation]


def agrees(record: list[Any], scheduling: str) -> bool:
    """Do all lanes that take part get what those of the H200 got?"""
    operation, mask, width, argument, position, results = record
    x = np.array(RECORDED["inputs"][position], np.uint32)
    out = np.zeros(LANES, np.uint32)
    with gpusim.use("H200", scheduling=scheduling):
        kernel = module().get_function(operation)
        kernel((1,), (LANES,), (int(mask, 16), width, x, np.full(LANES, argument, np.int32), out))
    return out.tolist() == [result or 0 for result in results]


def bits_agree(operation: str) -> list[bool]:
    """Is each recorded result of an operation on bits the same here?"""
    *operands, results = (np.array(numbers, np.uint32) for numbers in BITS[operation])
    out = np.zeros_like(results)
    module().get_function(operation)((1,), (out.size,), (*operands, out))
    return [bool(same) for same in out == results]


def summary() -> list[tuple[str, int, int]]:
    """(operation, records, equal) for all of them."""
    warp = [(name, [agrees(record, "independent") for record in records(name)]) for name in OPERATIONS]
    answers = warp + [(name, bits_agree(name)) for name in BITS]
    return [(name, len(equal), sum(equal)) for name, equal in answers]
