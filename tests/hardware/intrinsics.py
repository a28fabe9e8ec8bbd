"""Do warp intrinsics and operations on bits give what an H200's gave? Every record of `intrinsics.json`.

Cooperative groups (`groups`, and `grid_sync` and `float_reduce_scan_bits` of `other`) are not compared here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import gpusim
from gpusim import cuda

RECORDED = json.loads((Path(__file__).parent / "intrinsics.json").read_text())
LANES = 32
WIDTH = "not expressible: the dialect's shuffles have no width"
ABSENT = "not expressible: the dialect has no such function"


def group_arguments(record: dict[str, Any]) -> list[Any]:
    """What a kernel of `groups` was given besides the array for its answers."""
    name, given = record["name"], record["args"]
    arguments: list[Any] = [np.uint32(given["N"])] if name == "tiled_partition_runtime" else []
    arguments += [np.uint32(given[key]) for key in ("mask", "pred") if key in given]
    if "inner" in given:
        arguments.append(np.int32(given["inner"]))
    if "in" in given:
        arguments.append(np.array(RECORDED["inputs"][given["in"]], np.uint32))
    if name == "labeled_partition":
        arguments.append(np.array(record["cols"][6], np.uint32))
    return arguments


@cuda.jit
def shfl(mask, x, argument, out):
    i = cuda.laneid
    if (mask >> i) & 1:
        out[i] = cuda.shfl_sync(mask, x[i], argument[i])


@cuda.jit
def shfl_up(mask, x, argument, out):
    i = cuda.laneid
    if (mask >> i) & 1:
        out[i] = cuda.shfl_up_sync(mask, x[i], argument[i])


@cuda.jit
def shfl_down(mask, x, argument, out):
    i = cuda.laneid
    if (mask >> i) & 1:
        out[i] = cuda.shfl_down_sync(mask, x[i], argument[i])


@cuda.jit
def shfl_xor(mask, x, argument, out):
    i = cuda.laneid
    if (mask >> i) & 1:
        out[i] = cuda.shfl_xor_sync(mask, x[i], argument[i])


@cuda.jit
def ballot(mask, x, _argument, out):
    i = cuda.laneid
    if (mask >> i) & 1:
        out[i] = cuda.ballot_sync(mask, x[i] & 1)


@cuda.jit
def all_(mask, x, _argument, out):
    i = cuda.laneid
    if (mask >> i) & 1:
        out[i] = cuda.all_sync(mask, x[i] & 1)


@cuda.jit
def any_(mask, x, _argument, out):
    i = cuda.laneid
    if (mask >> i) & 1:
        out[i] = cuda.any_sync(mask, x[i] & 1)


@cuda.jit
def match_any(mask, x, _argument, out):
    i = cuda.laneid
    if (mask >> i) & 1:
        out[i] = cuda.match_any_sync(mask, x[i])


@cuda.jit
def match_all(mask, x, _argument, out):
    i = cuda.laneid
    if (mask >> i) & 1:
        found, _same = cuda.match_all_sync(mask, x[i])
        out[i] = found


@cuda.jit
def match_all_pred(mask, x, _argument, out):
    i = cuda.laneid
    if (mask >> i) & 1:
        _found, same = cuda.match_all_sync(mask, x[i])
        out[i] = same


@cuda.jit
def activemask(mask, _x, _argument, out):
    i = cuda.laneid
    if (mask >> i) & 1:
        out[i] = cuda.activemask()


KERNELS = {
    kernel.__name__.removesuffix("_"): kernel
    for kernel in (
        shfl, shfl_up, shfl_down, shfl_xor, ballot, all_, any_, match_any, match_all, match_all_pred,
        activemask,
    )
}  # fmt: skip


# operation on bits -> the dialect's function, bits of its operand, the first bit of the result on record
BITS = {
    "popc": (cuda.popc, 32, 0),
    "ffs": (cuda.ffs, 32, 0),
    "popcll": (cuda.popc, 64, 0),
    "ffsll": (cuda.ffs, 64, 0),
    "brevll_hi": (cuda.brev, 64, 32),
}


def warp_records(operation: str) -> list[Any]:
    """The records of a warp intrinsic that the dialect can express."""
    known = operation in KERNELS
    return [row for row in RECORDED["warp"] if known and row[0] == operation and row[2] == LANES]


def agrees(record: list[Any], scheduling: str) -> bool:
    """Do all lanes that take part get what those of the H200 got?"""
    operation, mask, _width, argument, position, results = record
    x = np.array(RECORDED["inputs"][position], np.uint32)
    out = np.zeros(LANES, np.uint32)
    with gpusim.use("H200", scheduling=scheduling):
        KERNELS[operation][1, LANES](int(mask, 16), x, np.full(LANES, argument, np.int64), out)
    return out.tolist() == [result or 0 for result in results]


def bits_agree(operation: str) -> list[bool]:
    """Is each recorded result of an operation on bits the same here?"""
    intrinsic, width, first = BITS[operation]
    _name, low, high, _third, results = next(row for row in RECORDED["bits"] if row[0] == operation)

    @cuda.jit
    def ask(x, out):
        i = cuda.grid(1)
        out[i] = intrinsic(x[i])

    numbers = np.array(low, np.uint64) | np.array(high, np.uint64) << np.uint64(32)
    x = numbers.astype(f"u{width // 8}")
    out = np.zeros_like(x)
    ask[1, x.size](x, out)
    return (out.astype(np.uint64) >> np.uint64(first) == np.array(results, np.uint64)).tolist()


def summary() -> list[tuple[str, int, int, int, str]]:
    """(operation, records, compared, equal, why not the others), for all of `warp` and `bits`."""
    rows = []
    for operation in dict.fromkeys(row[0] for row in RECORDED["warp"]):
        records = sum(row[0] == operation for row in RECORDED["warp"])
        expressible = warp_records(operation)
        equal = sum(agrees(record, "independent") for record in expressible)
        why = "" if len(expressible) == records else WIDTH if expressible else ABSENT
        rows.append((operation, records, len(expressible), equal, why))
    for operation, low, *_ in RECORDED["bits"]:
        answers = bits_agree(operation) if operation in BITS else []
        rows.append((operation, len(low), len(answers), sum(answers), "" if answers else ABSENT))
    return rows
