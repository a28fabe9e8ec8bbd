"""Which functions does CUDA have that this machine does not offer, and what can a kernel do instead?"""

from __future__ import annotations

LEGACY = "lanes may diverge, so CUDA 13 wants those that take part to be named: {}(mask, …)"
SPACES = ("shared", "global", "constant", "local", "grid_constant")

REFUSED: dict[str, str] = {
    **{
        name: LEGACY.format(f"{name}_sync")
        for name in ("__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__any", "__all", "__ballot")
    },
    "__syncwave": "MXMACA has it, for waves of 64 lanes; on this device use __syncwarp()",
    "__brkpt": "there is no debugger to stop for; print, or use __trap()",
    "__prof_trigger": "gpusim.profile() counts what happens",
    **dict.fromkeys((f"__pm{number}" for number in range(4)), "gpusim.profile() counts what happens"),
    **{
        f"__cvta_{way}": "addresses of one memory space are not offered; a pointer works in every space"
        for space in SPACES
        for way in (f"generic_to_{space}", f"{space}_to_generic")
    },
    **dict.fromkeys(
        (f"__vib{what}_{kind}" for what in ("max", "min") for kind in ("s32", "u32", "s16x2", "u16x2")),
        "compare and choose with ?: instead",
    ),
    "alloca": "declare an array of a constant length",
    **dict.fromkeys(("norm", "normf", "rnorm", "rnormf"), "write the loop over the coordinates out"),
    **dict.fromkeys(("__pipeline_memcpy_async", "__pipeline_commit"), "copy with a loop and __syncthreads()"),
}
_TEXTURES, _SURFACES = (f"{what} are not simulated: index the array" for what in ("textures", "surfaces"))
FAMILIES = {
    "curand": "draw random numbers with NumPy and pass them, or write a generator such as xorshift",
    **dict.fromkeys(("tex1D", "tex2D", "tex3D", "texCube"), _TEXTURES),
    **dict.fromkeys(("cudaReadMode", "cudaTexture", "cudaAddress"), _TEXTURES),
    **dict.fromkeys(("surf1D", "surf2D", "surf3D", "surfCube"), _SURFACES),
    "cudaGraph": "graphs are not simulated",
    "cudaStream": "a kernel cannot launch others: launch them from the host",
}


def reason(name: str) -> str | None:
    """Why a function is refused, and what to do; None where CUDA has no such function."""
    begins = (why for beginning, why in FAMILIES.items() if name.startswith(beginning))
    return REFUSED.get(name) or next(begins, None)
