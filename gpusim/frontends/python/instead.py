"""What to write instead of a call that a kernel cannot make? A table, by the name of what is called."""

from __future__ import annotations

import sys
import sysconfig
from typing import Any

from gpusim.frontends import host_calls
from gpusim.frontends.python.values import Static, to_keep

# what to do instead of calling a function of the host, of NumPy, of `math` or of Python
NOT_IN_KERNELS = host_calls.INSTEAD | {
    **dict.fromkeys(
        ("cudaMalloc", "cudaFree"),
        "kernels in Python take no memory: pass an array, or write the kernel in CUDA C++",
    ),
    **dict.fromkeys(
        ("cudaGetErrorName", "cudaGetErrorString"),
        "kernels in Python have no texts: store the number, and ask on the host",
    ),
}
INSTEAD = {
    "use cuda.local.array or cuda.shared.array for storage, or pass an array": (
        "zeros ones empty full array arange zeros_like ones_like empty_like list dict set device_array "
        "device_array_like managed_array pinned_array pinned_array_like mapped_array mapped_array_like"
    ),
    "a kernel creates one with cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)": "stream",
    "a kernel creates one with cudart.cudaEventCreateWithFlags(cudart.cudaEventDisableTiming)": "event",
    "threads wait with cuda.syncthreads(); what comes after grids that a kernel launched is launched into "
    "cudart.cudaStreamTailLaunch": "synchronize",
    "write a loop": (
        "dot sort sorted amin amax min max map filter any all cumsum cumprod ptp median nansum nanmin nanmax "
        "nanmean count_nonzero average trace"
    ),
    "loop over x.flat, or over ranges of indices": "nditer ndenumerate ndindex",
    "loop over the array or the range itself": "iter next zip enumerate",
    "write it in the brackets: x[1:3]": "slice",
    "use cuda.random.xoroshiro128p_uniform_float32(states, i)": "rand random randint uniform random_sample",
    "use cuda.random.xoroshiro128p_normal_float32(states, i)": "normal randn standard_normal gauss",
    "print(…) takes texts and numbers side by side: print('x is', x[i])": "format str repr",
    "time launches on the host, or ask run.timing() of a profile": "time perf_counter clock",
    "use math.{}": "sqrt exp floor ceil trunc fabs isinf isfinite",
    "use abs(…)": "absolute",
    "use min(max(x, low), high)": "clip",
    "use round(…)": "round rint",
    "use cuda.cbrt(…)": "cbrt",
    "write `a if c else b`": "where",
    "write it with an operator: a + b, a ** b": (
        "add subtract multiply divide floor_divide remainder power square negative"
    ),
    "write 2.0 ** x": "exp2",
    "write `(x > 0) - (x < 0)`": "sign",
    "loop over it: `for i in range(…)`": "range",
    "count down: `for i in range(n - 1, -1, -1)`": "reversed",
    "write its items out: (a, b)": "tuple",
    "types are known before a kernel runs: ask an array for its .dtype": "type isinstance",
}
CALLED_BEFORE = "call it on the host, and pass what it gives"


def instead_of(called: Any) -> str:
    """The way out, from the tables or from what it is; empty for a class that they do not name."""
    owner = getattr(called, "__self__", None)
    module = getattr(called, "__module__", None) or type(owner).__module__
    if module.startswith("numba"):
        return "import cuda from gpusim, not from numba"
    name = getattr(called, "__name__", "")
    if module.startswith("gpusim.cudart") and name in NOT_IN_KERNELS:
        return NOT_IN_KERNELS[name]
    kernel = called if owner is None else owner
    if hasattr(kernel, "launched_with"):
        return f"it is a kernel: launch it with {kernel.__name__}[grid, block](…)"
    of_the_host = module.startswith("gpusim.")
    if hasattr(called, "__code__") and not of_the_host and not _of_a_library(called, module):
        return "mark it @cuda.jit(device=True)"
    if isinstance(owner, list | dict | set):
        return to_keep(Static(owner))
    known = (hint.format(name) for hint, names in INSTEAD.items() if name in names.split())
    return next(known, CALLED_BEFORE if not isinstance(called, type) else "")


def _of_a_library(called: Any, module: str) -> bool:
    """Is it of Python or of an installed package, and not the reader's to change?"""
    installed = sysconfig.get_path("purelib"), sysconfig.get_path("platlib")
    # functions of np.random are compiled, and name no file
    of_a_package = module.partition(".")[0] in {*sys.stdlib_module_names, "numpy"}
    return of_a_package or called.__code__.co_filename.startswith(installed)
