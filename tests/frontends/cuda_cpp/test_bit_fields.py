"""Where are bit-fields, for the host and for kernels? `kernels/constructs.cpp` compares what they compute."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim.errors import GpuSimError
from tests.frontends.cuda_cpp.launches import EVERYWHERE

TEXT = """
struct Packet { unsigned kind : 3; int level : 5; unsigned size : 24; float weight; };
__constant__ Packet first = {5, -2, 77, 0.5f};
__global__ void kernel(Packet* packets, Packet given, int* out) {
  __shared__ Packet kept[8];
  int i = threadIdx.x;
  kept[i] = packets[7 - i];
  __syncthreads();
  Packet one = kept[7 - i];
  one.size += first.size;
  packets[i].level = -i;
  packets[i].kind++;
  out[i] = one.kind + 10 * one.level + one.size * 100 + given.kind + first.level;
}
"""


@pytest.mark.parametrize(("device", "model"), EVERYWHERE)
def test_records_of_the_host_have_one_number_for_a_run_of_bit_fields(device, model):
    i = np.arange(8)
    packets = np.zeros(8, [("bits", np.uint32), ("weight", np.float32)])
    packets["bits"] = i | 3 << 3 | 9 << 8
    out = np.zeros(8, np.int32)
    with gpusim.use(device=device, scheduling=model):
        kernel = gpusim.RawModule(code=TEXT).get_function("kernel")
        kernel((1,), (8,), (packets, packets[4].copy(), out))
    np.testing.assert_array_equal(out, i + 30 + 8600 + 4 - 2)
    bits = packets["bits"]
    np.testing.assert_array_equal(bits & 7, (i + 1) % 8)
    np.testing.assert_array_equal(bits >> 3 & 31, -i % 32)
    np.testing.assert_array_equal(bits >> 8, 9)


def test_a_bit_field_has_no_address():
    text = "struct P { int a : 3; }; __global__ void kernel(int* x) { P p; int* q = &p.a; x[0] = *q; }"
    with pytest.raises(GpuSimError, match="bit-field"):
        gpusim.RawModule(code=text).get_function("kernel")((1,), (1,), (np.zeros(1, np.int32),))
