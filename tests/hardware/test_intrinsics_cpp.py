"""Do intrinsics of CUDA C++ give what those of an H200 gave? Every record of `intrinsics.json` but `groups`.

Cooperative groups, and the records of `other` that were made with them, are not compared here.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import gpusim
from tests.hardware.intrinsics import LANES, RECORDED

# record -> what its kernel asked for; `x` is the lane's input
WARP = {
    "shfl": "__shfl_sync(mask, x, argument[lane], width)",
    "shfl_up": "__shfl_up_sync(mask, x, argument[lane], width)",
    "shfl_down": "__shfl_down_sync(mask, x, argument[lane], width)",
    "shfl_xor": "__shfl_xor_sync(mask, x, argument[lane], width)",
    "ballot": "__ballot_sync(mask, x & 1)",
    "all": "__all_sync(mask, x & 1)",
    "any": "__any_sync(mask, x & 1)",
    "match_any": "__match_any_sync(mask, x)",
    "match_all": "__match_all_sync(mask, x, &same)",
    "match_all_pred": "(__match_all_sync(mask, x, &same), same)",
    "reduce_add_u": "__reduce_add_sync(mask, x)",
    "reduce_min_u": "__reduce_min_sync(mask, x)",
    "reduce_max_u": "__reduce_max_sync(mask, x)",
    "reduce_add_s": "__reduce_add_sync(mask, (int)x)",
    "reduce_min_s": "__reduce_min_sync(mask, (int)x)",
    "reduce_max_s": "__reduce_max_sync(mask, (int)x)",
    "reduce_and": "__reduce_and_sync(mask, x)",
    "reduce_or": "__reduce_or_sync(mask, x)",
    "reduce_xor": "__reduce_xor_sync(mask, x)",
    "activemask": "__activemask()",
}
WARP_TEXT = """\
extern "C" __global__
void ask(unsigned mask, int width, const unsigned* inputs, const int* argument, unsigned* out)
{{
    const unsigned lane = threadIdx.x % 32, x = inputs[lane];
    int same = 0;
    if (mask >> lane & 1)
        out[lane] = {};
}}
"""
BITS = {
    "popc": "__popc(a)",
    "ffs": "__ffs(a)",
    "popcll": "__popcll(ba)",
    "ffsll": "__ffsll(ba)",
    "brevll_hi": "__brevll(ba) >> 32",
    "byte_perm": "__byte_perm(a, b, c)",
    "funnelshift_lc": "__funnelshift_lc(a, b, c)",
    "funnelshift_rc": "__funnelshift_rc(a, b, c)",
    "vabsdiffs4": "__vabsdiffs4(a, b)",
    "dp4a": "__dp4a((int)a, (int)b, (int)c)",
    "hadd": "__hadd((int)a, (int)b)",
    "sad": "__sad((int)a, (int)b, c)",
    "umul24": "__umul24(a, b)",
}
BITS_TEXT = """\
extern "C" __global__
void ask(const unsigned* as, const unsigned* bs, const unsigned* cs, unsigned* out)
{{
    const int i = threadIdx.x;
    const unsigned a = as[i], b = bs[i], c = cs[i];
    const unsigned long long ba = (unsigned long long)b << 32 | a;
    out[i] = {};
}}
"""


@cache
def kernel(text: str) -> Any:
    """The kernel `ask` of a text."""
    return gpusim.RawKernel(text, "ask")


@pytest.mark.parametrize("name", WARP)
def test_lanes_get_what_those_of_an_h200_got(name, scheduling):
    ask, failed = kernel(WARP_TEXT.format(WARP[name])), []
    for record in RECORDED["warp"]:
        operation, mask, width, argument, position, results = record
        if operation == name:
            x, out = np.array(RECORDED["inputs"][position], np.uint32), np.zeros(LANES, np.uint32)
            lanes = np.broadcast_to(np.array(argument, np.int32), LANES).copy()
            with gpusim.use("H200", scheduling=scheduling):
                ask((1,), (LANES,), (int(mask, 16), width, x, lanes, out))
            if out.tolist() != [result or 0 for result in results]:
                failed.append(record)
    assert failed == []


@pytest.mark.parametrize("name", BITS)
def test_bits_as_an_h200_answers(name):
    _name, *given, results = next(row for row in RECORDED["bits"] if row[0] == name)
    out = np.zeros(len(results), np.uint32)
    columns = [np.array(numbers, np.uint32) for numbers in given]
    kernel(BITS_TEXT.format(BITS[name]))((1,), (out.size,), (*columns, out))
    assert out.tolist() == results


def test_every_operation_on_record_is_compared():
    assert set(WARP) == {row[0] for row in RECORDED["warp"]}
    assert set(BITS) == {row[0] for row in RECORDED["bits"]}


def test_matches_of_64_bits():
    ask = kernel("""\
extern "C" __global__ void ask(const unsigned long long* x, unsigned* out)
{
    out[threadIdx.x] = __match_any_sync(0xffffffffu, x[threadIdx.x]);
}
""")
    row = next(row for row in RECORDED["other"] if row["kind"] == "match_any_64")
    out = np.zeros(LANES, np.uint32)
    ask((1,), (LANES,), (np.array(row["in"], np.uint64), out))
    assert out.tolist() == row["out"]


def test_shuffles_of_doubles():
    ask = kernel("""\
extern "C" __global__ void ask(double* out)
{
    const int lane = threadIdx.x;
    out[lane] = __shfl_down_sync(0xffffffff, lane + 0.5, 3);
    out[lane + 32] = __shfl_sync(0xffffffff, lane + 0.5, 40, 16);
}
""")
    row = next(row for row in RECORDED["other"] if row["kind"] == "shfl_double")
    out = np.zeros(2 * LANES)
    ask((1,), (LANES,), (out,))
    assert out.tolist() == row["out_down3_then_shfl40_width16"]
