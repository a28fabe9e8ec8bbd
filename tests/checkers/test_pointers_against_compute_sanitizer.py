"""What is said of pointers that lead astray, in CUDA C++? What Compute Sanitizer's memcheck said on an H200.

Every kernel of tests/hardware/sanitizer_pointers.cu as it stands.
"""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.cpp.program import HostCodeWarning
from gpusim.errors import KernelRaised
from tests.hardware.checks import HERE

CASES = json.loads((HERE / "sanitizer_pointers.json").read_text())["cases"]
RECORDED = {case["case"]: case for case in CASES}
DYNAMIC_SHARED_BYTES = 128
# case -> why it is an error here and none there
MORE_IS_FOUND = {
    "null_pointer": "the compiler took for granted that nobody writes through nullptr, and wrote to y",
    "before_the_start": "what stands before y is x, another array of the same program",
    "shared_past_the_end": "behind s lies the dynamic shared memory, which belongs to the block, too",
}


@pytest.fixture(scope="module")
def module():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HostCodeWarning)  # its main() is what ran under compute-sanitizer
        module = gpusim.RawModule(path=HERE / "sanitizer_pointers.cu")
        module.compile()
    return module


def report_on(module, case):
    recorded = RECORDED[case]
    with gpusim.sanitize("memcheck", device="H200") as report:
        x, y = cuda.to_device(np.arange(1024, dtype=np.int32)), cuda.to_device(np.zeros(1024, np.int32))
        launch = module.get_function(case)
        launch((recorded["blocks"],), (recorded["threads"],), (x, y), shared_mem=DYNAMIC_SHARED_BYTES)
    return report


@pytest.mark.parametrize("case", [case for case in RECORDED if case != "failing_assertion"])
def test_the_verdict_is_that_of_compute_sanitizer(module, case):
    report, recorded = report_on(module, case), RECORDED[case]
    assert bool(report.findings) == (recorded["verdict"] == "error" or case in MORE_IS_FOUND)
    assert case not in MORE_IS_FOUND or recorded["verdict"] == "clean"


@pytest.mark.parametrize(
    "case", [case["case"] for case in CASES if case["kinds"][:1] and "Invalid" in case["kinds"][0]]
)
def test_the_fault_is_of_the_same_kind_and_size(module, case):
    """`Invalid __global__ write of size 16 bytes`: writes 16 bytes; and `misaligned`."""
    (finding, *_), kinds = report_on(module, case).findings, RECORDED[case]["kinds"]
    assert f"{kinds[0].split()[-2]} bytes" in finding.message
    assert (finding.hazard == "misaligned") == ("misaligned" in kinds)


def test_threads_whose_assertion_fails_end_the_launch(module):
    assert RECORDED["failing_assertion"]["errors"] == 12 + 1  # x[20] to x[31], and the launch
    with pytest.raises(KernelRaised, match=r"and 11 other lanes.*x\[threadIdx.x\] < 20"):
        report_on(module, "failing_assertion")
