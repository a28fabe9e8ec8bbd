"""How do the verdicts of the checkers compare with Compute Sanitizer's on an H200? Kernel by kernel."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import gpusim
from gpusim import cuda
from gpusim.cpp.program import HostCodeWarning

HERE = Path(__file__).parent
RECORDED = {case["case"]: case for case in json.loads((HERE / "sanitizer.json").read_text())["cases"]}

# case -> why our verdict differs from the recorded one
DIFFERENCES = {
    "warp_no_syncwarp": "an error here: since Volta nothing orders lanes of a warp; there, a warning",
    "warp_shuffle_as_barrier": "an error here: a shuffle orders no memory; there, a warning",
    "exit_in_warp_then_syncwarp": "an error here: a lane that has left meets nobody; there, a warning",
    "same_value_stores": "a race here, whatever the values; there, equal values are no hazard",
    "same_value_one_warp": "a race here, whatever the values; there, equal values are no hazard",
    "global_race_blocks": "a race here; there, racecheck looks at shared memory only",
    "global_race_in_block": "a race here; there, racecheck looks at shared memory only",
    "ticket_no_fence": "a race here; there, racecheck looks at shared memory only",
    "shuffle_not_named": "an error here, as the programming guide has it undefined; there, not looked at",
    "shuffle_from_absent": "a warning here, as the value is undefined; there, not looked at",
    "shared_uninit": "an error here; there, initcheck looks at global memory only",
}


class Verdict(NamedTuple):
    """What two tools say of a kernel: "clean", "warning" or "error"; and why they differ, if they do."""

    case: str
    tool: str
    recorded: str
    simulated: str
    why: str


def verdict(report: Any) -> str:
    """A report in one word."""
    return "error" if report.findings else "warning" if report.warnings else "clean"


def verdicts() -> Iterator[Verdict]:
    """Every kernel of `sanitizer.cu`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HostCodeWarning)  # its main() is what ran under compute-sanitizer
        module = gpusim.RawModule(path=HERE / "sanitizer.cu")
        module.compile()
    for case, recorded in RECORDED.items():
        with gpusim.sanitize(recorded["tool"], device="H200") as report:
            x, y = cuda.device_array(1024, np.int32), cuda.to_device(np.zeros(1024, np.int32))
            x[:512] = np.arange(512, dtype=np.int32)  # the rest stays without contents
            module.get_function(case)((recorded["blocks"],), (recorded["threads"],), (x, y))
        yield Verdict(case, recorded["tool"], recorded["verdict"], verdict(report), DIFFERENCES.get(case, ""))
