"""Do registers go the way that an H200's went, from bound to bound? How far, only its compiler knows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gpusim

HERE = Path(__file__).parent
MOMENTS = json.loads((HERE / "launch_bounds.json").read_text(encoding="utf-8"))
RECORDED = {row[0]: dict(zip(MOMENTS["header"]["fields"], row, strict=True)) for row in MOMENTS["rows"]}
SUMS = json.loads((HERE / "best_of_sums.json").read_text(encoding="utf-8"))["rows"]
VARIANTS = r"""
constexpr int K = 16, N = 4096;
extern "C" __global__ void BOUND baseline(const double* big, const double* small, double* out) {
    int pt = blockIdx.x * blockDim.x + threadIdx.x;
    double best = 0;
    for (int k = 0; k < K; ++k) best = max(big[k * N + pt] + small[k], best);
    out[pt] = best;
}
extern "C" __global__ void BOUND double2_small(const double* big, const double* small, double* out) {
    int pt = blockIdx.x * blockDim.x + threadIdx.x;
    double best = 0;
    for (int k = 0; k < K; k += 2) {
        double2 pair = *(const double2*)&small[k];
        best = max(big[k * N + pt] + pair.x, best);
        best = max(big[(k + 1) * N + pt] + pair.y, best);
    }
    out[pt] = best;
}
extern "C" __global__ void BOUND double2_both(const double* big, const double* small, double* out) {
    int pt = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    double best1 = 0, best2 = 0;
    for (int k = 0; k < K; k += 2) {
        double2 c1 = *(const double2*)&big[k * N + pt], c2 = *(const double2*)&big[(k + 1) * N + pt];
        double2 pair = *(const double2*)&small[k];
        best1 = max(c1.x + pair.x, max(c2.x + pair.y, best1));
        best2 = max(c1.y + pair.x, max(c2.y + pair.y, best2));
    }
    *(double2*)&out[pt] = make_double2(best1, best2);
}
"""


@pytest.mark.parametrize("variant", ["baseline", "double2 small", "double2 both"])
def test_a_bound_of_one_block_gives_the_best_of_sums_more_registers(variant):
    there = {row[2]: row[4] for row in SUMS if (row[0], row[1], row[3]) == ("big[k*npt+pt]", variant, 1024)}
    here = {}
    for name, bound in (("plain", ""), ("launch_bounds(1024,1)", "__launch_bounds__(1024, 1)")):
        with gpusim.use("H200"):
            module = gpusim.RawModule(code=VARIANTS.replace("BOUND", bound))
            here[name] = module.get_function(variant.replace(" ", "_")).num_regs
    for registers in (here, there):
        assert registers["plain"] < registers["launch_bounds(1024,1)"] <= 64
    assert abs(here["launch_bounds(1024,1)"] - there["launch_bounds(1024,1)"]) <= 3


def test_too_tight_a_bound_spills_as_it_did_there():
    module = gpusim.RawModule(path=HERE / "launch_bounds.cu")
    with gpusim.use("H200"):
        kernels = {name: module.get_function(name) for name in RECORDED}
        free = kernels["unbounded"].local_size_bytes  # the array of all sums, which nvcc keeps in registers
        for name, recorded in RECORDED.items():
            spills = recorded["local bytes per thread"] > 0
            assert (kernels[name].local_size_bytes > free) == spills
            assert kernels[name].num_regs <= recorded["registers per thread"]
    assert kernels["two_blocks"].num_regs < kernels["unbounded"].num_regs
