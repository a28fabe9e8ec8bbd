"""Do kernels in CUDA C++ give what they gave on an H200, bit for bit?"""

from __future__ import annotations

import json

import numpy as np
import pytest

import gpusim
from tests.hardware.cpp_language import DIFFERENCES, DTYPES, HERE, RECORDS, disagreements


@pytest.mark.parametrize("name", RECORDS)
def test_a_kernel_gives_what_it_gave_on_an_h200(name):
    found = disagreements()[name]
    assert len(found) == DIFFERENCES.get(name, (0, ""))[0], found[:10]


CASTS = json.loads((HERE / "conversions.json").read_text())["casts"]
NAMES = {
    "s8": "signed char", "u8": "unsigned char", "s16": "short", "u16": "unsigned short", "s32": "int",
    "u32": "unsigned", "s64": "long long", "u64": "unsigned long long", "f32": "float", "f64": "double",
}  # fmt: skip
CAST = """
template <class From, class To> __global__ void cast(const From* x, To* out) {
    out[threadIdx.x] = (To)x[threadIdx.x];
}
"""


@pytest.mark.parametrize("types", CASTS)
def test_casts_to_integers_give_what_an_h200_gives(types):
    source, target = (NAMES[name] for name in types.split())
    x = np.array([float(number) for number, _ in CASTS[types]], DTYPES[source])
    out = np.zeros(x.size, DTYPES[target])
    gpusim.RawModule(code=CAST).get_function(f"cast<{source}, {target}>")((1,), (x.size,), (x, out))
    assert out.tolist() == [result for _, result in CASTS[types]]
