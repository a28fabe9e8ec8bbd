"""Do functions of CUDA's library give what an H200 gave? Integers and signs exactly, reals nearly.

The simulator computes to the last bit where it can; a GPU's functions may be a few units off in the last
place (CUDA C++ Programming Guide, "Mathematical Functions"), and its fast ones more.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import gpusim
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin
from gpusim.frontends.cuda_cpp.layout import dtype_of
from gpusim.frontends.cuda_cpp.types import Struct
from tests.hardware import library

FUNCTIONS = list(library.functions())
# units in the last place; 4 for all others, 0 for those that are one correctly rounded operation
ULPS = {
    "lgamma": 64, "tgamma": 11, "normcdf": 8, "erfcx": 64, "cyl_bessel_i0": 128, "cyl_bessel_i1": 128,
}  # fmt: skip
# fast functions, and Bessel functions: how far off, absolutely below 1, and which numbers they are for
TRIGONOMETRIC = ("__sinf", "__cosf", "__tanf", "__sincosf", "__tanhf")
FAST = ("__expf", "__exp10f", "__powf", "__logf", "__log2f", "__log10f", "__fdividef", "htanh_approx")
BESSEL = [f"{kind}{order}{f}" for kind in "jy" for order in "01n" for f in ("", "f")]
ROUGH = {**dict.fromkeys((*TRIGONOMETRIC, *BESSEL), 1e-5), **dict.fromkeys(FAST, 1e-4)}
LIMITS = {
    **dict.fromkeys(TRIGONOMETRIC, (0, np.pi)),
    **dict.fromkeys(FAST, (1e-30, 30)),
    **dict.fromkeys(BESSEL, (1e-3, 1e4)),  # and orders of 4 bits
    "__fns": (0, 31),
}


@cache
def module() -> Any:
    """A kernel for each function."""
    text = "\n".join(library.kernel(builtin, f"k{place}") for place, builtin in enumerate(FUNCTIONS))
    return gpusim.RawModule(code=text, options=("-std=c++17",))


def ulps(found: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """How many units in the last place are they apart? Equal numbers 0, also infinite ones and NaN."""
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    with np.errstate(all="ignore"):
        unit = np.spacing(np.abs(expected)).astype(np.float64)
        apart = np.abs(found.astype(np.float64) - expected.astype(np.float64)) / unit
    return np.where(same, 0, np.where(np.isnan(apart), np.inf, apart))


def usual(builtin: Builtin, given: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    """In which lanes are all arguments such that the function is meant for them?"""
    chosen = np.ones(len(given[0]), bool)
    low, high = LIMITS.get(builtin.name, (0, np.inf))
    for place, numbers in enumerate(given if builtin.name in LIMITS else []):
        if builtin.name in library.FEW_BITS and place == 0:
            continue
        if builtin.name != "__fns" or place == 1:
            chosen &= (np.abs(numbers) >= low) & (np.abs(numbers) <= high)
    return chosen


def compare(builtin: Builtin, found: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> None:
    """Equal, or as close as the function is on a GPU."""
    if found.dtype.kind != "f":
        np.testing.assert_array_equal(found, expected)
        return
    name = builtin.name.removesuffix("f")
    error = ulps(found, expected)
    near = error <= ULPS.get(name, 4)
    near |= np.isinf(expected) & (np.abs(found) > np.finfo(found.dtype).max / 2)  # a GPU overflows early
    if builtin.name in ROUGH:
        near |= np.abs(found - expected) <= ROUGH[builtin.name] * np.maximum(1, np.abs(expected))
    assert near.all(), (found[~near], expected[~near], error[~near])
    zeros = (found == 0) & (expected == 0)
    np.testing.assert_array_equal(np.signbit(found[zeros]), np.signbit(expected[zeros]))


@pytest.mark.parametrize("number", range(len(FUNCTIONS)), ids=map(str, FUNCTIONS))
def test_a_function_gives_what_an_h200_gave(number):
    builtin = FUNCTIONS[number]
    lanes = library.record()["lanes"]
    given = [library.inputs(type_)[row] for row, type_ in enumerate(library.types_of_inputs(builtin))]
    types = library.results_of(builtin)
    outs = [np.zeros(lanes, dtype_of(type_)) for type_ in types]
    module().get_function(f"k{number}")((1,), (lanes,), (*given, *outs))
    chosen = usual(builtin, given)
    answered = library.answered(str(builtin), [out.dtype for out in outs])
    for type_, found, expected in zip(types, outs, answered, strict=True):
        fields = [field.name for field in type_.fields or ()] if isinstance(type_, Struct) else []
        for part in fields or [...]:
            compare(builtin, found[part][chosen], expected[part][chosen])
