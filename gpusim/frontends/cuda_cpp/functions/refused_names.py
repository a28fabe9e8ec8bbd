"""Which names do C++ and CUDA have that a kernel here cannot use, and what can it use instead?

Functions of CUDA that this machine does not offer are in `refused_functions`; here are the host's functions,
types, and whole libraries, known by the namespace in front of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpusim.frontends.cuda_cpp.functions import refused_functions

_RUNTIME = "it runs on the host: pass NumPy arrays, or use gpusim.cuda there"
_RANDOM = "write a generator as a __device__ function, with its state in an array"
_TEXTURES = "read the array itself: textures are not simulated"
_TEXTS = "texts are for printf only: compare and copy characters in a loop"
_PRINTING = "a kernel prints with printf"
_GROUPS = "cooperative groups are not simulated yet: use __syncthreads(), __syncwarp() and shuffles"
_MATRICES = "tensor cores are not simulated: multiply in a loop"

NAMES: dict[str, str] = {
    **dict.fromkeys(("calloc", "realloc"), "kernels have malloc and free: set or copy the memory in a loop"),
    **dict.fromkeys(
        ("cudaMalloc", "cudaMallocManaged", "cudaFree", "cudaMemcpy", "cudaMemcpyAsync", "cudaMemset"),
        _RUNTIME,
    ),
    **dict.fromkeys(
        ("cudaDeviceSynchronize", "cudaGetLastError", "cudaMemcpyToSymbol", "cudaLaunchKernel"), _RUNTIME
    ),
    **dict.fromkeys(("rand", "srand", "drand48", "rand_r"), _RANDOM),
    **dict.fromkeys(("texture", "surface", "cudaTextureObject_t", "cudaSurfaceObject_t"), _TEXTURES),
    **dict.fromkeys(("strstr", "strchr", "strtok", "sprintf", "snprintf", "atoi", "std::string"), _TEXTS),
    **dict.fromkeys(("fprintf", "puts", "putchar", "fopen", "fclose", "std::cout", "std::cerr"), _PRINTING),
    **dict.fromkeys(("exit", "abort"), "a thread ends with return; __trap() ends the launch with an error"),
    "std::vector": "pass its memory as a pointer, or declare an array of fixed length",
    "std::array": "declare an array: float a[4]",
    "std::swap": "swap through a variable, or write a template function of your own",
    "std::sort": "sort in the kernel's own code, or on the host",
}
LIBRARIES: dict[str, str] = {
    "cooperative_groups": _GROUPS,
    "cg": _GROUPS,
    "wmma": _MATRICES,
    "nvcuda": _MATRICES,
    "thrust": "it is the host's: use NumPy there, or write the loop",
    "cub": "it is no part of the simulator: write the block's steps out",
    "std": "of std:: kernels have the functions of <cmath> and min, max; the rest is the host's",
    "cuda": "of libcu++ kernels here have nothing: use atomicAdd and its relatives, __threadfence, arrays",
}


def advice(name: str, spaces: Sequence[str] = ()) -> str | None:
    """What to do instead of using a name, perhaps with its namespace and template arguments; None for others.

    `spaces` are those of `using namespace`: the name may be one of theirs.

    >>> advice("std::vector<int>")
    'pass its memory as a pointer, or declare an array of fixed length'
    """
    plain = name.partition("<")[0].replace(" ", "").removeprefix("::")
    library = LIBRARIES.get(plain.partition("::")[0]) if "::" in plain else None
    known = NAMES.get(plain) or refused_functions.reason(plain) or library
    for space in spaces if known is None and "::" not in plain else ():
        library = LIBRARIES.get(space.partition("::")[0]) if space != "std" else None
        known = known or NAMES.get(f"{space}::{plain}") or library
    return known
