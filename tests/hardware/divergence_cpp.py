"""Does the recorded CUDA C++ of `divergence.json` split its warps here as on an H200?

The sources as they stand. What they stand in, LOG and heavy and KSWITCH, is in `divergence.cu`.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import gpusim
from tests.hardware import comparison
from tests.hardware.comparison import ALONE, LANES, OUTCOMES, RECORDED, RECORDING, ROUNDS, SAME, SIDE, Events

PRELUDE = (Path(__file__).parent / "divergence.cu").read_text()
# in the records a source is one line: directives and comments get theirs back, an instruction in PTX its name
LINES = (
    (r"#pragma unroll 1 ", r"\n#pragma unroll 1\n"),
    (r"(// both branches .*\?) ", r"\1\n"),
    (r'asm volatile\("ld\.global\.cv\.f32 %0,\[%1\];" : "=f"\(v\) : "l"\((.*?)\)\);', r"v = __ldcv(\1);"),
)
# scenario -> how gpusim's events compare with the H200's, where the Python kernel has no such construct
ONLY_HERE = {
    "function_pointers": ALONE,  # lanes meet behind a call through a pointer; there, later
    "goto_unstructured": SAME,
    "reduce_both_branches_full_mask": SIDE,
}


def source(text: str) -> str:
    """A recorded source as CUDA C++."""
    for recorded, written in LINES:
        text = re.sub(recorded, written, text)
    return text


@cache
def module() -> gpusim.RawModule:
    """All recorded kernels."""
    scenarios = [
        f"SCENARIO({name}) {{\nOPEN {source(row['source'])} POST\n}}\n" for name, row in RECORDED.items()
    ]
    counted = [
        f"COUNTED({name}) {{\nBEGIN {body} END\n}}\n" for name, body in RECORDING["count_kernels"].items()
    ]
    return gpusim.RawModule(code="\n".join((PRELUDE, *RECORDING["helpers"], *scenarios, *counted)))


def expected(name: str) -> str:
    """The outcome of a scenario: that of its Python kernel, if it has one."""
    return ONLY_HERE.get(name, OUTCOMES[name])


@cache
def simulated(name: str) -> Events:
    """What gpusim does, in its order."""
    rows, data = comparison.no_tickets(np.int32), np.zeros(2 * LANES + 4096, np.float32)
    with gpusim.use("H200"):
        module().get_function(f"{name}<true>")((1,), (LANES,), (rows, data, 8))
    return comparison.grouped(name, rows)


def outcome(name: str) -> str:
    """How do the two compare?"""
    return comparison.compared(simulated(name), comparison.recorded(name))


@cache
def counted(name: str, k: int, threads: int) -> tuple[int, int]:
    """Warp instructions and divergent branches of a counted kernel in gpusim."""
    kernel: Any = module().get_function(name)
    with gpusim.profile("H200") as run:
        kernel((1,), (threads,), (np.zeros(threads, np.float32), k, ROUNDS))
    return int(run.instructions), int(run.divergent_branches)
