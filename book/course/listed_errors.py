"""What are the package's errors called elsewhere? By Python, Numba and CUDA, one row for each error here."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence

from IPython.display import HTML

from course.listed_api import Lines, listing
from gpusim import errors
from gpusim.cuda import errors as numbas
from gpusim.program import in_place

HEADINGS = "Elsewhere", "Here"
# our error -> names of CUDA's runtime and of its driver
OF_CUDA: dict[type[errors.GpuSimError], tuple[str, ...]] = {
    errors.OutOfBounds: ("cudaErrorIllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS"),
    errors.MisalignedAccess: ("cudaErrorMisalignedAddress", "CUDA_ERROR_MISALIGNED_ADDRESS"),
    errors.AssertionFailed: ("cudaErrorAssert", "CUDA_ERROR_ASSERT"),
    errors.NoProgress: ("cudaErrorLaunchTimeout", "CUDA_ERROR_LAUNCH_TIMEOUT"),
    errors.LaunchError: (
        "cudaErrorInvalidValue",
        "CUDA_ERROR_INVALID_VALUE",
        "cudaErrorInvalidConfiguration",
        "cudaErrorMemoryAllocation",
        "CUDA_ERROR_OUT_OF_MEMORY",
        "cudaErrorLaunchOutOfResources",
        "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
        "cudaErrorInvalidResourceHandle",
        "CUDA_ERROR_INVALID_HANDLE",
    ),
}


def ours() -> list[type[errors.GpuSimError]]:
    """All errors of the package, as their module has them."""
    found = vars(errors).values()
    return [each for each in found if isinstance(each, type) and issubclass(each, errors.GpuSimError)]


def of_python() -> dict[type[errors.GpuSimError], list[str]]:
    """Which of Python's own exceptions is an error, too? `OutOfBounds` is an `IndexError`."""
    return {
        each: [base.__name__ for base in each.__bases__ if hasattr(builtins, base.__name__)]
        for each in ours()
        if each is not errors.GpuSimError
    }


def of_numba() -> dict[type[errors.GpuSimError], list[str]]:
    """By which of Numba's names does a program catch it, where Numba is not installed?"""
    driver = (in_place.MODULES[f"{in_place.CUDA}.cudadrv.{part}"] for part in ("driver", "error"))
    core = {name: getattr(numbas, name) for name in numbas.__all__}
    named = {name: found for module in (core, *driver) for name, found in dict(module).items()}
    return {each: [name for name, found in named.items() if found is each] for each in ours()}


def lines(named: Mapping[type[errors.GpuSimError], Sequence[str]]) -> Lines:
    """What an error here means -> its names elsewhere."""
    return {said(each): [*names] for each, names in named.items() if names}


def said(error: type[errors.GpuSimError]) -> str:
    """Its name, and the first sentence about it."""
    return f"`{error.__name__}`: {(error.__doc__ or '').partition(chr(10))[0]}"


def table() -> HTML:
    """All names, by who gives them."""
    return listing(
        {"Python": lines(of_python()), "Numba": lines(of_numba()), "CUDA": lines(OF_CUDA)}, HEADINGS
    )
