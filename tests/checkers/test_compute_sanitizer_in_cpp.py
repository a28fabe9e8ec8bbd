"""Do the tools say of a kernel in CUDA C++ what Compute Sanitizer said of it?

Every kernel of tests/hardware/sanitizer.cu as it stands; where our verdict differs on purpose, it differs for
the Python twin, too, and for the same reason.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.cpp.program import HostCodeWarning
from tests.checkers.test_against_compute_sanitizer import KERNELS
from tests.hardware.checks import DIFFERENCES, HERE, RECORDED


@pytest.fixture(scope="module")
def module():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HostCodeWarning)  # its main() is what ran under compute-sanitizer
        module = gpusim.RawModule(path=HERE / "sanitizer.cu")
        module.compile()
    return module


def report_on(module, case):
    recorded = RECORDED[case]
    with gpusim.sanitize(recorded["tool"], device="H200") as report:
        x, y = cuda.device_array(1024, np.int32), cuda.to_device(np.zeros(1024, np.int32))
        x[:512] = np.arange(512, dtype=np.int32)  # the rest stays without contents
        module.get_function(case)((recorded["blocks"],), (recorded["threads"],), (x, y))
    return report


@pytest.mark.parametrize("case", RECORDED)
def test_the_verdict_is_that_of_compute_sanitizer_or_the_difference_has_a_reason(module, case):
    report = report_on(module, case)
    verdict = "error" if report.findings else "warning" if report.warnings else "clean"
    if case in DIFFERENCES:
        assert verdict != RECORDED[case]["verdict"]
        assert verdict == ("warning" if DIFFERENCES[case].startswith("a warning") else "error")
    else:
        assert verdict == RECORDED[case]["verdict"], report


@pytest.mark.parametrize("case", RECORDED)
def test_both_languages_are_told_the_same(module, case):
    """As many findings, of the same hazards; only the places differ."""
    recorded = RECORDED[case]
    ours = report_on(module, case)
    with gpusim.sanitize(recorded["tool"], device="H200") as theirs:
        x, y = cuda.device_array(1024, np.int32), cuda.to_device(np.zeros(1024, np.uint32))
        x[:512] = np.arange(512, dtype=np.int32)
        KERNELS[case][recorded["blocks"], recorded["threads"]](x, y)
    assert [finding.hazard for finding in ours.findings] == [finding.hazard for finding in theirs.findings]


def test_a_finding_shows_the_line_of_the_cuda_text(module):
    (finding,) = report_on(module, "reduce_missing_barrier").findings
    line = (HERE / "sanitizer.cu").read_text().splitlines()[finding.lines[-1] - 1]
    assert line.strip() == "if (t < d) s[t] += s[t + d];"
