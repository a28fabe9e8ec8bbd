"""What do kernels in CUDA C++ give, and what did an H200 give? Run a record of `cpp_language.json`, compare.

The kernels stand in `language/*.cu`; `language/record.cu` ran them on the H200.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gpusim
from course.kept import kept

HERE = Path(__file__).parent
RECORDING = json.loads((HERE / "cpp_language.json").read_text())
RECORDS = {f"{record['file']}:{record['kernel']}": record for record in RECORDING["records"]}
DTYPES = {
    "signed char": np.int8,
    "unsigned char": np.uint8,
    "short": np.int16,
    "unsigned short": np.uint16,
    "int": np.int32,
    "unsigned": np.uint32,
    "long long": np.int64,
    "unsigned long long": np.uint64,
    "float": np.float32,
    "double": np.float64,
}

# record -> how many of its numbers are others here, and why
DIFFERENCES = {
    "integers.cu:counters_wrap": (3, "there, ++ counts a signed char to 128: nvcc keeps it in 32 bits"),
    "half.cu:to_half": (4, "NaN is 0x7e00 here, 0x7fff there"),
    "half.cu:half_operators": (4, "there, a * b and + a are one operation, rounded once: -fmad=true"),
}
# functions of the math library -> units in the last place that results may lie apart; of others, 2
ULPS = {"cyl_bessel_i0_d": 19, "cyl_bessel_i1_d": 3}
# next to zeros that are no floating-point numbers, errors are small beside 1 only
CROSSING = ("j0", "j1", "y0", "y1", "lgamma")
NEAR_ZEROS = {"f": 1e-6, "d": 1e-12}


@cache
def module(file: str) -> gpusim.RawModule:
    """The kernels of a file, as they were compiled for the H200."""
    return gpusim.RawModule(path=HERE / "language" / file)


def numbers(type_: str, values: list[Any]) -> NDArray[Any]:
    """Recorded numbers, where "nan" and "inf" are words."""
    return np.array([float(value) if isinstance(value, str) else value for value in values], DTYPES[type_])


def run(record: dict[str, Any]) -> tuple[NDArray[Any], str]:
    """What the kernel leaves in its second argument, and what it prints."""
    given = RECORDING["inputs"][record["input"]]
    x, out = numbers(given["type"], given["values"]), np.zeros(len(record["outputs"]), DTYPES[record["type"]])
    kernel = module(record["file"]).get_function(record["kernel"])
    printed = StringIO()
    with gpusim.use("H200"), redirect_stdout(printed):
        kernel((record["blocks"],), (record["threads"],), (x, out), shared_mem=record.get("shared", 0))
    return out, printed.getvalue()


@kept
def disagreements() -> dict[str, list[str]]:
    """Of each kernel: where is a number another one, bit for bit (but all NaN are one), or a text another?

    Functions of the math library may err in the last places, but not in signs, infinities and NaN.
    """
    return {name: list(_disagreements(record)) for name, record in RECORDS.items()}


def _disagreements(record: dict[str, Any]) -> Iterator[str]:
    outputs, printed = run(record)
    recorded = numbers(record["type"], record["outputs"])
    bits = f"u{recorded.itemsize}"
    other = (outputs.view(bits) != recorded.view(bits)) & ~(np.isnan(outputs) & np.isnan(recorded))
    if record["file"] == "math.cu":
        other &= ~_close(record["kernel"], outputs, recorded)
    for place in np.flatnonzero(other):
        yield f"out[{place}] is {outputs[place]}, on the H200 {recorded[place]}"
    if printed != record.get("printed", ""):
        yield f"prints {printed!r}, on the H200 {record.get('printed', '')!r}"


def _close(kernel: str, outputs: NDArray[Any], recorded: NDArray[Any]) -> NDArray[np.bool_]:
    """Is a result as good as the recorded one?"""
    function, _, precision = kernel.rpartition("_")
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.abs(outputs - recorded)
        allowed = ULPS.get(kernel, 2) * np.spacing(np.abs(recorded))
        if function in CROSSING:
            allowed = np.maximum(allowed, NEAR_ZEROS[precision])
        return (apart <= allowed) & (np.signbit(outputs) == np.signbit(recorded))


@cache
def summary() -> list[tuple[str, int, int, str]]:
    """(file, records, equal, what of the others), for each file of kernels."""
    rows = []
    for file in dict.fromkeys(record["file"] for record in RECORDS.values()):
        names = [name for name in RECORDS if name.startswith(f"{file}:")]
        others = {name: what for name, (_count, what) in DIFFERENCES.items() if name in names}
        equal = sum(name not in others and not disagreements()[name] for name in names)
        what = "; ".join(f"{name.partition(':')[2]}: {why}" for name, why in others.items())
        rows.append((file, len(names), equal, what))
    return rows
