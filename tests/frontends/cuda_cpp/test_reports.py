"""What do the reports of a C++ kernel show? Its lines, those of what it calls, and from where."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.views import text
from gpusim.views.tables import counters_html

CODE = r"""#include <cuda_runtime.h>
#define SQUARE(v) ((v) * (v))

struct Unused { int many, lines, before; };

template <typename T, int N>
__device__ T sum_up(const T* x, int first) {
    T total = 0;
    for (int k = 0; k < N; ++k)
        total += x[first + k];
    return total;
}

__device__ float clamped(float v) {
    return SQUARE(v) > 1.0f ? 1.0f : v;
}

template <typename T>
__global__ void smooth(const T* x, T* y) {
    int i = threadIdx.x;
    y[i] = clamped(
        sum_up<T, 4>(x, i)
        * x[i]);
}

__global__ void racy(int* x) {
    x[0] = sum_up<int, 2>(x, threadIdx.x);
}
"""


@pytest.fixture
def module():
    return gpusim.RawModule(code=CODE)


@pytest.fixture
def run(module):
    with gpusim.profile(device="H200") as run:
        module.get_function("smooth<float>")[1, 32](np.ones(36, np.float32), np.zeros(32, np.float32))
    return run


def test_lines_are_grouped_by_the_function_that_they_are_in(run):
    rows = [(line["function"], line["line"]) for line in run.kernels[0].lines]
    assert rows == [
        *(("", line) for line in (20, 21, 22, 23, 24)),
        ("sum_up", 8),
        ("sum_up", 9),
        ("sum_up", 10),
        ("clamped", 15),
    ]
    # four terms of one float each, of 32 lanes: 4, and 5 sectors where they begin in the middle of one
    (terms,) = (line for line in run.kernels[0].lines if line["line"] == 10)
    assert terms["source"] == "total += x[first + k];"
    assert (terms["global_load_requests"], terms["global_load_sectors"]) == (4, 4 + 5 + 5 + 5)


def test_the_table_names_what_is_called(run):
    printed = [line.strip() for line in repr(run).splitlines()]
    assert printed.index("called: sum_up") < printed.index("called: clamped")
    page = counters_html([run.kernels[0].report()], 1)
    assert page.count('<th scope="rowgroup"') == 2
    assert "for (int k = 0; k &lt; N; ++k)</code>" in page


def test_the_warp_player_shows_the_kernel_alone_and_the_lines_that_call(run):
    report = run.warp_report()
    source = report.source
    assert source.first_line == 18
    assert source.lines[0] == "template <typename T>"
    assert source.lines[-1] == "}"
    assert len(source.lines) == 7
    assert {frame.line for frame in report.variants[0].frames} <= set(range(18, 25))
    assert any(frame.line == 22 for frame in report.variants[0].frames), "the loop in sum_up"
    assert "sum_up<T, 4>(x, i)" in text.warp_player(report)


def test_a_finding_says_from_where_a_function_was_called(module):
    with gpusim.sanitize("racecheck") as report:
        module.get_function("racy")[1, 32](np.zeros(33, np.int32))
    load = next(finding for finding in report.findings if finding.hazard == "WAR").accesses[0]
    assert load.line == 10
    called = load.as_dict()["called_from"]
    assert called == [{"file": "code", "line": 27, "source": "    x[0] = sum_up<int, 2>(x, threadIdx.x);"}]
    assert "called from code:27: x[0] = sum_up<int, 2>(x, threadIdx.x);" in repr(report)
    assert "called from code:27<code" in report._repr_html_()


def test_a_python_report_names_what_is_called_too():
    @cuda.jit(device=True)
    def double(v):
        return 2 * v

    @cuda.jit
    def k(x):
        x[0] = double(x[0])

    with gpusim.profile() as run:
        k[1, 1](np.ones(1))
    assert [line["function"] for line in run.kernels[0].lines][-1] == "double"
    assert "called: double" in repr(run)


# the schedule explorer --------------------------------------------------------------------------------------


def explored(code, *arguments, schedules=("friendly", "serial")):
    found = gpusim.explore_schedules(gpusim.RawKernel(code, "k")[1, 4], *arguments, schedules=schedules)
    return found.schedule_report().as_dict()


def test_a_wide_access_is_drawn_number_by_number():
    code = "__global__ void k(float* x) { *(float4*)&x[4] = *(float4*)&x[8]; }"
    report = explored(code, np.arange(16, dtype=np.float32))
    (variant, _) = report["variants"]
    assert variant["memory"][0]["initial"] == [str(n) for n in range(16)]
    (step,) = [step for step in variant["steps"] if step["writes"]]
    assert step["reads"] == {"x": [8, 9, 10, 11]}
    assert step["writes"] == {"x": [[4, "8"], [5, "9"], [6, "10"], [7, "11"]]}


def test_what_is_reached_by_addresses_has_the_name_of_its_memory():
    code = """
struct Both { int* p; int* q; };
__global__ void k(int* a, int* b) {
    int* table[2] = {a, b};
    table[threadIdx.x & 1][threadIdx.x] = *table[0];
}
"""
    report = explored(code, np.arange(4, dtype=np.int32), np.arange(10, 14, dtype=np.int32))
    names = {name for step in report["variants"][0]["steps"] for name in (*step["reads"], *step["writes"])}
    assert {"a", "b"} <= names
    assert "*" not in names


# the listing ------------------------------------------------------------------------------------------------


def test_the_listing_names_parameters_variables_and_the_lines_of_both_functions():
    code = r"""
struct Pair { float* data; int n; };
__constant__ float weights[4];
__device__ float4 four(const float* x, int i) {
    return *(const float4*)&x[4 * i];
}
__global__ void k(Pair p, const float* x, unsigned char* bytes) {
    float4 v =
        four(x, threadIdx.x);
    p.data[p.n] = v.y * weights[bytes[2]];
}
"""
    lines = gpusim.RawKernel(code, "k").inspect_ir().splitlines()
    assert lines[0] == ".entry k(f32* p.data, s32 %p.n, f32* x, u8* bytes, f32* weights)"
    (wide,) = (line for line in lines if "ld.global.b128" in line)
    assert wide.split() == ["ld.global.b128", "%4,", "[x+4*%3]"]
    beside = [line.partition("| ")[2].strip() for line in lines if "| " in line]
    assert "9 four(x, threadIdx.x);" in beside
    assert "5 return *(const float4*)&x[4 * i];" in beside
    assert any(line.strip().startswith("mov.unpack.f32.b128 %6, %4[4]") for line in lines)
    assert any("ld.global.u8" in line and "bytes[2]" in line for line in lines)
    assert any("ld.const.f32" in line and "weights[" in line for line in lines)
    assert any(line.strip().startswith("st.global.f32 ") and "p.data" in line for line in lines)
